"""Where a page names an experiment, of its own or of another page, its name is a link that leads to it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.ui.mechanisms.channel_attention import experiments as channels
from attnviz.ui.mechanisms.cnn_attention import experiments as blocks
from attnviz.ui.mechanisms.element_wise import experiments as element_wise
from attnviz.ui.mechanisms.pixel_attention.experiments import choice
from attnviz.ui.mechanisms.recurrent_attention import experiments as glimpses
from attnviz.ui.shared.experiments import Experiment

from . import reading

ROOT = Path(__file__).parents[2]
EXPERIMENTS: dict[str, dict[str, Experiment]] = {
    "10_pixel_attention.py": choice.EXPERIMENTS,
    "15_paper.py": choice.OF_THE_PAPER,
    "20_element_wise.py": element_wise.EXPERIMENTS,
    "30_recurrent_attention.py": glimpses.EXPERIMENTS,
    "40_cnn_attention.py": blocks.EXPERIMENTS,
    "50_channel_attention.py": channels.EXPERIMENTS,
}
TITLES = {one.title for page in EXPERIMENTS.values() for one in page.values()}
NAMED = {
    "10_pixel_attention.py": [("Does it matter what it looks at?", "erase")],
    "20_element_wise.py": [("Does the norm normalise?", "norm"), ("Does the layer need the relevance?", "copy")],
    "30_recurrent_attention.py": [("Does it depend on the picture?", "depends")],
    "40_cnn_attention.py": [("Which blocks may attend to which?", "who")],
}


def shown() -> Iterator[tuple[str, str]]:
    """Yield the name of each file of the app and each text in it that is no docstring."""
    for path in [*(ROOT / "pages").glob("*.py"), *(ROOT / "attnviz" / "ui").rglob("*.py")]:
        tree = ast.parse(path.read_text())
        alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
                yield path.name, node.value


def test_no_text_has_the_title_of_an_experiment_in_italics() -> None:
    assert [(name, title) for name, text in shown() for title in TITLES if f"*{title}*" in text] == []


@pytest.mark.parametrize("page", NAMED)
def test_the_name_of_an_experiment_leads_to_its_row(page: str) -> None:
    test = reading.run(AppTest.from_file(str(ROOT / "pages" / page), default_timeout=120))
    found = re.findall(r"\[([^\]]+)\]\(#experiment-(\w+)\)", reading.text(test))
    assert found == NAMED[page]
    rows = [one.label for one in test.expander]
    for title, name in found:
        assert EXPERIMENTS[page][name].title == title
        assert any(row.startswith(f"**{title}**") for row in rows)


@pytest.mark.parametrize(
    ("model", "experiment"), [("pixel_attention.digits", "parts"), ("pixel_attention.1v8-one-token", "one_token")]
)
def test_an_experiment_of_another_page_is_opened_there_with_the_same_model_and_picture(
    model: str, experiment: str
) -> None:
    test = AppTest.from_file(str(ROOT / "pages" / "10_pixel_attention.py"), default_timeout=120)
    page = reading.run(test, v="2", model=model, data="strokes", number="23")
    title = choice.OF_THE_PAPER[experiment].title
    link = f"[{title}](paper?model={model}&data=strokes&number=23&experiment={experiment}&v=2)"
    assert link in reading.text(page)
