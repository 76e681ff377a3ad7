"""A torch module that a test hands over, without a card, on an example that is no picture of a data set: the explorer,
the live channel, exports, links and caches take both through the tables of kinds alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import Tensor, nn

from attnviz import subjects
from attnviz.data import strokes
from attnviz.errors import BadInput
from attnviz.models import Input
from attnviz.subjects import EXAMPLES, NETS, Example, ExampleKind, Net, Subject
from attnviz.tracing import Layer
from attnviz.ui.components.payload import unpack
from attnviz.ui.shared import cache
from tests.ui.live.asked import answer
from tests.ui.live.live_server import request

EXPLORER = Path(__file__).parents[2] / "pages" / "00_explorer.py"
DIGITS = 3
KEY = "theirs:columns"


@dataclass(frozen=True)
class Strip:
    """Three drawn digits side by side: its word is the digits."""

    word: str
    data: None = None
    ink: bool = True

    @property
    def key(self) -> str:
        return f"strip/{self.word}"

    @property
    def words(self) -> Mapping[str, str]:
        return {"strip": self.word}

    @property
    def asked(self) -> Mapping[str, Any]:
        return {"data": f"strip:{self.word}", "number": 0}

    @property
    def target(self) -> str:
        return self.word

    @property
    def picture(self) -> np.ndarray:
        if not self.word.isdecimal() or len(self.word) != DIGITS:
            raise BadInput(f"A strip is {DIGITS} digits, such as 314, not {self.word!r}.")
        return np.concatenate(list(strokes.draw([int(digit) for digit in self.word], seed=1)), 1)

    def taken_by(self, net: Net) -> np.ndarray:
        return self.picture


class Columns(Layer):
    """Sum the ink of each column; the logits are those of a fixed line over them."""

    taps = ("columns",)

    def __init__(self) -> None:
        super().__init__()
        self.line = nn.Linear(28 * DIGITS, 2)
        with torch.no_grad():
            self.line.weight.copy_(torch.linspace(-1, 1, 2 * 28 * DIGITS).view(2, -1))
            self.line.bias.zero_()

    def forward(self, images: Tensor) -> Tensor:
        columns = self.tap("columns", images.sum((1, 2)), "batch column")
        logits: Tensor = self.line(columns)
        return logits


def found(key: str) -> Net:
    assert key == KEY
    return Net(
        key=key, title="The ink of columns", architecture="columns", config={}, classes=("left", "right"),
        input=Input(1, 28, 28 * DIGITS), digest="0", build=Columns,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NETS, "theirs", found)
    monkeypatch.setitem(EXAMPLES, "strip", ExampleKind("Your strip", Strip))


def explorer(**words: str) -> AppTest:
    test = AppTest.from_file(str(EXPLORER), default_timeout=60)
    test.query_params.update({"model": KEY, "data": "strokes", **words})
    test.run()
    assert not test.exception
    return test


def drawn(test: AppTest) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    shown = ("map_grid", "value_bars")
    (found,) = [one for one in test.get("bidi_component") if one.proto.component_name.endswith(shown)]
    return unpack(found.proto.bytes)


def example(word: str) -> Example:
    return subjects.example(f"strip:{word}")


def test_the_explorer_shows_its_taps_and_says_where_they_come_from() -> None:
    test = explorer(strip="314", address="columns")
    header, arrays = drawn(test)
    np.testing.assert_allclose(arrays["values"], example("314").picture[..., 0].sum(0) / 255)
    assert header["origin"]["image"] == "strip/314"
    assert header["origin"]["model"] == "columns"
    assert header["origin"]["answer"].split(",")[0] in ("left", "right")
    assert test.selectbox(key="model").value == KEY
    assert test.button_group(key="data").options == ["Your strip"]


def test_the_explorer_shows_its_jacobian() -> None:
    header, arrays = drawn(explorer(strip="314", map="jacobian"))
    weight = Columns().line.weight
    best = 0 if header["origin"]["answer"].startswith("left") else 1
    np.testing.assert_allclose(arrays["maps"][0], np.broadcast_to(weight[best].detach(), (28, 28 * DIGITS)), rtol=1e-6)


def test_nonsense_is_one_sentence() -> None:
    test = explorer(strip="31x")
    said = [one.value.replace("\\", "") for kind in ("warning", "error") for one in test.get(kind)]
    assert "A strip is 3 digits, such as 314, not '31x'." in said[0]


def test_the_live_channel_answers_about_it() -> None:
    wanted = {"ink": {"address": "columns"}, "slope": {"derived": "jacobian"}}
    header, arrays = answer(
        request(1, {}, pictures=[example("271").asked], asks=[{"checkpoint": KEY, "wanted": wanted}])
    )
    columns = torch.from_numpy(example("271").picture[..., 0].sum(0) / 255).float()
    assert header["checkpoint"] == KEY
    np.testing.assert_allclose(arrays["ink"][0], columns, rtol=1e-6)
    np.testing.assert_allclose(arrays["logits"][0], Columns().line(columns).detach(), rtol=1e-4)
    assert arrays["slope"].shape == (1, 1, 28, 28 * DIGITS)


def test_its_views_are_those_of_the_page() -> None:
    for view, parameters, words in (
        ("tap_view", {"address": "columns"}, {"address": "columns"}),
        ("jacobian_view", {}, {"map": "jacobian"}),
    ):
        asks = [{"checkpoint": KEY, "wanted": {"it": {"derived": view, "parameters": parameters}}}]
        header, arrays = answer(request(1, {}, pictures=[example("314").asked], asks=asks))
        assert header["axes"] == {"it": ["byte"]}
        ours, theirs = unpack(arrays["it"].tobytes()), drawn(explorer(strip="314", **words))
        assert ours[0].items() <= theirs[0].items()
        assert set(theirs[0]) - set(ours[0]) <= {"key", "state"}, "which belong to the page"
        for name, values in theirs[1].items():
            np.testing.assert_array_equal(ours[1][name], values)


def test_it_is_cached_by_net_and_by_example() -> None:
    asked: list[str] = []

    def compute(loaded: subjects.Loaded, one: Example) -> str:
        asked.append(one.key)
        return f"{loaded.net.key} on {one.target}"

    for word in ("314", "271", "314"):
        assert cache.of_subject(compute, Subject(found(KEY), example(word))) == f"{KEY} on {word}"
    assert asked == ["strip/314", "strip/271"]


@pytest.mark.parametrize("key", ["theirs", "their:columns", "run:nobody@1", "run:", ":"])
def test_a_net_that_is_not_there_is_one_sentence(key: str) -> None:
    test = explorer(model=key)
    assert len(test.warning) == 1
    assert not test.error
