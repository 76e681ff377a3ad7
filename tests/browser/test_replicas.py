"""Two replicas behind nginx: one is killed, and its visitor goes on with the other."""

import shutil

import pytest
from playwright.sync_api import expect

from .conftest import NewPage, Problems, read_state, wait_until_ready
from .replicas import behind_nginx

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed: apt-get install nginx"),
]


def test_who_was_with_a_killed_replica_comes_back_to_the_same_view_on_the_other(
    new_page: NewPage, problems: Problems
) -> None:
    problems.expected += ["disconnected from server", "WebSocket", "Connection"]
    view = "model=pixel_attention.1v8&data=strokes&number=23&query=14,15&head=1"
    with behind_nginx() as replicas:
        page = new_page()
        page.goto(f"{replicas.address}/pixel_attention?{view}")
        viewer = page.locator(".viewer")
        viewer.and_(page.locator("[data-drawn]")).wait_for()
        wait_until_ready(page)
        url, shown = page.url, read_state(viewer)
        assert "number=23" in url and shown["query"] == [13, 14]
        first = replicas.connected()
        first.process.kill()
        first.process.wait()
        connected = page.locator('[data-test-connection-state="CONNECTED"]')
        connected.wait_for(state="detached")
        connected.wait_for()
        wait_until_ready(page)
        assert replicas.connected() is not first
        assert page.url == url
        assert read_state(viewer) == shown
        page.get_by_role("button", name="Next", exact=True).click()  # the new session answers
        expect(page).not_to_have_url(url)
