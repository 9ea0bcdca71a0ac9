// Light and dark theme: follows the system until the reader chooses. Print is always light.

const systemDark = matchMedia("(prefers-color-scheme: dark)");
const paper = matchMedia("print");
const themeListeners = [];
let wantedTheme = null;
let printing = false;

const isDark = () => {
  const theme = wantedTheme ?? (systemDark.matches ? "dark" : "light");
  return !paper.matches && !printing && theme === "dark";
};

function applyTheme() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  document.getElementById("theme").textContent = isDark() ? "Light theme" : "Dark theme";
  themeListeners.forEach((listener) => listener());
}

/** A colour from the style sheet. */
const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// The colour-blind safe palette of Okabe and Ito. The first 28 methods differ by their marker
// alone; beyond that colour and dash differ.
const SHAPES = [
  "circle",
  "square",
  "diamond",
  "triangle-up",
  "cross",
  "x",
  "star",
  "triangle-down",
  "pentagon",
  "hexagram",
  "hourglass",
  "bowtie",
  "star-square",
  "triangle-right",
];
const SIGNS = [...SHAPES, ...SHAPES.map((shape) => `${shape}-open`)];
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash"];
const COLOURS = 7;
const look = (index) => ({
  colour: colour(`series-${((index + Math.floor(index / SIGNS.length)) % COLOURS) + 1}`),
  symbol: SIGNS[index % SIGNS.length],
  dash: DASHES[Math.floor(index / COLOURS) % DASHES.length],
});
