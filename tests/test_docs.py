"""The documents in docs/: the glossary can be read by a program, and what the others link to is there."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
GLOSSARY = (DOCS / "glossary.md").read_text()
ENTRIES = re.findall(r"^## (.+)\n(.+(?:\n.+)*)", GLOSSARY, re.MULTILINE)


def first_sentence(text: str) -> str:
    """Return what a page shows under the pointer."""
    return re.split(r"(?<=\.) ", " ".join(text.split()))[0]


def test_every_heading_has_an_entry_of_its_own_in_alphabetical_order() -> None:
    terms = [term for term, _ in ENTRIES]
    assert len(terms) == GLOSSARY.count("\n## ") > 50
    assert terms == sorted(terms, key=str.lower)
    assert len(set(terms)) == len(terms)


@pytest.mark.parametrize(("term", "text"), ENTRIES, ids=[term for term, _ in ENTRIES])
def test_the_first_sentence_is_short_and_whole(term: str, text: str) -> None:
    sentence = first_sentence(text)
    assert re.fullmatch(r"[A-Z].{20,160}\.", sentence), sentence


@pytest.mark.parametrize("term", ["Attention head", "Query", "Key", "Value", "Score", "Softmax", "Weight", "Logit",
                                  "Even share", "Tap", "Tap path", "Edit", "Model card", "Panel", "Derived value",
                                  "Recipe", "Probe", "Evaluation", "Ablation", "Glimpse", "Relevance map",
                                  "Jacobian"])  # fmt: skip
def test_the_terms_that_pages_use_are_explained(term: str) -> None:
    assert term in dict(ENTRIES)


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_everything_that_a_document_links_to_is_there(path: Path) -> None:
    for link in re.findall(r"\]\((?!http)([^)#]+)", path.read_text()):
        assert (path.parent / link).exists(), link
