// How to reproduce the results, and the runs that failed.

function fillRepeat(panel) {
  const part = content.repeat;
  if (part.failures) {
    const rows = part.failures.map((failure) => [
      failure.method,
      String(failure.fold),
      String(failure.seed),
      failure.reason,
    ]);
    panel.append(
      element("h3", {}, "Failures"),
      table("Failed runs", ["Method", ["Fold", "number"], ["Seed", "number"], "Reason"], rows),
    );
  }
  if (part.command) panel.append(
    element("h3", {}, "Command"),
    commandLine("Reproduce this", part.command),
  );
  panel.append(
    element(
      "dl",
      { class: "facts" },
      ...part.facts.map(([name, value]) =>
        element("div", {}, element("dt", {}, name), element("dd", {}, value)),
      ),
    ),
  );
  if (part.notes) panel.append(
    element("h3", {}, "Notes"),
    element("ul", {}, ...part.notes.map((note) => element("li", {}, note))),
  );
  if (part.parameters) panel.append(
    element("h3", {}, "Parameters"),
    table("Parameters of the method", ["Parameter", "Value"], Object.entries(part.parameters)),
  );
  if (part.folds) {
    const rows = part.folds.map((fold) => [
      String(fold.number),
      String(fold.queries),
      ...fold.documents.map(String),
    ]);
    panel.append(
      element("h3", {}, "Folds"),
      table(
        "Folds",
        [
          ["Fold", "number"],
          ["Test queries", "number"],
          ["Training documents", "number"],
          ["Validation documents", "number"],
          ["Test documents", "number"],
        ],
        rows,
      ),
    );
  }
  if (part.runs) {
    const rows = part.runs.map((run) => [
      run.method,
      String(run.fold),
      String(run.seed),
      fixed(run.valid),
      run.selecting || "–",
      run.ranking || "–",
      String(run.features.length),
      run.features.map(featureName).join(", "),
    ]);
    const columns = [
      "Method",
      ["Fold", "number"],
      ["Seed", "number"],
      ["Validation", "number"],
      "Selector parameters",
      "Ranker parameters",
      ["Features", "number"],
      "Selected",
    ];
    panel.append(
      element(
        "div",
        { class: "screen" },
        element("h3", {}, "Runs"),
        table("Parameters and features of every run", columns, rows),
      ),
    );
  }
}
