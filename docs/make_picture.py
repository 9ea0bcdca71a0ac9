"""Draw docs/demo.svg: NDCG@10 of each feature of a synthetic data set on its own, by role.

Uses only the standard library, so that it runs wherever featherank builds.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

COLOURS = {
    "useful": "#1b7837",
    "redundant": "#a6dba0",
    "query-dependent": "#2166ac",
    "risky": "#d6604d",
    "noisy": "#bbbbbb",
    "constant": "#eeeeee",
}
LEFT, TOP, BAR, STEP, WIDTH = 90, 56, 13, 18, 520


def measure(binary: str) -> list[tuple[str, str, float]]:
    """Each feature's label, role and NDCG@10 alone, best first."""
    with tempfile.TemporaryDirectory() as folder:
        run = [binary, "synth", "-o", folder, "--one-file", "--set", "queries=300", "--set", "documents=9000", "-q"]
        subprocess.run(run, check=True)
        run = [binary, "inspect", f"{folder}/data.txt", "--measure", "ndcg@10", "--json", "-q"]
        facts = json.loads(subprocess.run(run, check=True, capture_output=True).stdout)["per_feature"]
        truth = json.loads((Path(folder) / "truth.json").read_text())["features"]
    roles = {feature["id"]: feature["role"] for feature in truth}
    rows = [(f"feature {fact['id']}", roles[fact["id"]], fact["alone"][0]) for fact in facts]
    return sorted(rows, key=lambda row: -row[2])


def draw(rows: list[tuple[str, str, float]]) -> str:
    """The rows as a bar chart in SVG."""
    height = TOP + STEP * len(rows) + 16
    best = max(value for _, _, value in rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="720" height="{height}" fill="white"/>',
        '<text x="12" y="20" font-size="14">NDCG@10 of each feature on its own, by role</text>',
    ]
    for i, (role, colour) in enumerate(COLOURS.items()):
        x = 12 + 118 * i
        parts.append(f'<rect x="{x}" y="32" width="11" height="11" fill="{colour}" stroke="#888" stroke-width="0.5"/>')
        parts.append(f'<text x="{x + 16}" y="41">{role}</text>')
    for i, (label, role, value) in enumerate(rows):
        y = TOP + STEP * i
        length = WIDTH * value / best
        parts.append(f'<text x="{LEFT - 8}" y="{y + 10}" text-anchor="end">{label}</text>')
        parts.append(
            f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{COLOURS[role]}" '
            'stroke="#888" stroke-width="0.5"/>'
        )
        parts.append(f'<text x="{LEFT + length + 6:.1f}" y="{y + 10}">{value:.3f}</text>')
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    Path(__file__).with_name("demo.svg").write_text(draw(measure(sys.argv[1])))
