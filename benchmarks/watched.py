"""What does a training that runs cost whoever looks at something else, and what do twenty cost who watch it?

python -m benchmarks.watched [--rounds 3] [--visitors 20] [--seconds 60]

First hover (`benchmarks.hover`, 24 heads) and drawing (`benchmarks.draw`, all cards, each movement after a rest), in
turn without a training and beside one: it is paused and resumed, so that both meet the same machine. The bar: the 95th
percentile is at most twice the undisturbed one. Then so many visitors have the page of trainings open, over Streamlit's
own socket, and ask as often as its script tells a browser to. The bar: twenty take a quarter of a core at most.
"""

import argparse
import os
import statistics
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection

from attnviz.training import runs
from attnviz.work.jobs import table
from attnviz.work.jobs.order import Order
from benchmarks import draw, hover
from benchmarks.clock import amount
from benchmarks.many import computed, high
from tests import session
from tests.browser.harness import launch, run_app

TRAINING = Order(
    model="pixel_attention",
    recipe="1v8",
    changes={"data": "strokes", "epochs": "200", "patience": "200", **amount({}, {"heads": "1"})},
    seeds=(0, 1, 2),
)
HEADS, DIRECTION = 24, "Takes from"
LOOK = 0.5  # seconds between two looks at a training that begins or ends


class Watcher:
    """One who has the page of trainings open.

    Args:
        socket: of a session of the app.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.looks = 0
        self.words = ""
        self.page = ""  # its hash, without which a part of it that asks for the whole page would get another one
        self.every: dict[str, float] = {}  # part of the page -> seconds after which it is asked for again
        self.ask()

    def ask(self, part: str = "") -> None:
        """Ask for the page, or for a part of it."""
        message = BackMsg()
        message.rerun_script.page_name = "" if self.page else "train"
        message.rerun_script.page_script_hash = self.page
        message.rerun_script.query_string = self.words
        if part:
            message.rerun_script.fragment_id = part
            message.rerun_script.is_auto_rerun = True
        self.socket.send(message.SerializeToString())

    def hear(self, wait: float) -> None:
        """Take what comes within some seconds."""
        until = time.monotonic() + wait
        while (left := until - time.monotonic()) > 0:
            try:
                content = self.socket.recv(timeout=left)
            except TimeoutError:
                return
            came = ForwardMsg()
            came.ParseFromString(content if isinstance(content, bytes) else content.encode())
            kind = came.WhichOneof("type")
            if kind == "navigation":
                self.page = came.navigation.page_script_hash
                self.every.clear()  # the whole page is drawn anew, and says again which parts are asked for again
            elif kind == "stop_auto_rerun":
                for part in came.stop_auto_rerun.fragment_ids:
                    self.every.pop(part, None)
            elif kind == "auto_rerun":
                self.every[came.auto_rerun.fragment_id] = came.auto_rerun.interval
            elif kind == "page_info_changed":
                self.words = came.page_info_changed.query_string

    def watch(self, until: float) -> None:
        """Have the page open until a time."""
        asked: dict[str, float] = {}
        while (now := time.monotonic()) < until:
            for part, seconds in self.every.items():
                if now - asked.setdefault(part, now) >= seconds:
                    asked[part] = now
                    self.looks += 1
                    self.ask(part)
            self.hear(0.1)


def train(job: str | None) -> str:
    """Start the training, or let it go on; return its name once an epoch more is done."""
    done = 0
    if job is None:
        job = table.start(TRAINING)
    else:
        done = _epochs(job)
        table.resume(job)
    while _epochs(job) <= done:
        if table.state(job).word not in ("running", "waiting"):
            raise SystemExit(f"The training does not run: {table.state(job).sentence}")
        time.sleep(LOOK)
    return job


def _epochs(job: str) -> int:
    return sum(len(runs.curve(run)) for run in table.runs_of(job))


def pause(job: str) -> None:
    """End the training after its batch, and wait for that."""
    table.stop(job)
    while table.state(job).word == "running":
        time.sleep(LOOK)


def waits(browser: Browser, app: str, viewer: str) -> dict[str, list[float]]:
    """Return the milliseconds of hovers and of movements of a pen."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    hovers = hover.hover(page, viewer, HEADS, DIRECTION)[0]["hover"][1:]
    page.close()
    page = draw.open_cards(browser, f"{app}/draw{amount('', '?models=pixel_attention.1v8')}")
    sheet = page.locator(".sheet")
    for _ in range(draw.WARM):
        draw.waits(page, sheet, True)
    found = {"hover, 24 heads": hovers, "drawing, all cards": draw.waits(page, sheet, True)}
    page.close()
    return found


def beside_one(browser: Browser, app: str, viewer: str, rounds: int) -> str:
    """Measure without the training and beside it, in turn; print both, and return the training, which runs."""
    job: str | None = None
    found: dict[tuple[str, bool], list[float]] = {}
    for number in range(rounds):
        for beside in (False, True):
            if beside:
                job = train(job)
            elif job:
                pause(job)
            for name, times in waits(browser, app, viewer).items():
                found.setdefault((name, beside), []).extend(times)
        print(f"Round {number + 1} of {rounds}: load {os.getloadavg()[0]:.1f}.", flush=True)
    print("\n| | median, ms | 95 %, ms | beside a training: median, ms | 95 %, ms | times the 95 % |")
    print("| --- " * 6 + "|")
    for name in dict.fromkeys(name for name, _ in found):
        alone, disturbed = found[name, False], found[name, True]
        row = [statistics.median(alone), high(alone, 0.95), statistics.median(disturbed), high(disturbed, 0.95)]
        words = " | ".join(f"{one:.1f}" for one in row)
        print(f"| {name} | {words} | {row[3] / row[1]:.2f} |", flush=True)
    assert job is not None
    return job


def watched(address: str, process: int, visitors: int, seconds: float) -> None:
    """Measure what so many cost who watch a training that runs; print it beside what the app takes with nobody."""
    print(f"\n| watch | cores of the app | looks a second | load |\n{'| --- ' * 4}|")
    for count in (0, visitors):
        with ExitStack() as stack:
            sockets = [stack.enter_context(session.open_at(address, f"w{number}")).socket for number in range(count)]
            watchers = [Watcher(socket) for socket in sockets]
            for one in watchers:
                one.hear(
                    amount(5.0, 1.0) if one is watchers[0] else 1.0
                )  # the first draw of the page is not what is measured
            until = time.monotonic() + seconds
            threads = [threading.Thread(target=one.watch, args=(until,)) for one in watchers]
            before, began = computed(process), time.monotonic()
            for thread in threads:
                thread.start()
            time.sleep(seconds)
            cores = (computed(process) - before) / (time.monotonic() - began)
            for thread in threads:
                thread.join()
        looks = sum(one.looks for one in watchers) / seconds
        print(f"| {count or 'nobody'} | {cores:.3f} | {looks:.1f} | {os.getloadavg()[0]:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=amount(3, 1))
    parser.add_argument("--visitors", type=int, default=amount(20, 1))
    parser.add_argument("--seconds", type=float, default=amount(60.0, 1.0))
    options = parser.parse_args()
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        os.environ.update({name: str(place / name) for name in ("ATTNVIZ_RUNS", "ATTNVIZ_KEPT")})
        app = stack.enter_context(run_app())
        viewer = stack.enter_context(run_app("benchmarks/apps/viewer.py"))
        browser = stack.enter_context(launch(stack.enter_context(sync_playwright())))
        job = beside_one(browser, app.address, viewer.address, options.rounds)
        stack.callback(pause, job)
        watched(app.address, app.process.pid, options.visitors, options.seconds)
        if table.state(job).word != "running":
            raise SystemExit("The training has ended meanwhile: measure fewer rounds.")


if __name__ == "__main__":
    main()
