// The recommendation: the verdict, the features, the sets that were evaluated, and a table of
// methods.

function fillRecommendation(panel) {
  const part = content.recommendation;
  if (part.badge) panel.append(
    element("p", {}, element("span", { class: `badge ${part.badge.verdict}` }, part.badge.words)),
  );
  const [answer, ...reasons] = part.sentences;
  panel.append(element("p", { class: "lead" }, answer));
  if (part.figures.length > 0) {
    const figure = ({ value, what }) => element(
      "div",
      {},
      element("dt", {}, what),
      element("dd", {}, value),
    );
    panel.append(element("dl", { class: "figures" }, ...part.figures.map(figure)));
  }
  if (part.trial) panel.append(element("div", { class: "pair" }, ...trialCharts(part.trial)));
  panel.append(...reasons.map((reason) => element("p", { class: "reason" }, reason)));
  if (part.features.length > 0) panel.append(
    element("h3", {}, part.title === "Recommendation" ? "Features to keep" : "Selected features"),
    chosenFeatures(part),
  );
  if (part.set_aside.length > 0) {
    const names = part.set_aside.map(([id, reason]) => `${featureName(id)} (${reason})`);
    panel.append(element("p", {}, `Excluded: ${names.join(", ")}.`));
  }
  panel.append(
    element("h3", {}, "Next steps"),
    element("p", { class: "hint" }, "Replace words in capitals with your own files."),
  );
  for (const { what, command } of part.commands) panel.append(
    element("h4", {}, what),
    commandLine(what, command),
  );
  if (content.methods.length > 0) panel.append(element("h3", {}, "All methods"), methodsTable());
}

function chosenFeatures(part) {
  const more = [
    ...(part.scores ? [["Score", "number"]] : []),
    ...(part.costs ? [["Cost", "number"]] : []),
  ];
  const row = ({ id, score, cost }, index) => [
    String(index + 1),
    featureName(id),
    String(id),
    ...(part.scores ? [fixed(score)] : []),
    ...(part.costs ? [costText(cost)] : []),
  ];
  // A table has one line for each feature: on paper a list is shorter.
  const listed = part.features.map(
    ({ id, cost }) => featureName(id) + (part.costs ? ` (cost ${costText(cost)})` : ""),
  ).join(", ");
  return element(
    "div",
    {},
    element(
      "div",
      { class: "screen" },
      table(
        "Features, best first",
        [["Rank", "number"], "Feature", ["Id", "number"], ...more],
        part.features.map(row),
      ),
    ),
    element("p", { class: "on-paper" }, `Best first: ${listed}.`),
  );
}

/** The size of a set: its cost, or the number of its features. */
const sizeOf = (trial, size) => (trial.by_cost ? size.cost : size.features);

/**
 * The two tests that a set must pass, effectiveness and risk, as charts of the same form; the
 * second only if risk was tested.
 */
function trialCharts(trial) {
  const sizes = [...trial.sizes].sort((a, b) => sizeOf(trial, a) - sizeOf(trial, b));
  const effectiveness = {
    name: `Difference in ${trial.measure} to all features, by ` +
      (trial.by_cost ? "cost" : "number of features"),
    title: "difference to all features",
    caption:
      `Each marker is the mean difference in ${trial.measure} between a set and all features on ` +
      `held-out queries; the band extends to the ${trial.confidence} % lower bound. A set passes ` +
      "if the whole band is above the dashed margin.",
    of: (size) => ({
      difference: size.difference,
      bound: size.lower_bound,
      passes: size.good_enough,
    }),
    margin: trial.margin,
  };
  const risk = {
    name: "Risk of the evaluated sets",
    title: "difference in U_RISK",
    caption:
      `The same for risk relative to the ${trial.baseline}, in which losses weigh more than ` +
      `gains. It is required only with risk=require.`,
    of: (size) => ({
      difference: size.risk_difference,
      bound: size.risk_bound,
      passes: size.safe_enough,
    }),
    margin: sizes[0].risk_margin,
  };
  const conclusion = (size) => {
    if (size.chosen) return `selected, ${trial.verdict}`;
    if (!size.good_enough) return "loss may exceed the margin";
    return size.safe_enough || !trial.risk ? "non-inferior" : "risk may exceed the margin";
  };
  const rows = sizes.map((size) => [
    String(size.features),
    costText(size.cost),
    fixed(size.value),
    signed(size.difference),
    fixed(size.lower_bound),
    ...(trial.risk
      ? [signed(size.risk_difference), fixed(size.risk_bound), fixed(-size.risk_margin)]
      : []),
    conclusion(size),
    size.methods,
  ]);
  const numeric = (name) => [name, "number"];
  const measuredRisk = (size) =>
    ` In risk, the difference is ${signed(size.risk_difference)}, the bound ` +
      `${fixed(size.risk_bound)} and the margin ${fixed(-size.risk_margin)}.`;
  const measured = (size) =>
    `Only one size was compared with all features: ${plural(size.features, "feature")}, with a ` +
      `difference of ${signed(size.difference)} in ${trial.measure} and a lower bound of ` +
      `${fixed(size.lower_bound)} (${trial.confidence} % confidence), where the margin is ` +
      `${fixed(-trial.margin)}.${trial.risk ? measuredRisk(size) : ""}`;
  const columns = [
    ...[
      "Features",
      "Cost",
      trial.measure,
      "Difference",
      "Lower bound",
      ...(trial.risk ? ["Risk difference", "Risk bound", "Risk margin"] : []),
    ].map(numeric),
    "Result",
    "Proposed by",
  ];
  if (sizes.length === 1) return [
    sentenceFigure(measured(sizes[0]), numbers("evaluated sets", columns, rows)),
  ];
  const state = { index: Math.max(0, sizes.findIndex((size) => size.chosen)) };
  const move = (index) => {
    state.index = index;
    charts.forEach((chart) => chart.redraw());
    control.update();
  };
  const tests = trial.risk ? [effectiveness, risk] : [effectiveness];
  const table = numbers("evaluated sets", columns, rows);
  const charts = tests.map((test, index) =>
    trialChart(trial, sizes, test, state, move, index === tests.length - 1 ? table : undefined),
  );
  const control = sizeControl(trial, sizes, state, move, conclusion);
  return [element("div", {}, charts[0], control), ...charts.slice(1)];
}

/**
 * A marker that moves along the sizes, by pointer or keyboard, and the figures of the size under
 * it.
 */
function sizeControl(trial, sizes, state, move, conclusion) {
  const id = freshId();
  const slider = element("input", {
    type: "range",
    id,
    min: "0",
    max: String(sizes.length - 1),
    step: "1",
    value: String(state.index),
    oninput: () => move(Number(slider.value)),
  });
  const label = element("label", { for: id });
  const shown = element("div", {});
  const box = element("div", { class: "explore" }, label, slider, shown);
  box.update = () => {
    const size = sizes[state.index];
    const words = `${plural(size.features, "feature")}: ${conclusion(size)}`;
    label.textContent = `Move the marker to another size. ${words}`;
    slider.value = String(state.index);
    slider.setAttribute("aria-valuetext", words);
    const figure = (value, what) => element(
      "div",
      {},
      element("dt", {}, what),
      element("dd", {}, value),
    );
    shown.replaceChildren(
      element(
        "dl",
        { class: "readout" },
        figure(fixed(size.value), trial.measure),
        figure(signed(size.difference), "difference to all features"),
        figure(fixed(size.lower_bound), `lower bound, ${trial.confidence} % confidence`),
        figure(fixed(-trial.margin), "margin"),
        trial.risk ? figure(
          signed(size.risk_difference),
          `difference in risk, bound ${fixed(size.risk_bound)}, margin ${fixed(-size.risk_margin)}`,
        ) : null,
        figure(costText(size.cost), "cost"),
      ),
      commandLine(
        size.chosen ? "Select this set again" : "Select a set of this size",
        size.command,
      ),
    );
  };
  box.update();
  return box;
}

function trialChart(trial, sizes, { name, title, caption, of, margin }, state, move, table) {
  const kinds = [
    { name: "selected", is: (size) => size.chosen, colour: "accent", symbol: "star", size: 15 },
    {
      name: "passes",
      is: (size) => of(size).passes && !size.chosen,
      colour: "series-3",
      symbol: "circle",
      size: 9,
    },
    {
      name: "does not pass",
      is: (size) => !of(size).passes && !size.chosen,
      colour: "series-2",
      symbol: "x",
      size: 10,
    },
  ];
  const line = (y, look) => ({
    type: "line",
    xref: "paper",
    x0: 0,
    x1: 1,
    y0: y,
    y1: y,
    line: look,
  });
  const trace = (kind, those) => ({
    type: "scatter",
    mode: "markers",
    name: kind.name,
    x: those.map((size) => sizeOf(trial, size)),
    y: those.map((size) => of(size).difference),
    marker: { color: colour(kind.colour), symbol: kind.symbol, size: kind.size },
    customdata: those.map((size) => sizes.indexOf(size)),
    hoverinfo: "text",
    hovertext: those.map((size) =>
      hoverText(
        plural(size.features, "feature"),
        ...(trial.by_cost ? [`cost ${costText(size.cost)}`] : []),
        `${trial.measure} ${fixed(size.value)}`,
        `${title} ${signed(of(size).difference)}`,
        `lower bound ${fixed(of(size).bound)}`,
        kind.name,
      ),
    ),
  });
  // From the lower bound to the measured difference, over all sizes.
  const band = () => {
    const bounded = sizes.filter((size) => of(size).bound != null);
    const x = bounded.map((size) => sizeOf(trial, size));
    return {
      type: "scatter",
      mode: "lines",
      x: [...x, ...[...x].reverse()],
      y: [
        ...bounded.map((size) => of(size).difference),
        ...bounded.map((size) => of(size).bound).reverse(),
      ],
      fill: "toself",
      fillcolor: `${colour("series-1")}26`,
      line: { width: 0 },
      hoverinfo: "skip",
      showlegend: false,
    };
  };
  const curve = () => ({
    type: "scatter",
    mode: "lines",
    x: sizes.map((size) => sizeOf(trial, size)),
    y: sizes.map((size) => of(size).difference),
    line: { color: colour("series-1"), width: 1.5 },
    hoverinfo: "skip",
    showlegend: false,
  });
  const build = () => ({
    traces: [
      band(),
      curve(),
      ...kinds
        .map((kind) => [kind, sizes.filter(kind.is)])
        .filter(([, those]) => those.length > 0)
        .map(([kind, those]) => trace(kind, those)),
    ],
    legend: true,
    height: (width) => (width < NARROW ? 320 : 340),
    paperHeight: 190,
    layout: {
      xaxis: axis(trial.by_cost ? "cost" : "number of features", { rangemode: "tozero" }),
      yaxis: axis(title),
      shapes: [
        line(0, { color: colour("line"), width: 1 }),
        line(-margin, { color: colour("text"), width: 1.5, dash: "dash" }),
        {
          type: "line",
          yref: "paper",
          y0: 0,
          y1: 1,
          x0: sizeOf(trial, sizes[state.index]),
          x1: sizeOf(trial, sizes[state.index]),
          line: { color: colour("accent"), width: 2 },
        },
      ],
      annotations: [
        {
          xref: "paper",
          x: 0,
          xanchor: "left",
          y: -margin,
          yanchor: "bottom",
          showarrow: false,
          text: "margin",
        },
      ],
    },
  });
  return chartFigure({
    name,
    caption,
    build,
    onClick: (point) => point.customdata != null && move(point.customdata),
    table,
  });
}

function methodsTable() {
  const measures = content.measures.flatMap((measure) => [
    [measure, "number"],
    ["95 % interval", "number"],
  ]);
  const row = (method) => [
    method.name,
    fixed(method.features.mean, 1),
    ...method.values.flatMap((value) => [fixed(value.mean), interval(value.low, value.high)]),
    String(method.runs),
    method.failed === 0 ? "none" : String(method.failed),
    method.letter,
  ];
  return table(
    "Means over all test queries, with bootstrap intervals over queries",
    [
      "Method",
      ["Features", "number"],
      ...measures,
      ["Runs", "number"],
      ["Failed", "number"],
      "Letter in charts",
    ],
    content.methods.map(row),
  );
}
