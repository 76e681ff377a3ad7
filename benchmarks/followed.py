"""Measures how soon what a hand moves is there, and how soon the answer has followed: what several benchmarks share.

The browser measures from a movement of the pointer to the frame after the change, each movement once the one before has
been answered, and counts the frames in between. What is asked: the third frame, or 3 times the bare forward pass,
whichever is later.
"""

import statistics
import time
from collections.abc import Callable

from playwright.sync_api import Page

from benchmarks.clock import amount

MOVES, WARM = amount((60, 5), (2, 1))
REST = 60  # milliseconds between an answer and the next movement
FRAMES = 3

WATCH = """([name, field]) => {
  const roots = [...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean);
  const part = roots.map((root) => root.querySelector(name)).find(Boolean);
  Object.assign(window, { there: [], answers: [], counts: [], lasting: [] });
  let [start, seen, before, frames, begun] = [null, false, "", 0, 0];
  const painted = (list, from, since) => requestAnimationFrame(() => {
    const count = frames - since;
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      list.push(performance.now() - from);
      if (list === window.answers) window.counts.push(count);
    };
    channel.port2.postMessage(0);
  });
  addEventListener("pointermove", (event) => {
    if (event.buttons) [start, seen, begun] = [event.timeStamp, false, frames];
  }, true);
  part.addEventListener("drawn", () => {
    const state = part.read();
    const now = JSON.stringify(state[field]);
    if (start === null || (now === before && !seen)) return;
    if (!seen) painted(window.there, start, begun);
    [seen, before] = [true, now];
    if (state.pending) return;
    painted(window.answers, start, begun);
    start = null;
  });
  let last = performance.now();
  const frame = (at) => { frames += 1; window.lasting.push(at - last); last = at; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}"""


def follow(page: Page, part: str, field: str, places: Callable[[int], tuple[float, float]]) -> dict[str, list[float]]:
    """Return the milliseconds of every movement to what it moves and to its answer, the frames to that, and theirs.

    Args:
        page: which shows the component.
        part: a selector of the component.
        field: of what tests read of it: what the hand moves.
        places: from the number of a movement to where the pointer then is; 0 is where it presses.
    """
    page.evaluate(WATCH, [part, field])
    page.mouse.move(*places(0))
    page.mouse.down()
    for move in range(1, WARM + MOVES + 1):
        page.mouse.move(*places(move))
        page.wait_for_function("(count) => window.answers.length >= count", arg=move, polling=5)
        page.wait_for_timeout(REST)
    page.mouse.up()
    found: dict[str, list[float]] = page.evaluate("() => ({ there, answers, counts, lasting })")
    return {name: times[WARM:] for name, times in found.items()}


def bare_times(bare: Callable[[], object]) -> list[float]:
    """Return the milliseconds of a bare pass, with the same rests between."""
    found = []
    for _ in range(WARM + MOVES):
        time.sleep(REST / 1000)
        start = time.perf_counter()
        bare()
        found.append(1000 * (time.perf_counter() - start))
    return found[WARM:]


def high(times: list[float]) -> float:
    """Return the 95th percentile."""
    return sorted(times)[int(0.95 * (len(times) - 1))]


def report(found: dict[str, list[float]], base: list[float], what: str, moved: str) -> None:
    """Print the table of a benchmark.

    Args:
        found: as `follow` returns it.
        base: as `bare_times` returns it.
        what: is measured.
        moved: what the hand moves.
    """
    asked = max(FRAMES * statistics.median(found["lasting"]), 3 * statistics.median(base))
    print(f"{what}; asked: {asked:.0f} ms")
    print("| | median, ms | 95 %, ms | times the bare pass |\n| --- | --- | --- | --- |")
    rows = {
        "bare forward pass": base,
        "the answer is there": found["answers"],
        f"{moved} is there": found["there"],
        "from frame to frame": found["lasting"],
    }
    for name, times in rows.items():
        ratio = statistics.median(times) / statistics.median(base)
        print(f"| {name} | {statistics.median(times):.1f} | {high(times):.1f} | {ratio:.2f} |")
    in_time = sum(
        times <= asked or count <= FRAMES for times, count in zip(found["answers"], found["counts"], strict=True)
    )
    middle, most = statistics.median(found["counts"]), high(found["counts"])
    print(f"\nThe answer is painted in frame {middle:.0f} (95 %: {most:.0f}); {in_time} of {MOVES} movements in time.")
