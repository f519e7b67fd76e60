"""A worked example -> what it prints and, with `--plot FILE`, its picture.

Each script of this folder has two functions: `main` computes, prints and returns what
`plot` draws on a figure.
"""

import sys


def run(main, plot):
    found = main()
    if sys.argv[1:2] == ["--plot"]:
        save(plot, found, sys.argv[2])


def save(plot, found, path):
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    style = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    with mpl.rc_context(style):
        figure = Figure(figsize=(6.4, 3.2), layout="constrained")
        plot(figure, found)
        figure.savefig(path, dpi=110, metadata={"Software": None})
