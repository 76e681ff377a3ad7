"""Claims about heads: each holds for a map that was made for it, and fails for another."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.head_table import claims
from attnviz.head_table.claims import CLAIMS, ClaimWork, Map, claim_of
from tests.head_table.test_table import own_cache as own_cache
from tests.head_table.test_table import small, some_pictures

GRID = Grid(3, 4, prefix=1)


def of(weights: Floats) -> Map:
    object_ = np.zeros(13, bool)
    object_[5:8] = True
    return Map(weights, GRID, object_, object_ * 1.0)


def rows(*wanted: int) -> Floats:
    """Return rows that give nearly all to one key each."""
    found = np.full((13, 13), 0.001)
    found[np.arange(13), wanted] = 1
    return found / found.sum(1, keepdims=True)


MAPS = {
    "left": rows(*[max(0, query - 1) for query in range(13)]),
    "itself": rows(*range(13)),
    "object": rows(*[5] * 9, 6, 6, 6, 6),
    "answer": rows(*[5, 6, 7] * 4, 5),
    "class_token": rows(6, 8, 9, 10, 11, 12, 1, 2, 3, 4, 2, 3, 4),
    "even": np.full((13, 13), 1 / 13),
}
ALSO = {  # the object is where the gradient is, and there the class token takes from it as all do
    "object": {"answer"},
    "answer": {"object"},
    "class_token": {"object", "answer"},
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_holds_for_its_map_and_for_no_other(name: str) -> None:
    _, claim = CLAIMS[name]
    assert {other for other, weights in MAPS.items() if claim(of(weights))} == {name, *ALSO.get(name, set())}


def test_claims_that_a_map_says_nothing_about_are_not_counted() -> None:
    unknown = Map(np.full((2, 3), 1 / 3), None, None, None)
    assert [claim(unknown) for _, claim in CLAIMS.values()] == [*[None] * (len(CLAIMS) - 1), True]


def test_shares_over_pictures_equal_a_loop() -> None:
    net, images = small(prefix=1), some_pictures(5)
    work = ClaimWork(net, images, "ink")
    found = {one.name: one for one in work.tested(work.all())}
    assert list(found) == list(CLAIMS) and found["even"].about.startswith("The attention is spread")
    _, maps = work.passes.maps(images)
    marks = np.pad((images[:, 0].reshape(5, 4, 2, 4, 2).amax((2, 4)) > 0).flatten(1).numpy(), ((0, 0), (1, 0)))
    for unit, head in enumerate(work.units):
        weights = maps[head.layer][:, head.number].numpy()
        for name, shift in (("holds", 0), ("other", 1)):
            shares = [weights[n].mean(0)[marks[(n + shift) % 5]].mean() * 17 >= 2 for n in range(5)]
            assert getattr(found["object"], name).value[unit] == np.mean(shares)
    some = work.tested(work.all(), pictures=np.array([True, False, True]))  # marks of three of five
    assert all(set(one.holds.pictures) == set(one.other.pictures) == {2} for one in some)


def test_a_claim_of_a_visitor_is_a_function_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def first(map):\n    'Looks at the first.'\n    return bool(map.received.argmax() == 0)\n")
    name, (title, claim) = claim_of(f"{file}:first")
    assert (name, title, claim(of(rows(*[0] * 13)))) == ("first", "first", True)
    for word, said in (
        (f"{file}:none", "no function"),
        ("nothing.py:f", "names no file"),
        ("mine", "FILE.py:function"),
    ):
        with pytest.raises(BadInput, match=said):
            claim_of(word)
    file.write_text("raise ValueError('so')")
    with pytest.raises(BadInput, match="cannot be run: ValueError: so"):
        claim_of(f"{file}:first")


@pytest.mark.parametrize(("claim", "said"), [(lambda map: 1, "must return True"), (lambda map: map.nothing, "failed")])
def test_a_claim_that_fails_is_a_sentence(claim: Any, said: str) -> None:
    work = ClaimWork(small(), some_pictures(2), None, {"mine": ("mine", claim)})
    with pytest.raises(BadInput, match=said):
        work.all()


def test_another_claim_is_other_work() -> None:
    one = ClaimWork(small(), some_pictures(2), None, {"a": ("a", lambda map: True)})
    other = ClaimWork(small(), some_pictures(2), None, {"a": ("a", lambda map: False)})
    assert one.kind != other.kind and claims.ClaimWork(small(), some_pictures(2)).kind != one.kind
