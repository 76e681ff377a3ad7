"""The terms of docs/glossary.md: underlined words whose explanation opens on hover, tap and keyboard focus.

    from attnviz.ui.shared.glossary import term

    st.markdown(f"Each {term('head')} has its own {term('query', ':orange[query]')}.")

The page's head holds all explanations (attnviz/ui/server/head.py). frontend/terms/terms_of_page.js shows them for the
links that `term` writes, and components call frontend/terms/terms.js.
"""

import json
import re
from functools import lru_cache

from attnviz import paths
from attnviz.errors import UnknownName

SHORT = {"head": "attention head", "heads": "attention head", "logits": "logit", "controls": "control"}
"""Aliases of terms."""


@lru_cache(maxsize=1)
def _entries() -> dict[str, str]:
    text = paths.shipped("docs/glossary.md").read_text("utf-8")
    found = re.findall(r"^## (.+)\n(.+(?:\n.+)*)", text, re.MULTILINE)
    return {name.lower(): text for name, text in found}


@lru_cache(maxsize=1)
def sentences() -> dict[str, str]:
    """Return the first sentence of every entry, by the term in lower case."""
    return {name: re.split(r"(?<=\.) ", " ".join(text.split()))[0] for name, text in _entries().items()}


@lru_cache(maxsize=1)
def pictures() -> dict[str, str]:
    """Return term in lower case -> picture in frontend/terms/term_pictures.js, for entries that name one."""
    named = {name: re.search(r"<!-- picture: ([\w-]+) -->", text) for name, text in _entries().items()}
    return {name: found[1] for name, found in named.items() if found}


def anchor(name: str) -> str:
    """Return the link anchor, such as "attention-head", of a term in any case or of an alias in `SHORT`."""
    full = SHORT.get(name.lower(), name.lower())
    if full not in sentences():
        raise UnknownName("term in the glossary", name, [*sentences(), *SHORT])
    return re.sub(r"\W+", "-", full)


def term(name: str, words: str | None = None) -> str:
    """Return Markdown for a term, such as "head" or "even share", whose explanation opens on hover, tap and keyboard
    focus; `words` replace its name in the text.
    """
    return f"[{words or name}](#term-{anchor(name)})"


def element() -> str:
    """Return the element for a page's head that holds the glossary: JSON data, which no content policy blocks."""
    content = {
        "sentences": {anchor(name): sentence for name, sentence in sentences().items()},
        "pictures": {anchor(name): picture for name, picture in pictures().items()},
    }
    written = json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="attnviz-terms">{written}</script>'
