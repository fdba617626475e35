#!/usr/bin/python3
"""Draws one slice of a field written by `quadrille --output FILE.h5`.

    plot_slice.py FILE.h5 FIELD OUT.png [--step N] [--dof N] [--axis z --index N]

The last step, the first unknown and the middle layer along z are drawn unless told otherwise.
"""
import argparse
import os
import signal
import sys


class PlotError(Exception):
    """A sentence for the user."""


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description="Draw one slice of a field as an image.")
    parser.add_argument("file", help="an HDF5 file of quadrille")
    parser.add_argument("field", help="the name of a field in it")
    parser.add_argument("image", help="the image to write: .png, .svg or .pdf")
    parser.add_argument("--step", type=int, default=-1, help="time step, from 0; -1 is the last (default)")
    parser.add_argument("--dof", type=int, default=0, help="unknown of a node, from 0 (default 0)")
    parser.add_argument("--axis", choices="xyz", default="z", help="axis normal to the slice (default z)")
    parser.add_argument("--index", type=int, help="node along the axis (default: the middle)")
    return parser.parse_args(arguments)


def pick(what, index, count):
    """The index from 0 to count - 1 that is meant; negative ones count from the end."""
    if not -count <= index < count:
        raise PlotError(f"{what} {index} does not exist: there are {count}, numbered from 0")
    return index % count


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def read_slice(options):
    """A dict: values[vertical][horizontal], names, positions and spacings of both axes, and the words for the title."""
    import h5py

    if not os.path.exists(options.file):
        raise PlotError(f"{options.file}: no such file")
    try:
        file = h5py.File(options.file, "r")
    except OSError as error:
        raise PlotError(f"{options.file}: not a readable HDF5 file ({error})") from None
    with file:
        known = [name for name in file if isinstance(file[name], h5py.Dataset) and file[name].ndim == 5]
        if options.field not in known:
            listed = ", ".join(known) or "none"
            raise PlotError(f"{options.file}: no field '{options.field}'; the fields are: {listed}")
        field = file[options.field]
        axes = ["z", "y", "x"]
        normal = axes.index(options.axis)
        step = pick("step", options.step, field.shape[0])
        dof = pick("unknown", options.dof, field.shape[4])
        count = field.shape[1 + normal]
        index = pick(f"{options.axis} index", count // 2 if options.index is None else options.index, count)
        where = [slice(None)] * 3
        where[normal] = index
        vertical, horizontal = [axis for axis in axes if axis != options.axis]
        spacing = dict(zip("xyz", file.attrs["spacing_m"]))
        return {
            "values": field[(step, *where, dof)],
            "axes": (horizontal, vertical),
            "positions": (file[horizontal][()], file[vertical][()]),
            "spacings": (spacing[horizontal], spacing[vertical]),
            "long_name": text(field.attrs["long_name"]) or options.field,
            "units": text(field.attrs["units"]),
            "dof": dof if field.shape[4] > 1 else None,
            "time": float(file["time"][step]) if field.shape[0] > 1 else None,
            "place": f"{options.axis} = {file[options.axis][index]:.6g} m" if count > 1 else None,
        }


def title(data):
    words = [data["long_name"]]
    if data["dof"] is not None:
        words.append(f"unknown {data['dof']}")
    if data["time"] is not None:
        words.append(f"t = {data['time']:.6g} s")
    if data["place"]:
        words.append(data["place"])
    return ", ".join(words)


def draw(data, image):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    plt.rcParams.update({"font.size": 9, "axes.titlesize": 10, "axes.linewidth": 0.6, "savefig.dpi": 300})
    # An image pixel is centred on its node.
    low = [p[0] - s / 2 for p, s in zip(data["positions"], data["spacings"])]
    high = [p[-1] + s / 2 for p, s in zip(data["positions"], data["spacings"])]
    width, height = high[0] - low[0], high[1] - low[1]
    true_scale = 1 / 6 < height / width < 6
    figure, axes = plt.subplots(figsize=(5.0, 4.0), layout="constrained")
    colours = plt.get_cmap("viridis").with_extremes(bad="0.8")
    picture = axes.imshow(
        np.ma.masked_invalid(data["values"]),
        origin="lower",
        extent=(low[0], high[0], low[1], high[1]),
        aspect="equal" if true_scale else "auto",
        interpolation="nearest",
        cmap=colours,
    )
    axes.set_xlabel(f"{data['axes'][0]} (m)")
    axes.set_ylabel(f"{data['axes'][1]} (m)")
    axes.set_title(title(data).replace("$", r"\$"))
    label = data["units"].replace("$", r"\$")
    figure.colorbar(picture, ax=axes, label="no units" if label in ("", "1") else label)
    final = os.path.realpath(image)  # a link stays, and its target is replaced
    temporary = f"{os.path.splitext(final)[0]}.tmp-{os.getpid()}{os.path.splitext(image)[1]}"
    try:
        figure.savefig(temporary, bbox_inches="tight", pad_inches=0.05)
        os.replace(temporary, final)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def main(arguments):
    options = parse_arguments(arguments)
    try:
        if os.path.splitext(options.image)[1].lower() not in (".png", ".svg", ".pdf"):
            raise PlotError(f"{options.image}: the image's name ends in .png, .svg or .pdf")
        draw(read_slice(options), options.image)
    except ImportError as error:
        print(f"plot_slice.py: {error}; install Debian's python3-h5py and python3-matplotlib", file=sys.stderr)
        return 2
    except PlotError as error:
        print(f"plot_slice.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"plot_slice.py: cannot write {options.image}: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyError as error:
        print(f"plot_slice.py: {options.file}: not a field file of quadrille: {error}", file=sys.stderr)
        return 2
    return 0


class Ended(BaseException):
    """By the signal that it holds."""


def end(number, _):
    signal.signal(number, signal.SIG_IGN)
    raise Ended(number)


def run(arguments):
    """main(), which removes what it has begun when a signal ends it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)
    try:
        return main(arguments)
    except Ended as ended:
        signal.signal(ended.args[0], signal.SIG_DFL)
        os.kill(os.getpid(), ended.args[0])


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
