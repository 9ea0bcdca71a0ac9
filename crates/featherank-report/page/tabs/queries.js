// Wins and losses per query, and the worst queries.

function fillQueries(panel) {
  const names = content.queries.map((one) => `${one.method} vs. ${one.baseline}`);
  const holder = element("div");
  const open = (index) => {
    const one = content.queries[index];
    holder.replaceChildren(winsLosses(one), element("h3", {}, "Worst queries"), worstQueries(one));
    drawVisible();
  };
  if (names.length > 1) panel.append(
    element("div", { class: "controls" }, chooser("Method", names, 0, open)),
  );
  panel.append(holder);
  if (names.length > 1) panel.append(element("h3", {}, "All methods"), comparisons());
  open(0);
}

const queriesOf = (count) => (count === 1 ? "1 query" : `${count.toLocaleString("en")} queries`);

function winsLosses(one) {
  const figure = (value, what) => element(
    "div",
    {},
    element("dt", {}, what),
    element("dd", {}, value),
  );
  const figures = element(
    "dl",
    { class: "figures" },
    figure(String(one.wins), "queries won"),
    figure(String(one.losses), "queries lost"),
    figure(String(one.ties), "ties"),
    figure(String(one.large_losses), "losses ≥ 20 %"),
    figure(
      signed(one.difference),
      `mean difference in ${one.measure} (${interval(one.low, one.high)})`,
    ),
  );
  const count = one.differences.length;
  const build = () => {
    // One step per query; the last value is repeated to give it the same width.
    const steps = [...one.differences, one.differences[count - 1]];
    const x = steps.map((_, index) => index);
    const area = (label, keep, shade) => ({
      type: "scatter",
      mode: "lines",
      name: label,
      x,
      y: steps.map((difference) => (keep(difference) ? difference : 0)),
      fill: "tozeroy",
      fillcolor: `${shade}59`,
      line: { color: shade, width: 2, shape: "hv" },
      hoverinfo: "text",
      hovertext: steps.map((difference) => hoverText(signed(difference), one.measure)),
    });
    return {
      traces: [
        area("gains", (difference) => difference > 0, colour("series-1")),
        area("losses", (difference) => difference < 0, colour("series-6")),
      ],
      layout: {
        xaxis: axis("queries, from gains to losses", {
          showticklabels: false,
          ticks: "",
          showgrid: false,
        }),
        yaxis: axis(`difference in ${one.measure}`, {
          zeroline: true,
          zerolinecolor: colour("line"),
        }),
      },
    };
  };
  const riskTable = numbers(
    "risk measures",
    ["Quantity", ["Value", "number"]],
    [
      [`mean of ${one.method}`, fixed(one.mean)],
      [`mean of ${one.baseline}`, fixed(one.baseline_mean)],
      ["mean gain (F_REWARD)", fixed(one.f_reward)],
      ["mean loss (F_RISK)", fixed(one.f_risk)],
      [`T_RISK, losses weighted ${1 + one.alpha} times`, fixed(one.t_risk, 2)],
      ["p-value of T_RISK", one.p],
    ],
  );
  if (count === 1) return element(
    "div",
    {},
    figures,
    sentenceFigure(
      `Only one query counts: its difference to ${one.baseline} is ${signed(one.differences[0])}.`,
      riskTable,
    ),
  );
  if (one.wins + one.losses === 0) return element(
    "div",
    {},
    figures,
    sentenceFigure(
      `On all ${queriesOf(one.queries)} the value equals that of ${one.baseline}: there is ` +
        "nothing to draw.",
      riskTable,
    ),
  );
  const chart = chartFigure({
    name: `Gains and losses of ${one.method} relative to ${one.baseline}`,
    caption:
      `${queriesOf(one.queries)}, sorted by their difference to ${one.baseline}. The area above ` +
      "the line is the total gain, the area below it the total loss: a large loss on the right " +
      "is a risk that the mean hides.",
    build,
    table: riskTable,
  });
  return element("div", {}, figures, chart);
}

function worstQueries(one) {
  if (one.worst.length === 0) return element("p", {}, "No query is worse than the baseline.");
  const folds = one.worst.some((loss) => loss.fold != null);
  const columns = [
    "Query",
    ...(folds ? [["Fold", "number"]] : []),
    [one.baseline, "number"],
    [one.method, "number"],
    ["Difference", "number"],
  ];
  const row = (loss) => [
    loss.query,
    ...(folds ? [String(loss.fold)] : []),
    fixed(loss.baseline),
    fixed(loss.value),
    signed(loss.difference),
  ];
  return table(`Queries with the largest losses in ${one.measure}`, columns, one.worst.map(row));
}

function comparisons() {
  const columns = [
    "Method",
    "Baseline",
    ["Difference", "number"],
    ["95 % interval", "number"],
    ["Wins", "number"],
    ["Losses", "number"],
    ["Ties", "number"],
    ["Losses ≥ 20 %", "number"],
    ["F_RISK", "number"],
    ["T_RISK", "number"],
    ["p", "number"],
  ];
  const row = (one) => [
    one.method,
    one.baseline,
    signed(one.difference),
    interval(one.low, one.high),
    String(one.wins),
    String(one.losses),
    String(one.ties),
    String(one.large_losses),
    fixed(one.f_risk),
    fixed(one.t_risk, 2),
    one.p,
  ];
  return table("Every method relative to its baseline", columns, content.queries.map(row));
}
