#!/usr/bin/env python3
"""plot.py - draws the row growth: `bench/plot.py RESULTS.json growth.svg`.

One log-log panel for each thing that grows; every cost against its value at the smallest size, so that all
lines start in the corner, linear growth is the dashed diagonal and what does not grow is flat. Colours and
grey text are readable on light and on dark ground.
"""
import json
import math
import sys

WIDTH, HEIGHT, LEFT, TOP, GAP_X, GAP_Y = 330, 250, 60, 40, 70, 80
PARTS = {  # part of the row: colour, name
    "program": ("#3b82f6", "time of the program"),
    "resident": ("#d9534f", "its resident memory"),
    "capture": ("#8a8f98", "capture file"),
    "report": ("#2a9d6f", "time of report"),
    "tree": ("#b455c8", "time of tree"),
    "leaks": ("#d18a1b", "time of leaks"),
}
GREY = "#7d8590"


def power(value):
    return f'10<tspan dy="-5" font-size="9">{value}</tspan>'


def panel(x0, y0, title, series):
    sizes = [size for size, _ in next(iter(series.values()))["points"]]
    first, decades = math.log10(sizes[0]), math.log10(sizes[-1] / sizes[0])
    span = decades + 0.3 + 0.4  # room for what starts slowly

    def place(size, ratio):
        x = (math.log10(size) - first) / decades
        y = (math.log10(max(ratio, 10**-0.3)) + 0.3) / span
        return f"{x0 + x * WIDTH:.1f},{y0 + HEIGHT - y * HEIGHT:.1f}"

    out = [f'<text x="{x0}" y="{y0 - 12}" font-weight="bold">{title}</text>',
           f'<rect x="{x0}" y="{y0}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="{GREY}" stroke-opacity="0.5"/>']
    for decade in range(round(decades) + 1):
        x, y = place(sizes[0] * 10**decade, 10**decade).split(",")
        out.append(f'<text x="{x}" y="{y0 + HEIGHT + 18}" text-anchor="middle">{power(round(first) + decade)}</text>')
        out.append(f'<text x="{x0 - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{10**decade:,}</text>')
        if decade:
            out.append(f'<path d="M{x0},{y} h{WIDTH} M{x},{y0} v{HEIGHT}" stroke="{GREY}" stroke-opacity="0.2"/>')
    out.append(f'<path d="M{place(sizes[0], 1)} L{place(sizes[-1], sizes[-1] / sizes[0])}" stroke="{GREY}" '
               'stroke-dasharray="5 4"/>')
    row = 0
    for part, (colour, name) in PARTS.items():
        if part not in series:
            continue
        points = series[part]["points"]
        line = " L".join(place(size, value / points[0][1]) for size, value in points)
        out.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{p.split(",")[0]}" cy="{p.split(",")[1]}" r="3" fill="{colour}"/>' for p in line.split(" L")]
        row += 1
        out.append(f'<text x="{x0 + 10}" y="{y0 + 4 + 15 * row}" style="fill:{colour}">{name}: {series[part]["exponent"]:.2f}</text>')
    return out


def draw(figures):
    panels = {}
    for f in figures:
        if "grows" in f and f["variant"] in PARTS:
            panels.setdefault(f["grows"], {})[f["variant"]] = f
    if not panels:
        sys.exit("plot.py: these results do not have the row growth: bench/run.py --rows growth --json FILE")
    rows = (len(panels) + 1) // 2
    width, height = LEFT + 2 * WIDTH + GAP_X + 20, TOP + rows * (HEIGHT + GAP_Y)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f"<style>text{{fill:{GREY}}}</style>"]
    for index, (what, series) in enumerate(panels.items()):
        out += panel(LEFT + index % 2 * (WIDTH + GAP_X), TOP + index // 2 * (HEIGHT + GAP_Y), f"times the smallest, over {what}", series)
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: plot.py RESULTS.json OUTPUT.svg")
    with open(sys.argv[1], encoding="utf-8") as file:
        drawn = draw(json.load(file)["figures"])
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(drawn)
