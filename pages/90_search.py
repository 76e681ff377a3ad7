"""Search: the same model trained many times with other settings, and the conclusions that this allows."""

import streamlit as st

from attnviz.ui.search import said, settings, shown
from attnviz.ui.search import shown as searches
from attnviz.ui.shared import page, url_state
from attnviz.ui.shared.glossary import term
from attnviz.ui.training import access
from attnviz.work.search import table, trials
from attnviz.work.search.trials import Found
from attnviz.work.search.wanted import Wanted

TRIES = (
    ("our trials next to the paper's", {"search": "schwarz-33", "beside": "schwarz-paper"}),
    ("the best of 200", {"search": "schwarz-wide", "beside": "none", "brush": "accuracy:0.8-1"}),
    ("heads alone", {"search": "schwarz-heads", "beside": "none"}),
    ("the paper's trials with one head", {"search": "schwarz-paper", "beside": "none", "brush": "heads:0-0"}),
    ("the better half of the paper's", {"search": "schwarz-paper", "beside": "none", "brush": "accuracy:0.65-1"}),
)


def main() -> None:
    there = [(label, words) for label, words in TRIES if words["search"] in trials.names()][:3]
    page.start("Search", "Which settings matter, and how sure can one be? Each line is one training.", tries=there)
    found: list[Found] = []
    with page.sentences():
        access.said()
        access.done()  # a button outside the list of searches was clicked: the whole page is being drawn now
        found = shown.choose()
        if found:
            shown.draw(found, said.chosen)
            said.matters(found, "heads")
            importance(found)
    st.header("Search yourself", anchor=False)
    url_state.state(**shown.words(found), **start())
    page.meaning(
        "Each line is a training with its own settings; it crosses each axis at the value of that setting, and "
        f"the last axis is the accuracy, in our searches on the {term('validation part')}. *Heads* is the number of "
        f"{term('attention head', 'attention heads')}, *skip* is whether there is a {term('skip connection')}, and "
        "*dropout* is the share of values that are set to 0 at random while the model learns. Drag along an axis, or "
        "move its two ends with the arrow keys, to keep the lines that pass there. Most searches draw settings near "
        "those that were good so far (a method called TPE), and some end poor trials early.",
        "A search finds good settings; it is not an experiment. It tries good settings more often, so a setting can "
        "look better or worse than it is, and the best accuracy is a little too high, because it is the best of many "
        "on one validation part. Each trial is one training with its own seed: two with the same settings differ, too.",
    )


def importance(found: list[Found]) -> None:
    """Draw the importance of settings and the table of trials, each one click away."""
    opened = st.expander("How much does each setting matter?", key="search_importance", on_change="rerun")
    if opened.open:
        with opened:
            for column, one in zip(st.columns(len(found), gap="large"), found, strict=True):
                with column:
                    said.importance(one)
    opened = st.expander("All trials, and their history", key="search_table", on_change="rerun")
    if opened.open:
        with opened:
            for column, one in zip(st.columns(len(found), gap="large"), found, strict=True):
                with column:
                    said.table_of(one)


def start() -> dict[str, str]:
    """Draw the form that starts a search, and the existing searches; return the URL fields of the settings shown."""
    st.session_state.setdefault("search_start", any(field in st.query_params for field in settings.FIELDS))
    opened = st.expander("Start a search", key="search_start", on_change="rerun")
    words: dict[str, str] = {}
    if opened.open:
        with opened, page.sentences():
            words = settings.choose()
            asked, workers = settings.asked(words)
            access.ask()
            # Not in a callback, which would start the search without a setting typed just before the click.
            if st.button("Search", key="search_do", type="primary"):
                access.do(lambda: begin(asked, workers), "The search has been started; it continues without this page.")
                st.rerun()
    with page.sentences():
        searches.searches()
    return words


def begin(asked: Wanted, workers: int) -> None:
    """Start a search, and show it above."""
    searches.turn_to(table.start(asked, workers))


main()
