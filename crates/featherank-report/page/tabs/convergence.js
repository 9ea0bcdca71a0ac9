// Convergence of searches: a box plot over runs for each generation, or lines if there is only one
// run.

function fillConvergence(panel) {
  const holder = element("div");
  const open = (index) => {
    holder.replaceChildren(convergenceChart(content.convergence[index]));
    drawVisible();
  };
  const names = content.convergence.map((one) => one.method);
  if (names.length > 1) panel.append(
    element("div", { class: "controls" }, chooser("Method", names, 0, open)),
  );
  panel.append(holder);
  open(0);
}

function convergenceChart(one) {
  const boxes = one.runs > 1;
  const build = (width) => {
    // As many boxes as fit, including the first and the last.
    const available = Math.max(4, Math.floor(width / 44));
    const last = one.generations.length - 1;
    const step = boxes ? Math.max(1, Math.ceil(last / available)) : 1;
    const shown = one.generations.filter((_, index) => (last - index) % step === 0 || index === 0);
    const trace = (label, of, { colour: line, symbol, dash }) => {
      const x = shown.map((generation) => generation.generation);
      const text = shown.map((generation) => hoverText(
        `generation ${generation.generation}`,
        label,
        `median ${fixed(of(generation).median)}`,
        ...(boxes ? [`from ${fixed(of(generation).least)} to ${fixed(of(generation).most)}`] : []),
      ));
      if (!boxes) return {
        type: "scatter",
        mode: "lines+markers",
        name: label,
        x,
        y: shown.map((generation) => of(generation).median),
        line: { color: line, dash, width: 2 },
        marker: { symbol, color: line, size: 6 },
        hoverinfo: "text",
        hovertext: text,
      };
      return {
        type: "box",
        name: label,
        x: x.map(String),
        lowerfence: shown.map((generation) => of(generation).least),
        q1: shown.map((generation) => of(generation).q1),
        median: shown.map((generation) => of(generation).median),
        q3: shown.map((generation) => of(generation).q3),
        upperfence: shown.map((generation) => of(generation).most),
        line: { color: line, width: 1.5 },
        fillcolor: `${line}40`,
        hoverinfo: "y",
        offsetgroup: label,
      };
    };
    const traces = [
      trace("best subset", (generation) => generation.best, look(0)),
      trace("mean of all subsets", (generation) => generation.mean, { ...look(1), dash: "dash" }),
    ];
    return {
      traces,
      layout: {
        boxmode: "group",
        xaxis: axis("generation", boxes ? { type: "category", showgrid: false } : {}),
        yaxis: axis("effectiveness", { hoverformat: ".4f" }),
      },
    };
  };
  const over = boxes
    ? `Each box summarises ${one.runs} runs (folds and seeds): median, quartiles, and whiskers ` +
      "to the minimum and maximum."
    : "There is only one run, shown as lines.";
  const columns = [
    ["Generation", "number"],
    ["Runs", "number"],
    ...["Best", "Mean"].flatMap((name) => ["least", "q1", "median", "q3", "most"].map(
      (which) => [`${name}: ${which}`, "number"],
    )),
    ["Features", "number"],
    ["Front", "number"],
  ];
  const five = (box) => [box.least, box.q1, box.median, box.q3, box.most].map(
    (value) => fixed(value),
  );
  const rows = one.generations.map((generation) => [
    String(generation.generation),
    String(generation.runs),
    ...five(generation.best),
    ...five(generation.mean),
    fixed(generation.features, 1),
    fixed(generation.front, 1),
  ]);
  const generationsTable = numbers(`generations of ${one.method}`, columns, rows);
  if (one.generations.length === 1) return sentenceFigure(
    `${one.method} ran for one generation only: its best subset has the value ` +
      `${fixed(one.generations[0].best.median)}${boxes ? " in the median run" : ""}.`,
    generationsTable,
  );
  return chartFigure({
    name: `Convergence of ${one.method}`,
    caption:
      `${over} A search has converged when the best value stops rising; the population has ` +
      "converged when the mean approaches it.",
    build,
    table: generationsTable,
  });
}
