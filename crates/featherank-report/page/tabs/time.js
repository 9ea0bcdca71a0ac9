// Time and effectiveness.

function fillTime(panel) {
  const measure = content.measures[0];
  // A logarithmic axis needs a positive minimum, below the resolution of the measurements.
  const LEAST = 1e-4;
  const build = () => ({
    traces: content.methods.map((method, index) =>
      methodPoint(method, index, () => ({
        x: [Math.max(method.seconds, LEAST)],
        hovertext: [
          hoverText(
            method.name,
            `${measure} ${fixed(method.values[0].mean)}`,
            `${duration(method.seconds)} per run, ${duration(method.select_seconds)} of it for ` +
              "selection",
          ),
        ],
      })),
    ),
    layout: {
      xaxis: axis("seconds per run, including tuning", { type: "log" }),
      yaxis: axis(measure),
    },
  });
  const memory = (bytes) => (bytes == null ? "–" : `${(bytes / 2 ** 20).toFixed(0)} MiB`);
  const columns = [
    "Method",
    [measure, "number"],
    ["95 % interval", "number"],
    ["Selection", "number"],
    ["Total", "number"],
    ["Peak memory", "number"],
  ];
  const rows = content.methods.map((method) => [
    method.name,
    fixed(method.values[0].mean),
    interval(method.values[0].low, method.values[0].high),
    duration(method.select_seconds),
    duration(method.seconds),
    memory(method.peak_bytes),
  ]);
  const timeTable = numbers("time and effectiveness", columns, rows);
  if (content.methods.length === 1) return void panel.append(
    sentenceFigure(onlyMethod(content.methods[0]), timeTable),
  );
  panel.append(
    chartFigure({
      name: "Time and effectiveness",
      caption:
        "Up and to the left is better. Times are means over runs; lines are 95 % bootstrap " +
        "intervals over test queries.",
      build,
      table: timeTable,
    }),
  );
}
