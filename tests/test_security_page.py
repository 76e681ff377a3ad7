"""SECURITY.md names the limits that hold, and tests that are there."""

import re
from pathlib import Path

from attnviz.data import brought
from attnviz.data.inputs.pictures import MOST_BYTES, MOST_SIDE
from attnviz.ui.server import asked, connections, descriptors, hosts, log, scripts, sockets, uploads
from attnviz.ui.shared import visitor

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "SECURITY.md").read_text()


def test_the_tests_that_it_names_are_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)`", PAGE)
    assert len(named) >= 8
    assert [path for path in named if not (ROOT / path).is_file()] == []


def test_its_limits_are_those_of_the_code() -> None:
    words = " ".join(PAGE.split())
    of = sockets.OF_A_BROWSER, sockets.PAGES_OF_A_BROWSER, sockets.OF_AN_ADDRESS, sockets.IN_ALL
    assert "at most {} sockets, {} of them for pages, an IP address {}, all together {}".format(*of) in words
    assert f"an address that is refused {asked.REFUSED:.0f} times" in words
    assert f"of an address, {connections.AT_A_TIME} connections are read before others have their turn" in words
    assert (asked.CLASS, asked.MOST / asked.SECONDS, asked.MOST, asked.BUSY / asked.SECONDS) == (30, 6, 60, 5)
    assert "counts as thirty. Beside others, a browser's messages are handed on at most six times a second" in words
    assert "once it has sent sixty; pages of who asks for more than five a second" in words
    assert scripts.RESTS == 9 and "together take a tenth of a core" in words
    assert f"at most {sockets.OF_NO_BROWSER} are of browsers without a cookie, {sockets.OF_UNSEEN} of" in words
    assert f"keeps {descriptors.OURS} descriptors for all else" in words
    assert f"at most {log.MOST} warnings or errors a minute" in words
    assert f"A side may have {MOST_SIDE:,} pixels" in words
    speeds = uploads.LEAST // 1000, uploads.LEAST_BESIDE // 1000, uploads.SLICE
    assert (
        "than {} kB a second, or than {} where others wait, is broken off after {:.0f} seconds".format(*speeds) in words
    )
    assert f"{brought.PICTURES:,} pictures, {brought.PIXELS // 10**6} megapixels together" in words
    assert f"at most {sockets.LARGEST >> 20} MB" in words
    assert f"{uploads.AT_ONCE} arrive at a time, {uploads.OF_AN_ADDRESS} of an IP address, and of all" in words
    assert f"visitors' files the latest {uploads.KEPT} are kept" in words
    assert f"`{hosts.METRICS}=1`" in words
    assert f"`{visitor.COOKIE}`" in words
    assert f"client_max_body_size {(MOST_BYTES >> 20) + 1}m;" in words  # an upload, and what is around it
