"""Visitors who switch pictures, draw and drag glimpses, over the app's own sockets, for `benchmarks.hundred`.

Each switches to another picture every fifteen seconds, on one of the kinds of pages of `benchmarks.many`; in between
they draw a digit, which all cards of the draw page answer, or drag a glimpse, in turn, for two seconds, with at most
twenty movements a second. Every answer is looked at: it must be of this request and of what this very visitor sent, and
a page must be that of the picture that was asked for.
"""

import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from attnviz.data import inputs
from attnviz.models import Input
from attnviz.subjects import net
from attnviz.ui.draw import panels
from attnviz.views.payload import pack, unpack
from benchmarks import beside, many
from benchmarks.drawing_class import canvases
from benchmarks.many import VIEWS

PERIOD = 15.0  # seconds between two pictures
HAND = 2.0  # seconds of drawing or dragging in each period
MOVEMENT = 0.05  # seconds between two movements at least
GLIMPSES = "recurrent_attention.digits"
SHOWN = re.compile(rb'"ask": \{"data": "\w+", "number": (\d+)\}|"image": "\w+/test/(\d+)"|"strip:strokes\.5\.(\d+)"')


@dataclass
class Told:
    """What visitors have seen.

    Args:
        seconds: that each action took, by its name.
        received: bytes of all answers, by the name of the action.
        wrong: how often something was wrong, by what it was.
    """

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    received: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    wrong: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, other: "Told") -> None:
        """Count what others have seen, too."""
        for action, times in other.seconds.items():
            self.seconds[action] += times
            self.received[action] += other.received[action]
        for what, count in other.wrong.items():
            self.wrong[what] += count


@cache
def asks() -> list[dict[str, Any]]:
    """Return what the draw page asks of each model."""
    shown = panels.describe(panels.chosen())
    return [{"checkpoint": panel["checkpoint"], "wanted": panel["wanted"]} for panel in shown]


@cache
def shapes() -> list[Input]:
    """Return what each of these models takes."""
    return [net(ask["checkpoint"]).input for ask in asks()]


def prepared(canvas: np.ndarray, shape: Input) -> np.ndarray:
    """Return what a model sees of a canvas."""
    prepare = inputs.named(shape.preparation)
    return prepare(canvas, rows=shape.rows, columns=shape.columns, channels=shape.channels, centred=True).picture


class Visitor(many.Visitor):
    """One who switches pictures, draws, and drags glimpses.

    Args:
        address: of the app.
        number: of the visitor, which decides the pictures, what is drawn, and where glimpses are dragged.
        view: one of `VIEWS`.
    """

    def __init__(self, address: str, number: int, view: str) -> None:
        super().__init__(address, number, view)
        self.address, self.number = address, number
        self.live = self.opened.enter_context(beside.visit(address, f"class{number}"))
        self.told, self.sent = Told(), 0
        self.canvases = canvases(number)
        self.seen = [{shape: prepared(canvas, shape) for shape in {*shapes()}} for canvas in self.canvases]

    def turn_to(self, turn: int) -> None:
        """Switch to another picture, and check that the page shows it."""
        failed = self.failed
        try:
            self.told.seconds["page"].append(self.switch(turn))
        except TimeoutError:
            self.told.wrong["pages lost"] += 1
            return
        self.told.received["page"] += len(self.came)
        self.told.wrong["pages with an error"] += self.failed > failed
        shown = {int(number) for found in SHOWN.findall(self.came) for number in found if number}
        self.told.wrong["pages of another picture"] += shown != {self.numbers[turn % len(self.numbers)]}

    def draw(self) -> None:
        """Make a movement of the pen, and wait for the answers of all cards."""
        at = self.sent % len(self.canvases)
        header = {"asks": asks(), "prepare": {"centred": True}}
        seen = self.seen[at]
        self._ask(
            "draw",
            header,
            {"pictures": self.canvases[at]},
            lambda place, arrays: np.array_equal(arrays["seen"], seen[shapes()[place]]),
        )

    def drag(self) -> None:
        """Drag the second glimpse by a little, and wait for the path that follows from it."""
        angle = 0.1 * self.sent + self.number
        place = [0.7 * float(np.sin(angle)), 0.7 * float(np.cos(1.3 * angle))]
        wanted = {"path": {"derived": "glimpses", "parameters": {"locations": [None, place]}}}
        header = {
            "pictures": [{"data": "strokes", "number": int(self.numbers[0])}],
            "asks": [{"checkpoint": GLIMPSES, "seed": self.number, "wanted": wanted}],
        }
        self._ask("drag", header, {}, lambda _, arrays: np.allclose(arrays["path.location"][0, 1], place, atol=1e-6))

    def do(self, action: str, turn: int) -> None:
        """Do one of the three actions by its name."""
        if action == "page":
            self.turn_to(turn)
        else:
            (self.draw if action == "draw" else self.drag)()

    def visit(self, began: float, until: float, of: int) -> None:
        """Switch pictures, draw and drag.

        Args:
            began: when the first visitor begins, in seconds of `time.monotonic`.
            until: when all end.
            of: so many visitors, who begin evenly over the first period.
        """
        tick, turn = began + PERIOD * (self.number % of) / of, 0
        while (now := time.monotonic()) < until:
            if now < tick:
                time.sleep(min(tick, until) - now)
                continue
            self.turn_to(turn)
            self.move((self.draw, self.drag)[(turn + self.number) % 2], until)
            turn += 1
            tick += PERIOD
        self.close()

    def move(self, movement: Callable[[], None], until: float) -> None:
        """Make movements for `HAND` seconds."""
        end = min(time.monotonic() + HAND, until)
        while (start := time.monotonic()) < end:
            movement()
            time.sleep(max(0.0, start + MOVEMENT - time.monotonic()))

    def _ask(
        self,
        action: str,
        header: dict[str, Any],
        arrays: dict[str, np.ndarray],
        is_own: Callable[[int, dict[str, np.ndarray]], bool],
    ) -> None:
        """Ask models, and check each answer."""
        number, self.sent = self.sent, self.sent + 1
        start = time.perf_counter()
        self.live.send(pack({"number": number, **header}, arrays))
        for place, ask in enumerate(header["asks"]):
            try:
                message = self.live.recv(timeout=many.PATIENCE)
            except TimeoutError:
                self.told.wrong["answers lost"] += 1
                self.live.close()
                self.live = self.opened.enter_context(beside.visit(self.address, f"class{self.number}"))
                return
            self.told.received[action] += len(message)
            said, found = unpack(message)
            if "error" in said:
                self.told.wrong["answers with an error"] += 1
                if said.get("done"):
                    return
                continue
            of_this = (said.get("number"), said.get("ask"), said.get("checkpoint")) == (
                number,
                place,
                ask["checkpoint"],
            )
            self.told.wrong["answers of another request or visitor"] += not (of_this and is_own(place, found))
        self.told.seconds[action].append(time.perf_counter() - start)


def some(address: str, numbers: Sequence[int], of: int, seconds: float, ready: Any, said: Any) -> None:
    """Be some of the visitors, in a process of their own.

    Args:
        address: of the app.
        numbers: of these visitors.
        of: so many visitors there are.
        seconds: for which they are there.
        ready: a barrier, behind which all begin.
        said: a queue that gets what they have seen, and the seconds that they computed themselves.
    """
    names = [*VIEWS]
    visitors = [Visitor(address, number, names[number % len(names)]) for number in numbers]
    ready.wait()
    before, began = time.process_time(), time.monotonic()
    threads = [threading.Thread(target=one.visit, args=(began, began + seconds, of)) for one in visitors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = Told()
    for one in visitors:
        told.add(one.told)
    plain = ({**told.seconds}, {**told.received}, {**told.wrong})
    said.put((plain, time.process_time() - before))
