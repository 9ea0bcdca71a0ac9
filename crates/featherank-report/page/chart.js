// Charts: drawn when they become visible, redrawn when the theme or the width changes.

const charts = [];

/** Width in pixels below which charts omit details. */
const NARROW = 560;

/** Escapes text, because plotly interprets some tags as markup. */
const plain = (text) =>
  String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** Hover text of plain lines; the first one is a heading. */
const hoverText = (first, ...lines) => [`<b>${plain(first)}</b>`, ...lines.map(plain)].join("<br>");

/** Breaks text into lines, because plotly does not wrap hover text. */
function wrapped(text, width = 48) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1];
    if (last !== "" && last.length + word.length > width) lines.push(word);
    else lines[lines.length - 1] += (last === "" ? "" : " ") + word;
  }
  return lines;
}

/** The first twelve feature names for hover text. */
function featureLines(ids) {
  const names = ids.slice(0, 12).map((id) => shortened(featureName(id), 40));
  if (ids.length > names.length) names.push(`and ${ids.length - names.length} more`);
  return wrapped(names.join(", "));
}

/** An axis with the default style. */
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
  // A long legend increases the height instead of shrinking the plot.
  const entries = figure.traces.filter((trace) => trace.showlegend !== false).length;
  const legend = 18 * Math.max(0, Math.ceil(entries / (narrow ? 1 : 4)) - (narrow ? 2 : 3));
  return {
    width,
    height: printing
      ? (figure.paperHeight ?? 230) + legend
      : (figure.height?.(width) ?? (narrow ? 360 : 440) + legend),
    margin: { l: narrow ? 44 : 60, r: 12, t: 12, b: printing ? 32 : 48 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: {
      family: "system-ui, sans-serif",
      size: printing ? 9 : narrow ? 12 : 13,
      color: colour("text"),
    },
    hoverlabel: {
      bgcolor: colour("surface"),
      bordercolor: colour("accent"),
      font: { family: "system-ui, sans-serif", color: colour("text"), size: 13 },
      align: "left",
      namelength: -1,
    },
    hovermode: "closest",
    dragmode: false,
    showlegend: figure.legend ?? entries > 1,
    legend: {
      orientation: "h",
      x: 0,
      xanchor: "left",
      y: 1.02,
      yanchor: "bottom",
      font: { size: printing ? 9 : narrow ? 11 : 12 },
    },
    ...figure.layout,
  };
}

/**
 * A chart with a caption and a table of its numbers. `build` returns { traces, layout, height } in
 * the current theme; `onClick` receives the clicked point.
 */
function chartFigure({ name, caption, build, onClick, table: numbersTable }) {
  const plot = element("div", { class: "plot", role: "img", "aria-label": `${name}. ${caption}` });
  const figure = element(
    "figure",
    {},
    plot,
    element("figcaption", {}, caption),
    chartButtons(name, plot),
    numbersTable,
  );
  const chart = { plot, build, onClick, drawn: false, width: 0 };
  charts.push(chart);
  figure.redraw = () => chart.drawn && draw(chart);
  return figure;
}

/** What a chart would show, in a sentence: for data that is too small to draw. */
function sentenceFigure(sentence, numbersTable) {
  const figure = element("figure", {}, element("p", {}, sentence), numbersTable);
  figure.redraw = () => {};
  return figure;
}

function draw(chart) {
  const width = Math.floor(chart.plot.clientWidth);
  if (width === 0) return;
  const figure = chart.build(width);
  const config = {
    displayModeBar: false,
    responsive: false,
    doubleClick: false,
    scrollZoom: false,
    showTips: false,
  };
  // A chart whose labels need more width scrolls; paper cannot.
  const needed = printing ? width : Math.max(width, figure.minWidth ?? 0);
  Plotly.react(chart.plot, figure.traces, layoutOf(figure, needed), config);
  if (!chart.drawn && chart.onClick) {
    chart.plot.on("plotly_click", (event) => chart.onClick(event.points[0]));
  }
  chart.drawn = true;
  chart.width = width;
}

/** Draws visible charts that are out of date. */
function drawVisible(everything = false) {
  for (const chart of charts) {
    const width = Math.floor(chart.plot.clientWidth);
    if (width > 0 && (everything || !chart.drawn || width !== chart.width)) draw(chart);
  }
}

themeListeners.push(() => drawVisible(true));
