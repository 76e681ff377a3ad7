"""Lessons in a browser: every number is the one that the page shows, every task can be solved, and a newcomer gets from
home to the end of the first three by keyboard alone, and by touch on a phone."""

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect
from pypdf import PdfReader

from attnviz.lessons import Lesson, Step, Task
from attnviz.ui.lessons import offer, shelf

from .conftest import NewPage, Serve, find_violations, wait_until_ready, walk

LESSONS = shelf.lessons()
FIRST_THREE = [*LESSONS][:3]

# What of the given words the page does not show: [written, target] each, as a lesson names them.
# The function that waits must not be async: a promise would count as done.
NOT_SHOWN = """(shown) => {
  const { asWritten } = window.lessonProgress;
  const declared = {};
  for (const host of document.querySelectorAll('[data-testid^="stBidiComponent"]'))
    for (const root of host.shadowRoot?.querySelectorAll("[data-drawn]") ?? [])
      declared[root.dataset.component] ??= root.declared();
  return shown.filter(([written, target]) => {
    if (target.startsWith('"')) {
      const part = document.querySelector(`.st-key-${CSS.escape(target.slice(1, -1))}`);
      return !part?.innerText.replace(/\\s+/g, " ").includes(written);
    }
    const [component, value] = target.split(".");
    const found = declared[component]?.[value];
    return found === undefined || asWritten(found, written) !== written;
  });
}"""
FRAMED = """() => {
  const within = (root) => [...root.querySelectorAll("*")].some(
    (one) => one.style?.outlineWidth === "3px" || (one.shadowRoot && within(one.shadowRoot)));
  return within(document);
}"""

# Whether the script has run since then.
NOTE_RUNS = """() => {
  window.hasRun = false;
  const seen = new MutationObserver(() => (window.hasRun = true));
  seen.observe(document.querySelector('[data-testid="stApp"]'), { attributeFilter: ["data-test-script-state"] });
}"""

NEAR, AROUND = 8, 40  # presses of Tab: to what is near, and beyond what stands in the bar

# Whether the keyboard has reached something, which may have been drawn anew meanwhile.
REACHED = """(one) => {
  if (!one.isConnected) return "gone";
  return one === document.activeElement ? "reached" : "not yet";
}"""


def bar(page: Page) -> Locator:
    """Return the bar of the lesson."""
    return page.locator(".lesson")


def button(page: Page, name: str) -> Locator:
    """Return a button of the bar."""
    return bar(page).get_by_role("button", name=name, exact=True)


def check_shown(page: Page, address: str, shown: list[tuple[str, str]]) -> None:
    """Wait until the page shows all that a lesson names."""
    module = f"{address}/_stcore/bidi-components/attnviz.arrive/lessons/progress.js"
    page.evaluate("async (module) => { window.lessonProgress = await import(module); }", module)
    arg = [list(one) for one in shown]
    try:
        page.wait_for_function(f"(arg) => ({NOT_SHOWN})(arg).length === 0", arg=arg)
    except Exception as error:
        raise AssertionError(f"the page does not show {page.evaluate(NOT_SHOWN, arg)}") from error


def at_step(page: Page, lesson: Lesson, number: int) -> Step:
    """Wait until a step, from 0, is there and return it."""
    expect(bar(page).locator("h2")).to_have_text(lesson.steps[number].title)
    expect(bar(page).locator(".lesson-count")).to_contain_text(f"step {number + 1} of {len(lesson.steps)}")
    wait_until_ready(page)
    return lesson.steps[number]


def solve(page: Page, task: Task, press: Callable[[Locator], None]) -> None:
    """Solve a task with what the bar offers; `press` presses a button or follows a link."""
    result = bar(page).locator(".lesson-result")
    if task.options:
        answers = bar(page).locator(".lesson-options > button")
        right = [option.right for option in task.options].index(True)
        wrong = (right + 1) % len(task.options)
        press(answers.nth(wrong))
        expect(result).to_have_text("Not this one. Look again.")
        press(answers.nth(right))
    elif task.number is not None:
        field = bar(page).get_by_label("Your answer")
        press(field)
        page.keyboard.type(task.number)
        press(button(page, "Check"))
    else:
        expect(result).to_have_text("Not yet.")
        press(button(page, "Solution"))
        press(bar(page).get_by_role("link", name="Show it"))
    expect(result).to_have_text("Done.")


def play(page: Page, address: str, lesson: Lesson, press: Callable[[Locator], None]) -> None:
    """Go through a lesson whose first step is there, and check all that it says."""
    for number in range(len(lesson.steps)):
        step = at_step(page, lesson, number)
        check_shown(page, address, list(step.shown()))
        if step.view.frame:
            page.wait_for_function(FRAMED)
        if step.task:
            solve(page, step.task, press)
            check_shown(page, address, list(step.shown_when_solved()))
        press(button(page, "Next step" if number + 1 < len(lesson.steps) else "Finish"))
    expect(page.get_by_role("heading", name="Lessons", exact=True)).to_be_visible()
    expect(bar(page)).to_have_count(0)


def by_keyboard(page: Page) -> Callable[[Locator], None]:
    """Return what presses something with the keyboard alone: Tab until it has the focus, then Enter.

    Where Tab has gone around a page once, Shift and Tab look for it first: what comes next in a lesson often stands
    just before what was pressed.
    """
    around: set[str] = set()

    def press(target: Locator) -> None:
        expect(target).to_be_visible()
        one = target.element_handle()
        path = urlsplit(page.url).path
        for turn in range(300):
            if turn == AROUND:
                around.add(path)
            state = one.evaluate(REACHED)
            if state == "gone":  # it was drawn anew meanwhile
                one = target.element_handle()
                state = one.evaluate(REACHED)
            if state == "reached":
                if one.evaluate("(one) => one.tagName") != "INPUT":
                    page.keyboard.press("Enter")
                return
            page.keyboard.press("Shift+Tab" if turn < NEAR and path in around else "Tab")
        raise AssertionError(f"the keyboard does not reach {target}")

    return press


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LESSONS if name not in FIRST_THREE])
def test_what_a_lesson_says_is_what_the_page_shows(page: Page, serve: Serve, name: str) -> None:
    address = serve()
    page.goto(f"{address}/?lesson={name}&step=1")
    play(page, address, LESSONS[name], lambda target: target.click())


@pytest.mark.slow
def test_a_newcomer_gets_through_the_first_three_by_keyboard_alone(new_page: NewPage, serve: Serve) -> None:
    page = new_page()
    address = serve()
    page.goto(address)
    press = by_keyboard(page)
    press(page.get_by_role("link", name=LESSONS[offer.FIRST].title))
    for name in FIRST_THREE:
        play(page, address, LESSONS[name], press)
        following = FIRST_THREE[FIRST_THREE.index(name) + 1 :]
        if following:
            press(page.get_by_role("link", name=LESSONS[following[0]].title))


@pytest.mark.slow
def test_a_newcomer_gets_through_the_first_three_by_touch(kept_page: NewPage, serve: Serve) -> None:
    address = serve()
    page = kept_page(viewport={"width": 375, "height": 700}, has_touch=True)
    page.goto(address)
    page.get_by_role("link", name=LESSONS[offer.FIRST].title).tap()
    for name in FIRST_THREE:
        play(page, address, LESSONS[name], lambda target: target.tap())
        following = FIRST_THREE[FIRST_THREE.index(name) + 1 :]
        if following:
            page.get_by_role("link", name=LESSONS[following[0]].title).tap()


def test_a_lesson_begins_and_is_left_and_resumed(new_page: NewPage, serve: Serve) -> None:
    page = new_page()
    address = serve()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(address)
    lesson = LESSONS[offer.FIRST]
    page.get_by_role("link", name=lesson.title).wait_for()
    wait_until_ready(page)
    assert not [url for url in requests if "lesson_bar" in url]
    page.get_by_role("link", name=lesson.title).click()
    step = at_step(page, lesson, 0)
    check_shown(page, address, list(step.shown()))
    scripts = [url for url in requests if "/lessons/" in url]
    assert len(scripts) == len(set(scripts)) == 4
    assert find_violations(page) == []
    page.keyboard.press("Alt+l")  # to the bar
    expect(button(page, "Next step")).to_be_focused()
    page.keyboard.press("ArrowRight")
    step = at_step(page, lesson, 1)
    expect(bar(page).get_by_role("status").last).to_contain_text(f"Step 2 of {len(lesson.steps)}")
    assert step.task
    expect(bar(page).locator(".lesson-result")).to_have_text("Not yet.")
    page.go_back()
    at_step(page, lesson, 0)
    page.go_forward()
    at_step(page, lesson, 1)
    button(page, "Leave").click()
    expect(bar(page)).to_have_count(0)
    assert "lesson" not in page.url
    page.goto(f"{address}/lessons")
    page.get_by_role("link", name="Go on at step 2").click()
    at_step(page, lesson, 1)


def test_an_offer_that_was_declined_does_not_come_back(new_page: NewPage, serve: Serve) -> None:
    page = new_page()
    page.goto(serve())
    link = page.get_by_role("link", name=LESSONS[offer.FIRST].title)
    expect(link).to_be_visible()
    page.get_by_role("link", name="No, thanks").click()
    expect(link).to_be_hidden()
    page.reload()
    page.get_by_role("link", name="Draw a digit").wait_for()
    expect(link).to_be_hidden()


def test_what_a_link_hides_is_hidden_until_all_is_shown(page: Page, serve: Serve) -> None:
    page.goto(f"{serve()}/pixel_attention?only=experiments")
    experiments = page.locator(".st-key-experiments")
    expect(experiments).to_be_visible()
    parts = [page.locator(f".st-key-page_{name}") for name in ("choices", "tries", "meaning")]
    for part in parts:
        expect(part).to_be_hidden()
    expect(page.locator('[data-testid="stTopNavLink"]')).to_have_count(0)
    page.get_by_role("link", name="Show everything").click()
    for part in parts:
        expect(part).to_be_visible()
    assert "only" not in page.url


@pytest.mark.parametrize("name", LESSONS)
def test_a_handout_prints_on_four_pages_at_most_in_black(new_page: NewPage, name: str) -> None:
    page = new_page()
    page.set_content(shelf.handout(LESSONS[name]))
    page.evaluate("() => Promise.all([...document.images].map((one) => one.decode()))")
    assert page.locator("img").count() >= 3
    printed = page.pdf(prefer_css_page_size=True)
    lines = [len(one.extract_text().strip().splitlines()) for one in PdfReader(BytesIO(printed)).pages]
    assert 1 <= len(lines) <= 4
    assert min(lines) >= 3, "no line stands alone on its page"
    found = page.evaluate("""() => [...document.body.querySelectorAll("*")].map((one) => getComputedStyle(one))
      .map(({ color, backgroundColor, fontSize }) => [color, backgroundColor, parseFloat(fontSize)])""")
    assert {color for color, _, _ in found} == {"rgb(0, 0, 0)"}
    assert {back for _, back, _ in found} == {"rgba(0, 0, 0, 0)"}
    assert min(size for _, _, size in found) >= 8  # CSS pixels: subscripts


def questions() -> list[tuple[str, list[str], str]]:
    """Return the questions of docs/teaching.md: each with its clicks from home and the words that answer it."""
    text = (Path(__file__).parents[2] / "docs" / "teaching.md").read_text("utf-8")
    rows = re.findall(r'^\| ([^|]+\?) \| ([^|]+) \| "([^|]+)" \|$', text, re.MULTILINE)
    return [(question, re.findall(r"`([^`]+)`", clicks), words) for question, clicks, words in rows]


@pytest.mark.slow
def test_ten_questions_of_a_student_are_answered_within_three_clicks(page: Page, serve: Serve) -> None:
    address = serve()
    assert len(questions()) == 10
    for question, clicks, words in questions():
        assert len(clicks) <= 3, question
        walk(page, address)
        for name in clicks:
            target = page.locator('a, button, summary, [data-testid="stTopNavSection"]').filter(has_text=name).first
            leads = target.evaluate("(one) => one.matches('a')")
            page.evaluate(NOTE_RUNS)
            target.click()
            if leads:  # else the next click would be one on the page that is left
                page.wait_for_function("() => window.hasRun")
            wait_until_ready(page)
        expect(page.get_by_text(words, exact=False).filter(visible=True).first, question).to_be_visible()
