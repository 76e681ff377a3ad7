"""Thirty visitors switch pictures: how long do their pages take, and how long does one wait who draws meanwhile?

python -m benchmarks.switching [VIEW ...] [--visitors 30] [--seconds 60]

Each of the thirty looks at another picture 2 s after the page is complete, over a raw connection; somebody else draws,
as in `benchmarks.beside`. The bar, on two quiet cores: the one who draws is answered within 0.3 s in the median and 1 s
at 99 %, no page takes longer than 3 s, and the server has at most 400 MB more than with one visitor.
"""

import argparse
import multiprocessing
import statistics
from contextlib import ExitStack
from typing import Any

from benchmarks import beside
from benchmarks.start import memory
from benchmarks.visitors import VIEWS, Visitor, a_class
from tests.browser.harness import run_app

PAUSE = 2.0


def looked(address: str, views: list[str], count: int, seconds: float, said: Any) -> None:
    """Be the class, in a process of its own."""
    said.put(a_class(address, views, count, seconds, PAUSE))


def high(times: list[float], share: float) -> float:
    """Return what a share of times does not exceed."""
    return sorted(times)[int(share * (len(times) - 1))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("views", nargs="*", metavar="VIEW", help=", ".join(VIEWS))
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    spawn = multiprocessing.get_context("spawn")
    every = [options.views] if options.views else [*([name] for name in VIEWS), [*VIEWS]]
    print(
        "| thirty look at | drawing: median, s | 99 %, s | page: median, s | longest, s | pages | MB before | after |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for views in every:
        with ExitStack() as stack:
            app = stack.enter_context(run_app())
            one = stack.enter_context(beside.visit(app.address, "one"))
            beside.waits(one, 2)  # the models are loaded
            for view in views:
                first = Visitor(app.address, 0, view)
                first.switch(0)
                first.socket.close()
            before = memory(app.process.pid)
            said: Any = spawn.Queue()
            process = spawn.Process(target=looked, args=(app.address, views, options.visitors, options.seconds, said))
            process.start()
            stack.callback(process.kill)
            waited = beside.waits(one, options.seconds)
            pages, failed = said.get(timeout=600)
            after = memory(app.process.pid)
        name = views[0] if len(views) == 1 else "all of these"
        drawn = f"{statistics.median(waited):.2f} | {high(waited, 0.99):.2f}"
        shown = f"{statistics.median(pages):.2f} | {max(pages):.2f} | {len(pages)}"
        print(f"| {name} | {drawn} | {shown} | {before:.0f} | {after:.0f} |", flush=True)
        if failed:
            print(f"{failed} pages showed an error.")


if __name__ == "__main__":
    main()
