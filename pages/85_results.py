"""Results: what every paper gives and what was measured here, with the controls beside each mechanism."""

import streamlit as st

from attnviz import data, results
from attnviz.recipes import PAPERS
from attnviz.ui.mechanisms import MECHANISMS, guard
from attnviz.ui.shared import page, result_dots, url_state
from attnviz.ui.shared.glossary import term

ALL = "all"


def main() -> None:
    page.start(
        "Results",
        "How accurate is each mechanism, and how accurate are models without it on the same pictures?",
    )
    with page.sentences():
        tasks = {row.name: own for row, own in guard.each("results", result_dots.groups)}
        with st.container(key="result_filters", horizontal=True, vertical_alignment="bottom"):
            name = choose("mechanism", "Mechanism", {row.name: row.title for row in MECHANISMS.values()})
            there = {task.source: task for mechanism, own in tasks.items() if name in (ALL, mechanism) for task in own}
            source = choose("data", "Data set", {one: data.DATASETS[one].title for one in there})
        explain()
        for row in MECHANISMS.values():
            for number, task in enumerate(tasks.get(row.name, ())):
                if name in (ALL, row.name) and source in (ALL, task.source):
                    with guard.drawing(row, "results"):
                        st.subheader(f"{row.title}: {task.title}", anchor=False)
                        result_dots.of_mechanism(row, task, key=f"{row.name}-{number}")
        papers(name)


def choose(field: str, label: str, titles: dict[str, str]) -> str:
    """Draw a filter, and return what is chosen."""
    options = {ALL: "all", **titles}
    chosen = url_state.choice(field, list(options), ALL)
    st.segmented_control(
        label, list(options), key=field, format_func=options.__getitem__, required=True,
        on_change=url_state.keep, args=(field,),
    )  # fmt: skip
    return chosen


def explain() -> None:
    """Say how to read the pictures."""
    st.markdown(
        "A dot is the mean over all trainings of a model, its bar goes from the worst to the best of them; a model "
        f"that was trained once has no bar. **Squares are {term('controls')}**: models without "
        "the mechanism, trained and tested on the same pictures. A diamond is the value that a paper reports."
    )


def papers(mechanism: str) -> None:
    """Draw the figures and tables of the papers, each one click away."""
    st.header("The figures of the papers", anchor=False)
    own = {name for row in MECHANISMS.values() if mechanism == row.name for name in row.papers}
    for paper in PAPERS.values():
        if mechanism == ALL or paper.name in own:
            key = f"paper_{paper.name}"
            row = st.expander(f"**{paper.title}** {paper.source}", key=key, on_change="rerun")
            if row.open:
                row.markdown(results.reproduction(paper))


main()
