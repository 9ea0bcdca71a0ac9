// Pareto fronts: hovering shows the features of a set; a click, or a button in the table, shows its
// details and a command.

function fillFronts(panel) {
  const state = { front: 0, member: null, x: "", y: "" };
  const details = element("div", { class: "card", "aria-live": "polite" });
  const holder = element("div");
  const names = content.fronts.map(
    (front) => [front.method, front.run].filter((part) => part !== "").join(", "),
  );
  panel.append(
    element(
      "p",
      {},
      "Feature sets that no other set of the same search dominates. A search that compares sets " +
        "by statistical tests also keeps sets that are worse, but not significantly.",
    ),
  );
  const controls = element("div", { class: "controls" });
  panel.append(controls, holder, element("h3", {}, "Selected set"), details);

  const select = (index) => {
    state.member = index;
    showSet(details, content.fronts[state.front], index);
    holder.firstChild.redraw();
    for (const button of holder.querySelectorAll("button[data-member]")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.member) === index));
    }
  };
  const change = () => {
    const front = content.fronts[state.front];
    holder.replaceChildren(frontChart(front, state, names[state.front], select));
    const chosen = front.members.findIndex((member) => member.chosen);
    select(chosen < 0 ? 0 : chosen);
    drawVisible();
  };
  const open = (index) => {
    const front = content.fronts[index];
    [state.front, state.x, state.y] = [index, front.across, front.upwards];
    controls.replaceChildren();
    if (names.length > 1) controls.append(chooser("Search", names, index, open));
    if (front.objectives.length > 2) {
      const pick = (key) => (place) => {
        state[key] = front.objectives[place];
        change();
      };
      controls.append(
        chooser("Horizontal axis", front.objectives, front.objectives.indexOf(state.x), pick("x")),
        chooser("Vertical axis", front.objectives, front.objectives.indexOf(state.y), pick("y")),
      );
    }
    change();
  };
  open(0);
}

const objectiveText = (value) => (Number.isInteger(value) ? String(value) : fixed(value));
const OBJECTIVES = {
  effectiveness: "effectiveness (higher is better)",
  accuracy: "accuracy (higher is better)",
  frisk: "F_RISK (lower is better)",
  trisk: "T_RISK (higher is better)",
  georisk: "GeoRisk (higher is better)",
  features: "number of features",
};
const objectiveTitle = (name) => OBJECTIVES[name] ?? name;

function frontChart(front, state, name, select) {
  const { x, y } = state;
  const order = front.members
    .map((_, index) => index)
    .sort((a, b) => front.members[a].objectives[x] - front.members[b].objectives[x]);
  const build = () => {
    const hover = (index) => {
      const member = front.members[index];
      const values = Object.entries(member.objectives).map(
        ([key, value]) => `${key} ${objectiveText(value)}`,
      );
      return hoverText(
        plural(member.features.length, "feature"),
        ...featureLines(member.features),
        ...values,
      );
    };
    const trace = (label, indices, marker) => ({
      type: "scatter",
      mode: "markers",
      name: label,
      x: indices.map((index) => front.members[index].objectives[x]),
      y: indices.map((index) => front.members[index].objectives[y]),
      customdata: indices,
      marker,
      hoverinfo: "text",
      hovertext: indices.map(hover),
    });
    const traces = [
      trace("sets", order, {
        size: 11,
        color: colour("series-1"),
        symbol: "circle",
        line: { width: 1, color: colour("surface") },
      }),
    ];
    const chosen = order.filter((index) => front.members[index].chosen);
    if (chosen.length > 0) traces.push(
      trace("selected by the method", chosen, {
        size: 16,
        color: colour("series-2"),
        symbol: "star",
        line: { width: 1, color: colour("surface") },
      }),
    );
    if (state.member != null) {
      traces.push({
        ...trace("shown below", [state.member], {
          size: 22,
          color: colour("text"),
          symbol: "circle-open",
          line: { width: 2 },
        }),
        hoverinfo: "skip",
      });
    }
    // Integer ticks for small numbers of features.
    const few = front.members.every((member) => member.features.length <= 15);
    const whole = (name) => (name === "features" && few ? { dtick: 1 } : {});
    return {
      traces,
      layout: {
        xaxis: axis(objectiveTitle(x), whole(x)),
        yaxis: axis(objectiveTitle(y), whole(y)),
      },
    };
  };
  const columns = [
    "Set",
    ...front.objectives.map((objective) => [objective, "number"]),
    "Features",
  ];
  const rows = order.map((index, place) => {
    const member = front.members[index];
    const button = element(
      "button",
      {
        type: "button",
        class: "quiet",
        "data-member": index,
        "aria-pressed": "false",
        onclick: () => select(index),
      },
      `Show set ${place + 1}`,
    );
    const values = front.objectives.map((objective) => objectiveText(member.objectives[objective]));
    return [button, ...values, member.features.map(featureName).join(", ")];
  });
  const setsTable = numbers(`sets of ${name}`, columns, rows);
  if (front.members.length === 1) return sentenceFigure(
    `The front of ${name} is a single set: no other set is better in any objective.`,
    setsTable,
  );
  return chartFigure({
    name: `Pareto front of ${name}`,
    caption:
      `${plural(front.members.length, "set")} of ${name}. Hover over a point to see its ` +
      "features; click it for details and a command.",
    build,
    onClick: (point) => select(point.customdata),
    table: setsTable,
  });
}

function showSet(details, front, index) {
  const member = front.members[index];
  const value = ([key, number]) => element(
    "div",
    {},
    element("dt", {}, key),
    element("dd", {}, objectiveText(number)),
  );
  details.replaceChildren(
    element(
      "p",
      { class: "what" },
      plural(member.features.length, "feature") + (member.chosen ? ", selected by the method" : ""),
    ),
    element("dl", { class: "figures small" }, ...Object.entries(member.objectives).map(value)),
    element(
      "ul",
      { class: "chips", "aria-label": "Features of the set" },
      ...member.features.map((id) => element("li", {}, featureName(id))),
    ),
    commandLine("Train a ranker on this set", member.command),
  );
}
