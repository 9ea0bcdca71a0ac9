// Effectiveness by number of features: curves with confidence bands, and results on test data.

function fillSizes(panel) {
  const part = content.sizes;
  const indexOf = (name) => Math.max(0, content.methods.findIndex((method) => method.name === name));
  if (part.curves.length > 0) {
    panel.append(element("h3", {}, part.tested ? "On validation data" : "By number of features"), curvesChart(part, indexOf));
  }
  if (part.tested) panel.append(element("h3", {}, "On test data"), testedChart());
}

function curvesChart(part, indexOf) {
  const build = () => {
    const traces = [];
    for (const curve of part.curves) {
      const { colour: line, symbol, dash } = look(indexOf(curve.name));
      const x = curve.points.map((point) => point.features);
      if (part.bands) {
        traces.push({
          type: "scatter",
          mode: "lines",
          x: [...x, ...[...x].reverse()],
          y: [...curve.points.map((point) => point.high), ...curve.points.map((point) => point.low).reverse()],
          fill: "toself",
          fillcolor: `${line}26`,
          line: { width: 0 },
          hoverinfo: "skip",
          showlegend: false,
          legendgroup: plain(curve.name),
        });
      }
      traces.push({
        type: "scatter",
        mode: "lines+markers",
        name: plain(shortened(curve.name)),
        legendgroup: plain(curve.name),
        x,
        y: curve.points.map((point) => point.value),
        line: { color: line, dash, width: 2 },
        marker: { symbol, size: 7, color: line },
        hoverinfo: "text",
        hovertext: curve.points.map((point) =>
          hoverText(curve.name, plural(point.features, "feature"), `${part.measure} ${fixed(point.value)}`, ...(point.low == null ? [] : [`95 % interval ${interval(point.low, point.high)}`])),
        ),
      });
    }
    const shapes = part.level ? [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: part.level.value, y1: part.level.value, line: { color: colour("text"), width: 1.5, dash: "dash" } }] : [];
    const annotations = part.level ? [{ xref: "paper", x: 0, xanchor: "left", y: part.level.value, yanchor: "bottom", showarrow: false, text: plain(part.level.name) }] : [];
    return { traces, legend: part.curves.length > 1, layout: { xaxis: axis("number of features", { rangemode: "tozero" }), yaxis: axis(part.measure), shapes, annotations } };
  };
  const bands = part.bands ? " Bands are 95 % intervals: 1.96 standard errors over queries." : "";
  const remark = part.remark || "Means over folds; each method uses the size with the highest value here.";
  const columns = ["Method", ["Features", "number"], [part.measure, "number"], ["95 % interval", "number"], ["Folds", "number"]];
  const rows = part.curves.flatMap((curve) => curve.points.map((point) => [curve.name, String(point.features), fixed(point.value), interval(point.low, point.high), String(point.folds)]));
  return chartFigure({ name: `${part.measure} by number of features`, caption: remark + bands, build, table: numbers(`${part.measure} by number of features`, columns, rows) });
}

function testedChart() {
  const measure = content.measures[0];
  const build = () => ({
    traces: content.methods.map((method, index) => {
      const { colour: line, symbol } = look(index);
      const [value] = method.values;
      return {
        type: "scatter",
        mode: "markers",
        name: plain(shortened(method.name)),
        x: [method.features.mean],
        y: [value.mean],
        error_x: { type: "data", symmetric: false, array: [method.features.most - method.features.mean], arrayminus: [method.features.mean - method.features.least], color: line, thickness: 1.2, width: 3 },
        error_y: { type: "data", symmetric: false, array: [value.high - value.mean], arrayminus: [value.mean - value.low], color: line, thickness: 1.2, width: 3 },
        marker: { color: line, symbol, size: 11 },
        hoverinfo: "text",
        hovertext: [hoverText(method.name, `${fixed(method.features.mean, 1)} features (${method.features.least} to ${method.features.most})`, `${measure} ${fixed(value.mean)}`, `95 % interval ${interval(value.low, value.high)}`)],
      };
    }),
    layout: { xaxis: axis("number of features", { rangemode: "tozero" }), yaxis: axis(measure) },
  });
  const columns = ["Method", ["Features", "number"], ["Minimum", "number"], ["Maximum", "number"], [measure, "number"], ["95 % interval", "number"]];
  const rows = content.methods.map((method) => [method.name, fixed(method.features.mean, 1), String(method.features.least), String(method.features.most), fixed(method.values[0].mean), interval(method.values[0].low, method.values[0].high)]);
  return chartFigure({
    name: `${measure} of every method by its number of features`,
    caption: "Up and to the left is better. Vertical lines are 95 % bootstrap intervals over test queries; horizontal lines show the range of the number of features over runs.",
    build,
    table: numbers(`${measure} of every method`, columns, rows),
  });
}
