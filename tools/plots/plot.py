#!/usr/bin/python3
"""Draws a figure of `smsched plot` with matplotlib: from its numbers, NAME.csv, and the variables at the head of its script, NAME.gp.

Copy it and change it: each of the four kinds of marks is one function, and `spec` has every title and label.
usage: plot.py NAME.gp [OUTPUT.pdf]"""
import csv
import pathlib
import re
import sys


def read(path):
    """The variables of the script: {'title': ..., 'panel_title': {1: ...}}."""
    spec = {}
    for line in path.read_text().split("\n\n", 1)[0].splitlines():
        found = re.fullmatch(r"(\w+)(?:\[(\d+)\])? = (.*)", line)
        if not found:
            continue
        name, index, text = found.groups()
        if text[0] in "'\"":
            value = "".join(part.replace("\\n", "\n") if quote == '"' else part for quote, part in re.findall(r"(['\"])(.*?)\1", text))
        else:
            value = float(text)
        if index:
            spec.setdefault(name, {})[int(index)] = value
        else:
            spec[name] = value
    return spec


def capital(text):
    """Labels of axes begin with a capital, but not those such as p99 and vCPUs."""
    return text[:1].upper() + text[1:] if re.match("[a-z][a-z ]", text) else text


def read_rows(path):
    def number(text):
        try:
            return float(text)
        except ValueError:
            return text
    with open(path, newline="") as file:
        return [{key: number(text) for key, text in row.items()} for row in csv.DictReader(line for line in file if line.strip())]


def colour(rgb):
    return f"#{int(rgb):06x}"


def is_dark(rgb):
    return 0.299 * (int(rgb) >> 16) + 0.587 * (int(rgb) >> 8 & 255) + 0.114 * (int(rgb) & 255) < 140


def draw_bars(spec, panel, axes, rows):
    places = [r for r, own in spec["row_panel"].items() if own == panel]
    height = 0.8 / spec["subs"]
    for row in rows:
        y = places.index(row["row"]) + (row["sub"] - (spec["subs"] - 1) / 2) * height
        axes.barh(y, row["value"], height * 0.92, color=colour(row["rgb"]), xerr=None if row["ci95"] != row["ci95"] else row["ci95"], capsize=1)
        axes.annotate(row["label"], (1, y), xycoords=("axes fraction", "data"), ha="right", va="center", fontsize=6, xytext=(-2, 0), textcoords="offset points")
    axes.set_yticks(range(len(places)), [spec["row_label"][r] for r in places])
    axes.invert_yaxis()
    axes.set_xlim(right=axes.get_xlim()[1] * 1.25)
    axes.set_xlabel(spec["panel_xlabel"][panel])
    for key, style in (("panel_bound", "--"), ("panel_start", ":")):
        if spec[key][panel] == spec[key][panel]:
            axes.axvline(spec[key][panel], color="black", linestyle=style, linewidth=0.8)


def draw_lines(spec, panel, axes, rows):
    for line in sorted({row["line"] for row in rows}):
        own = [row for row in rows if row["line"] == line]
        style = {1: "-", 2: "--", 3: ":"}.get(spec["line_dash"].get(line)) if "xname_at" not in spec else ""  # colours repeat after 16 lines
        if spec.get("steps"):  # a distribution, and after all of these the marks on them
            of = spec["line_rgb"].get(line, spec["line_rgb"].get(line - spec["lines"]))
            axes.plot([row["x"] for row in own], [row["y"] for row in own], "." if line > spec["lines"] else style, drawstyle="steps-post", color=colour(of), linewidth=1)
            continue
        error = [[0 if row[end] != row[end] else abs(row["y"] - row[end]) for row in own] for end in ("low", "high")]
        wide = [[abs(row["x"] - row[end]) for row in own] for end in ("left", "right")] if spec.get("scatter") else None
        beside = 0.5 * (line - (spec["lines"] + 1) / 2) / spec["lines"] if "xname_at" in spec else 0  # between names there is no line
        axes.errorbar([row["x"] + beside for row in own], [row["y"] for row in own], error, wide, linestyle=style, marker="." if beside or not style else "", color=colour(spec["line_rgb"][line]), linewidth=1)
        if spec.get("scatter") and line == 1:  # the front
            continue
        axes.annotate(own[-1]["policy"], (own[-1]["x"], own[-1]["y"]), xytext=(4, 0), textcoords="offset points", va="center", color=colour(spec["line_rgb"][line]), fontsize=6)
    solid = [] if spec.get("scatter") or "xname_at" in spec else [line for line, dash in spec["line_dash"].items() if dash == 1]
    for line in solid if len(solid) > 1 else []:  # where lines coincide, each is seen in its turn
        own = [row for row in rows if row["line"] == line]
        axes.plot([row["x"] for row in own], [row["y"] for row in own], linestyle=(8 * (len(solid) - line + 1), (8, 8 * (len(solid) - 1))),
                  drawstyle="steps-post" if spec.get("steps") else "default", color=colour(spec["line_rgb"][line]), linewidth=1, zorder=3)
    axes.set(xlim=(spec["panel_left"][panel], spec["panel_right"][panel]), ylim=(spec["panel_low"][panel], spec["panel_high"][panel]), xlabel=spec["panel_xlabel"][panel],
             ylabel=spec["panel_ylabel"][panel], xscale="log" if spec["log_x"] else "linear", yscale="log" if spec["panel_log"][panel] else "linear")
    for axis, log, low, high in ((axes.xaxis, spec["log_x"], *axes.get_xlim()), (axes.yaxis, spec["panel_log"][panel], *axes.get_ylim())):
        if log:  # the usual ones are formulas
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter("{x:g}" if high < 10 * low else "")
    if "xname_at" in spec:
        axes.set_xticks(list(spec["xname_at"].values()), list(spec["xname_label"].values()))
    target = spec.get("panel_target", {}).get(panel, float("nan"))
    if target == target:
        (axes.axvline if spec.get("steps") else axes.axhline)(target, color="black", linestyle="--", linewidth=0.8)


def draw_spans(spec, panel, axes, rows):
    axes.barh([row["y0"] for row in rows], [row["end"] - row["start"] for row in rows], [row["y1"] - row["y0"] for row in rows], [row["start"] for row in rows], align="edge",
              color=[colour(row["rgb"]) for row in rows])
    for k in (1, 2):  # of a colour that is used again
        again = [row for row in rows if row["stripes"] >= k]
        axes.barh([row["y1"] - (row["y1"] - row["y0"]) * k / (row["stripes"] + 1) for row in again], [row["end"] - row["start"] for row in again],
                  [0.18 * (row["y1"] - row["y0"]) for row in again], [row["start"] for row in again], color=["white" if is_dark(row["rgb"]) else "black" for row in again])
    axes.set(xlim=(spec["left"], spec["right"]), ylim=(spec["high"], 0), ylabel=spec["ylabel"], xlabel=spec["xlabel"] if panel == spec["panels"] else "")
    axes.set_yticks(list(spec["row_y"].values()), list(spec["row_label"].values()))


def draw_cells(spec, panel, axes, rows):
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle
    is_gain = bool(spec["panel_is_gain"][panel])
    cells = PatchCollection([Rectangle((row["x"] - row["width"] / 2, row["y"] - row["height"] / 2), row["width"], row["height"]) for row in rows], cmap="PuOr" if is_gain else "YlGnBu")
    cells.set_array([row["value"] for row in rows])
    cells.set_clim(*((-spec["gain"], spec["gain"]) if is_gain else (spec["value_low"], spec["value_high"])))
    axes.add_collection(cells)
    axes.set(xlim=(spec["left"], spec["right"]), ylim=(spec["low"], spec["high"]), xlabel=spec["xlabel"], ylabel=spec["ylabel"])
    axes.figure.colorbar(cells, ax=axes).set_label(spec["gain_label"] if is_gain else spec["value_label"], fontsize=6)
    for axis in "xy":
        if f"{axis}name_at" in spec:
            getattr(axes, f"set_{axis}ticks")(list(spec[f"{axis}name_at"].values()), list(spec[f"{axis}name_label"].values()), rotation=90 if axis == "x" else 0)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    matplotlib.rcParams.update({"font.size": 7, "axes.titlesize": 7, "text.parse_math": False, "svg.fonttype": "none"})
    script = pathlib.Path(sys.argv[1])
    spec, rows = read(script), read_rows(script.with_suffix(".csv"))
    panels = int(spec["panels"])
    for name in ("xlabel", "ylabel", "value_label", "gain_label", "panel_xlabel", "panel_ylabel"):
        if name in spec:
            spec[name] = {p: capital(text) for p, text in spec[name].items()} if isinstance(spec[name], dict) else capital(spec[name])
    figure, axes = plt.subplots(panels, 1, squeeze=False, figsize=(spec["width_in"] or 3.45, 0.4 + 1.6 * panels), layout="constrained")
    for panel in range(1, panels + 1):
        axes[panel - 1][0].set_title(spec["panel_title"][panel])
        globals()["draw_" + spec["mark"]](spec, panel, axes[panel - 1][0], [row for row in rows if row["panel"] == panel])
    figure.suptitle(spec.get("title", ""), fontsize=8)
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour(spec["name_rgb"][i])) for i in spec.get("name_label", ())]
    if handles:
        figure.legend(handles, list(spec["name_label"].values()), loc="upper center", bbox_to_anchor=(0.5, 0), ncol=4, fontsize=6)
    figure.savefig(sys.argv[2] if len(sys.argv) == 3 else script.with_suffix(".matplotlib.pdf"), bbox_inches="tight")


main()
