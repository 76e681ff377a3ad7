"""No visitor can empty the caches that all visitors share."""

from collections.abc import Iterator

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from tests.browser.harness import Server, run_app

WAIT = 120.0

APP = """
import streamlit as st
from starlette.middleware import Middleware
from attnviz.ui.server.sockets import Sockets

app = st.App("page.py", middleware=[Middleware(Sockets)])
"""
PAGE = """
import time
import streamlit as st

@st.cache_resource
def resource():
    return time.monotonic_ns()

@st.cache_data
def data():
    return time.monotonic_ns()

st.text(f"data {data()}, resource {resource()}")
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("caching")
    (folder / "app.py").write_text(APP)
    (folder / "page.py").write_text(PAGE)
    with run_app(str(folder / "app.py")) as one:
        yield one


def visitor(server: Server) -> ClientConnection:
    at = server.address.removeprefix("http://")
    return connect(f"ws://{at}/_stcore/stream", origin=server.address, max_size=None)


def shown(stream: ClientConnection) -> str:
    """Run the page, and return the text that it shows."""
    message = BackMsg()
    message.rerun_script.page_name = ""
    stream.send(message.SerializeToString())
    text = ""
    while True:
        came = ForwardMsg()
        came.ParseFromString(stream.recv(timeout=WAIT))
        if came.WhichOneof("type") == "script_finished":
            assert text
            return text
        text = came.delta.new_element.text.body or text


def clearing() -> bytes:
    message = BackMsg()
    message.clear_cache = True
    return message.SerializeToString()


def renamed() -> bytes:
    """Return the same, behind a message of another type: the last one in the bytes counts."""
    first = BackMsg()
    first.load_git_info = True
    return first.SerializeToString() + clearing()


@pytest.mark.parametrize("message", [clearing(), renamed()], ids=["plain", "behind another"])
def test_what_is_cached_stays_for_all_when_one_asks_to_clear_it(server: Server, message: bytes) -> None:
    with visitor(server) as one, visitor(server) as another:
        before = shown(one)
        another.send(message)
        assert shown(another) == before
        assert shown(one) == before
