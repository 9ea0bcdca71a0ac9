// Effectiveness by number of features: curves with confidence bands, and results on test data.

function fillSizes(panel) {
  const part = content.sizes;
  const titled = (title, chart) => element("div", {}, element("h3", {}, title), chart);
  const charts = [];
  if (part.curves.length > 0) charts.push(
    titled(part.tested ? "On validation data" : `By ${sizeName(part)}`, curvesChart(part)),
  );
  if (part.tested) charts.push(titled("On test data", testedChart()));
  panel.append(element("div", { class: "pair" }, ...charts));
}

/** What sizes are. */
const sizeName = (part) => (part.by_cost ? "cost" : "number of features");

function curvesChart(part) {
  const build = () => {
    const traces = [];
    for (const curve of part.curves) {
      const { colour: line, symbol, dash } = look(methodIndex(curve.name));
      const x = curve.points.map((point) => (part.by_cost ? point.cost : point.features));
      if (part.bands) {
        traces.push({
          type: "scatter",
          mode: "lines",
          x: [...x, ...[...x].reverse()],
          y: [
            ...curve.points.map((point) => point.high),
            ...curve.points.map((point) => point.low).reverse(),
          ],
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
        name: plain(methodLabel(curve.name)),
        legendgroup: plain(curve.name),
        x,
        y: curve.points.map((point) => point.value),
        line: { color: line, dash, width: 2 },
        marker: { symbol, size: 7, color: line },
        hoverinfo: "text",
        hovertext: curve.points.map((point) =>
          hoverText(
            curve.name,
            plural(point.features, "feature"),
            ...(part.by_cost ? [`cost ${costText(point.cost)}`] : []),
            `${part.measure} ${fixed(point.value)}`,
            ...(point.low == null ? [] : [`95 % interval ${interval(point.low, point.high)}`]),
          ),
        ),
      });
    }
    const shapes = part.level ? [
      {
        type: "line",
        xref: "paper",
        x0: 0,
        x1: 1,
        y0: part.level.value,
        y1: part.level.value,
        line: { color: colour("text"), width: 1.5, dash: "dash" },
      },
    ] : [];
    const annotations = part.level ? [
      {
        xref: "paper",
        x: 0,
        xanchor: "left",
        y: part.level.value,
        yanchor: "bottom",
        showarrow: false,
        text: plain(part.level.name),
      },
    ] : [];
    return {
      traces,
      legend: part.curves.length > 1,
      layout: {
        xaxis: axis(sizeName(part), { rangemode: "tozero" }),
        yaxis: axis(part.measure),
        shapes,
        annotations,
      },
    };
  };
  const bands = part.bands ? " Bands are 95 % intervals: 1.96 standard errors over queries." : "";
  const remark =
    part.remark || "Means over folds; each method uses the size with the highest value here.";
  const columns = [
    "Method",
    ["Features", "number"],
    ...(part.by_cost ? [["Cost", "number"]] : []),
    [part.measure, "number"],
    ["95 % interval", "number"],
    ["Folds", "number"],
  ];
  const rows = part.curves.flatMap((curve) => curve.points.map(
    (point) => [
      curve.name,
      String(point.features),
      ...(part.by_cost ? [costText(point.cost)] : []),
      fixed(point.value),
      interval(point.low, point.high),
      String(point.folds),
    ],
  ));
  const curvesTable = numbers(`${part.measure} by ${sizeName(part)}`, columns, rows);
  if (part.curves.every((curve) => curve.points.length < 2)) {
    const [curve] = part.curves;
    const [point] = curve.points;
    const range = interval(point.low, point.high);
    const spread = point.low == null ? "" : ` (95 % interval ${range})`;
    const count = plural(point.features, "feature");
    const one = `${part.measure} ${fixed(point.value)}${spread} with ${count}`;
    const level = part.level ? `, and ${fixed(part.level.value)} with ${part.level.name}` : "";
    return sentenceFigure(
      part.curves.length === 1
        ? `Only one size was evaluated: ${one}${level}.`
        : "Every method was evaluated at one size only; the table lists them.",
      curvesTable,
    );
  }
  return chartFigure({
    name: `${part.measure} by ${sizeName(part)}`,
    caption: remark + bands,
    build,
    table: curvesTable,
  });
}

/** A method as one labelled point, with error bars. */
const methodPoint = (method, index, more) => {
  const { colour: line, symbol } = look(index);
  const [value] = method.values;
  return {
    type: "scatter",
    mode: "markers+text",
    name: plain(methodLabel(method.name)),
    y: [value.mean],
    text: [plain(method.letter)],
    textposition: "top right",
    textfont: { size: 12, color: line },
    error_y: {
      type: "data",
      symmetric: false,
      array: [value.high - value.mean],
      arrayminus: [value.mean - value.low],
      color: line,
      thickness: 1.2,
      width: 3,
    },
    marker: { color: line, symbol, size: 11, line: { width: symbol.endsWith("-open") ? 2 : 0 } },
    hoverinfo: "text",
    ...more(line),
  };
};

/** The only method of an experiment, in a sentence. */
const onlyMethod = (method) =>
  `${method.name} is the only method: ${content.measures[0]} ${fixed(method.values[0].mean)} (95 ` +
  `% interval ${interval(method.values[0].low, method.values[0].high)}) with ` +
  `${fixed(method.features.mean, 1)} features on average, in ${duration(method.seconds)} per ` +
  "run.";

function testedChart() {
  const measure = content.measures[0];
  const build = () => ({
    traces: content.methods.map((method, index) =>
      methodPoint(method, index, (line) => ({
        x: [method.features.mean],
        error_x: {
          type: "data",
          symmetric: false,
          array: [method.features.most - method.features.mean],
          arrayminus: [method.features.mean - method.features.least],
          color: line,
          thickness: 1.2,
          width: 3,
        },
        hovertext: [
          hoverText(
            method.name,
            `${fixed(method.features.mean, 1)} features (${method.features.least} to ` +
              `${method.features.most})`,
            `${measure} ${fixed(method.values[0].mean)}`,
            `95 % interval ${interval(method.values[0].low, method.values[0].high)}`,
          ),
        ],
      })),
    ),
    layout: { xaxis: axis("number of features", { rangemode: "tozero" }), yaxis: axis(measure) },
  });
  const columns = [
    "Method",
    ["Features", "number"],
    ["Minimum", "number"],
    ["Maximum", "number"],
    [measure, "number"],
    ["95 % interval", "number"],
  ];
  const rows = content.methods.map((method) => [
    method.name,
    fixed(method.features.mean, 1),
    String(method.features.least),
    String(method.features.most),
    fixed(method.values[0].mean),
    interval(method.values[0].low, method.values[0].high),
  ]);
  const testedTable = numbers(`${measure} of every method`, columns, rows);
  if (content.methods.length === 1) return sentenceFigure(
    onlyMethod(content.methods[0]),
    testedTable,
  );
  return chartFigure({
    name: `${measure} of every method by its number of features`,
    caption:
      "Up and to the left is better. Vertical lines are 95 % bootstrap intervals over test " +
      "queries; horizontal lines show the range of the number of features over runs.",
    build,
    table: testedTable,
  });
}
