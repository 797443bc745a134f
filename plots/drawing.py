
import csv
import sys
import textwrap
from pathlib import Path

import matplotlib

if __name__ == "__main__":
    matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

plt.rcParams.update({
    "font.family": "sans-serif", "font.sans-serif": ["Liberation Sans", "Arial", "Helvetica", "DejaVu Sans"],
    "font.size": 7, "axes.labelsize": 7.5, "axes.titlesize": 8, "legend.fontsize": 7.5, "xtick.labelsize": 7,
    "ytick.labelsize": 7, "axes.linewidth": 0.6, "axes.grid": True, "grid.linewidth": 0.4, "grid.color": "#DEE2E6",
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True, "pdf.fonttype": 42,
    "lines.markersize": 3.5, "figure.dpi": 300,
})

MARKS = ["o", "s", "^", "D", "v", "P", "X", "*"]
PREFIXES = {
    "B": [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "B")],
    "b/s": [(1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "Kb/s"), (1, "b/s")],
    "s": [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"), (1e-12, "ps")],
}


def number(text):
    return float(text) if text else float("nan")


def points(panel, line=None):
    """The rows of a panel, or of one of its lines."""
    with open(Path(__file__).with_name(ROWS), newline="", encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if int(r["panel"]) == panel]
    return [r for r in rows if line is None or int(r["line"]) == line]


def text_of(value, unit):
    for size, name in PREFIXES[unit]:
        if abs(value) >= size * 0.9999:
            return f"{value / size:.4g} {name}"
    return f"{value:g}"


def set_axis(axis, desc, set_label, set_scale, set_limits):
    unit = desc.get("unit", "")
    label = desc.get("label", "")
    set_label(f"{label} ({unit})".strip() if unit and unit not in PREFIXES else label)
    if desc["scale"] == "log":
        set_scale("log")
        low, high = axis.get_view_interval()
        if high < 300 * low:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        if high < 1e5 and low > 1e-4:
            axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
        axis.set_minor_formatter(NullFormatter())
    if unit in PREFIXES:
        axis.set_major_formatter(FuncFormatter(lambda v, _: text_of(v, unit)))
    ticks = desc.get("ticks") or list(enumerate(desc.get("categories", [])))
    if ticks:
        axis.set_ticks([t[0] for t in ticks])
        axis.set_ticklabels([t[1] for t in ticks])
    if "min" in desc:
        set_limits(desc["min"], None)
    if "max" in desc:
        set_limits(None, desc["max"])


def draw_series(ax, series, rows):
    x, y = [number(r["x"]) for r in rows], [number(r["y"]) for r in rows]
    few = [r["few"] == "1" for r in rows]
    color, style = series["color"], series["style"]
    centre, width = series.get("slot", [0, 0])
    x = [v + centre for v in x] if style in ("bar", "points") else x
    lines = dict(color=color, lw=series["width"], label=series["name"])
    if "dash" in series:
        lines["dashes"] = [d / series["width"] for d in series["dash"]]
    mark = dict(marker=MARKS[series["mark"] % len(MARKS)], mec=color, mew=0.6,
                mfc="white" if series.get("hollow") else color)
    if style == "bar":
        ax.bar(x, y, 0.92 * width, color="white" if series.get("hollow") else color, edgecolor=color,
               linestyle="--" if series.get("hollow") else "-", label=series["name"])
    elif style == "span":
        for i in range(0, len(x) - 1, 3):
            ax.add_patch(plt.Rectangle((x[i], y[i]), x[i + 1] - x[i], y[i + 1] - y[i], color=color))
        ax.plot([], [], color=color, lw=4, label=series["name"])
        ax.autoscale_view()
    elif style == "points":
        ax.plot(x, y, ls="", color=color, label=series["name"], **mark)
    elif style == "line":
        ax.plot(x, y, **lines, **mark)
    else:
        ax.plot(x, y, drawstyle="steps-post" if style == "step" else "default", **lines)
        if any(r["lo"] for r in rows):
            ax.fill_between(x, [number(r["lo"]) for r in rows], [number(r["hi"]) for r in rows], color=color, alpha=0.2,
                            lw=0, step="post" if style == "step" else None)
        return
    if series.get("bare"):
        return  # too many intervals for one panel
    bounds = [(a, number(r["lo"]), number(r["hi"]), f) for a, r, f in zip(x, rows, few) if r["lo"] and r["hi"]]
    for at, lo, hi, f in bounds:
        ax.plot([at, at], [lo, hi], color="black" if style == "bar" else color, lw=0.8, marker="_", ms=3, alpha=0.35 if f
                else 1)


def draw_heat(fig, ax, panel, rows):
    heat = panel["heat"]
    columns, lines = len(panel["x"]["categories"]), len(panel["y"]["categories"])
    cells = [[float("nan")] * columns for _ in range(lines)]
    for r in rows:
        cells[int(r["line"]) - 1][int(float(r["x"]))] = number(r["y"])
    shown = ax.imshow(cells, origin="lower", aspect="auto", cmap=LinearSegmentedColormap.from_list("", heat["colors"]),
                      vmin=heat.get("min"), vmax=heat.get("max"))
    ax.grid(False)
    label = heat.get("label", "")
    if heat.get("unit"):
        label += f" ({heat['unit']})"
    fig.colorbar(shown, ax=ax, label=label)


def draw(figure=FIGURE):
    panels, columns = figure["panels"], figure["columns"]
    lines = -(-len(panels) // columns)
    height = lines * (0.62 * figure["width"] / columns + 0.45) + 0.35
    fig, grid = plt.subplots(lines, columns, figsize=(figure["width"], height), squeeze=False, layout="constrained")
    title = figure.get("title")
    fig.supxlabel(textwrap.fill(figure.get("foot", ""), int(17 * figure["width"])), x=0.01, ha="left", fontsize=7,
                  color="#57606A")
    legend = {}
    for i, ax in enumerate(grid.flat):
        if i >= len(panels):
            ax.set_visible(False)
            continue
        panel = panels[i]
        ax.set_title(panel.get("title", ""), loc="left", weight="bold")
        for k, series in enumerate(panel.get("series", []), 1):
            draw_series(ax, series, points(i + 1, k))
        if "heat" in panel:
            draw_heat(fig, ax, panel, points(i + 1))
        set_axis(ax.xaxis, panel["x"], ax.set_xlabel, ax.set_xscale, ax.set_xlim)
        set_axis(ax.yaxis, panel["y"], ax.set_ylabel, ax.set_yscale, ax.set_ylim)
        if max((len(c) for c in panel["x"].get("categories", [])), default=0) > 6 or "ticks" in panel["x"]:
            ax.tick_params(axis="x", rotation=40)
        for at, text in panel["x"].get("lines", []):
            ax.axvline(at, color="#8C959F", lw=0.7)
            ax.annotate(text, (at, 1), xycoords=("data", "axes fraction"), fontsize=7)
        for at, text in panel["y"].get("lines", []):
            ax.axhline(at, color="#8C959F", lw=0.7)
            ax.annotate(text, (1, at), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=7)
        for x, y, text in panel.get("notes", []):
            ax.annotate(text, (x, y), fontsize=7)
        if panel.get("diagonal"):
            ax.axline((1, 1), (2, 2), color="#8C959F", lw=0.7)
        for handle, name in zip(*ax.get_legend_handles_labels()):
            legend.setdefault(name, handle)
    if len(legend) > 1:
        wide = max(len(name) for name in legend) * 0.055 + 0.45
        each = max(1, int(figure["width"] / wide))
        fig.legend(legend.values(), legend.keys(), loc="upper left", ncol=each, frameon=False, borderaxespad=0.2,
                   title=title, alignment="left", title_fontproperties={"weight": "bold"})
        used = (-(-len(legend) // each) + (title is not None)) * 0.16 / height
        fig.get_layout_engine().set(rect=(0, 0, 1, 1 - used))
    elif title:
        fig.suptitle(title, x=0.01, ha="left", weight="bold")
    return fig


if __name__ == "__main__":
    to = sys.argv[1] if len(sys.argv) > 1 else str(Path(__file__).with_suffix(".pdf"))
    draw().savefig(to)
    print(to)
