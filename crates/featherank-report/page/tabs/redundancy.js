// Correlations of features: a heat map ordered by cluster, with groups framed.

/** The maximum number of pairs in the table. */
const LISTED = 500;

/** Frames around the members of a group: from and to, for every run of at least two neighbours. */
function adjacent(places) {
  const runs = [];
  for (const place of [...places].sort((a, b) => a - b)) {
    const last = runs[runs.length - 1];
    if (last && last[1] === place - 1) last[1] = place;
    else runs.push([place, place]);
  }
  return runs.filter(([from, to]) => to > from).map(([from, to]) => [from - 0.5, to + 0.5]);
}

/** Up to this number of features every row and column has its label, and the chart scrolls. */
const LABELLED = 150;

function fillRedundancy(panel) {
  const part = content.redundancy;
  const names = part.features.map((id) => featureName(id));
  const count = names.length;
  const framed = part.groups.flatMap((group) =>
    adjacent(group.map((id) => part.features.indexOf(id)).filter((place) => place >= 0)),
  );
  const build = (width) => {
    const labels = names.map((name) => plain(shortened(name, width < NARROW ? 10 : 18)));
    const needed = 120 + 13 * count;
    const labelled = printing ? needed <= width : count <= LABELLED;
    const places = names.map((_, index) => index);
    const axisOf = (more) => axis("", {
      tickmode: "array",
      tickvals: places,
      ticktext: labels,
      showgrid: false,
      showticklabels: labelled,
      ticks: "",
      title: {},
      tickfont: { size: width < NARROW || count > 30 ? 10 : 12 },
      ...more,
    });
    return {
      traces: [
        {
          type: "heatmap",
          x: places,
          y: places,
          z: part.matrix,
          zmin: -1,
          zmax: 1,
          colorscale: [[0, colour("cold")], [0.5, colour("surface")], [1, colour("hot")]],
          xgap: count <= 60 ? 1 : 0,
          ygap: count <= 60 ? 1 : 0,
          hoverinfo: "text",
          hovertext: part.matrix.map((row, i) => row.map(
            (value, j) => hoverText(
              `${shortened(names[i], 40)} and ${shortened(names[j], 40)}`,
              value == null
                ? "no query in which both vary"
                : `${part.correlation} ${fixed(value, 3)}`,
            ),
          )),
          colorbar: {
            title: { text: plain(part.correlation), side: "right" },
            thickness: 12,
            outlinewidth: 0,
            tickvals: [-1, -0.5, 0, 0.5, 1],
          },
          showscale: width >= NARROW,
        },
      ],
      minWidth: labelled ? needed : 0,
      paperHeight: 330,
      height: (space) => Math.max(
        labelled ? needed : 0,
        Math.min(760, Math.max(320, space * (space < NARROW ? 1.05 : 0.8))),
      ),
      layout: {
        // The background marks missing values.
        plot_bgcolor: colour("grid"),
        xaxis: axisOf({ tickangle: -60 }),
        yaxis: axisOf({ autorange: "reversed" }),
        shapes: framed.map(([from, to]) => ({
          type: "rect",
          x0: from,
          x1: to,
          y0: from,
          y1: to,
          line: { color: colour("text"), width: 2 },
        })),
      },
    };
  };
  if (count < 2) return void panel.append(
    element(
      "p",
      {},
      `${plural(count, "feature")} varies within queries: there is no pair to compare.`,
    ),
  );
  const frames =
    framed.length > 0 ? " Framed groups are redundant." : " No group of features is redundant.";
  const left = part.left_out > 0 ? ` ${plural(part.left_out, "feature")} are omitted.` : "";
  const pairs = part.matrix
    .flatMap((row, i) => row.slice(0, i).map((value, j) => [i, j, value]))
    .filter(([, , value]) => value != null);
  pairs.sort((a, b) => Math.abs(b[2]) - Math.abs(a[2]));
  const listed = pairs.length > LISTED ? `, ${LISTED} of ${pairs.length}` : "";
  panel.append(
    chartFigure({
      name: "Correlations between features",
      caption:
        `Similar features are adjacent.${frames} Saturated colours are strong correlations ` +
        `(${part.correlation}).${left}`,
      build,
      table: numbers(
        `pairs of features, highest correlation first${listed}`,
        ["Feature", "Other feature", [part.correlation, "number"]],
        pairs.slice(0, LISTED).map(([i, j, value]) => [names[i], names[j], fixed(value, 3)]),
      ),
    }),
  );
  if (part.groups.length > 0) {
    panel.append(
      element("h3", {}, "Redundant groups"),
      table(
        "Groups of features",
        [["Group", "number"], "Features"],
        part.groups.map((group, index) => [String(index + 1), group.map(featureName).join(", ")]),
      ),
    );
  }
}
