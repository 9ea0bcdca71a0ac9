// Charts: drawn when they come into sight, drawn again when colours or the width change.

const charts = [];

/** Charts that are narrower, in pixels, leave out what there is no room for. */
const NARROW = 560;

/** plotly takes some tags in text for markup: names must not be markup. */
const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** Lines of hover text; every line is plain text, the first one a heading. */
const hoverText = (first, ...lines) => [`<b>${plain(first)}</b>`, ...lines.map(plain)].join("<br>");

/** Text broken into lines, as hover text does not break by itself. */
function wrapped(text, width = 48) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines[lines.length - 1].length + word.length > width && lines[lines.length - 1] !== "") lines.push("");
    lines[lines.length - 1] += (lines[lines.length - 1] === "" ? "" : " ") + word;
  }
  return lines;
}

/** Names of features for hover text: the first dozen. */
function featureLines(ids) {
  const names = ids.slice(0, 12).map((id) => shortened(featureName(id), 40));
  if (ids.length > names.length) names.push(`and ${ids.length - names.length} more`);
  return wrapped(names.join(", "));
}

/** An axis without more ink than needed. */
function axis(title, more = {}) {
  const base = {
    title: { text: plain(title), standoff: 12 },
    gridcolor: colour("grid"),
    linecolor: colour("line"),
    zeroline: false,
    automargin: true,
    fixedrange: true,
    ticks: "outside",
    tickcolor: colour("line"),
    ticklen: 4,
  };
  return { ...base, ...more };
}

function layoutOf(figure, width) {
  const narrow = width < NARROW;
  // A legend of many methods must not press the chart together.
  const entries = figure.traces.filter((trace) => trace.showlegend !== false).length;
  const legend = 18 * Math.max(0, Math.ceil(entries / (narrow ? 1 : 5)) - 3);
  return {
    width,
    height: figure.height?.(width) ?? (narrow ? 360 : 440) + legend,
    margin: { l: narrow ? 44 : 60, r: 12, t: 12, b: 48 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, sans-serif", size: narrow ? 12 : 13, color: colour("text") },
    hoverlabel: { bgcolor: colour("surface"), bordercolor: colour("accent"), font: { family: "system-ui, sans-serif", color: colour("text"), size: 13 }, align: "left", namelength: -1 },
    hovermode: "closest",
    dragmode: false,
    showlegend: figure.legend ?? entries > 1,
    legend: { orientation: "h", x: 0, xanchor: "left", y: 1.02, yanchor: "bottom", font: { size: narrow ? 11 : 12 } },
    ...figure.layout,
  };
}

/**
 * A chart with a caption that says what to see, and the table of its numbers. `build` makes { traces, layout, height } with
 * the colours of the moment; `onClick` gets the point that was clicked.
 */
function chartFigure({ name, caption, build, onClick, table: numbersTable }) {
  const plot = element("div", { class: "plot", role: "img", "aria-label": `${name}. ${caption}` });
  const figure = element("figure", {}, plot, element("figcaption", {}, caption), numbersTable);
  const chart = { plot, build, onClick, drawn: false, width: 0 };
  charts.push(chart);
  figure.redraw = () => chart.drawn && draw(chart);
  return figure;
}

function draw(chart) {
  const width = Math.floor(chart.plot.clientWidth);
  if (width === 0) return;
  const figure = chart.build(width);
  const config = { displayModeBar: false, responsive: false, doubleClick: false, scrollZoom: false, showTips: false };
  Plotly.react(chart.plot, figure.traces, layoutOf(figure, width), config);
  if (!chart.drawn && chart.onClick) chart.plot.on("plotly_click", (event) => chart.onClick(event.points[0]));
  chart.drawn = true;
  chart.width = width;
}

/** Draws what is in sight and not up to date. */
function drawVisible(everything = false) {
  for (const chart of charts) {
    const width = Math.floor(chart.plot.clientWidth);
    if (width > 0 && (everything || !chart.drawn || width !== chart.width)) draw(chart);
  }
}

themeListeners.push(() => drawVisible(true));
