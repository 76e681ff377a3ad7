"""The terms of pages come from docs/glossary.md, and are written as links that a page can explain."""

import json
import re
from pathlib import Path

import pytest

from attnviz.errors import UnknownName
from attnviz.ui.shared import glossary


def test_the_first_sentence_of_an_entry_explains_it() -> None:
    assert glossary.sentences()["softmax"] == ("A function that turns scores into positive weights that add up to one.")
    assert len(glossary.sentences()) > 50


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (("head",), "[head](#term-attention-head)"),
        (("logits",), "[logits](#term-logit)"),
        (("Even share",), "[Even share](#term-even-share)"),
        (("query", ":orange[query]"), "[:orange[query]](#term-query)"),
    ],
)
def test_a_term_is_a_link(arguments: tuple[str, ...], written: str) -> None:
    assert glossary.term(*arguments) == written


@pytest.mark.parametrize("name", ["head", "query", "key", "value", "softmax", "logits", "even share", "tap", "token"])
def test_the_head_of_a_page_has_the_sentence_of_every_term(name: str) -> None:
    element = glossary.element()
    found = re.fullmatch(r'<script type="application/json" id="attnviz-terms">(.*)</script>', element)
    assert found and "<" not in found[1]
    assert json.loads(found[1])["sentences"][glossary.anchor(name)].endswith(".")


def test_an_entry_can_name_its_picture() -> None:
    drawn = Path(glossary.__file__).parents[1] / "frontend" / "terms" / "term_pictures.js"
    assert glossary.pictures() == {"relevance map": "row-and-column"}
    assert '\n  "row-and-column": [' in drawn.read_text()
    assert '"pictures": {"relevance-map": "row-and-column"}' in glossary.element()


def test_a_word_that_is_no_term_is_named() -> None:
    with pytest.raises(UnknownName, match="'sofmax'.*Did you mean 'softmax'"):
        glossary.term("sofmax")
