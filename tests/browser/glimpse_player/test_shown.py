"""The screen of the glimpse player against the model: what is drawn, played, saved, and said of nonsense in the URL."""

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence
from playwright.sync_api import expect

from attnviz.answers import as_batch
from attnviz.subjects import net
from attnviz.ui.shared import cache
from tests.sweeps import sweep

from .players import (
    PICTURE,
    Open,
    assert_same_path,
    compute_path,
    find_player,
    read_canvas,
    read_player,
    wait_for_player,
)


@pytest.mark.parametrize("name", sweep(["small", "wide", "ring"], lambda name: name != "ring"))
def test_boxes_retina_and_beliefs_are_the_model_s(opened: Open, name: str) -> None:
    """At borders and over them, and on a picture of 20 rows and 28 columns."""
    page = opened(name)
    wanted = compute_path(name)
    found = wait_for_player(page)
    assert_same_path(found, wanted)
    model, its_net = cache.single(net(f"recurrent_attention.{name}"))
    image = PICTURE.taken_by(its_net)[:, :, 0]
    retina = model.glimpses.retina
    patches = [retina(retina.maps(as_batch(image[:, :, None])), one) for one in wanted.locations[0][:, None]]
    rows, columns = image.shape
    size, picture = its_net.config["size"], read_canvas(find_player(page).locator(".paper canvas").first)
    paper = picture[image == 0].max()
    outside = 0
    find_player(page).get_by_role("slider", name="Glimpse").focus()
    for glimpse, patch in enumerate(patches):
        wait_for_player(page, glimpse=glimpse)
        corners = retina.corners(wanted.locations[0, glimpse]).tolist()
        for scale, (top, left) in enumerate(corners):
            box = find_player(page).locator(".glimpse.now .box").nth(scale)
            drawn = [float(box.get_attribute(side) or "nan") for side in ("y", "x", "height", "width")]
            assert drawn == [top, left, size << scale, size << scale]
            sent = find_player(page).evaluate("(root, [g, s]) => root.readPatch(g, s)", [glimpse, scale])
            np.testing.assert_allclose(sent, patch[0, scale].ravel(), atol=1e-6)
        # The sharp patch has the very colours that the picture has there, and paper where there is no picture.
        top, left = corners[0]
        around = np.full((rows + 2 * size, columns + 2 * size), paper)
        around[size : size + rows, size : size + columns] = picture
        on_screen = read_canvas(find_player(page).locator(".patches canvas").first)
        np.testing.assert_array_equal(on_screen, around[size + top : 2 * size + top, size + left : 2 * size + left])
        outside += top < 0 or left < 0 or top + size > rows or left + size > columns
        page.keyboard.press("ArrowRight")
    assert outside, "at least one sharp patch leaves the picture"


def test_with_reduced_motion_it_moves_only_when_told_to_and_without_transitions(loaded: Open) -> None:
    page = loaded("small", reduced_motion="reduce")
    page.clock.install()
    scrubber = find_player(page).get_by_role("slider", name="Glimpse")
    boxes = find_player(page).locator(".box").first

    def rests() -> None:
        before = read_player(page)
        assert not before["playing"]
        page.clock.run_for(10_000)
        assert read_player(page) == before

    assert read_player(page)["glimpse"] == 0, "it has not begun by itself"
    rests()
    last = len(read_player(page)["locations"]) - 1
    scrubber.focus()
    for key, glimpse in (("End", last), ("ArrowLeft", last - 1), ("Home", 0)):
        page.keyboard.press(key)
        wait_for_player(page, glimpse=glimpse)
        rests()
    find_player(page).get_by_role("button", name="Play").click()
    wait_for_player(page, glimpse=0, playing=True)
    expect(boxes).to_have_css("transition-duration", "0s")
    page.clock.run_for(1000)
    wait_for_player(page, glimpse=1, playing=True)
    page.emulate_media(reduced_motion="no-preference")
    expect(boxes).to_have_css("transition-duration", "0.2s, 0.2s")
    scrubber.focus()
    page.keyboard.press("End")
    wait_for_player(page, glimpse=last)
    rests()


def test_the_path_is_saved_as_an_animation_and_as_a_table(opened: Open, tmp_path: Path) -> None:
    page = opened("wide")
    with page.expect_download() as download:
        find_player(page).get_by_role("button", name="GIF").click()
    file = tmp_path / "path.gif"
    download.value.save_as(file)
    with Image.open(file) as gif:
        assert gif.info["loop"] == 0
        assert b"fashion_mnist/test" in gif.info["comment"]
        frames = []
        for one in ImageSequence.Iterator(gif):
            frames.append(np.array(one.convert("RGB")))
    assert len(frames) == 3
    assert not any((one == other).all() for one, other in itertools.pairwise(frames))
    with page.expect_download() as download:
        find_player(page).get_by_role("button", name="CSV").click()
    lines = [line for line in Path(download.value.path()).read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    wanted = compute_path("wide")
    its_net = net("recurrent_attention.wide")
    np.testing.assert_allclose([float(row["expected reward"]) for row in rows], wanted.baselines[0], atol=1e-6)
    right = its_net.classes[wanted.logits[0, -1].argmax()] == PICTURE.target
    assert {row["reward"] for row in rows} == {str(int(right))}
    feet = find_player(page).locator("tfoot tr")
    assert feet.nth(0).locator("td").all_inner_texts() == [str(int(right))] * 3
    assert feet.nth(1).locator("td").all_inner_texts() == [f"{one:.2f}" for one in wanted.baselines[0].tolist()]


def test_nonsense_in_the_url_is_a_sentence(opened: Open) -> None:
    page = opened("wide", "&glimpse=9&moved=1.21.1&draw=x&locations=far")
    expect(find_player(page).locator(".complaint")).to_contain_text("which does not exist here")
    for name in ("glimpse", "moved", "draw", "locations"):
        expect(find_player(page).locator(".complaint")).to_contain_text(name)
    assert_same_path(wait_for_player(page, glimpse=0, moved=[], draw=0), compute_path("wide"))


def test_at_1280_by_720_everything_one_looks_at_is_above_the_fold(opened: Open) -> None:
    page = opened("small")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    # What is missing is offered in a second row of choices, which a server with the data sets does not have.
    offered = page.locator(".st-key-get_fashion_mnist").bounding_box()
    room = 720 + (offered["height"] + 40 if offered else 0)
    for part in (".scene", ".patches", ".belief-part table"):
        box = find_player(page).locator(part).bounding_box()
        assert box
        assert box["y"] + box["height"] <= room, part
