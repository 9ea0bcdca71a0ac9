// Elements, numbers and tables. User-supplied text is inserted as text nodes only.

const content = JSON.parse(document.getElementById("content").textContent);

/**
 * Creates an element with attributes (or listeners such as onclick) and children, which are nodes
 * or text.
 */
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

/** The name of a feature. */
const featureName = (id) => content.features[id] ?? String(id);

/** Text shortened for a label; tables show it in full. */
const shortened = (text, most = 28) =>
  Array.from(text).length > most ? Array.from(text).slice(0, most - 1).join("") + "…" : text;

/** A number with a minus sign and fixed decimals; a dash if missing. */
const fixed = (value, decimals = 4) =>
  value == null ? "–" : value.toFixed(decimals).replace(/^-(?=0\.?0*$)/, "").replace("-", "−");
const signed = (value, decimals = 4) => {
  const text = fixed(value, decimals);
  return (text.match(/^0\.0*$/) || !(value > 0) ? "" : "+") + text;
};
/** A cost without the rounding errors of its sum: four decimals, or four digits below 1. */
const costText = (value) => {
  const size = Math.abs(value);
  const text = size < 1e-9 ? "0" : size < 1 ? value.toPrecision(4) : value.toFixed(4);
  return String(Number(text)).replace("-", "−");
};
const interval = (low, high) =>
  low == null || high == null ? "–" : `${fixed(low)} to ${fixed(high)}`;
const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/**
 * The index of a method, and a label that no two methods share: the letter of the tables and the
 * name.
 */
const methodIndex = (name) =>
  Math.max(0, content.methods.findIndex((method) => method.name === name));
function methodLabel(name, most = 28) {
  const known = content.methods.find((method) => method.name === name);
  return known ? `${known.letter}: ${shortened(name, most)}` : shortened(name, most);
}

/** A readable duration. */
function duration(seconds) {
  if (seconds == null) return "–";
  if (seconds < 0.1) return `${(seconds * 1000).toFixed(1)} ms`;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  return seconds < 7200 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

let lastId = 0;
const freshId = () => `part-${(lastId += 1)}`;

/**
 * A horizontally scrollable table under a fixed caption. Columns are names, or [name, "number"].
 */
function table(caption, columns, rows) {
  const id = freshId();
  const title = element(
    "div",
    { class: "titled" },
    element("p", { class: "caption", id }, caption),
    csvButton(caption),
  );
  return element("div", { "data-export": true }, title, bareTable(id, columns, rows));
}

function bareTable(label, columns, rows) {
  const heads = columns.map((column) => (Array.isArray(column) ? column : [column, ""]));
  const cell = (value, index) =>
    element(
      index === 0 ? "th" : "td",
      { scope: index === 0 ? "row" : null, class: heads[index][1] || null },
      value ?? "–",
    );
  return element(
    "div",
    { class: "scroll", role: "region", "aria-labelledby": label, tabindex: "0" },
    element(
      "table",
      { "aria-labelledby": label },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          ...heads.map(([name, kind]) =>
            element("th", { scope: "col", class: kind || null }, name),
          ),
        ),
      ),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell)))),
    ),
  );
}

/** The numbers of a chart, collapsed on screen and expanded in print. */
function numbers(caption, columns, rows) {
  const id = freshId();
  return element(
    "details",
    { class: "numbers", "data-export": true },
    element("summary", { id }, `Table: ${caption}`),
    csvButton(caption),
    bareTable(id, columns, rows),
  );
}

/** A labelled drop-down list; calls `onChoose` with the index. */
function chooser(label, names, chosen, onChoose) {
  const id = freshId();
  const select = element("select", { id, onchange: () => onChoose(select.selectedIndex) });
  select.append(
    ...names.map((name, index) => element("option", { selected: index === chosen }, name)),
  );
  return element("div", { class: "chooser" }, element("label", { for: id }, label), select);
}

/** Announces text to screen readers. */
function announce(text) {
  document.getElementById("status").textContent = text;
}
