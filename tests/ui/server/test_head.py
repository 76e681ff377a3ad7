"""A page's answer gets our style and its component's scripts; all other answers stay as they are."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from attnviz.subjects import own
from attnviz.ui.components.component import FRONTEND
from attnviz.ui.mechanisms import MECHANISMS, pixel_attention
from attnviz.ui.mechanisms.mechanism import Height
from attnviz.ui.server import head, preload

PAGE = b"<html><head><title>x</title></head><body></body></html>"


@pytest.fixture(autouse=True)
def nothing_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preload, "begin", lambda: None)


def ask(path: str, accept: str = "text/html,*/*", body: tuple[bytes, ...] = (PAGE,)) -> tuple[dict[str, str], bytes]:
    """Return headers and body of an answer that the app below gives in several parts; it never packs it."""

    async def app(scope, receive, send) -> None:
        assert ("text/html" in accept) == (b"accept-encoding" not in dict(scope["headers"]))
        raw = [(b"content-length", str(sum(map(len, body))).encode()), (b"etag", b"1")]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        for number, part in enumerate(body, 1):
            await send({"type": "http.response.body", "body": part, "more_body": number < len(body)})

    sent: list[dict] = []

    async def send(message: dict) -> None:
        sent.append(message)

    raw = [(b"accept", accept.encode()), (b"accept-encoding", b"gzip")]
    scope = {"type": "http", "path": path, "headers": raw}
    asyncio.run(head.Head(app)(scope, None, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return headers, b"".join(message["body"] for message in sent[1:])


@pytest.mark.parametrize("body", [(PAGE,), (PAGE[:20], PAGE[20:])])
def test_a_page_gets_the_style_at_the_end_of_its_head_and_its_true_length(body: tuple[bytes, ...]) -> None:
    headers, answer = ask("/results", body=body)
    before, style, after = re.split(rb"(<style>.*</script>)", answer, flags=re.S)
    assert before + after == PAGE
    assert after.startswith(b"</head>")
    assert b".st-key-page_head" in style
    assert headers == {"content-length": str(len(answer))}


@pytest.mark.parametrize("path", ["pixel_attention", "paper", ""], ids=["its page", "a further one", "home"])
def test_a_page_with_the_pixel_viewer_names_its_component_and_all_that_it_imports(path: str) -> None:
    _, answer = ask(f"/below/here/{path}")
    linked = set(
        re.findall(
            r'<link rel="modulepreload" href="_stcore/bidi-components/attnviz.pixel_viewer/(.*?)">', answer.decode()
        )
    )
    assert {"pixel_viewer/pixel_viewer.js", "maps/attention.js", "core/dom.js"} <= linked
    assert linked <= {path.relative_to(FRONTEND).as_posix() for path in FRONTEND.rglob("*.js")}
    assert not linked & {"map_grid/map_grid.js", "export/export.js"}, "these are fetched when they are first wanted"


def test_a_component_in_a_folder_names_its_modules_and_those_beside_the_folder() -> None:
    linked = re.findall(r'attnviz.stage_grid/(.*?)"', head._preload("stage_grid", FRONTEND))
    assert {"stage_grid/stage_grid.js", "stage_grid/stages.js", "core/colours.js", "live/live.js"} <= set(linked)
    assert all((FRONTEND / name).exists() for name in linked)


def test_the_modules_of_another_package_are_those_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "panels").mkdir()
    (tmp_path / "stages.js").write_text('import { one } from "./panels/one.js";')
    own = 'import { two } from "../two.js";\nimport { paint } from "../../attnviz.map_grid/maps/paint.js";'
    (tmp_path / "panels" / "one.js").write_text(own)
    (tmp_path / "two.js").write_text("export const two = 2;")
    row = replace(pixel_attention.MECHANISM, url="stages", preload=("other.stages",), frontend=tmp_path)
    monkeypatch.setitem(MECHANISMS, "stages", row)
    _, answer = ask("/stages")
    linked = re.findall(r'modulepreload" href="(.*?)"', answer.decode())
    folder = "_stcore/bidi-components/other.stages"
    theirs = [link for link in linked if link.startswith(folder)]
    assert theirs == [f"{folder}/stages.js", f"{folder}/panels/one.js", f"{folder}/two.js"]


def test_a_page_with_a_component_names_its_styles_and_what_streamlit_draws_it_with() -> None:
    answer = ask("/pixel_attention")[1].decode()
    styles = re.findall(
        r'<link rel="preload" as="style" href="_stcore/bidi-components/attnviz.pixel_viewer/(.*?)">', answer
    )
    assert styles[0] == "pixel_viewer/pixel_viewer.css"
    assert "core/shared.css" in styles
    assert all((FRONTEND / name).exists() for name in styles)
    scripts = re.findall(r'<link rel="modulepreload" crossorigin href="./static/js/(.*?)">', answer)
    assert scripts[0].startswith("BidiComponent.")
    page = head.STREAMLITS_PAGE.read_text()
    assert all((head.STREAMLITS_PAGE.parent / "static" / "js" / name).exists() and name not in page for name in scripts)


def test_a_streamlit_without_that_script_names_none(tmp_path: Path) -> None:
    assert head._streamlits(["BidiComponent"], tmp_path / "index.html") == ""


@pytest.mark.parametrize(
    ("path", "begins"), [("/", False), ("/below/", False), ("/draw", True), ("/pixel_attention", True)]
)
def test_imports_begin_with_every_page_but_home(path: str, begins: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[bool] = []
    monkeypatch.setattr(preload, "begin", lambda: begun.append(True))
    ask(path)
    ask("/static/js/index.js", accept="*/*")
    assert bool(begun) == begins


def test_other_pages_name_no_scripts() -> None:
    assert b"modulepreload" not in ask("/explorer")[1]


def test_the_explorer_of_an_own_model_names_the_viewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(own.TIMM, "test_vit")
    assert b"attnviz.pixel_viewer/pixel_viewer/pixel_viewer.js" in ask("/explorer")[1]


@pytest.mark.parametrize(("accept", "body"), [("*/*", (PAGE,)), ("text/html", (b"no head", b" at all"))])
def test_what_is_no_page_stays_as_it_is(accept: str, body: tuple[bytes, ...]) -> None:
    headers, answer = ask("/static/index.js", accept, body)
    assert answer == b"".join(body)
    assert headers == {"content-length": str(len(answer)), "etag": "1"}


def test_heights_that_the_rows_of_mechanisms_name_are_reserved() -> None:
    row = replace(MECHANISMS["element_wise"], heights={"one": Height(300), "two": Height(40, phone=900)})
    assert head._reserved([row]) == (
        ".st-key-one{min-height:calc(300 * var(--px))}.st-key-two{min-height:calc(40 * var(--px))}"
        "@media (max-width:700px){.st-key-two{min-height:900px}}"
    )
    _, answer = ask("/element_wise")
    assert b".st-key-stages{min-height:calc(612 * var(--px))}" in answer
