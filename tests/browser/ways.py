"""A hand that moves a mouse as people do: it rests, then goes straight to where it wants to be."""

import math
import time

from playwright.sync_api import CDPSession, Page

STEP = 0.02  # seconds between two reports of the mouse: a busy machine takes less to tell them
Point = tuple[float, float]


class Hand:
    """A mouse whose reports carry times of their own, so that a slow machine makes no slower hand."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session: CDPSession = page.context.new_cdp_session(page)
        self.now = time.time()
        self.at: Point = (0.0, 0.0)

    def report(self, to: Point, after: float = STEP) -> None:
        """Tell the page that the mouse is at a place of the window, so many seconds after it was at the last one."""
        self.now += after
        self.at = round(to[0]), round(to[1])  # a mouse counts pixels
        self.session.send(
            "Input.dispatchMouseEvent", {"type": "mouseMoved", "x": self.at[0], "y": self.at[1], "timestamp": self.now}
        )

    def rest(self, seconds: float = 0.5) -> None:
        """Stay for a while: a hand at rest still trembles."""
        self.report((self.at[0] + 1, self.at[1]))
        self.report((self.at[0] - 1, self.at[1]))
        self.now = max(self.now + seconds, time.time())

    def go(self, to: Point, seconds: float = 0.6) -> None:
        """Go straight to a place, as hands do: slowly at first, fastest in the middle, slowly at the end.

        Source: "The coordination of arm movements", Flash and Hogan, 1985: the way of the smallest jerk.
        """
        (x, y), count = self.at, math.ceil(seconds / STEP)
        for step in range(1, count + 1):
            part = step / count
            done = part**3 * (10 - 15 * part + 6 * part**2)
            self.report((x + done * (to[0] - x), y + done * (to[1] - y)))
