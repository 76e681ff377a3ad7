"""The browser's side of the live channel, beside the real server: what it asks and drops, what it does when lost."""

from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, WebSocket, WebSocketRoute

from attnviz import checkpoints, data
from attnviz.answers import as_batch
from attnviz.edits import off, scale, set_value
from attnviz.tracing import trace
from attnviz.ui.derived_values import find
from attnviz.ui.live.request import read

from .conftest import NewPage, Problems, Serve, wait_until_ready
from .models import ONE_OR_EIGHT

MODULE = "_stcore/bidi-components/attnviz.pixel_viewer/live/live.js"

# All that a test does with `Live` stands in one place; answers come back as what JSON can say.
SETUP = """async ([module]) => {
  const { Live } = await import(module);
  window.states = [];
  window.plain = (answer) => ({ ...answer,
    arrays: Object.fromEntries(Object.entries(answer.arrays).map(([name, values]) => [name, [...values]])) });
  window.live = new Live((state) => states.push(state));
  window.asked = (request) => new Promise((done) => live.ask(request, (answer) => done(plain(answer))));
}"""
HEAD_OFF = {"edit": "off", "address": "attention.mixed", "index": {"head": 0}}
THREE = [{"data": "strokes", "number": 3}]


def open_live(page: Page, address: str, path: str = "_stcore/health", base: str = "") -> None:
    """Open a page of the server, by default one without the app, which is there at once, and a connection in it."""
    page.goto(f"{address}/{path}")
    if "_stcore" not in path:
        wait_until_ready(page)
    page.evaluate(SETUP, [f"{base}/{MODULE}"])


def ask(page: Page, pictures: Any = THREE, **asked: Any) -> dict[str, Any]:
    """Ask one model, and return its answer."""
    request = {"pictures": pictures, "asks": [{"checkpoint": ONE_OR_EIGHT, **asked}]}
    return page.evaluate("(request) => asked(request)", request)


def compute_logit(edits: dict[str, Any]) -> float:
    """Return what the model itself says of the picture."""
    image = data.load("strokes", "test", count=256).images[3]
    model = checkpoints.load(ONE_OR_EIGHT).model
    with torch.no_grad(), trace(model, [], edits or {"attention.mixed": scale(1)}):
        return model(as_batch(image)).item()


def test_a_head_is_switched_off(page: Page, serve: Serve) -> None:
    open_live(page, serve())
    answer = ask(page, edits=[HEAD_OFF], wanted={"mixed": {"address": "attention.mixed", "index": {"head": 0}}})
    assert answer["arrays"]["logits"] == pytest.approx([compute_logit({"attention.mixed": off(head=0)})], rel=1e-4)
    assert answer["arrays"]["mixed"] == [0] * 784
    assert answer["shapes"] == {"logits": [1, 1], "probabilities": [1, 2], "mixed": [1, 784, 1]}
    assert answer["axes"] == {"mixed": ["batch", "token", "feature"]}
    assert (answer["ask"], answer["done"], answer["checkpoint"]) == (0, True, ONE_OR_EIGHT)
    assert page.evaluate("states") == ["connecting", "ready"]


def test_pictures_and_arrays_are_sent_as_they_are(new_page: NewPage, serve: Serve) -> None:
    page = new_page()
    sent: list[Any] = []
    page.on("websocket", lambda socket: watch(socket, sent))
    open_live(page, serve())
    sent.clear()
    answer = page.evaluate(
        """async ([checkpoint]) => {
          const values = Uint8ClampedArray.from({ length: 2 * 784 }, (_, place) => (7 * place) % 256);
          const mixed = Float32Array.from({ length: 784 }, (_, place) => place / 8);
          const edits = [{ edit: "set", address: "attention.mixed", index: { head: 0, feature: 0 }, array: "mixed" }];
          const wanted = { mixed: { address: "attention.mixed", index: { head: 0, feature: 0 } } };
          return asked({ pictures: { values, shape: [2, 28, 28, 1] }, asks: [{ checkpoint, edits, wanted }],
            arrays: { mixed: { values: mixed, shape: [784] } } });
        }""",
        [ONE_OR_EIGHT],
    )
    (message,) = sent
    request = read(message, find)
    expected = (7 * np.arange(2 * 784) % 256).astype(np.uint8).reshape(2, 28, 28, 1)
    np.testing.assert_array_equal(request.pictures, expected)
    np.testing.assert_array_equal(request.arrays["mixed"], np.arange(784, dtype=np.float32) / 8)
    assert answer["shapes"]["mixed"] == [2, 784]
    assert answer["arrays"]["mixed"] == [place / 8 for place in range(784)] * 2
    values = torch.arange(784) / 8
    assert answer["arrays"]["logits"][0] == pytest.approx(
        compute_logit({"attention.mixed": set_value(values, head=0, feature=0)}), rel=1e-4
    )


def test_of_many_requests_the_first_and_the_newest_are_sent(new_page: NewPage, serve: Serve) -> None:
    page = new_page()
    sent: list[Any] = []
    page.on("websocket", lambda socket: watch(socket, sent))
    open_live(page, serve())
    ask(page)
    sent.clear()
    heard = page.evaluate(
        """async ([checkpoint]) => {
          const heard = [];
          await new Promise((done) => {
            for (let factor = 1; factor <= 50; factor++) {
              const edits = [{ edit: "scale", address: "attention.mixed", factor }];
              live.ask({ pictures: [{ data: "strokes", number: 3 }], asks: [{ checkpoint, edits }] }, (answer) => {
                heard.push([factor, answer.done]);
                if (factor === 50) done();
              });
            }
          });
          return heard;
        }""",
        [ONE_OR_EIGHT],
    )
    assert heard == [[1, True], [50, True]]
    assert [read(frame, find).head.asks[0].edits[0].factor for frame in sent] == [1, 50]


def watch(socket: WebSocket, sent: list[Any]) -> None:
    """Keep what is sent over the live channel."""
    if socket.url.endswith("/live"):
        socket.on("framesent", lambda frame: sent.append(frame))  # noqa: PLW0108 (Playwright marks the function)


def test_several_models_answer_one_after_the_other_and_a_refusal_is_a_sentence(page: Page, serve: Serve) -> None:
    open_live(page, serve())
    answers = page.evaluate(
        """(names) => new Promise((done) => {
          const answers = [];
          live.ask({ pictures: [{ data: "strokes", number: 3 }], asks: names.map((checkpoint) => ({ checkpoint })) },
            (answer) => { answers.push(plain(answer)); if (answer.done) done(answers); });
        })""",
        [ONE_OR_EIGHT, "pixel_attention.none", "pixel_line.1v8"],
    )
    assert [(one["ask"], one["done"]) for one in answers] == [(0, False), (1, False), (2, True)]
    assert "There is no checkpoint 'pixel_attention.none'" in answers[1]["error"]
    assert answers[2]["arrays"]["logits"]
    refused = ask(page, edits=[{"edit": "grow"}])
    assert refused["error"].startswith("This request cannot be used: asks.0.edits.0")
    assert ask(page)["arrays"]["logits"]


def test_a_lost_connection_comes_back_and_what_was_asked_is_asked_again(new_page: NewPage, serve: Serve) -> None:
    page = new_page()
    opened: list[WebSocketRoute] = []

    def answer(route: WebSocketRoute) -> None:
        opened.append(route)
        if len(opened) == 1:
            route.on_message(lambda _: route.close())  # the server is gone while it should answer
        elif len(opened) < 4:
            route.close()
        else:
            route.connect_to_server()

    page.route_web_socket("**/live", answer)
    open_live(page, serve())
    assert ask(page)["arrays"]["logits"] == pytest.approx([compute_logit({})], rel=1e-4)
    assert len(opened) == 4
    states = page.evaluate("states")
    assert states[:3] == ["connecting", "ready", "lost"]
    assert states[-1] == "ready"


def test_a_request_that_costs_the_connection_twice_is_given_up(new_page: NewPage, serve: Serve) -> None:
    page = new_page()
    opened: list[WebSocketRoute] = []

    def answer(route: WebSocketRoute) -> None:
        opened.append(route)
        if len(opened) <= 2:
            route.on_message(lambda _: route.close())
        else:
            route.connect_to_server()

    page.route_web_socket("**/live", answer)
    open_live(page, serve())
    answered = ask(page)
    assert answered["error"].startswith("The connection to the server was lost")
    assert answered["done"]
    assert ask(page)["arrays"]["logits"]


def test_after_closing_nothing_is_heard_and_nothing_reconnects(new_page: NewPage, serve: Serve) -> None:
    page = new_page()
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket))  # noqa: PLW0108 (Playwright marks the function)
    open_live(page, serve())
    heard = page.evaluate(
        """async ([request]) => {
          const heard = [];
          await asked(request);
          live.ask(request, (answer) => heard.push(answer));
          live.ask(request, (answer) => heard.push(answer));
          live.close();
          await new Promise((done) => { live.socket.addEventListener("close", done); });
          live.ask(request, (answer) => heard.push(answer));
          return { heard, retry: live.retry ?? null, states };
        }""",
        [{"pictures": THREE, "asks": [{"checkpoint": ONE_OR_EIGHT}]}],
    )
    assert heard == {"heard": [], "retry": None, "states": ["connecting", "ready"]}
    assert [socket.is_closed() for socket in sockets if socket.url.endswith("/live")] == [True]


@pytest.mark.slow
def test_below_a_base_path(new_page: NewPage, serve: Serve, problems: Problems) -> None:
    page = new_page()
    address = serve(env={"STREAMLIT_SERVER_BASE_URL_PATH": "lab"})
    open_live(page, address, path="", base="/lab")
    assert ask(page)["arrays"]["logits"] == pytest.approx([compute_logit({})], rel=1e-4)
    assert page.evaluate("live.url.href") == address.replace("http", "ws") + "/live"


def test_answers_come_while_the_page_reruns(page: Page, serve: Serve) -> None:
    open_live(page, serve(), "pixel_attention")
    page.evaluate(
        """([request]) => {
          window.answers = [];
          window.enough = false;
          window.flood = (async () => {
            while (!enough) answers.push((await asked(request)).arrays.logits[0]);
          })();
        }""",
        [{"pictures": THREE, "asks": [{"checkpoint": ONE_OR_EIGHT}]}],
    )
    page.get_by_role("button", name="1 or 8: the loop of an 8").click()
    page.wait_for_url("**/*query=12*")
    wait_until_ready(page)
    answers = page.evaluate("async () => { enough = true; await flood; return answers; }")
    assert answers
    assert answers == pytest.approx([compute_logit({})] * len(answers), rel=1e-4)
