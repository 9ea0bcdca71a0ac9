// The recommendation: two sentences, the features, the sizes that were tried, and every method in a row.

function fillRecommendation(panel) {
  const part = content.recommendation;
  panel.append(element("p", { class: "lead" }, part.sentences[0]), element("p", { class: "lead second" }, part.sentences[1]));
  if (part.figures.length > 0) {
    const figure = ({ value, what }) => element("div", {}, element("dt", {}, what), element("dd", {}, value));
    panel.append(element("dl", { class: "figures" }, ...part.figures.map(figure)));
  }
  if (part.trial) panel.append(element("h3", {}, "Sizes that were tried"), trialChart(part.trial));
  if (part.features.length > 0) panel.append(element("h3", {}, "Features to keep"), chosenFeatures(part));
  if (part.set_aside.length > 0) {
    const names = part.set_aside.map(([id, reason]) => `${featureName(id)} (${reason})`);
    panel.append(element("p", {}, `Never considered: ${names.join(", ")}.`));
  }
  panel.append(element("h3", {}, "What to type next"), element("p", { class: "hint" }, "Put your own files in for words in capitals."));
  for (const { what, command } of part.commands) panel.append(element("h4", {}, what), commandLine(what, command));
  if (content.methods.length > 0) panel.append(element("h3", {}, "All methods"), methodsTable());
}

function chosenFeatures(part) {
  const columns = [["Rank", "number"], "Feature", ["Id", "number"], ["Score", "number"]];
  if (part.costs) columns.push(["Cost", "number"]);
  const row = ({ id, score, cost }, index) => [String(index + 1), featureName(id), String(id), fixed(score), ...(part.costs ? [String(cost)] : [])];
  return table("The features, best first", columns, part.features.map(row));
}

function trialChart(trial) {
  const sizes = [...trial.sizes].sort((a, b) => a.features - b.features);
  const verdict = (size) => (size.chosen ? "chosen" : size.passes ? "as good as all" : "not shown to be as good");
  const kinds = [
    { name: "chosen", of: (size) => size.chosen, colour: "accent", symbol: "star", size: 15 },
    { name: "as good as all features", of: (size) => size.passes && !size.chosen, colour: "series-3", symbol: "circle", size: 9 },
    { name: "not shown to be as good", of: (size) => !size.passes, colour: "series-2", symbol: "x", size: 9 },
  ];
  const build = () => ({
    traces: kinds
      .map((kind) => [kind, sizes.filter(kind.of)])
      .filter(([, those]) => those.length > 0)
      .map(([kind, those]) => ({
        type: "scatter",
        mode: "markers",
        name: kind.name,
        x: those.map((size) => size.features),
        y: those.map((size) => size.difference),
        error_y: {
          type: "data",
          symmetric: false,
          array: those.map(() => 0),
          arrayminus: those.map((size) => (size.lower_bound == null ? 0 : size.difference - size.lower_bound)),
          color: colour(kind.colour),
          thickness: 2,
          width: 5,
        },
        marker: { color: colour(kind.colour), symbol: kind.symbol, size: kind.size },
        hoverinfo: "text",
        hovertext: those.map((size) =>
          hoverText(plural(size.features, "feature"), `${trial.measure} ${fixed(size.value)}`, `${signed(size.difference)} against all features`, `lower bound ${fixed(size.lower_bound)}`, verdict(size)),
        ),
      })),
    layout: {
      xaxis: axis("number of features", { rangemode: "tozero" }),
      yaxis: axis(`${trial.measure} against all features`),
      shapes: [
        { type: "line", xref: "paper", x0: 0, x1: 1, y0: 0, y1: 0, line: { color: colour("line"), width: 1 } },
        { type: "line", xref: "paper", x0: 0, x1: 1, y0: -trial.margin, y1: -trial.margin, line: { color: colour("text"), width: 1.5, dash: "dash" } },
      ],
      annotations: [{ xref: "paper", x: 1, xanchor: "right", y: -trial.margin, yanchor: "bottom", showarrow: false, text: "what may be lost" }],
    },
  });
  const rows = sizes.map((size) => [
    String(size.features),
    String(size.cost),
    fixed(size.value),
    signed(size.difference),
    fixed(size.lower_bound),
    signed(size.risk_difference),
    fixed(size.risk_bound),
    fixed(-size.risk_margin),
    verdict(size),
    size.methods,
  ]);
  return chartFigure({
    name: "Sizes that were tried",
    caption: `Each sign is the mean difference to all features on held-out queries, each line below it reaches down to the ${trial.confidence} % lower bound. A size passes where the whole line stays above the dashed one, and where its risk against the ${trial.baseline} passes the same test (in the table).`,
    build,
    table: numbers(
      "sizes that were tried",
      [["Features", "number"], ["Cost", "number"], [trial.measure, "number"], ["Difference", "number"], ["Lower bound", "number"], ["Risk difference", "number"], ["Risk bound", "number"], ["Risk must stay above", "number"], "Verdict", "Proposed by"],
      rows,
    ),
  });
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
