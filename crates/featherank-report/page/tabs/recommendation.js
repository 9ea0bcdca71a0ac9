// The recommendation: two sentences, the features, the sets that were evaluated, and a table of methods.

function fillRecommendation(panel) {
  const part = content.recommendation;
  panel.append(element("p", { class: "lead" }, part.sentences[0]), element("p", { class: "lead second" }, part.sentences[1]));
  if (part.figures.length > 0) {
    const figure = ({ value, what }) => element("div", {}, element("dt", {}, what), element("dd", {}, value));
    panel.append(element("dl", { class: "figures" }, ...part.figures.map(figure)));
  }
  if (part.trial) panel.append(element("h3", {}, "Evaluated sets"), ...trialCharts(part.trial));
  if (part.features.length > 0) panel.append(element("h3", {}, "Features to keep"), chosenFeatures(part));
  if (part.set_aside.length > 0) {
    const names = part.set_aside.map(([id, reason]) => `${featureName(id)} (${reason})`);
    panel.append(element("p", {}, `Excluded: ${names.join(", ")}.`));
  }
  panel.append(element("h3", {}, "Next steps"), element("p", { class: "hint" }, "Replace words in capitals with your own files."));
  for (const { what, command } of part.commands) panel.append(element("h4", {}, what), commandLine(what, command));
  if (content.methods.length > 0) panel.append(element("h3", {}, "All methods"), methodsTable());
}

function chosenFeatures(part) {
  const more = [...(part.scores ? [["Score", "number"]] : []), ...(part.costs ? [["Cost", "number"]] : [])];
  const row = ({ id, score, cost }, index) => [String(index + 1), featureName(id), String(id), ...(part.scores ? [fixed(score)] : []), ...(part.costs ? [String(cost)] : [])];
  return table("Features, best first", [["Rank", "number"], "Feature", ["Id", "number"], ...more], part.features.map(row));
}

/** The two tests that a set must pass, effectiveness and risk, as charts of the same form. */
function trialCharts(trial) {
  const sizes = [...trial.sizes].sort((a, b) => a.features - b.features);
  const effectiveness = {
    name: "Effectiveness of the evaluated sets",
    title: "difference to all features",
    caption: `Each marker is the mean difference in ${trial.measure} between a set and all features on held-out queries; the line extends to the ${trial.confidence} % lower bound. A set passes if the whole line is above the dashed margin.`,
    of: (size) => ({ difference: size.difference, bound: size.lower_bound, passes: size.good_enough }),
    margin: trial.margin,
  };
  const risk = {
    name: "Risk of the evaluated sets",
    title: "difference in U_RISK",
    caption: `The same for risk relative to the ${trial.baseline}, in which losses weigh more than gains. A set must pass both tests.`,
    of: (size) => ({ difference: size.risk_difference, bound: size.risk_bound, passes: size.safe_enough }),
    margin: sizes[0].risk_margin,
  };
  const conclusion = (size) => (size.chosen ? "selected" : !size.good_enough ? "loss may exceed the margin" : !size.safe_enough ? "risk may exceed the margin" : "non-inferior");
  const rows = sizes.map((size) => [
    String(size.features),
    String(size.cost),
    fixed(size.value),
    signed(size.difference),
    fixed(size.lower_bound),
    signed(size.risk_difference),
    fixed(size.risk_bound),
    fixed(-size.risk_margin),
    conclusion(size),
    size.methods,
  ]);
  const numeric = (name) => [name, "number"];
  const columns = [...["Features", "Cost", trial.measure, "Difference", "Lower bound", "Risk difference", "Risk bound", "Risk margin"].map(numeric), "Result", "Proposed by"];
  return [trialChart(trial, sizes, effectiveness), trialChart(trial, sizes, risk, numbers("evaluated sets", columns, rows))];
}

function trialChart(trial, sizes, { name, title, caption, of, margin }, table) {
  const kinds = [
    { name: "selected", is: (size) => size.chosen, colour: "accent", symbol: "star", size: 15 },
    { name: "passes", is: (size) => of(size).passes && !size.chosen, colour: "series-3", symbol: "circle", size: 9 },
    { name: "does not pass", is: (size) => !of(size).passes && !size.chosen, colour: "series-2", symbol: "x", size: 10 },
  ];
  const line = (y, look) => ({ type: "line", xref: "paper", x0: 0, x1: 1, y0: y, y1: y, line: look });
  const trace = (kind, those) => ({
    type: "scatter",
    mode: "markers",
    name: kind.name,
    x: those.map((size) => size.features),
    y: those.map((size) => of(size).difference),
    error_y: {
      type: "data",
      symmetric: false,
      array: those.map(() => 0),
      arrayminus: those.map((size) => (of(size).bound == null ? 0 : of(size).difference - of(size).bound)),
      color: colour(kind.colour),
      thickness: 2,
      width: 5,
    },
    marker: { color: colour(kind.colour), symbol: kind.symbol, size: kind.size },
    hoverinfo: "text",
    hovertext: those.map((size) =>
      hoverText(plural(size.features, "feature"), `${trial.measure} ${fixed(size.value)}`, `${title} ${signed(of(size).difference)}`, `lower bound ${fixed(of(size).bound)}`, kind.name),
    ),
  });
  const build = () => ({
    traces: kinds.map((kind) => [kind, sizes.filter(kind.is)]).filter(([, those]) => those.length > 0).map(([kind, those]) => trace(kind, those)),
    legend: true,
    height: (width) => (width < NARROW ? 320 : 340),
    layout: {
      xaxis: axis("number of features", { rangemode: "tozero" }),
      yaxis: axis(title),
      shapes: [line(0, { color: colour("line"), width: 1 }), line(-margin, { color: colour("text"), width: 1.5, dash: "dash" })],
      annotations: [{ xref: "paper", x: 0, xanchor: "left", y: -margin, yanchor: "bottom", showarrow: false, text: "margin" }],
    },
  });
  return chartFigure({ name, caption, build, table });
}

function methodsTable() {
  const measures = content.measures.flatMap((measure) => [[measure, "number"], ["95 % interval", "number"]]);
  const row = (method) => [
    method.name,
    fixed(method.features.mean, 1),
    ...method.values.flatMap((value) => [fixed(value.mean), interval(value.low, value.high)]),
    String(method.runs),
    method.failed === 0 ? "none" : String(method.failed),
  ];
  return table("Means over all test queries, with bootstrap intervals over queries", ["Method", ["Features", "number"], ...measures, ["Runs", "number"], ["Failed", "number"]], content.methods.map(row));
}
