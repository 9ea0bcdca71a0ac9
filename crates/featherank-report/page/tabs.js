// Tabs by the ARIA pattern: arrows, Home and End move between tabs. In print all sections follow
// each other.

const parts = [];

/** Adds a section; `fill` adds its content to the panel. */
function addPart(id, title, fill) {
  const tab = element(
    "button",
    {
      type: "button",
      role: "tab",
      id: `tab-${id}`,
      "aria-controls": `panel-${id}`,
      "aria-selected": "false",
      tabindex: "-1",
      onclick: () => show(id),
    },
    title,
  );
  const panel = element(
    "section",
    {
      role: "tabpanel",
      id: `panel-${id}`,
      "aria-labelledby": `tab-${id}`,
      tabindex: "0",
      hidden: true,
    },
    element("h2", {}, title),
  );
  fill(panel);
  document.getElementById("tabs").append(tab);
  document.getElementById("main").append(panel);
  parts.push({ id, tab, panel });
}

function show(id, focus = false) {
  for (const part of parts) {
    const chosen = part.id === id;
    part.tab.setAttribute("aria-selected", String(chosen));
    part.tab.tabIndex = chosen ? 0 : -1;
    part.panel.hidden = !chosen;
    if (chosen && focus) part.tab.focus();
  }
  try {
    history.replaceState(null, "", `#${id}`);
  } catch {
    // Some viewers forbid this; then the URL does not follow the tab.
  }
  drawVisible();
}

function onTabKey(event) {
  const now = parts.findIndex((part) => part.tab === document.activeElement);
  const last = parts.length - 1;
  const next = {
    ArrowRight: now === last ? 0 : now + 1,
    ArrowLeft: now === 0 ? last : now - 1,
    Home: 0,
    End: last,
  }[event.key];
  if (now < 0 || next === undefined) return;
  event.preventDefault();
  show(parts[next].id, true);
}

/** Print layout: all sections visible, light theme. Tables of numbers stay as they are. */
function onPaper(wanted) {
  if (printing === wanted) return;
  printing = wanted;
  document.documentElement.classList.toggle("paper", wanted);
  applyTheme();
}
