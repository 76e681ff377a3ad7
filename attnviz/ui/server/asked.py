"""Each visitor's recent load: the higher it is, the longer a page waits, and visitors who flood the server are slowed
down.

A visitor is a browser that has loaded a page from this server, at its address; the browsers at one address that have
loaded no page count as one visitor. A class behind one address is not penalised: a visitor's load is their own, or a
`CLASS`-th of the address's if that is more. So a client that opens a thousand sockets comes last.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable

SECONDS = 10.0
"""The decay time: a request this old counts 1 / e, so a visitor who sends one request a second has a count of this."""

CLASS = 30
"""The number of browsers that may share one address."""

BUSY = 50.0
"""A count that no person reaches who looks at the results: five messages a second for ten seconds. A page that shows
the progress of work sends two."""

MOST = 60.0
"""The count above which a browser's messages are delayed: six messages a second, or sixty at once, are passed on."""

REFUSED = 400.0
"""An address refused this often is disconnected as it connects, at a tenth of the cost of an answer."""

MOST_REFUSED = 1.3 * REFUSED
"""The maximum count, so that an address is admitted again three seconds after it has stopped."""

_KEPT = 10_000  # visitors and addresses remembered

Visitor = tuple[str, str]
"""The address, and the browser there, which is "" if it has loaded no page."""


class Asked:
    """Counts of requests that decay exponentially over time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._visitors: OrderedDict[Visitor, tuple[float, float]] = OrderedDict()  # (count, time), the latest last
        self._addresses: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._refused: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def note(self, who: Visitor) -> None:
        """Count a message or a page load."""
        self._add(self._visitors, who)
        self._add(self._addresses, who[0])

    def note_refused(self, address: str) -> None:
        """Count a socket that was refused, or closed as it connected; these keep the address closed."""
        if self._faded(self._refused, address) < MOST_REFUSED:
            self._add(self._refused, address)

    def is_closed_to(self, address: str) -> bool:
        """Return whether an address keeps trying although it is refused."""
        return self._faded(self._refused, address) > REFUSED

    def lately(self, who: Visitor) -> float:
        """Return a visitor's recent load."""
        return max(self._faded(self._visitors, who), self._faded(self._addresses, who[0]) / CLASS)

    def rank(self, who: Visitor) -> float:
        """Return the rank of a page that is requested now, in seconds; the lowest goes first.

        It is the time at which the visitor's load will have decayed to one request. So pages with the same load are
        made in the order of their arrival, and a higher load lets later requests overtake for a limited time only.
        """
        return self.clock() + SECONDS * math.log(max(1.0, self.lately(who)))

    def is_too_much(self, who: Visitor) -> bool:
        """Return whether a visitor requests more than a person can look at, while somebody else makes requests."""
        return self._own(who) > BUSY and not self._is_alone(self._visitors, who)

    def is_busy(self, who: Visitor) -> bool:
        """Return `is_too_much`, or whether an address requests more than a class can while another one is active."""
        address = self._faded(self._addresses, who[0]) / CLASS
        return self.is_too_much(who) or (address > BUSY and not self._is_alone(self._addresses, who[0]))

    def wait(self, who: Visitor) -> float:
        """Return the delay, in seconds, of a visitor's messages; 0 for a visitor who is alone."""
        count = self._own(who)
        alone = count <= MOST or self._is_alone(self._visitors, who)
        return 0.0 if alone else SECONDS * math.log(count / (MOST - 0.5))

    def _own(self, who: Visitor) -> float:
        """Return a visitor's count; browsers that have loaded no page may be a class whose server was restarted."""
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
"""The counts of this process."""
