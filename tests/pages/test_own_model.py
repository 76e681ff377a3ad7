"""The explorer with a model of the visitor's own: its maps equal those that the model's own layer computes."""

import copy
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from streamlit.testing.v1 import AppTest

from attnviz import subjects
from attnviz.capture.seen import progress
from attnviz.errors import AttnvizError, BadInput
from attnviz.subjects import own, photos
from attnviz.ui.explorer import own_model, own_passes
from attnviz.ui.explorer.own_passes import OWN_LAYER
from attnviz.ui.shared.wording import verbatim
from attnviz.views.attention import LayerView

from .reading import headers, text

ROOT = Path(__file__).parents[2]
CODE = """
import sys

import torch
from torch import nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 8, 8)
        self.token = nn.Parameter(torch.randn(1, 1, 16))
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.answer = nn.Linear(16, 3)

    def tokens(self, images):
        return torch.cat([self.token.expand(len(images), -1, -1), self.patches(images).flatten(2).mT], 1)

    def forward(self, images):
        tokens = self.tokens(images)
        return self.answer((tokens + self.attention(tokens, tokens, tokens, need_weights=False)[0])[:, 0])


def prepared(image):
    image = image.resize((48, 32))
    return torch.tensor(list(image.tobytes())).reshape(32, 48, 3).permute(2, 0, 1) / 255


def vit():
    torch.manual_seed(0)
    return Small(), prepared, ("cat", "dog", "owl")


def plain():
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten())


def windows():
    sys.path.insert(0, "ROOT")
    from tests.browser.own_models import mixed

    return mixed()


def broken():
    return missing
"""


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Write a model and a photograph, and start with them."""
    (tmp_path / "mine.py").write_text(CODE.replace("ROOT", str(ROOT)))
    noise = np.random.default_rng(0).integers(0, 256, (60, 90, 3), np.uint8)
    Image.fromarray(noise).save(tmp_path / "photo.png")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(photos.VARIABLE, str(tmp_path))
    monkeypatch.setenv(own.MODEL, f"{tmp_path / 'mine.py'}:vit")
    yield monkeypatch
    own_passes._passes.forget(lambda key: True)
    own_passes._layers.forget(lambda key: True)
    own_passes._large.clear()


def run(page: str = "00_explorer.py", **words: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "pages" / page), default_timeout=120)
    for key, word in words.items():
        test.query_params[key] = word
    return test.run()


def test_the_weights_are_those_of_the_model(started: pytest.MonkeyPatch) -> None:
    mine, photo = own.own(), photos.Photo("photo.png")
    own_passes.find_places(own_passes.passed(photo), progress)
    view = LayerView.unpacked(OWN_LAYER.of(subjects.Subject(mine.net, photo), layer="attention"))
    assert (view.rows, view.columns, view.prefix) == (4, 6, 1)
    batch = mine.prepare(Image.fromarray(photo.picture))[None]
    tokens = mine.model.tokens(batch)
    weights = mine.model.attention(tokens, tokens, tokens, average_attn_weights=False)[1][0]
    for query in (0, 1, 13):
        np.testing.assert_allclose(view.weights(query), weights[:, query], atol=1e-6)
    answer = dict(zip(view.classes, view.probabilities, strict=True))
    expected = mine.model(batch)[0].softmax(0)
    assert answer == pytest.approx(dict(zip(("cat", "dog", "owl"), expected.tolist(), strict=True)), abs=1e-6)
    assert view.origin["image"] == "photo/photo.png" and view.origin["address"] == "attention"


def test_the_page_draws_it_and_says_what_was_captured(started: pytest.MonkeyPatch) -> None:
    test = run(query="2,3")
    assert not test.exception and not test.warning
    assert own.own().net.key in test.selectbox(key="model").options or test.selectbox(key="model").value
    assert "1 attention call captured" in test.code[0].value
    assert viewed(test).tokens == 25


def test_who_looks_at_another_photograph_sees_nothing_of_mine(tmp_path: Path, started: pytest.MonkeyPatch) -> None:
    Image.new("RGB", (20, 10), "red").save(tmp_path / "mine.bmp")
    mine = photos.keep((tmp_path / "mine.bmp").read_bytes())
    (tmp_path / "mine.bmp").unlink()
    one, other = run(photo=mine.word), run()
    assert not one.exception and not other.exception
    (own_view, other_view) = (viewed(test) for test in (one, other))
    assert own_view.origin["image"] == mine.key and other_view.origin["image"] == "photo/photo.png"
    assert not np.array_equal(own_view.query, other_view.query)
    assert mine.word.removeprefix(photos.UPLOADED) not in "".join(map(str, other.main))
    assert other.selectbox(key="own_photo").options == ["photo.png"]


def test_what_is_kept_is_bounded_by_bytes(started: pytest.MonkeyPatch) -> None:
    photo = photos.Photo("photo.png")
    seen = own_passes.passed(photo)
    assert own_passes.passed(photo) is seen
    assert own_passes._passes.bytes > sum(one.numel() * 4 for one in seen.captured.calls["attention"].kept.values())
    own_passes._passes.forget(lambda key: True)
    started.setattr(own_passes, "PASSES", 1)
    own_passes.passed(photo)
    own_passes._passes.forget(lambda key: True)
    assert own_passes._large == {own.own().net.key: [["attention"]]}
    again = own_passes.passed(photo, "attention")
    assert {path.partition(".")[0] for path in again} == {"attention"}


def test_a_search_that_is_stopped_leaves_the_model_to_others(started: pytest.MonkeyPatch) -> None:
    class Stopped(BaseException):
        pass

    @contextmanager
    def stopping(what: str) -> Iterator[Callable[[int, int], None]]:
        def said(done: int, total: int) -> None:
            raise Stopped

        yield said

    started.setenv(own.MODEL, os.environ[own.MODEL].replace(":vit", ":windows"))
    photo = photos.Photo("photo.png")
    seen = own_passes.passed(photo)
    with pytest.raises(Stopped):
        own_passes.find_places(seen, stopping)
    assert not seen.captured.has_places and not own.own().lock.locked()
    test = AppTest.from_file(str(ROOT / "pages" / "00_explorer.py"), default_timeout=120)
    test.session_state[own_model.STOPPED] = True
    test.run()
    assert "was stopped: no map" in test.info[0].value and not test.code
    test.query_params["address"] = "first"  # whose place two short passes tell
    test.run()
    assert "was stopped: other layers" in test.info[0].value and viewed(test).tokens == 97
    del test.query_params["address"]
    test.run()
    with pytest.raises(BadInput, match="are not known yet"):
        OWN_LAYER.of(subjects.Subject(own.own().net, photo), layer="")
    test.button[-1].click().run()
    assert not test.exception and viewed(test).attending.shape == (96,)


def viewed(test: AppTest) -> LayerView:
    """Return what the viewer of a page has received."""
    (viewer,) = [one for one in test.get("bidi_component") if "pixel_viewer" in str(one.proto.component_name)]
    return LayerView.unpacked(bytes(viewer.proto.bytes))


def test_what_has_no_attention_gets_a_sentence(started: pytest.MonkeyPatch) -> None:
    started.setenv(own.MODEL, os.environ[own.MODEL].replace(":vit", ":plain"))
    test = run()
    assert not test.exception
    assert len(test.info) == 1


def test_a_link_to_another_model_gets_a_sentence(started: pytest.MonkeyPatch) -> None:
    assert subjects.net(own.own().net.key) is own.own().net
    with pytest.raises(AttnvizError, match="not the model that this server was started with"):
        subjects.net("own:vit@000000000000")
    started.delenv(own.MODEL)
    with pytest.raises(BadInput, match="started without one"):
        subjects.net("own:vit@000000000000")


def test_a_layer_is_never_shown_as_that_of_another_net(started: pytest.MonkeyPatch) -> None:
    other = subjects.Subject(subjects.net("pixel_attention.1v8"), photos.Photo("photo.png"))
    with pytest.raises(BadInput, match="not the model that this server was started with"):
        OWN_LAYER.of(other, layer="attention")


@pytest.mark.parametrize(
    ("word", "sentence"),
    [("mine.py:broken", "NameError"), ("mine.py:absent", "no function 'absent'"), ("no.py:vit", "There is no file")],
)
def test_a_model_that_cannot_be_built_gets_a_sentence(
    started: pytest.MonkeyPatch, tmp_path: Path, word: str, sentence: str
) -> None:
    started.setenv(own.MODEL, str(tmp_path / word))
    with pytest.raises(BadInput, match=sentence):
        own.own()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({own.MODEL: "no.py:vit"}, "There is no file no.py"),
        ({own.MODEL: "vit"}, "FILE.py:FUNCTION"),
        ({own.TIMM: "test_vit"}, "Set one of"),
        ({own.WEIGHTS: "random"}, "goes with"),
    ],
    ids=["file", "form", "both", "weights"],
)
def test_what_the_words_alone_tell_is_said_before_anything_is_built(
    started: pytest.MonkeyPatch, words: dict[str, str], sentence: str
) -> None:
    for name, word in words.items():
        started.setenv(name, word)
    started.setattr(own, "_built", None)
    with pytest.raises(BadInput, match=sentence):
        own.check()


def test_the_first_photograph_is_looked_at_before_a_page_asks(started: pytest.MonkeyPatch) -> None:
    own_passes._ahead()
    started.setattr("attnviz.capture.watching.watch", None)
    started.setattr("attnviz.figures.captured.views_of", None)
    test = run()
    assert not test.exception and viewed(test).tokens == 25


def test_a_search_of_many_passes_is_left_to_the_page(tmp_path: Path, started: pytest.MonkeyPatch) -> None:
    started.setenv(own.MODEL, f"{tmp_path / 'mine.py'}:windows")
    own_passes._ahead()
    assert not own_passes.passed(own_passes.first()).captured.has_places


def test_a_server_whose_model_cannot_be_built_ends(
    started: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started.setenv(own.MODEL, f"{tmp_path / 'mine.py'}:broken")
    started.setattr(os, "_exit", sys.exit)
    with pytest.raises(SystemExit) as ended:
        own_passes._ahead()
    assert ended.value.code == 1
    assert "cannot be built: NameError" in capsys.readouterr().err


def test_an_upload_is_named_by_its_content_and_the_oldest_are_forgotten(
    tmp_path: Path, started: pytest.MonkeyPatch
) -> None:
    one = photos.keep((tmp_path / "photo.png").read_bytes())
    assert subjects.example_in_url(one.words) == one and one.picture.shape == (60, 90, 3)
    with pytest.raises(BadInput, match="upload it again"):
        photos.Photo(f"{photos.UPLOADED}{'0' * 64}")
    with pytest.raises(BadInput, match="no photograph"):
        photos.Photo("../mine.py")
    started.setattr(photos, "MOST", 1)
    Image.new("RGB", (9, 9)).save(tmp_path / "other.png")
    photos.keep((tmp_path / "other.png").read_bytes())
    with pytest.raises(BadInput, match="no longer on this server"):
        _ = one.picture


def test_building_leaves_the_shared_model_alone(started: pytest.MonkeyPatch) -> None:
    loaded = own.own().net.load(double=True)
    assert next(loaded.model.parameters()).dtype == torch.float64
    assert next(own.own().model.parameters()).dtype == torch.float32


def test_the_answer_without_a_head_is_that_of_a_projection_without_its_columns(
    started: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    photo = photos.Photo("photo.png")
    found = own_passes.answer_of(own_passes.without(photo, "attention", [1]), own.own().net.classes)
    model = own.own().net.load().model
    with torch.no_grad():
        model.attention.out_proj.weight[:, 8:] = 0  # the second of two heads of eight features
        logits = model(own.own().prepare(Image.open(tmp_path / "photo.png"))[None])
    best = int(logits[0].argmax())
    assert found == (("cat", "dog", "owl")[best], pytest.approx(float(logits[0].double().softmax(0)[best]), rel=1e-5))
    test = run(off="2")
    assert not test.exception
    assert any(found[0] in one.value and "The answer" in one.value for one in test.markdown)
    assert "there is no" not in " ".join(one.value for one in test.warning)
    (warning,) = run(off="5").warning
    assert warning.value == verbatim("The URL asks for the head '5'; this layer has heads 1 to 2.")


def test_a_changed_answer_names_both() -> None:
    assert own_model.changed(("cat", 0.9), ("dog", 0.5)) == (
        "The answer changes from **cat** (90.0 %) to **dog** (50.0 %)."
    )
    assert own_model.changed(("cat", 0.0051), ("cat", 0.0052)) == "The answer stays **cat**, with 0.5 % as before."


BOARDS = "45_vision_transformer.py"


@pytest.mark.parametrize("kind", ["query", "picture", "across"])
def test_a_second_board_stands_beside_the_first(kind: str, tmp_path: Path, started: pytest.MonkeyPatch) -> None:
    Image.new("RGB", (30, 20), "red").save(tmp_path / "second.png")
    test = run(BOARDS, model=own.own().net.key, photo="photo.png", query="2,3", beside=kind, other_query="4,1")
    assert not test.exception and not test.error and not test.warning and not test.info
    first, second = headers(test, "paths")
    asked = [one["state"]["view"]["value"]["query"] for one in (first, second)]
    assert asked == [[1, 2], [3, 0] if kind == "query" else [1, 2]]
    images = [one["origin"]["image"] for one in (first, second)]
    assert images == ["photo/photo.png", f"photo/{'photo' if kind == 'query' else 'second'}.png"]
    assert second["origin"].get("queries of") == (images[0] if kind == "across" else None)
    if kind != "query":
        assert test.selectbox(key="own_other_photo").value == "second.png"
        other = run(BOARDS, model=own.own().net.key, photo="photo.png", beside=kind, other_photo="photo.png")
        assert headers(other, "paths")[1]["origin"]["image"] == images[0]


def test_layers_that_cannot_be_drawn_beside_another_picture_say_why(started: pytest.MonkeyPatch) -> None:
    started.setenv(own.MODEL, os.environ[own.MODEL].replace(":vit", ":windows"))
    test = run(BOARDS, model=own.own().net.key, beside="across")  # the first layer, with windows
    assert not test.exception and not test.error
    [first] = headers(test, "paths")
    assert first["request"]["parameters"] == {"layer": ""}
    assert "may not be products of queries and keys alone" in test.info[0].value
    assert "no answer if a layer were the last" in text(test)


def test_whether_a_map_is_normal_is_measured_or_refused_in_a_sentence(
    tmp_path: Path, started: pytest.MonkeyPatch
) -> None:
    test = run(BOARDS, model=own.own().net.key, experiment="normal")
    assert not test.exception and not test.error
    assert "This is not measured for this model" in text(test)  # it has one layer
    started.setenv(own.MODEL, f"{ROOT / 'tests' / 'browser' / 'own_models.py'}:registers")
    test = run(BOARDS, model=own.own().net.key, experiment="normal")
    assert not test.exception and not test.error
    assert "an even share in layer" in text(test) and "No patch has an outlying norm" in text(test)


def test_nobody_copies_the_model_while_it_runs(started: pytest.MonkeyPatch) -> None:
    mine, held, real = own.own(), list[bool](), copy.deepcopy
    started.setattr(copy, "deepcopy", lambda model: (held.append(mine.lock.locked()), real(model))[1])
    mine.net.load()
    assert held == [True] and not mine.lock.locked()
