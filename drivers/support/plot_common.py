"""What the scripts that draw share: how figures look, reports, files that are written as a whole, and signals."""
import json
import os
import signal
import sys

# Okabe and Ito's colours: apart for every kind of colour vision.
VERMILION, BLUE, GREEN, ORANGE, SKY, PURPLE, BLACK = (
    "#D55E00", "#0072B2", "#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#222222")


class PlotError(Exception):
    """A sentence for the user."""


def read_json(path):
    """What to call it, and the report in it; - is standard input."""
    name = "standard input" if path == "-" else path
    try:
        if path == "-":
            return name, json.load(sys.stdin)
        with open(path) as file:
            return name, json.load(file)
    except OSError as error:
        raise PlotError(f"{name}: {error.strerror}") from None
    except ValueError as error:
        raise PlotError(f"{name}: not a JSON file ({error})") from None


def prepare():
    """matplotlib without a display, in the style of all figures."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({
        "font.family": "sans-serif", "font.size": 8, "axes.titlesize": 8.5, "axes.labelsize": 8.5, "legend.fontsize": 8,
        "xtick.labelsize": 7.5, "ytick.labelsize": 7.5, "axes.linewidth": 0.6, "xtick.major.width": 0.6,
        "ytick.major.width": 0.6, "xtick.minor.width": 0.4, "xtick.direction": "out", "axes.spines.top": False,
        "axes.spines.right": False, "savefig.dpi": 300, "svg.fonttype": "path", "svg.hashsalt": "quadrille"})
    return plt


def save(figure, report, prefix):
    machine = report["machine"]
    what = f"{report['command']}; {machine.get('gpu', machine.get('cpu', ''))}; {report['date']}; {report['version']}"
    metadata = {".png": {"Description": what}, ".svg": {"Description": what, "Date": None}}
    for extension, about in metadata.items():
        final = os.path.realpath(prefix + extension)  # a link stays, and its target is replaced
        temporary = f"{os.path.splitext(final)[0]}.tmp-{os.getpid()}{extension}"
        try:
            figure.savefig(temporary, metadata=about)
            os.replace(temporary, final)
        finally:
            if os.path.exists(temporary):
                os.remove(temporary)


def outcome(script, prefix, work):
    """Of work(), the exit code, with a sentence where it is not 0."""
    try:
        work()
    except ImportError as error:
        print(f"{script}: {error}; install Debian's python3-matplotlib", file=sys.stderr)
        return 3
    except PlotError as error:
        print(f"{script}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{script}: cannot write {prefix}: {error.strerror or error}", file=sys.stderr)
        return 2
    return 0


class Ended(BaseException):
    """By the signal that it holds."""


def end(number, _):
    signal.signal(number, signal.SIG_IGN)
    raise Ended(number)


def run(main, arguments):
    """main(arguments), which removes what it has begun when a signal ends it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)
    try:
        return main(arguments)
    except Ended as ended:
        signal.signal(ended.args[0], signal.SIG_DFL)
        os.kill(os.getpid(), ended.args[0])
