"""What does another picture cost the server on the page of each mechanism? As multiples of a bare Streamlit page.

python -m benchmarks.page_runs [--rounds N] [--pages NAME ...] [--against FOLDER PYTHON]

Measured is the CPU of the thread that runs the page's script, by `AppTest`, without a server or a browser: for a
picture that no visitor has looked at, and for one whose views are all cached; of the part of the page that a click on
another picture runs (a fragment), and of the whole page, as a link does. Runs alternate, in another order in each
round, so that a machine that slows down slows down all of them. `--against` measures another checkout in the same
rounds, in a process of its own, with the interpreter of an environment that it is installed in; beside each page stands
the median of the rounds' ratios, this checkout to the other one.
"""

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ROUNDS = 15
BARE = "bare page"
NEW, SEEN = "a new picture", "a picture seen before"
Run = tuple[str, str, str]  # page, picture, and by what
CLICK, LINK = "a click", "a link"

# The words of a URL, and those of its picture by number. Numbers stay below the samples of every data set.
PAGES: dict[str, tuple[dict[str, str], str]] = {
    "pixel_attention": ({"model": "pixel_attention.1v8", "data": "strokes"}, "number"),
    "element_wise": ({"model": "element_wise.fashion-b", "data": "fashion_mnist"}, "number"),
    "recurrent_attention": ({"model": "recurrent_attention.digits", "data": "strokes"}, "number"),
    "cnn_attention": ({"model": "cnn_attention.digits", "data": "strokes"}, "number"),
    "channel_attention": ({"model": "channel_attention.digits", "data": "strokes"}, "number"),
    "spatial_transformer": ({"model": "spatial_transformer.rotated-only", "data": "strokes"}, "number"),
    "sequences": ({"model": "encoder_decoder.strips-15"}, "strip"),
}


class Worker:
    """Runs pages in this process, and counts what each run computes."""

    def __init__(self) -> None:
        from streamlit.testing.v1 import AppTest
        from streamlit.testing.v1.local_script_runner import LocalScriptRunner

        from attnviz import data
        from attnviz.ui.mechanisms import MECHANISMS

        self.pages, self.turn, self.shown, self.took = {}, {}, {}, 0.0
        script = LocalScriptRunner._run_script_thread

        def timed(runner: LocalScriptRunner) -> None:
            began = time.thread_time()
            script(runner)
            self.took = time.thread_time() - began

        setattr(LocalScriptRunner, "_run_script_thread", timed)  # noqa: B010 (a method)
        self.numbers: dict[str, list[str]] = {}
        for name, (words, field) in PAGES.items():
            test = AppTest.from_file(Path.cwd() / "pages" / MECHANISMS[name].page, default_timeout=600)
            for key, word in words.items():
                test.query_params[key] = word
            self.pages[name], self.turn[name], self.shown[name] = test, 0, 0
            if field == "strip":
                self.numbers[name] = [f"strokes.15.{number}" for number in range(1000)]
            else:
                self.numbers[name] = [*map(str, self._able(words["model"], data.shown(words["data"]), words["data"]))]
        self.pages[BARE] = AppTest.from_string("import streamlit as st\nst.title('bare')", default_timeout=600)

    @staticmethod
    def _able(model: str, shown: Any, source: str) -> list[int]:
        """Return the numbers of the pictures of a net's classes."""
        from attnviz import data, subjects

        net = subjects.net(model)
        return [
            int(number)
            for number, label in zip(shown.numbers, shown.labels, strict=True)
            if data.spec(source).classes[label] in net.classes
        ]

    def run(self, name: str, kind: str, by: str) -> float:
        """Return the seconds that one run of a page computed.

        Raises:
            RuntimeError: the page raised, or shows an error.
        """
        from streamlit.runtime.scriptrunner import RerunData
        from streamlit.testing.v1 import local_script_runner

        test = self.pages[name]
        if name != BARE:
            self.turn[name] += kind == NEW
            newest = self.turn[name]
            self.shown[name] = newest if kind == NEW or self.shown[name] != newest else newest - 1
            test.query_params[PAGES[name][1]] = self.numbers[name][self.shown[name]]
        queue = []
        if by == CLICK and self.shown.get(name):
            parents = test._fragment_storage._parent_by_id
            queue = [next(one for one, parent in parents.items() if parent is None)]
        local_script_runner.__dict__["RerunData"] = partial(
            RerunData, fragment_id_queue=queue
        )  # AppTest runs whole pages only
        gc.collect()
        gc.disable()
        test.run()
        gc.enable()
        wrong = [one.value for one in (*test.exception, *test.error)]
        if wrong:
            raise RuntimeError(f"The page of {name} shows: {wrong[0]}")
        return self.took


def serve() -> None:
    """Be a worker: for each line of the input, a page and a kind, print the seconds of a run."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what pages print
    with suppress(BrokenPipeError):
        worker = Worker()
        for line in sys.stdin:
            print(json.dumps(worker.run(*json.loads(line))), file=answers, flush=True)


class Checkout:
    """A checkout whose pages run in a process of their own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def run(self, *run: str) -> float:
        """Return the seconds that one run of a page computed; the arguments are those of `Worker.run`.

        Raises:
            RuntimeError: the process has ended; what it printed says why.
        """
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(run) + "\n")
        self.process.stdin.flush()
        if not (line := self.process.stdout.readline()):
            raise RuntimeError("The process of a checkout has ended; what it printed says why.")
        return float(json.loads(line))


@contextmanager
def opened(folder: Path, python: str) -> Iterator[Checkout]:
    """Start the process of a checkout, which ends with the block."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    command = [python, __file__, "--worker"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=folder, env=environment, text=True, **pipes) as process:
        try:
            yield Checkout(process)
        finally:
            process.kill()


def measured(checkouts: list[Checkout], pages: list[str], rounds: int) -> dict[Run, list[list[float]]]:
    """Return page, picture and cause -> the seconds of each round, of each checkout.

    Args:
        checkouts: to measure.
        pages: names in `PAGES`.
        rounds: how often, after two that do not count.
    """
    runs = [(name, kind, by) for name in pages for by in (LINK, CLICK) for kind in (NEW, SEEN)] + [(BARE, NEW, LINK)]
    found: dict[Run, list[list[float]]] = {run: [[] for _ in checkouts] for run in runs}
    for turn in range(-2, rounds):
        for place in range(len(runs)):
            run = runs[(place + 2 * turn) % len(runs)]  # a picture is new before it has been seen
            for side in range(len(checkouts)) if (turn + place) % 2 else reversed(range(len(checkouts))):
                seconds = checkouts[side].run(*run)
                if turn >= 0:
                    found[run][side].append(seconds)
        print(f"round {turn + 3} of {rounds + 2}", file=sys.stderr)
    return found


def table(found: dict[Run, list[list[float]]]) -> str:
    """Return a Markdown table: medians, multiples of the bare page, and the ratio to another checkout."""
    bare = found[BARE, NEW, LINK]
    pair = len(bare) == 2
    heads = ["page", "shows", "by", "CPU, ms", "times a bare page"]
    heads += ["the other checkout, ms", "ratio", "its middle half"] * pair
    lines = [f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|"]
    for (name, kind, by), sides in found.items():
        ours = statistics.median(sides[0])
        times = statistics.median(one / base for one, base in zip(sides[0], bare[0], strict=True))
        cells = [name, *(("", "") if name == BARE else (kind, by)), f"{1000 * ours:.1f}", f"{times:.1f}"]
        if pair:
            ratios = [one / other for one, other in zip(*sides, strict=True)]
            low, _, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else (ratios * 3)
            middle = f"{low:.2f} to {high:.2f}"
            cells += [f"{1000 * statistics.median(sides[1]):.1f}", f"{statistics.median(ratios):.2f}", middle]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--pages", nargs="+", choices=[*PAGES], default=[*PAGES], metavar="NAME")
    parser.add_argument("--against", nargs=2, metavar=("FOLDER", "PYTHON"), help="another checkout")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        serve()
        return
    from benchmarks.clock import amount  # not where a worker runs this file: another checkout's may have none

    rounds = options.rounds or amount(ROUNDS, 1)
    with ExitStack() as stack:
        places = [(ROOT, sys.executable)]
        if options.against:
            places.append((Path(options.against[0]).resolve(), options.against[1]))
        checkouts = [stack.enter_context(opened(*place)) for place in places]
        print(table(measured(checkouts, options.pages, rounds)))


if __name__ == "__main__":
    main()
