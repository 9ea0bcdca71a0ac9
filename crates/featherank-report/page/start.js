// Builds the page: adds every section that has data, and shows the first one or the one in the URL.

document.getElementById("title").textContent = content.title;
document.getElementById("about").textContent = content.about;
document.getElementById("notices").append(
  ...content.notices.map((text) => element("p", { class: "notice", role: "note" }, text)),
);
applyTheme();

addPart("recommendation", content.recommendation.title, fillRecommendation);
if (content.fronts) addPart("fronts", "Fronts", fillFronts);
if (content.sizes) addPart("sizes", "Sizes", fillSizes);
if (content.queries) addPart("queries", "Queries", fillQueries);
if (content.convergence) addPart("convergence", "Convergence", fillConvergence);
if (content.redundancy) addPart("redundancy", "Redundancy", fillRedundancy);
if (content.stability) addPart("stability", "Stability", fillStability);
if (content.methods.length > 0) addPart("time", "Time", fillTime);
addPart("repeat", "Reproduce", fillRepeat);

const named = parts.find((part) => `#${part.id}` === location.hash);
show((named ?? parts[0]).id);

document.getElementById("tabs").addEventListener("keydown", onTabKey);
document.getElementById("theme").addEventListener("click", () => {
  wantedTheme = isDark() ? "light" : "dark";
  applyTheme();
});
systemDark.addEventListener("change", applyTheme);
paper.addEventListener("change", () => onPaper(paper.matches));
addEventListener("beforeprint", () => onPaper(true));
addEventListener("afterprint", () => onPaper(false));
addEventListener("resize", () => requestAnimationFrame(() => drawVisible()));
