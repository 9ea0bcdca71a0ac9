// Time and effectiveness.

function fillTime(panel) {
  const measure = content.measures[0];
  // A logarithmic axis needs a positive minimum, below the resolution of the measurements.
  const LEAST = 1e-4;
  const build = () => ({
    traces: content.methods.map((method, index) => {
      const { colour: line, symbol } = look(index);
      const [value] = method.values;
      return {
        type: "scatter",
        mode: "markers",
        name: plain(shortened(method.name)),
        x: [Math.max(method.seconds, LEAST)],
        y: [value.mean],
        error_y: { type: "data", symmetric: false, array: [value.high - value.mean], arrayminus: [value.mean - value.low], color: line, thickness: 1.2, width: 3 },
        marker: { color: line, symbol, size: 11 },
        hoverinfo: "text",
        hovertext: [hoverText(method.name, `${measure} ${fixed(value.mean)}`, `${duration(method.seconds)} per run, ${duration(method.select_seconds)} of it for selection`)],
      };
    }),
    layout: { xaxis: axis("seconds per run, including tuning", { type: "log" }), yaxis: axis(measure) },
  });
  const memory = (bytes) => (bytes == null ? "–" : `${(bytes / 2 ** 20).toFixed(0)} MiB`);
  const columns = ["Method", [measure, "number"], ["95 % interval", "number"], ["Selection", "number"], ["Total", "number"], ["Peak memory", "number"]];
  const rows = content.methods.map((method) => [method.name, fixed(method.values[0].mean), interval(method.values[0].low, method.values[0].high), duration(method.select_seconds), duration(method.seconds), memory(method.peak_bytes)]);
  panel.append(
    chartFigure({
      name: "Time and effectiveness",
      caption: "Up and to the left is better. Times are means over runs; lines are 95 % bootstrap intervals over test queries.",
      build,
      table: numbers("time and effectiveness", columns, rows),
    }),
  );
}
