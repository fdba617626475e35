#!/usr/bin/python3
"""Draws a field that quadrille wrote: what `quadrille plot` runs.

    plot_field.py FILE.h5 [--field NAME] [--slice z=0.5] [--step N | --movie] [--out FILE.png|.svg|.pdf|.mp4|.gif]

It prints what it drew as a line of JSON. Exit codes: 2 bad input, 3 a module is missing, 4 the file cannot be written.
"""
import argparse
import json
import os
import sys

from plot_common import run

PICTURES, MOVIES = (".png", ".svg", ".pdf"), (".mp4", ".gif")
FIRST_CHOICES = ("solution", "result")  # of fields, where none is named
BAD_INPUT, MODULE_MISSING, CANNOT_WRITE = 2, 3, 4


class PlotError(Exception):
    """A sentence for the user."""

    def __init__(self, sentence, code=BAD_INPUT):
        super().__init__(sentence)
        self.code = code


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description="Draw a field as a picture, or its steps as a film.")
    parser.add_argument("file", help="an HDF5 file of quadrille")
    parser.add_argument("--field", help="solution, result or the first one by default; result_2: unknown 2 of the field result")
    parser.add_argument("--slice", help="of a 3D grid: x, y or z, and where in m, as z=0.5 (default the middle layer of z)")
    parser.add_argument("--step", type=int, help="from 0 (default the last)")
    parser.add_argument("--movie", action="store_true", help="all steps, as .mp4 where there is ffmpeg, else .gif")
    parser.add_argument("--out", help="the file to write (default beside FILE.h5)")
    return parser.parse_args(arguments)


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def opened(path):
    import h5py

    if not os.path.exists(path):
        raise PlotError(f"{path}: no such file")
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise PlotError(f"{path}: not a readable HDF5 file ({error})") from None


def choose_field(path, file, name):
    """The dataset, which of its unknowns, and what that is called."""
    known = {}
    for field in file:
        if isinstance(file[field], h5py_dataset()) and file[field].ndim == 5:
            count = file[field].shape[4]
            known.update({field if count == 1 else f"{field}_{r}": (field, r) for r in range(count)})
    if not known:
        raise PlotError(f"{path}: it has no fields of a grid")
    fields = [field for field, _ in known.values()]
    if name is None:
        first = next((field for field in FIRST_CHOICES if field in fields), fields[0])
        name = next(called for called, (field, _) in known.items() if field == first)
    if name not in known and name in fields:
        name = f"{name}_0"
    if name not in known:
        raise PlotError(f"{path}: no field '{name}'; the fields are: {', '.join(known)}")
    return (*known[name], name)


def h5py_dataset():
    import h5py

    return h5py.Dataset


def choose_slice(path, file, shape, where):
    """The axis across the picture, the node there and its position in m; of a 2D grid z and None."""
    counts = dict(zip("zyx", shape[1:4]))
    flat = min(counts.values()) == 1
    if where is None:
        axis = next(axis for axis in "zyx" if counts[axis] == 1) if flat else "z"
        return axis, counts[axis] // 2, None if flat else float(file[axis][counts[axis] // 2])
    axis, _, place = where.partition("=")
    try:
        at = float(place)
    except ValueError:
        at = float("nan")
    if axis not in counts or at != at:
        raise PlotError(f"--slice '{where}': write x, y or z and where in m, for example z=0.5")
    if flat and (counts[axis] > 1 or at != 0):
        raise PlotError(f"--slice '{where}': {path} is of one layer of nodes, which is drawn whole; leave it out")
    nodes, spacing = file[axis][()], dict(zip("xyz", file.attrs["spacing_m"]))[axis]
    index = min(max(round((at - nodes[0]) / spacing), 0), len(nodes) - 1) if abs(at) < 1e300 else 0
    if abs(at - nodes[index]) > 0.5000001 * spacing:
        raise PlotError(f"--slice '{where}': the nodes along {axis} are from {nodes[0]:.6g} to {nodes[-1]:.6g} m")
    return axis, index, float(nodes[index])


def choose_steps(path, count, step, movie):
    if count == 0:
        raise PlotError(f"{path}: it has no steps")
    if movie:
        return list(range(count))
    if step is not None and not 0 <= step < count:
        raise PlotError(f"{path}: no step {step}; there are {count}, numbered from 0")
    return [count - 1 if step is None else step]


def choose_file(options):
    """The file to write, and whether it is a film."""
    import matplotlib.animation

    ending = os.path.splitext(options.out or "")[1].lower()
    if options.out and ending not in PICTURES + MOVIES:
        raise PlotError(f"{options.out}: its name must end in {', '.join(PICTURES)} or, of a film, {' or '.join(MOVIES)}")
    movie = options.movie or ending in MOVIES
    if movie and options.step is not None:
        raise PlotError("a film has all steps: leave --step out, or --movie")
    if movie and ending in PICTURES:
        raise PlotError(f"{options.out}: the name of a film ends in .mp4 or .gif")
    has_ffmpeg = matplotlib.animation.writers.is_available("ffmpeg")
    if ending == ".mp4" and not has_ffmpeg:
        raise PlotError(f"{options.out}: matplotlib finds no ffmpeg for it; install it, or give a name in .gif", CANNOT_WRITE)
    usual = ".png" if not movie else ".mp4" if has_ffmpeg else ".gif"
    return options.out or os.path.splitext(options.file)[0] + usual, movie


class Scene:
    """What a picture shows, but for the step."""

    def __init__(self, options, file, movie):
        dataset, self.unknown, self.name = choose_field(options.file, file, options.field)
        self.field = file[dataset]
        self.across, self.index, self.position = choose_slice(options.file, file, self.field.shape, options.slice)
        self.steps = choose_steps(options.file, self.field.shape[0], options.step, movie)
        self.times = file["time"][()]
        self.vertical, self.horizontal = [axis for axis in "zyx" if axis != self.across]
        spacing = dict(zip("xyz", file.attrs["spacing_m"]))
        # An image pixel is centred on its node.
        self.extent = [end for axis in (self.horizontal, self.vertical)
                       for end in (file[axis][0] - spacing[axis] / 2, file[axis][-1] + spacing[axis] / 2)]
        self.units = text(self.field.attrs["units"])
        of = file["options"].attrs if "options" in file else {}
        self.subject = text(of.get("pde", "")) or text(of.get("operator", ""))

    def values(self, step):
        import numpy as np

        where = [slice(None)] * 3
        where["zyx".index(self.across)] = self.index
        return np.ma.masked_invalid(self.field[(step, *where, self.unknown)])

    def title(self, step):
        words = [f"{self.subject}: {self.name}" if self.subject else self.name]
        if len(self.times) > 1 or self.times[step] != 0:
            words.append(f"t = {self.times[step]:.6g} s")
        if self.position is not None:
            words.append(f"{self.across} = {self.position:.6g} m")
        return ", ".join(words)

    def limits(self):
        """The least and the largest number of all steps that are drawn."""
        each = [values for values in map(self.values, self.steps) if values.count()]
        return (float(min(v.min() for v in each)), float(max(v.max() for v in each))) if each else (0.0, 0.0)


def colours(low, high):
    """Of numbers of both signs around white, else from dark to bright."""
    import matplotlib.pyplot as plt

    size = max(-low, high)
    if low < 0 < high and min(-low, high) > 0.1 * size:
        return plt.get_cmap("RdBu_r").with_extremes(bad="0.5"), -size, size
    return plt.get_cmap("viridis").with_extremes(bad="0.8"), low, high


def draw(scene):
    """The figure, and what shows another step in it."""
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 9, "axes.titlesize": 10, "axes.linewidth": 0.6})
    low, high = scene.limits()
    palette, least, most = colours(low, high)
    width, height = scene.extent[1] - scene.extent[0], scene.extent[3] - scene.extent[2]
    equal = 1 / 6 < height / width < 6
    figure, axes = plt.subplots(figsize=(5.0, 3.7 * max(height / width, 0.3) + 0.6 if equal else 4.0), layout="constrained")
    picture = axes.imshow(scene.values(scene.steps[0]), origin="lower", extent=scene.extent, interpolation="nearest", cmap=palette,
                          vmin=least, vmax=most, aspect="equal" if equal else "auto")
    axes.set_xlabel(f"{scene.horizontal} (m)")
    axes.set_ylabel(f"{scene.vertical} (m)")
    figure.colorbar(picture, ax=axes, label=f"{scene.name} ({scene.units or '1'})".replace("$", r"\$"))

    def show(step):
        picture.set_data(scene.values(step))
        axes.set_title(scene.title(step).replace("$", r"\$"))
        return [picture]

    show(scene.steps[0])
    return figure, show, (low, high)


def save(path, movie, figure, show, steps):
    """Whole or not at all: beside it first."""
    import matplotlib.animation as animation

    final = os.path.realpath(path)  # a link stays, and its target is replaced
    stem, ending = os.path.splitext(final)
    temporary = f"{stem}.tmp-{os.getpid()}{ending}"
    try:
        if movie:
            for _ in range(2):  # until the layout, which all frames have, knows all words and the axes' shape
                figure.canvas.draw()
            rate = min(max(len(steps) / 8, 2), 25)  # about eight seconds
            film = animation.FuncAnimation(figure, show, frames=steps, blit=False)
            film.save(temporary, writer="ffmpeg" if ending.lower() == ".mp4" else "pillow", fps=rate, dpi=160)
        else:
            figure.savefig(temporary, dpi=160, bbox_inches="tight", pad_inches=0.05)
        os.replace(temporary, final)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def main(arguments):
    options = parse_arguments(arguments)
    path = options.out or options.file
    try:
        import matplotlib

        matplotlib.use("Agg")
        path, movie = choose_file(options)
        with opened(options.file) as file:
            scene = Scene(options, file, movie)
            figure, show, (low, high) = draw(scene)
            save(path, movie, figure, show, scene.steps)
            print(json.dumps({
                "file": options.file, "field": scene.name, "units": scene.units,
                "slice": None if scene.position is None else f"{scene.across}={scene.position:.6g}",
                "steps": len(scene.steps), "step": scene.steps[-1], "time_s": float(scene.times[scene.steps[-1]]),
                "smallest": low, "largest": high, "out": path}))
    except ImportError as error:
        print(f"plot_field.py: {error}; install Debian's python3-h5py and python3-matplotlib", file=sys.stderr)
        return MODULE_MISSING
    except PlotError as error:
        print(error, file=sys.stderr)
        return error.code
    except KeyError as error:
        print(f"{options.file}: not a field file of quadrille: {error.args[0]}", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:
        print(f"cannot write {path}: {error.strerror or error}", file=sys.stderr)
        return CANNOT_WRITE
    return 0


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
