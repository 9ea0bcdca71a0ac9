// Stability of selections: selection frequencies, and the similarity of methods.

function fillStability(panel) {
  const part = content.stability;
  panel.append(
    agreementTable(part),
    element("h3", {}, "Selection frequencies"),
    choicesChart(part),
  );
  if (part.methods.length > 1) panel.append(
    element("h3", {}, "Similarity of methods"),
    similarityChart(part),
  );
}

function agreementTable(part) {
  const draws = part.methods.some((one) => one.draws > 0);
  const columns = [
    "Method",
    ["Selections", "number"],
    ["Stability", "number"],
    ["95 % interval", "number"],
    ...(
      draws
        ? [
          ["Bootstrap samples", "number"],
          ["Stability over samples", "number"],
          ["95 % interval", "number"],
        ]
        : []
    ),
  ];
  const cells = (agreement) => (
    agreement
      ? [fixed(agreement.value, 3), `${fixed(agreement.low, 3)} to ${fixed(agreement.high, 3)}`]
      : ["–", "–"]
  );
  const row = (one) => [
    one.method,
    String(one.selections),
    ...cells(one.agreement),
    ...(draws ? [String(one.draws), ...cells(one.agreement_of_draws)] : []),
  ];
  return table(
    "Stability over folds and seeds (Nogueira): 1 if all selections are equal, about 0 for " +
      "random selections",
    columns,
    part.methods.map(row),
  );
}

function heat(rows, columns, z, text, scale, width) {
  const narrow = width < NARROW;
  // Every column keeps its label: a chart with many columns is wider than the screen and scrolls.
  const needed = (narrow ? 130 : 230) + 15 * columns.length;
  const labels = (names, most) => names.map((name) => plain(shortened(name, most)));
  const places = (names) => names.map((_, index) => index);
  return {
    traces: [
      {
        type: "heatmap",
        x: places(columns),
        y: places(rows),
        z,
        zmin: 0,
        zmax: 1,
        colorscale: scale,
        xgap: 1,
        ygap: 1,
        hoverinfo: "text",
        hovertext: text,
        showscale: !narrow,
        colorbar: { thickness: 12, outlinewidth: 0, tickformat: ".0%" },
      },
    ],
    minWidth: needed,
    paperHeight: 120 + 20 * rows.length,
    height: () => Math.max(260, 150 + rows.length * (narrow ? 26 : 36)),
    layout: {
      xaxis: axis("", {
        title: {},
        tickmode: "array",
        tickvals: places(columns),
        ticktext: labels(columns, narrow ? 10 : 16),
        tickangle: -60,
        showgrid: false,
        ticks: "",
        showticklabels: !printing || needed <= width,
        tickfont: { size: columns.length > 25 || narrow ? 10 : 12 },
      }),
      yaxis: axis("", {
        title: {},
        tickmode: "array",
        tickvals: places(rows),
        ticktext: labels(rows, narrow ? 12 : 24),
        autorange: "reversed",
        showgrid: false,
        ticks: "",
      }),
    },
  };
}

const shareScale = () => [[0, colour("surface")], [1, colour("series-1")]];
const percent = (share) => (share == null ? "–" : `${Math.round(100 * share)} %`);

function choicesChart(part) {
  const methods = part.methods.map((one) => one.method);
  const names = part.features.map(featureName);
  const z = part.methods.map((one) => one.shares);
  const sharesTable = numbers(
    "share of selections with each feature",
    ["Feature", ...methods.map((name) => [name, "number"])],
    names.map((name, j) => [name, ...z.map((shares) => percent(shares[j]))]),
  );
  if (names.length === 1) return sentenceFigure(
    `${names[0]} is the only feature that any method selected.`,
    sharesTable,
  );
  const labelled = methods.map((name) => methodLabel(name, 22));
  const text = z.map((shares, i) => shares.map(
    (share, j) => hoverText(
      shortened(names[j], 40),
      `${methods[i]}: ${percent(share)} of ${part.methods[i].selections} selections`,
    ),
  ));
  return chartFigure({
    name: "Selection frequency of every feature by method",
    caption:
      "Rows are methods, columns are features in order of frequency. Full colour: selected in " +
      "every fold and with every seed. The rows of a stable method are full or empty.",
    build: (width) => heat(labelled, names, z, text, shareScale(), width),
    table: sharesTable,
  });
}

function similarityChart(part) {
  const methods = part.methods.map((one) => one.method);
  const labelled = methods.map((name) => methodLabel(name, 22));
  const text = part.similarity.map((row, i) => row.map(
    (value, j) => hoverText(`${methods[i]} and ${methods[j]}`, `Jaccard ${fixed(value, 3)}`),
  ));
  return chartFigure({
    name: "Similarity of methods",
    caption:
      "Mean Jaccard similarity of the selections of two methods on the same fold with the same " +
      "seed.",
    build: (width) => heat(labelled, labelled, part.similarity, text, shareScale(), width),
    table: numbers(
      "similarity of methods",
      ["Method", ...methods.map((name) => [name, "number"])],
      part.similarity.map((row, i) => [methods[i], ...row.map((value) => fixed(value, 3))]),
    ),
  });
}
