"""Train: a model learns in the background, and each of its epochs can be inspected."""

import streamlit as st

from attnviz.ui.shared import page, url_state
from attnviz.ui.shared.experiments import choose
from attnviz.ui.training import access, settings, watch
from attnviz.ui.training.experiments import appear, same, what_if
from attnviz.work.jobs import seen, submissions, table

EXPERIMENTS = {"appear": appear.EXPERIMENT, "same_heads": same.EXPERIMENT, "what_if": what_if.EXPERIMENT}


def main() -> None:
    page.start(
        "Train",
        "What does a model learn, epoch by epoch? Train one, and look at it while it learns.",
        tries=settings.tries(),
    )
    with page.sentences():
        with page.sentences():
            order = settings.choose()
            access.ask()
            with st.container(key="train_begin", horizontal=True, vertical_alignment="center"):
                # Not in a callback, which would start the training without a setting typed just before the click.
                if st.button("Train", key="train_start", on_click=url_state.catch_up):
                    began = "The training has been started; it continues without this page."
                    access.do(lambda: table.start(submissions.here(order)), began)
                settings.show(order)
        watch.jobs()
        choose(EXPERIMENTS, seen.look(), heading="What happened while it learnt?")
    page.meaning(
        "A training runs in its own process, at the lowest priority: it continues if this page or the app is closed. "
        "After each epoch its weights are saved, so that every epoch can be looked at as a model. A training that was "
        "paused or killed resumes from its last complete epoch with the same result as if it had never been "
        "interrupted. The same settings and seed give the same weights on the same machine.",
        "The validation part selects the best epoch, so its figures are a little too good. The test part selects "
        "nothing here: only the experiments use pictures of it. One seed is one sample: another may learn something "
        "else. Settings that are changed here are not the paper's, so neither are the results.",
    )


main()
