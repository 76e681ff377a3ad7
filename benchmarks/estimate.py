"""On paper: what a thousand and ten thousand visitors need, from what `benchmarks.hundred` measured of a hundred.

Nothing here was tried. Each assumption stands below the tables; the costs are those of the machine that measured them.
"""

import math
from dataclasses import dataclass

from attnviz.ui.server.sockets import IN_ALL

VISITORS = (100, 1_000, 10_000)
SHARE = 0.6  # of what a server can compute: beyond it, waiting times grow faster than the number of visitors
SOCKETS = 3  # of a visitor: the page's, and those of two components that ask models
MEMORY = 2048.0  # MB that a pod may hold, deploy/kubernetes/look.yaml
CONNECTIONS = 1024  # of a worker of nginx, as it comes; each visitor's socket takes two
LINK = 1000.0  # Mbit/s
ARRIVE = 60.0  # seconds in which all visitors come
FIRST = 2.6  # MB that a browser with an empty cache loads first, `benchmarks.lessons`


@dataclass(frozen=True)
class Figures:
    """What was measured.

    Args:
        visitors: so many, for whom `times`, `received`, `busy` and the second of `megabytes` hold.
        seconds: for which they were there.
        cores: of the machine.
        costs: seconds that the server computes for an action of one visitor, by its name.
        rates: actions a second of one visitor alone, who waits for nobody.
        times: how often all visitors together did each action.
        received: bytes that they got for it.
        busy: cores on which the server computed meanwhile.
        megabytes: of the server with one visitor, and with all at most.
    """

    visitors: int
    seconds: float
    cores: int
    costs: dict[str, float]
    rates: dict[str, float]
    times: dict[str, int]
    received: dict[str, int]
    busy: float
    megabytes: tuple[float, float]

    @property
    def share(self) -> float:
        """How much of what each visitor gets alone each got among all, 0..1, by what the actions cost."""
        wanted = sum(self.rates[action] * cost for action, cost in self.costs.items()) * self.visitors
        got = sum(self.times.get(action, 0) * cost for action, cost in self.costs.items()) / self.seconds
        return min(1.0, got / wanted)

    @property
    def is_full(self) -> bool:
        """Whether that was less than nine tenths."""
        return self.share < 0.9

    @property
    def computing(self) -> float:
        """Cores that a visitor takes on average who gets as much as alone."""
        return self.busy / self.visitors / self.share

    @property
    def usable(self) -> float:
        """Cores that one server can use: as many as it did, if it was full, else as many as there are."""
        return self.busy if self.is_full else float(self.cores)

    @property
    def megabits(self) -> float:
        """Mbit/s that a visitor gets on average."""
        each = {action: self.received.get(action, 0) / max(1, self.times.get(action, 0)) for action in self.costs}
        return sum(self.rates[action] * size for action, size in each.items()) * 8 / 1e6

    @property
    def held(self) -> float:
        """MB that each further visitor takes."""
        return max(0.0, self.megabytes[1] - self.megabytes[0]) / max(1, self.visitors - 1)


@dataclass(frozen=True)
class Limit:
    """Something that is enough for so many visitors.

    Args:
        what: it is.
        visitors: for how many it is enough.
        helps: what to do about it.
        of_a_server: whether more servers have more of it.
    """

    what: str
    visitors: int
    helps: str
    of_a_server: bool


def limits(found: Figures) -> list[Limit]:
    """Return what runs out, the first thing first."""
    memory = (MEMORY - found.megabytes[0]) / found.held if found.held else math.inf
    every = (
        ("a server's computing", SHARE * found.usable / found.computing, "more servers, or more cores for each", True),
        ("a server's sockets", IN_ALL / SOCKETS, "more servers", True),
        ("a server's memory", min(memory, 1e9), "more servers, or more memory for each", True),
        ("the connections of nginx", CONNECTIONS * found.cores / (2 * SOCKETS), "`worker_connections`", False),
        ("the network as all come", LINK * ARRIVE / (8 * FIRST), "a faster one; files from nearer by", False),
        ("the network", LINK / found.megabits, "a faster one; several proxies", False),
    )
    rows = [
        Limit(what, math.floor(visitors + 1e-9), helps, of_a_server) for what, visitors, helps, of_a_server in every
    ]
    return sorted(rows, key=lambda limit: limit.visitors)


def servers(found: Figures, visitors: int) -> int:
    """Return how many servers so many visitors need."""
    return math.ceil(visitors / max(1, min(one.visitors for one in limits(found) if one.of_a_server)))


def table(found: Figures) -> str:
    """Return two tables in Markdown and the assumptions: what visitors need, and what breaks first."""
    heads = " | ".join(f"{visitors:,} visitors" for visitors in VISITORS)
    lines = [f"| on paper | {heads} |", "| --- " * (1 + len(VISITORS)) + "|"]
    rows = {
        "servers": lambda n: f"{servers(found, n):,}",
        "cores that compute, on average": lambda n: f"{n * found.computing:,.1f}",
        "cores to have": lambda n: f"{servers(found, n) * found.cores:,}",
        "memory, GB": lambda n: f"{(servers(found, n) * found.megabytes[0] + n * found.held) / 1000:,.1f}",
        "Mbit/s": lambda n: f"{n * found.megabits:,.0f}",
        "sockets at the proxy": lambda n: f"{n * SOCKETS:,}",
        "breaks first, with these servers": lambda n: _first(found, n),
    }
    lines += [f"| {what} | {' | '.join(told(visitors) for visitors in VISITORS)} |" for what, told in rows.items()]
    lines += ["", "| what runs out | at so many visitors | what helps |", "| --- | --- | --- |"]
    lines += [f"| {one.what} | {min(one.visitors, 10**6):,} | {one.helps} |" for one in limits(found)]
    times = ", ".join(f"{action} {60 * rate:.0f} times a minute" for action, rate in found.rates.items())
    full = "was full" if found.is_full else "was not full"
    lines += [
        "", "Assumed:", "",
        f"- Every visitor does what those of the benchmark do, all of them all the time: {times}.",
        f"- Each visitor costs what one of {found.visitors} did, and a server can be loaded to {SHARE:.0%} of the "
        f"{found.usable:.1f} cores that it can use: it computed on {found.busy:.2f} of {found.cores} and {full}, as "
        f"each visitor got {found.share:.0%} of what one gets alone.",
        f"- A visitor has {SOCKETS} sockets, of which a server admits {IN_ALL}; a server may hold {MEMORY:,.0f} MB; "
        f"nginx has {found.cores} workers, as it comes; the network is one of {LINK:,.0f} Mbit/s.",
        f"- All come within {ARRIVE:.0f} s, and each browser loads {FIRST} MB of files first.",
        "- Visitors are spread evenly over the servers, and trainings run elsewhere.",
    ]  # fmt: skip
    return "\n".join(lines)


def _first(found: Figures, visitors: int) -> str:
    """Return what runs out first where there are enough servers."""
    shared = [one for one in limits(found) if not one.of_a_server and one.visitors < visitors]
    return shared[0].what if shared else "nothing that is shared"
