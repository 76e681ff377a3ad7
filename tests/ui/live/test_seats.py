"""Of those who wait, the browser that has computed least goes first."""

import asyncio

from attnviz.ui.live.seats import CREDIT, LEAST, Browser, Seats
from attnviz.work.queue import Queue


async def turns(
    seats: Seats, order: list[str], name: str, browser: Browser, *, count: int, cost: float, begins: bool = False
) -> None:
    """Sit so many times, each time for what `cost` says; if it `begins`, for a request of its own."""
    for _ in range(count):
        async with seats.seat(browser):
            await asyncio.sleep(0)  # the others come meanwhile
            browser.charge(cost, begins=begins)
            order.append(name)


def test_who_asks_for_little_goes_before_those_who_ask_for_much() -> None:
    async def compute() -> list[str]:
        seats, order = Seats(Queue(1, left=0)), list[str]()
        others = [turns(seats, order, "much", Browser(), count=5, cost=1.0) for _ in range(20)]
        await asyncio.gather(*others, turns(seats, order, "little", Browser(), count=5, cost=CREDIT / 10))
        return order

    order = asyncio.run(compute())
    places = [place for place, name in enumerate(order) if name == "little"]
    # The others came before it. Then it waits only for the one that sits already, each time.
    assert places == [20, 22, 24, 26, 28]


def test_of_those_who_have_used_as_much_the_one_goes_first_who_needs_little() -> None:
    async def compute() -> list[str]:
        seats, order, much, little = Seats(Queue(1, left=0)), list[str](), Browser(), Browser()
        await turns(seats, [], "", much, count=1, cost=1.0)
        await turns(seats, [], "", little, count=100, cost=0.01)
        others = [turns(seats, order, "much", Browser(1.0), count=1, cost=1.0)]
        both = [
            turns(seats, order, "much", much, count=1, cost=1.0),
            turns(seats, order, "", little, count=1, cost=0.01),
        ]
        await asyncio.gather(*others, *both)
        return order

    assert asyncio.run(compute()) == ["much", "", "much"]


def test_many_sockets_of_one_browser_have_the_turns_of_one() -> None:
    async def compute() -> list[str]:
        seats, order, browser = Seats(Queue(1, left=0)), list[str](), Browser()
        many = [turns(seats, order, "many", browser, count=3, cost=1.0) for _ in range(10)]
        await asyncio.gather(*many, turns(seats, order, "one", Browser(), count=10, cost=1.0))
        return order

    order = asyncio.run(compute())
    assert order[:20].count("one") == 10


def test_who_was_away_goes_first_for_a_moment_only() -> None:
    async def compute() -> list[str]:
        seats, order, cost = Seats(Queue(1, left=0)), list[str](), CREDIT / 4
        busy = [Browser() for _ in range(4)]
        await asyncio.gather(*(turns(seats, [], "", one, count=50, cost=cost) for one in busy))
        all_of_them = [("busy", one) for one in busy] + [("away", Browser())]
        await asyncio.gather(*(turns(seats, order, name, one, count=20, cost=cost) for name, one in all_of_them))
        return order

    order = asyncio.run(compute())
    assert order[:8].count("away") == 4  # with one of the others between its turns, who sits already
    assert order[8:48].count("away") <= 10  # then no more than everybody


def test_many_who_drag_do_not_starve_one_who_draws() -> None:
    async def compute() -> list[str]:
        seats, order, draws = Seats(Queue(1, left=0)), list[str](), Browser()
        await turns(seats, [], "", draws, count=10, cost=0.011)
        drags = [turns(seats, order, "drag", Browser(), count=40, cost=0.0024) for _ in range(10)]
        await asyncio.gather(*drags, turns(seats, order, "draw", draws, count=4, cost=0.011))
        return order

    places = [place for place, name in enumerate(asyncio.run(compute())) if name == "draw"]
    assert places[0] < 200, "long before all 400 movements are answered"


def test_a_request_that_takes_little_counts_as_one_that_takes_more() -> None:
    async def compute() -> list[str]:
        seats, order = Seats(Queue(1, left=0)), list[str]()
        drags = [turns(seats, order, "drag", Browser(), count=40, cost=LEAST / 4, begins=True) for _ in range(7)]
        draws = [turns(seats, order, "draw", Browser(), count=10, cost=LEAST, begins=True) for _ in range(7)]
        await asyncio.gather(*drags, *draws)
        return order

    assert asyncio.run(compute())[:140].count("draw") == 70, "as many of each, while both wait"


def test_who_is_new_begins_where_the_others_are() -> None:
    async def compute() -> list[str]:
        seats, order, cost = Seats(Queue(1, left=0)), list[str](), CREDIT
        old = Browser()
        await turns(seats, [], "", old, count=50, cost=cost)
        new = [turns(seats, order, "new", Browser(seats.clock), count=10, cost=cost) for _ in range(20)]
        await asyncio.gather(*new, turns(seats, order, "old", old, count=10, cost=cost))
        return order

    places = [place for place, name in enumerate(asyncio.run(compute())) if name == "old"]
    assert places[0] <= 2 * 20


def test_who_leaves_the_line_or_the_seat_blocks_nobody() -> None:
    async def compute() -> int:
        seats = Seats(Queue(1, left=0))

        async def sit(forever: bool = True) -> None:
            async with seats.seat(Browser()):
                await (asyncio.Event().wait() if forever else asyncio.sleep(0))

        sitting = asyncio.create_task(sit())
        await asyncio.sleep(0)
        waiting = [asyncio.create_task(sit()) for _ in range(2)]
        last = asyncio.create_task(sit(forever=False))
        await asyncio.sleep(0)
        waiting[0].cancel()  # out of the line
        sitting.cancel()
        await asyncio.sleep(0)  # the seat has been handed on, and whoever has it does not know yet
        waiting[1].cancel()
        await last
        return seats.queue.count - seats.queue.computing

    assert asyncio.run(asyncio.wait_for(compute(), 60)) == 1
