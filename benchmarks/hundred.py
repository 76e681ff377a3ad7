"""A hundred visitors who switch pictures, draw and drag glimpses, while a training runs: what does each wait for?

python -m benchmarks.hundred [--visitors 100] [--seconds 180] [--no-training] [--replicas] [--write FIGURES]
python -m benchmarks.hundred --estimate FIGURES     # on paper, what more visitors need, as tables in Markdown

`benchmarks.visitors` says what they do. Before them one visitor does the same alone, beside the same training. Asked,
on two cores and without the training: pages within 3 s at 95 %, drawing and dragging within 0.3 s at 99 %, no error, no
answer that is lost or somebody else's, and at most 1 GB that does not go on growing. The visitors compute too, on the
same cores. --replicas puts two servers behind nginx, as deploy/nginx.conf has it.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from attnviz.training import runs
from attnviz.work.jobs import order, table
from attnviz.work.jobs.order import Order
from benchmarks import estimate
from benchmarks.clock import amount
from benchmarks.many import VIEWS, computed, high
from benchmarks.start import memory
from benchmarks.visitors import PERIOD, Told, Visitor, some
from tests.browser.harness import Server, run_app
from tests.browser.replicas import Replicas, behind_nginx

COUNTED = {"page": amount(6, 1), "draw": amount(20, 1), "drag": amount(20, 1)}  # how often, to see what each costs
PROCESSES = 2  # that the visitors share
TRAINING = {
    "model": "pixel_attention", "recipe": "1v8",
    "changes": {"data": "strokes", "epochs": amount("1000", "1"), "patience": amount("1000", "1")},
}  # fmt: skip
COSTLY = [*VIEWS][: amount(None, 2)]  # on which one visitor is watched alone


@dataclass
class Crowd:
    """What so many visitors have cost.

    Args:
        told: what they have seen.
        cores: of which the servers have computed, on average.
        own: cores on which the visitors themselves computed.
        megabytes: of the servers: before them, at most in the first half, and at most in the second.
    """

    told: Told
    cores: float
    own: float
    megabytes: tuple[float, float, float]


def crowd(address: str, servers: Sequence[Server], count: int, seconds: float) -> Crowd:
    """Let visitors come, and look at the servers meanwhile.

    Args:
        address: that they use.
        servers: that answer there.
        count: of visitors.
        seconds: for which they are there.
    """
    spawn = multiprocessing.get_context("spawn")
    shares = [range(first, count, PROCESSES) for first in range(min(PROCESSES, count))]
    ready, said = spawn.Barrier(len(shares) + 1), spawn.Queue()
    before = sum_of(memory, servers)
    with ExitStack() as stack:
        for share in shares:
            process = spawn.Process(target=some, args=(address, share, count, seconds, ready, said))
            process.start()
            stack.callback(process.kill)
        ready.wait()
        began, had = time.monotonic(), sum_of(computed, servers)
        most = [0.0, 0.0]
        while (passed := time.monotonic() - began) < seconds:
            half = int(2 * passed / seconds)
            most[half] = max(most[half], sum_of(memory, servers))
            time.sleep(0.5)
        cores = (sum_of(computed, servers) - had) / (time.monotonic() - began)
        told, own = Told(), 0.0
        for _ in shares:
            plain, busy = said.get(timeout=600)
            told.add(Told(*(defaultdict(type(next(iter(one.values()), 0)), one) for one in plain)))
            own += busy / seconds
    return Crowd(told, cores, own, (before, most[0], most[1]))


def sum_of(figure: Callable[[int], float], servers: Sequence[Server]) -> float:
    """Return the sum of a figure of processes over servers."""
    return sum(figure(one.process.pid) for one in servers)


def costs(address: str, servers: Sequence[Server]) -> dict[str, float]:
    """Return the seconds that servers compute for an action of one visitor alone, on all cores, by its name."""
    visitors = [Visitor(address, 10_000 + number, view) for number, view in enumerate(COSTLY)]
    for one in visitors:
        for name in COUNTED:
            one.do(name, 0)  # models are loaded, and what they give for the first picture is kept
    rests(servers)
    found: dict[str, list[float]] = defaultdict(list)
    for one in visitors:
        for name, times in COUNTED.items():
            before = sum_of(computed, servers)
            for turn in range(1, times + 1):
                one.do(name, turn)
            found[name].append((sum_of(computed, servers) - before) / times)
        one.close()
    return {name: statistics.mean(times) for name, times in found.items()}


def rests(servers: Sequence[Server]) -> None:
    """Wait until servers compute nothing of their own, such as models that are loaded ahead."""
    before = -1.0
    while (now := sum_of(computed, servers)) > before + 0.05:
        before = now
        time.sleep(1)


@contextmanager
def trained() -> Iterator[Callable[[], int]]:
    """Let a training run as a job, as the page of trainings does.

    Yields:
        What returns how many epochs it has done.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ATTNVIZ_RUNS"] = folder
        job = table.start(Order.read(TRAINING), order.NONE)
        (child,) = [one for one in psutil.Process().children() if one.is_running()]
        try:
            yield lambda: sum(len(runs.curve(run)) for run in runs.ids())
            if table.state(job).word != "running":
                print(f"The training ended: {table.state(job).sentence}", file=sys.stderr)
        finally:
            table.stop(job)
            child.wait(60)


def shown(found: dict[str, Crowd], costs: dict[str, float]) -> str:
    """Return a table in Markdown: each action of one visitor, and of all."""
    names = [*found]
    heads = [
        f"{name}: {what}" for name in names for what in ("median, ms", "95 %, ms", "99 %, ms", "longest, ms", "times")
    ]
    lines = [f"| action | the server computes, ms | {' | '.join(heads)} |", "| --- " * (2 + len(heads)) + "|"]
    for action, cost in costs.items():
        cells = [action, f"{1000 * cost:.1f}"]
        for name in names:
            times = [1000 * one for one in found[name].told.seconds[action]] or [float("nan")]
            cells += [
                f"{statistics.median(times):.0f}",
                f"{high(times, 0.95):.0f}",
                f"{high(times, 0.99):.0f}",
                f"{max(times):.0f}",
                f"{len(times)}",
            ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visitors", type=int, default=amount(100, 1))
    parser.add_argument("--seconds", type=float, default=amount(180.0, 1.5))
    parser.add_argument("--no-training", action="store_true", help="nothing is trained meanwhile")
    parser.add_argument("--replicas", action="store_true", help="two servers behind nginx, in place of one")
    parser.add_argument("--write", type=Path, metavar="FIGURES", help="write what was measured as JSON")
    parser.add_argument("--estimate", type=Path, metavar="FIGURES", help="measure nothing, but reckon from such a file")
    options = parser.parse_args()
    if options.estimate is not None:
        print(estimate.table(estimate.Figures(**json.loads(options.estimate.read_text()))))
        return
    count, seconds = options.visitors, options.seconds
    alone = max(seconds / 3, amount(2, 0.1) * PERIOD)
    beside = nullcontext(lambda: 0) if options.no_training else trained()
    with beside as epochs, behind_nginx() if options.replicas else run_app() as app:
        servers = app.servers if isinstance(app, Replicas) else (app,)
        each = costs(app.address, servers)
        found = {"one visitor": crowd(app.address, servers, 1, alone)}
        before = epochs()
        found[f"{count} visitors"] = all_of_them = crowd(app.address, servers, count, seconds)
        done = epochs() - before
    print(f"{count} visitors for {seconds:.0f} s on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print(shown(found, each))
    for name, one in found.items():
        wrong = ", ".join(f"{number} {what}" for what, number in one.told.wrong.items() if number) or "nothing"
        held = " MB, ".join(f"{megabytes:.0f}" for megabytes in one.megabytes)
        print(
            f"\n{name}: wrong: {wrong}. The server computed on {one.cores:.2f} cores, the visitors on {one.own:.2f}. "
            f"Its memory before them, and at most in the first and in the second half: {held} MB."
        )
    if not options.no_training:
        print(f"\nMeanwhile the training did {done} epochs.")
    figures = estimate.Figures(
        visitors=count, seconds=seconds, cores=os.cpu_count() or 1, costs=each,
        rates={action: len(times) / alone for action, times in found["one visitor"].told.seconds.items()},
        times={action: len(times) for action, times in all_of_them.told.seconds.items()},
        received={**all_of_them.told.received}, busy=all_of_them.cores,
        megabytes=(all_of_them.megabytes[0], max(all_of_them.megabytes[1:])),
    )  # fmt: skip
    if options.write is not None:
        options.write.write_text(json.dumps(asdict(figures), indent=1) + "\n")
    print(f"\n{estimate.table(figures)}")


if __name__ == "__main__":
    main()
