"""Phrases that readers stumbled over do not come back: in pages, components, recipes and documents."""

import re
from pathlib import Path

import pytest

from attnviz import cards

ROOT = Path(__file__).parent.parent
READ = re.compile(
    r"(pages|attnviz/(ui|recipes|figures|subjects)|docs)/.*\.(py|js|md)|attnviz/roles\.py|(README|CHANGELOG)\.md"
)
JOINED = re.compile(r"""["'`]\s*\+?\s*\n\s*f?["'`]""")  # where one literal goes on in the next
PHRASES = (
    "so that it can look for something else",
    "and as many others",
    "block comes about",
    "beside what it takes",
    "know much of the same",
    "may see what",
    "may see whom",
    "alone, the answer is no longer",
    "which blocks the blocks",
    "the draw fell on",
    "takes no part in the answer",
    "block with most ink",
    "of what the output takes",
    "moves the output by",
    "moves its output by",
    "in the paper's regime",
    "difference in doublings",
    "the paper, again",
    "an answer seldom depends",
    "need not count for the answer",
    "bright where",
)


def written() -> dict[str, str]:
    """Return file -> its text in lower case, on one line, with literals that follow each other joined."""
    files = [path for folder in ("pages", "attnviz", "docs") for path in (ROOT / folder).rglob("*.*")]
    names = [str(path.relative_to(ROOT)) for path in (*files, *ROOT.glob("*.md"))]
    return {
        name: re.sub(r"\s+", " ", JOINED.sub("", (ROOT / name).read_text())).replace("\\u2019", "'").lower()
        for name in names
        if READ.fullmatch(name)
    }


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_does_not_come_back(phrase: str) -> None:
    titles = {name: card.recipe.title.lower() for name, card in cards.readable(cards.names()).items()}
    found = [name for name, text in (written() | titles).items() if phrase in text]
    assert not found, f"{phrase!r} is in {', '.join(found)}"


def test_what_is_read_has_the_sentences_of_pages_and_components() -> None:
    texts = written()
    assert "information can come from. it is not, by itself, an explanation" in texts["pages/home.py"]
    assert any(name.endswith(".js") for name in texts) and "docs/glossary.md" in texts
