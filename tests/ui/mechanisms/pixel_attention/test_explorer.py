"""What the viewer's page says of a model: what a token of it is, and what its maps do not show."""

from dataclasses import replace

import pytest

from attnviz import models
from attnviz.subjects import net
from attnviz.ui.mechanisms.pixel_attention import explorer


@pytest.mark.parametrize(
    ("config", "token", "unsaid"),
    [
        ({}, "Each pixel", explorer.PLACELESS),
        ({"patch": 4}, "Each box of 4 × 4 pixels", explorer.PLACELESS),
        ({"pool": 2, "patch": 2}, "Each box of 4 × 4 pixels", explorer.PLACELESS),
        ({"positions": "learnt"}, "Each pixel", explorer.PLACED),
        ({"patch": 28}, "The whole picture", explorer.ALONE),
    ],
    ids=str,
)
def test_a_token_is_named_and_what_is_not_shown_is_said(config: dict[str, object], token: str, unsaid: str) -> None:
    trained = net("pixel_attention.1v8")
    bare = {name: value for name, value in trained.config.items() if name not in ("pool", "patch", "positions")}
    whole = {**bare, **config}
    changed = replace(trained, config=whole, grid=models.spec(trained.architecture).grid(whole))
    assert (explorer._token_of(changed), explorer._unsaid(changed)) == (token, unsaid)


def test_formulas_stand_on_lines_of_their_own() -> None:
    assert explorer._formulas(("a", "b")) == "$$\na\n$$\n\n$$\nb\n$$\n\n"
