"""A third party's torch module, without a card, on another one's example, which is no picture of a data set: the
explorer, the live channel, exports, links and caches take both through the tables of kinds alone."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attnviz import models, subjects
from attnviz.recipes import RECIPES
from attnviz.subjects import Example, Subject
from attnviz.training.run_file import config_of
from attnviz.ui.shared import cache
from attnviz.views.payload import unpack
from tests.third_party.installed import register
from tests.ui.live.asked import answer
from tests.ui.live.live_server import request
from tests.ui.mechanisms import untrained

EXPLORER = Path(__file__).parents[2] / "pages" / "00_explorer.py"
KEY = "ink_columns:84"
SHAPE = (28, 84)


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, "strip_reader", "ink_columns")


def line() -> torch.nn.Linear:
    from ink_columns.module import Columns

    return Columns(SHAPE[1]).line


def explorer(**words: str) -> AppTest:
    test = AppTest.from_file(str(EXPLORER), default_timeout=120)
    test.query_params.update({"model": KEY, "data": "strokes", **words})
    test.run()
    assert not test.exception
    return test


def drawn(test: AppTest) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    shown = ("map_grid", "value_bars")
    (found,) = [one for one in test.get("bidi_component") if one.proto.component_name.endswith(shown)]
    return unpack(found.proto.bytes)


def example(word: str) -> Example:
    return subjects.example(f"row:{word}")


def test_the_explorer_shows_its_taps_and_says_where_they_come_from() -> None:
    test = explorer(row="314", address="columns")
    header, arrays = drawn(test)
    np.testing.assert_allclose(arrays["values"], example("314").picture[..., 0].sum(0) / 255)
    assert header["origin"]["image"] == "row/314"
    assert header["origin"]["model"] == "ink_columns"
    assert header["origin"]["answer"].split(",")[0] in ("left", "right")
    assert test.selectbox(key="model").value == KEY
    assert test.button_group(key="data").options == ["Your strip"]


def test_the_explorer_shows_its_jacobian() -> None:
    header, arrays = drawn(explorer(row="314", map="jacobian"))
    weight = line().weight
    best = 0 if header["origin"]["answer"].startswith("left") else 1
    np.testing.assert_allclose(arrays["maps"][0], np.broadcast_to(weight[best].detach(), SHAPE), rtol=1e-6)


@pytest.mark.parametrize("name", ["agreement", "random_layers", "constant"])
def test_the_explorer_compares_what_counts_for_it(name: str) -> None:
    test = explorer(row="314", experiment=name)
    assert not test.error
    (drawn,) = [
        unpack(one.proto.bytes) for one in test.get("bidi_component") if one.proto.component_name.endswith("map_grid")
    ]
    assert drawn[0]["boxes"] == [0, 0, 7, 7, 7, 7]
    assert any("Jacobian" in one.value and one.value.startswith("**") for one in test.markdown)
    assert any("no test pictures" in one.value for one in test.caption) or name == "constant"


def test_nonsense_is_one_sentence() -> None:
    test = explorer(row="31x")
    said = [one.value.replace("\\", "") for kind in ("warning", "error") for one in test.get(kind)]
    assert "A strip is one to 3 digits, such as 314, not '31x'." in said[0]


def test_the_live_channel_answers_about_it() -> None:
    wanted = {"ink": {"address": "columns"}, "slope": {"derived": "jacobian"}}
    header, arrays = answer(
        request(1, {}, pictures=[example("271").asked], asks=[{"checkpoint": KEY, "wanted": wanted}])
    )
    columns = torch.from_numpy(example("271").picture[..., 0].sum(0) / 255).float()
    assert header["checkpoint"] == KEY
    np.testing.assert_allclose(arrays["ink"][0], columns, rtol=1e-6)
    np.testing.assert_allclose(arrays["logits"][0], line()(columns).detach(), rtol=1e-4)
    assert arrays["slope"].shape == (1, 1, *SHAPE)


def test_its_views_are_those_of_the_page() -> None:
    for view, parameters, words in (
        ("tap_view", {"address": "columns"}, {"address": "columns"}),
        ("jacobian_view", {}, {"map": "jacobian"}),
    ):
        asks = [{"checkpoint": KEY, "wanted": {"it": {"derived": view, "parameters": parameters}}}]
        header, arrays = answer(request(1, {}, pictures=[example("314").asked], asks=asks))
        assert header["axes"] == {"it": ["byte"]}
        ours, theirs = unpack(arrays["it"].tobytes()), drawn(explorer(row="314", **words))
        asked = ours[0].pop("request")
        assert asked["derived"] == theirs[0].pop("request")["derived"] == view, "the page may state more parameters"
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
        assert cache.of_subject(compute, Subject(subjects.net(KEY), example(word))) == f"{KEY} on {word}"
    assert asked == ["row/314", "row/271"]


@pytest.mark.parametrize("key", ["ink_columns", "ink_columns:83", "ink:84", "run:nobody@1", "run:", ":"])
def test_a_net_that_is_not_there_is_one_sentence(key: str) -> None:
    test = explorer(model=key)
    assert len(test.warning) == 1
    assert not test.error


def test_a_strip_that_it_does_not_take_is_one_sentence() -> None:
    test = explorer(row="27", address="columns")
    (said,) = test.error
    assert "takes strips of 84 columns; this one has 56" in said.value.replace("\\", "")


def test_a_reader_of_strips_answers_with_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    recipe = RECIPES["strip_reader.digits"]
    config = config_of(recipe)
    model = models.spec(recipe.model).build(config, torch.Generator().manual_seed(0))
    untrained.write(tmp_path, recipe, model, config)
    for word in ("314", "27"):
        header, arrays = drawn(explorer(model=recipe.key, row=word, address="reader.seen"))
        strip = torch.from_numpy(example(word).picture[None, None, ..., 0] / 255)
        with torch.no_grad():
            answers = model.double()(strip)[0].softmax(-1).max(-1)
        assert header["origin"]["answer"].startswith("".join(str(int(place)) for place in answers.indices) + ", ")
        assert arrays["maps"].size == 32 * len(word)
        _, live = answer(request(1, {}, pictures=[example(word).asked], asks=[{"checkpoint": recipe.key}]))
        np.testing.assert_allclose(live["probabilities"].max(-1)[0], answers.values, rtol=1e-4)
