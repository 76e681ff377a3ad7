"""*The paper revisited*, alone: its *try* links."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from attnviz import cards, data
from attnviz.ui.shared.experiments import key_of
from attnviz.views.payload import unpack

from .tried import tried

PAGE = str(Path(__file__).parents[2] / "pages" / "15_paper.py")


def test_every_try_shows_what_its_words_say() -> None:
    page = AppTest.from_file(PAGE, default_timeout=120)
    page.query_params.update({"data": "strokes", "number": "4", "experiment": "qkv"})
    page.run()
    # label -> (what is special in the config of the model, the experiment that opens)
    expected: dict[str, tuple[dict[str, float], str]] = {
        "24 heads: the paper's figure 10": ({"heads": 24}, "paper"),
        "intensities 0 to 255: divided scores": ({"std": 1 / 255}, "temperature"),
        "one token: what attention does": ({"patch": 28}, "one_token"),
    }
    found = []
    for label, words in tried(page):
        found.append(label)
        special, experiment = expected[label]
        assert {"v", "model", "data", "number"} <= set(words)
        card = cards.read(words["model"])
        assert {name: card.config[name] for name in special} == special
        assert page.session_state[key_of(experiment)]
        (viewer,) = [one for one in page.get("bidi_component") if one.proto.component_name.endswith("pixel_viewer")]
        header = unpack(viewer.proto.bytes)[0]
        assert header["origin"]["image"] == f"{words['data']}/test/{words['number']}"
        assert (header["origin"]["recipe"], header["label"]) == (card.recipe.name, "8")
        assert str(data.labels("strokes", "test")[int(words["number"])]) == "8"
    assert found == list(expected)
