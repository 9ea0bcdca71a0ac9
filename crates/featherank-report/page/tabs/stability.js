// How far selections agree: how often every method chooses every feature, and how alike methods choose.

function fillStability(panel) {
  const part = content.stability;
  panel.append(agreementTable(part), element("h3", {}, "How often features are chosen"), choicesChart(part));
  if (part.methods.length > 1) panel.append(element("h3", {}, "How alike methods choose"), alikeChart(part));
}

function agreementTable(part) {
  const draws = part.methods.some((one) => one.draws > 0);
  const columns = ["Method", ["Selections", "number"], ["Stability", "number"], ["95 % interval", "number"], ...(draws ? [["Draws", "number"], ["Over draws", "number"], ["95 % interval", "number"]] : [])];
  const cells = (agreement) => (agreement ? [fixed(agreement.value, 3), `${fixed(agreement.low, 3)} to ${fixed(agreement.high, 3)}`] : ["–", "–"]);
  const row = (one) => [one.method, String(one.selections), ...cells(one.agreement), ...(draws ? [String(one.draws), ...cells(one.agreement_of_draws)] : [])];
  return table("Stability over folds and seeds (Nogueira): 1 where all selections are the same, around 0 where they agree by chance", columns, part.methods.map(row));
}

function heat(rows, columns, z, text, scale, width) {
  const narrow = width < NARROW;
  const many = columns.length > (narrow ? 20 : 50);
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
    height: () => Math.max(260, 150 + rows.length * (narrow ? 26 : 36)),
    layout: {
      xaxis: axis("", { title: {}, tickmode: "array", tickvals: places(columns), ticktext: labels(columns, narrow ? 10 : 16), tickangle: -60, showgrid: false, ticks: "", showticklabels: !many, tickfont: { size: columns.length > 25 || narrow ? 10 : 12 } }),
      yaxis: axis("", { title: {}, tickmode: "array", tickvals: places(rows), ticktext: labels(rows, narrow ? 12 : 24), autorange: "reversed", showgrid: false, ticks: "" }),
    },
  };
}

const shareScale = () => [[0, colour("surface")], [1, colour("series-1")]];
const percent = (share) => (share == null ? "–" : `${Math.round(100 * share)} %`);

function choicesChart(part) {
  const methods = part.methods.map((one) => one.method);
  const names = part.features.map(featureName);
  const z = part.methods.map((one) => one.shares);
  const text = z.map((shares, i) => shares.map((share, j) => hoverText(shortened(names[j], 40), `${methods[i]}: ${percent(share)} of ${part.methods[i].selections} selections`)));
  return chartFigure({
    name: "How often every method chooses every feature",
    caption: "A row is a method, a column a feature, those chosen most often first. Full colour: chosen in every fold and with every seed. Rows of a steady method are full or empty.",
    build: (width) => heat(methods, names, z, text, shareScale(), width),
    table: numbers("share of selections with each feature", ["Feature", ...methods.map((name) => [name, "number"])], names.map((name, j) => [name, ...z.map((shares) => percent(shares[j]))])),
  });
}

function alikeChart(part) {
  const methods = part.methods.map((one) => one.method);
  const text = part.alike.map((row, i) => row.map((value, j) => hoverText(`${methods[i]} and ${methods[j]}`, `Jaccard ${fixed(value, 3)}`)));
  return chartFigure({
    name: "How alike methods choose",
    caption: "Mean Jaccard similarity of what two methods choose from the same fold with the same seed: the share of features chosen by either that both chose.",
    build: (width) => heat(methods, methods, part.alike, text, shareScale(), width),
    table: numbers("similarity of methods", ["Method", ...methods.map((name) => [name, "number"])], part.alike.map((row, i) => [methods[i], ...row.map((value) => fixed(value, 3))])),
  });
}
