"""Few functions take a checkpoint's card, and none takes a picture as a data set and a number: they take a subject."""

import pytest

from tests.signatures import count, count_in

MOST_CARDS = 33
MOST_SOURCES_AND_NUMBERS = 0


def test_few_signatures_take_a_card() -> None:
    found = count().takes_card
    assert found.total() <= MOST_CARDS, "\n".join(f"{number} {name}" for name, number in found.most_common())


def test_few_signatures_take_a_picture_as_source_and_number() -> None:
    found = {name: n for name, n in count().takes_source_and_number.items() if not name.startswith("attnviz/subjects/")}
    assert sum(found.values()) <= MOST_SOURCES_AND_NUMBERS, found


@pytest.mark.parametrize(
    ("code", "cards", "pairs"),
    [
        ("def f(card: Card): ...", 1, 0),
        ("async def f(*, card: 'Card | None' = None): ...", 1, 0),
        ("def f(one: cards.Card, other: Card): ...", 1, 0),
        ("def f(*several: Mapping[str, list['Card']]): ...", 1, 0),
        ("class A:\n    def f(self, source: str, place: int, number: int) -> Card: ...", 0, 1),
        ("f = lambda source, number: None", 0, 1),
        ("def f(card: Cards, source: str): ...\ndef g(card, number: int, said: Literal['a', 'b c']): ...", 0, 0),
    ],
)
def test_signatures_are_counted(code: str, cards: int, pairs: int) -> None:
    assert count_in(code) == (cards, pairs)
