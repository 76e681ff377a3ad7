"""A visitor trains a model on the page, looks at its last epoch, and keeps it; all of it offline."""

import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attnviz import data, subjects
from attnviz.data.own import is_own
from attnviz.subjects import Picture, Subject
from attnviz.training import mistakes, runs
from attnviz.ui.shared import findings
from attnviz.ui.shared.wording import share
from attnviz.work.jobs import keeping, table

from .cards import assert_equals_library, find_card, wait_for_answers
from .conftest import NewPage, Problems, Serve, assert_accessible, prepare, walk
from .harness import run_app, wait_until_ready
from .pads import EIGHT, draw_stroke, find_pad


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return empty folders for everything that an app writes."""
    return {name: str(tmp_path_factory.mktemp("app")) for name in ("ATTNVIZ_RUNS", "ATTNVIZ_KEPT", "ATTNVIZ_DATA")}


@pytest.fixture
def app(serve: Serve, place: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yield the address of the app with those folders, which hold in this process too; each test finds them empty."""
    for name, path in place.items():
        monkeypatch.setenv(name, path)
    yield serve(env=place)
    for job in table.ids():
        table.stop(job)
    for path in place.values():
        for one in Path(path).iterdir():
            shutil.rmtree(one) if one.is_dir() else one.unlink()


def open_page(page: Page, address: str) -> Page:
    walk(page, address)
    expect(page.get_by_role("heading", level=1)).to_have_text("Train")
    return page


def test_a_model_is_trained_seen_kept_and_trained_once_more_with_another_rate(
    app: str, page: Page, new_page: NewPage, place: dict[str, str]
) -> None:
    open_page(page, f"{app}/train")
    expect(page.get_by_text("appear here after its first epoch")).to_be_visible()
    page.get_by_role("textbox", name="Epochs").fill("1")
    page.get_by_role("textbox", name="Epochs").press("Enter")
    page.wait_for_url(re.compile("epochs=1(&|$)"))
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text("Finished after 1 epoch.")).to_be_visible()
    (run,) = runs.ids()
    accuracy = runs.curve(run)[-1].values["validation_accuracy"]
    assert accuracy is not None and accuracy > 0.9
    expect(page.get_by_role("img", name=f"accuracy by epoch: validation {accuracy:.4g} at 1")).to_be_visible()
    found = mistakes.read(run)
    assert found
    page.get_by_text("wrong answers of").click()
    counts = ["".join(f"{count:,}" if count else "" for count in row) for row in found.confusion]
    rows = [name + row for name, row in zip(found.classes, counts, strict=True)]
    expect(page.locator(".confusion tbody tr")).to_have_text(rows)
    expect(page.get_by_text("8, not 1").or_(page.get_by_text("1, not 8"))).to_have_count(len(found.wrong))

    name = page.get_by_role("textbox", name="Name to keep it under")
    name.fill("mine")
    name.press("Enter")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text("It is kept as mine")).to_be_visible()
    assert (Path(place["ATTNVIZ_KEPT"]) / "pixel_attention.mine" / "weights.safetensors").is_file()
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Download").click()
    assert downloaded.value.path().read_bytes() == keeping.packed("pixel_attention.mine")

    other = open_page(new_page(color_scheme="dark"), f"{app}/train")
    assert_accessible(other)
    other.get_by_role("link", name="See this epoch").click()
    other.wait_for_url("**/pixel_attention?**")
    other.locator(".viewer[data-drawn]").wait_for()
    expect(other.get_by_role("combobox", name="Model")).to_have_value("One or eight, one head, epoch 1")
    draw_for(other, f"{app}/train")
    ask_what_if(page, run)


def draw_for(page: Page, address: str) -> None:
    """Go from a kept model to the draw page, draw an 8, and hold its answer against the library's."""
    open_page(page, address).get_by_role("link", name="Try it on a drawing").click()
    find_pad(page).and_(page.locator("[data-drawn]")).wait_for()
    draw_stroke(page, *EIGHT)
    (card,) = wait_for_answers(page).values()
    assert card["answer"] == "8"
    assert_equals_library(card, np.array(card["seen"], np.uint8).reshape(28, 28))


def ask_what_if(page: Page, first: str) -> None:
    """Train once more with another rate than a run of one epoch, and see both under one slider."""
    page.get_by_text("What if one setting had been different?").click()
    page.wait_for_url("**experiment=what_if*")
    rate = page.get_by_role("textbox", name="Instead of 0.01")
    rate.fill("0.05")
    rate.press("Enter")
    page.wait_for_url("**to=0.05*")
    page.get_by_role("button", name="Train it with learning rate 0.05").click()
    finding = page.get_by_role("paragraph").filter(has_text="With learning rate 0.05 it answers")
    expect(finding).to_be_visible()
    (second,) = set(runs.ids()) - {first}
    assert runs.read(second).recipe.learning_rate == 0.05
    here, before = (share(runs.curve(run)[0].values["validation_accuracy"] or 0) for run in (second, first))
    expect(finding).to_contain_text(f"at its best epoch {here} of")
    expect(finding).to_contain_text(f"are right, instead of {before}")
    wait_until_ready(page)
    assert_accessible(page)  # before the slider is moved: while the page runs again for it, what is old is faint

    slider = page.get_by_role("slider", name="Epoch of the training")
    grid = page.locator(".st-key-both_maps .map-grid")
    for epoch, press in (1, ""), (0, "ArrowLeft"):
        if press:
            slider.press(press)
        title = f"Epoch {epoch}" if epoch else "Before the training"
        expect(grid.locator("h2")).to_contain_text(f"{title}: first beside second")
        shown = grid.evaluate("(root) => [0, 1].map((tile) => [...root.readMap(tile)])")
        for run, values in zip((first, second), shown, strict=True):
            np.testing.assert_allclose(values, computed(run, epoch), rtol=1e-4, atol=1e-9)
        assert np.allclose(*shown) == (epoch == 0), "the two begin alike"


def computed(run: str, epoch: int) -> np.ndarray:
    """Return the map that the experiment shows first, of one run at an epoch."""
    picture = Picture("strokes", int(np.flatnonzero(np.isin(data.labels("strokes", "test"), (8, 1)))[0]))
    net = subjects.net(f"run:{run}@{epoch}")
    return findings.tap(Subject(net, picture), "attention.weights", 14 * 28 + 14).values.ravel()


LONG = "epochs=200&patience=200"  # a training that goes on until it is paused
DONE = r"/Seed 0: (\d+) of at most/.exec(document.body.innerText)?.[1]"


def bring(page: Page, address: str) -> None:
    """Open the page, bring two classes of little pictures, and begin a long training on them."""
    upload(page, address)
    page.get_by_role("button", name="Use these pictures").click()
    page.wait_for_url("**data=own-*")
    expect(page.get_by_role("combobox", name="Data")).to_have_value("Your pictures: mine")
    begin(page)


def upload(page: Page, address: str) -> None:
    """Open the page, and choose a file with two classes of little pictures."""
    open_page(page, f"{address}/train?{LONG}&batch=8")
    page.get_by_text("Train on your own pictures").click()
    name = page.get_by_role("textbox", name="Name of your pictures")
    name.fill("mine")
    name.press("Enter")
    images = np.zeros((1600, 28, 28), np.uint8)
    images[::2, 4:24, 13:15] = images[1::2, 13:15, 4:24] = 255
    file = io.BytesIO()
    np.savez(file, images=images, labels=np.arange(1600) % 2)
    page.locator("input[type=file]").first.set_input_files(
        {"name": "mine.npz", "mimeType": "application/octet-stream", "buffer": file.getvalue()}
    )
    expect(page.get_by_role("button", name="Use these pictures")).to_be_enabled()


def begin(page: Page) -> None:
    """Press the button, and wait for the first epoch."""
    page.get_by_role("button", name="Train", exact=True).click()
    wait_for_epochs(page, 0)


def wait_for_epochs(page: Page, more: int) -> int:
    """Wait until the page says that more epochs than so many are done; return how many."""
    page.wait_for_function(f"(more) => Number({DONE} ?? 0) > more", arg=more)
    return int(page.evaluate(DONE))


def pause(page: Page) -> None:
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("It can be resumed.")).to_be_visible()


def delete(page: Page) -> None:
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("It is deleted, with the runs that it began.")).to_be_visible()
    assert runs.ids() == []


def test_pictures_of_ones_own_are_seen_in_one_browser_alone_and_trained_on_when_its_tab_is_closed(
    app: str, new_page: NewPage, problems: Problems
) -> None:
    page = new_page()
    tab = page.context.new_page()
    problems.watch(tab)
    prepare(tab, None, "light")
    bring(tab, app)
    before = wait_for_epochs(tab, 0)
    tab.close()
    wait_for_epochs(open_page(page, f"{app}/train"), before)
    page.get_by_text("Train on your own pictures").click()
    expect(page.get_by_text("Your pictures: mine").first).to_be_visible()
    (run,) = runs.ids()
    tag = page.locator(".st-key-train_choose_runs").get_by_text(run[-4:])
    expect(tag.first).to_be_visible()
    brought = table.read(table.ids()[0]).changes["data"]
    stranger = open_page(new_page(), f"{app}/train?data={brought}")
    expect(stranger.get_by_text("on somebody else's pictures, which are not shown")).to_be_visible()
    expect(stranger.get_by_text("The curves of a training appear here after its first epoch.")).to_be_visible()
    expect(stranger.get_by_role("combobox", name="Data")).to_have_value("Strokes")
    for words in ("mine", run[-4:]):
        expect(stranger.get_by_text(words)).to_have_count(0)
    pause(page)
    delete(page)
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("Your pictures: mine")).to_have_count(0)


LATE = """
window.late = false;
const held = [];
window.WebSocket = class extends WebSocket {
  addEventListener(name, hear, options) {
    if (name !== "message") return super.addEventListener(name, hear, options);
    super.addEventListener(name, (event) => (window.late ? held.push(() => hear(event)) : hear(event)), options);
  }
};
window.arrive = () => {
  window.late = false;
  for (const hear of held.splice(0)) hear();
};
"""  # holds back what the server says


def test_the_button_trains_on_the_pictures_that_were_brought_before_the_browser_has_heard_of_them(
    app: str, new_page: NewPage
) -> None:
    page = new_page()
    page.add_init_script(LATE)
    with page.expect_websocket(lambda one: "/_stcore/stream" in one.url) as opened:
        upload(page, app)
    page.evaluate("window.late = true")
    with opened.value.expect_event("framereceived", _ends_a_run):
        page.get_by_role("button", name="Use these pictures").click()
    page.get_by_role("button", name="Train", exact=True).click()
    page.evaluate("window.arrive()")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    (job,) = table.ids()
    assert is_own(table.read(job).changes["data"])
    pause(page)
    delete(page)


def _ends_a_run(frame: bytes) -> bool:
    """Return whether a message of the server says that the page's script has ended."""
    return ForwardMsg.FromString(frame).WhichOneof("type") == "script_finished"


@pytest.mark.slow
def test_an_app_that_is_killed_and_started_again_shows_how_far_the_training_has_come(
    place: dict[str, str], new_page: NewPage, problems: Problems, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = new_page()
    for name, path in place.items():
        monkeypatch.setenv(name, path)
    problems.expected += [
        "net::ERR_",
        "server is not responding",
        "WebSocket",
        "/_stcore/",
        "disconnected from server",
        "Failed to fetch dynamically imported module",
    ]  # while nobody answers
    with run_app(env=place) as server:
        begin(open_page(page, f"{server.address}/train?{LONG}"))
        before = wait_for_epochs(page, 1)
        # A browser never fetches a module of Streamlit again after a failure. Until it has come, a skeleton is shown.
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
        server.process.kill()
        page.locator('[data-testid="stApp"][data-test-connection-state="CONNECTED"]').wait_for(state="detached")
    (run,) = runs.ids()
    with run_app(env=place, port=int(server.address.rpartition(":")[2])):
        page.locator('[data-testid="stApp"][data-test-connection-state="CONNECTED"]').wait_for()
        wait_for_epochs(page, before + 1)  # nobody has loaded the page again
        pause(page)
        assert runs.ids() == [run]
        delete(page)


@pytest.mark.slow
def test_from_an_empty_folder_a_head_is_trained_in_full_kept_and_answers_a_drawn_digit(app: str, page: Page) -> None:
    open_page(page, f"{app}/train")
    page.get_by_role("button", name="one or eight", exact=True).click()
    page.wait_for_url("**recipe=pixel_attention.1v8*")
    expect(page.get_by_text("An estimate from")).to_be_visible()
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text("Finished after")).to_be_visible(timeout=240_000)
    name = page.get_by_role("textbox", name="Name to keep it under").first
    name.fill("mine")
    name.press("Enter")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text("It is kept as mine")).to_be_visible()
    page.goto(f"{app}/draw")  # without naming it
    find_pad(page).and_(page.locator("[data-drawn]")).wait_for()
    draw_stroke(page, *EIGHT)
    first = next(iter(wait_for_answers(page).values()))
    assert (first["checkpoint"], first["answer"]) == ("pixel_attention.mine", "8")
    expect(find_card(page, "pixel_attention.mine")).to_contain_text("yours: mine")


def test_nonsense_is_one_sentence_and_nothing_starts(app: str, page: Page, tmp_path: Path) -> None:
    open_page(page, f"{app}/train?epochs=a+million")
    expect(page.get_by_text("must be a whole number from 1 to 999,999, not 'a million'")).to_be_visible()
    expect(page.get_by_role("button", name="Train", exact=True)).to_have_count(0)
    assert runs.ids() == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_it_is_accessible(app: str, kept_page: NewPage, width: int, scheme: str) -> None:
    page = kept_page(viewport={"width": width, "height": 720}, color_scheme=scheme)
    assert_accessible(open_page(page, f"{app}/train"))
