"""How much each visitor has asked for lately: pages are made in this order, and who floods the server is slowed down.

A visitor is a browser that has loaded a page from this server, at its address; at each address, those that have loaded
none count as one. Nobody is refused for what a class does: it counts as the one who has asked most there, or as a
`CLASS`-th of all, whichever is more. So who opens a thousand sockets comes after everybody, whatever cookies they send.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable

SECONDS = 10.0
"""After so many, a request counts a third (1 / e): who sends one a second has a count of this."""

CLASS = 30
"""So many browsers may sit behind one address."""

BUSY = 50.0
"""A count that nobody has who looks at what comes: five messages a second for ten seconds. A page that shows how far
work has come sends two."""

MOST = 60.0
"""Above this count, what a browser sends waits: six messages a second, or sixty at once, are handed on."""

REFUSED = 400.0
"""An address that was refused so often is closed as it connects: that costs a tenth of an answer."""

MOST_REFUSED = 1.3 * REFUSED
"""More is not counted: an address is open again three seconds after it has stopped."""

_KEPT = 10_000  # visitors and addresses that are remembered

Visitor = tuple[str, str]
"""The address, and the browser there, which is "" where it has loaded no page."""


class Asked:
    """Counts that fade with the seconds of a clock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._visitors: OrderedDict[Visitor, tuple[float, float]] = OrderedDict()  # count, and when; the latest last
        self._addresses: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._refused: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def note(self, who: Visitor) -> None:
        """Count a message, or a page that is opened."""
        self._add(self._visitors, who)
        self._add(self._addresses, who[0])

    def note_refused(self, address: str) -> None:
        """Count a socket that was refused, or closed as it connected: while these go on, so does the closing, and it
        ends a few seconds after them."""
        if self._faded(self._refused, address) < MOST_REFUSED:
            self._add(self._refused, address)

    def is_closed_to(self, address: str) -> bool:
        """Return whether an address goes on trying although it is refused."""
        return self._faded(self._refused, address) > REFUSED

    def lately(self, who: Visitor) -> float:
        """Return how much a visitor has asked for: who has asked for less goes first."""
        return max(self._faded(self._visitors, who), self._faded(self._addresses, who[0]) / CLASS)

    def is_too_much(self, who: Visitor) -> bool:
        """Return whether a visitor asks for more than anybody can look at, while somebody else asks, too."""
        return self._own(who) > BUSY and not self._is_alone(self._visitors, who)

    def is_busy(self, who: Visitor) -> bool:
        """Return whether that is so, or those of an address ask for more than a class can, while another one asks."""
        address = self._faded(self._addresses, who[0]) / CLASS
        return self.is_too_much(who) or (address > BUSY and not self._is_alone(self._addresses, who[0]))

    def wait(self, who: Visitor) -> float:
        """Return the seconds for which what a visitor sends must wait; nobody waits who is alone."""
        count = self._own(who)
        alone = count <= MOST or self._is_alone(self._visitors, who)
        return 0.0 if alone else SECONDS * math.log(count / (MOST - 0.5))

    def _own(self, who: Visitor) -> float:
        """Return the count of a visitor; those that have loaded no page may be a class whose server was restarted."""
        return self._faded(self._visitors, who) / (1 if who[1] else CLASS)

    def _is_alone(self, counts: OrderedDict, key: object) -> bool:  # type: ignore[type-arg]
        other = next((one for one in reversed(counts) if one != key), None)
        return other is None or self.clock() - counts[other][1] > SECONDS

    def _add(self, counts: OrderedDict, key: object) -> None:  # type: ignore[type-arg]
        counts[key] = self._faded(counts, key) + 1, self.clock()
        counts.move_to_end(key)
        if len(counts) > _KEPT:
            counts.popitem(last=False)

    def _faded(self, counts: OrderedDict, key: object) -> float:  # type: ignore[type-arg]
        count, when = counts.get(key, (0.0, 0.0))
        return float(count * math.exp((when - self.clock()) / SECONDS))


ASKED = Asked()
"""What has been asked of this process."""
