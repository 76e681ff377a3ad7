"""Results: the value of each mechanism, then one chart at a time that compares it with controls."""

from collections.abc import Mapping, Sequence

import streamlit as st

from attnviz import result_tables, results
from attnviz.charts.tables import verdicts
from attnviz.measures.difference import METHOD
from attnviz.recipes import PAPERS
from attnviz.ui.mechanisms import MECHANISMS, guard
from attnviz.ui.mechanisms.mechanism import Mechanism
from attnviz.ui.shared import faults, page, url_state
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.results import result_dots


def main() -> None:
    page.start(
        "Results",
        "Is each mechanism worth it? Each is compared with a control, usually a model without the mechanism.",
    )
    with page.sentences():
        lines = [line for _, of in guard.each(MECHANISMS.values(), "verdict", result_dots.verdicts) for line in of]
        groups = {row.name: [*own] for row, own in guard.each(MECHANISMS.values(), "results", result_dots.groups)}
        with st.container(key=f"verdicts-{len(lines)}"):
            st.markdown(verdicts(lines), unsafe_allow_html=True)
        st.caption(
            "Means over the seeds. *Better* or *worse*: the 95 % interval does not contain 0, for all rows together. "
            f"*Within the margin*: it lies within a tenth of the errors, at most half a point. Interval: {METHOD}."
        )
        with st.container(key="result_filters", horizontal=True, vertical_alignment="bottom"):
            row, task = chosen(groups)
        if task is None:
            st.caption("None of its models has been tested on unchanged pictures.")
            return
        with faults.drawing(row, "results"):
            st.subheader(f"{row.title}: {task.title}", anchor=False)
            result_dots.of_mechanism(row, task, key=f"{row.name}-{task.word}")
        explain()
        papers(row)


def chosen(groups: Mapping[str, Sequence[result_dots.Task]]) -> tuple[Mechanism, result_dots.Task | None]:
    """Draw the two choices, and return the chosen mechanism and the task on which its models are compared."""
    titles = {name: MECHANISMS[name].title for name in groups}
    name = url_state.pick(
        st.segmented_control, "Mechanism", "mechanism", titles, next(iter(titles)), required=True, then=other_mechanism
    )
    tasks = {task.word: task for task in groups[name]}
    if not tasks:
        return MECHANISMS[name], None
    named = {word: task.title for word, task in tasks.items()}
    word = url_state.pick(st.segmented_control, "Data set", "data", named, next(iter(named)), required=True)
    return MECHANISMS[name], tasks[word]


def other_mechanism(field: str) -> None:
    """Show another mechanism, on the first of its data sets."""
    url_state.set_value(**{field: st.session_state[field]}, data=None)


def explain() -> None:
    """Draw the explanation of the chart."""
    st.markdown(
        "A dot is the mean over all trainings of a model, and its bar goes from the worst to the best of them; a model "
        f"that was trained once has no bar. **Squares are {term('controls')}**, usually models without the mechanism. "
        "A diamond is the figure that a paper reports for these pictures. A name leads to its model. Whether a "
        "difference means anything depends on its interval, not on the bars: the tables below also list what differs."
    )


def papers(row: Mechanism) -> None:
    """Draw the questions, figures and tables of a mechanism's papers, each one click away."""
    st.header("Each model beside its control, and the figures of the papers", anchor=False)
    for paper in (PAPERS[name] for name in row.papers if name in PAPERS):
        for number, figure in enumerate(paper.figures):
            opened = st.expander(f"{figure.what}", key=f"question_{paper.name}_{number}", on_change="rerun")
            if opened.open:
                opened.markdown(results.finding(results.verdicts_of(figure)))
                opened.markdown(results.answer(figure))
        opened = st.expander(f"**{paper.title}** {paper.source}", key=f"paper_{paper.name}", on_change="rerun")
        if opened.open:
            opened.markdown(result_tables.reproduction(paper))


main()
