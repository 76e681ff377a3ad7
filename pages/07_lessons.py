"""Lessons: up to ten minutes each, for one person, in the order in which they build on each other."""

import streamlit as st

from attnviz.formatting import counted
from attnviz.lessons import Lesson
from attnviz.ui.lessons import bar, shelf
from attnviz.ui.lessons.shelf import file_of
from attnviz.ui.server import preload
from attnviz.ui.shared import page
from attnviz.ui.shared.wording import verbatim


def main() -> None:
    page.start("Lessons", "Up to ten minutes each, on your own: look, guess, try, and see whether you were right.")
    with page.sentences():
        for name, found in shelf.found().items():
            if found.lesson:
                offer(found.lesson)
            else:
                st.error(verbatim(f"The lesson {name} cannot be shown. {found.mistakes[0]}"))
    st.caption(
        "Your progress is kept in this browser only. You can write your own lesson as a Markdown file: see "
        "docs/teaching.md."
    )
    preload.soon()


def offer(lesson: Lesson) -> None:
    """Draw the description of a lesson, and the link that starts it."""
    first = lesson.steps[0].view
    with st.container(key=f"lesson_offer_{lesson.name}", gap="xsmall"):
        page.link(file_of(first.page), f"**{verbatim(lesson.title)}**", **bar.words_of(first, lesson.name, 0))
        tasks = sum(step.task is not None for step in lesson.steps)
        long = ", ".join(
            counted(*one) for one in ((lesson.minutes, "minute"), (len(lesson.steps), "step"), (tasks, "task"))
        )
        st.markdown(verbatim(f"{long}. For: {lesson.level}."))
        bar.resume(lesson)
        left, right = st.columns(2, gap="large")
        left.markdown("\n".join(f"- {verbatim(one)}" for one in lesson.objectives))
        right.markdown(f"Many believe: *{verbatim(lesson.believed)}* In this lesson you see the evidence against it.")
        right.download_button(
            "Handout to print", shelf.handout(lesson), f"{lesson.name}.html", "text/html", key=f"handout_{lesson.name}",
            on_click="ignore", type="tertiary",
        )  # fmt: skip


main()
