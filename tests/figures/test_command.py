"""`attnviz figure`: from words to a file, and a sentence for each mistake."""

import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest
from PIL import Image

from attnviz import start
from attnviz.__main__ import main
from attnviz.errors import BadInput
from tests.figures import seen as small

APP = """
import http.server, signal, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())).encode())
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1].split("=")[1])), Answer).serve_forever()
"""
MODEL = f"{Path(small.__file__)}:of_a_command"


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    Image.fromarray(small.photo(40, 40)).save(tmp_path / "photo.png")
    return tmp_path / "photo.png"


def test_a_model_in_a_file_and_a_photograph(photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["figure", MODEL, str(photo), "--size", "24", "--query", "1,2", "--layers", "0,-1", "--heads", "0,mean"]
    for suffix in ("svg", "npz", "html"):
        assert main([*words, "-o", str(tmp_path / f"figure.{suffix}")]) == 0
    assert "row 2, column 3 over all keys, head 1 and the mean of 2 heads" in capsys.readouterr().out
    assert ">head 1</text>" in (tmp_path / "figure.svg").read_text()
    assert np.load(tmp_path / "figure.npz")["values_1"].shape == (2, 37)


def test_a_model_with_its_own_preprocessing(photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, path = f"{Path(small.__file__)}:with_preprocessing", tmp_path / "figure.npz"
    assert main(["figure", model, str(photo), "-o", str(path)]) == 0
    assert np.load(path)["grid_0"][:2].tolist() == [4, 6]
    assert main(["figure", MODEL, str(photo), "-o", str(path)]) == 2  # 224 pixels, which this model does not take
    assert "of_a_command does not take this picture: RuntimeError" in capsys.readouterr().err


def test_weights_of_timm_are_a_file_or_random(photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(photo), "-o", str(tmp_path / "figure.npz"), "--timm", "--weights"]
    assert main(["figure", "test_vit", *words, "random"]) == 0
    assert main(["figure", "test_vit", *words, "nowhere.safetensors"]) == 2
    assert "There is no file nowhere.safetensors" in capsys.readouterr().err


def test_view_opens_the_app_on_the_picture(
    photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[dict[str, str]] = []

    def answering(variables: dict[str, str], port: int | None, ready: Callable[[str], None]) -> int:
        given.append(variables)
        ready(f"http://127.0.0.1:{port}")
        return 0

    monkeypatch.setattr(start, "answering", answering)
    monkeypatch.setattr(webbrowser, "open", lambda url: given.append({"opened": url}))
    address = "http://127.0.0.1:8600/explorer?"
    with pytest.raises(SystemExit):
        main(["view", MODEL, str(photo), "--query", "5,7", "--port", "8600"])
    assert given[0] == {"ATTNVIZ_MODEL": MODEL, "ATTNVIZ_PHOTOS": str(photo.parent), "ATTNVIZ_WEIGHTS": ""}
    assert given[1] == {"opened": f"{address}photo=photo.png&query=6%2C8"}
    with pytest.raises(SystemExit):
        main(["view", "pixel_attention.1v8", "strokes:23", "--port", "8600", "--no-browser"])
    assert capsys.readouterr().out.splitlines()[-1] == f"{address}model=pixel_attention.1v8&data=strokes&number=23"
    assert len(given) == 3
    assert main(["view", MODEL, "nowhere.png"]) == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_the_app_ends_with_the_command_that_has_started_it(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "_command", lambda port: [sys.executable, "-c", APP, f"={port}"])
    port = start._free(8600)
    before = {
        signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: pytest.fail("nobody has ended the app")),
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),  # tests in the background ignore it
    }

    def ready(address: str) -> None:
        assert urlopen(address).read() == b"True", "Ctrl-C reaches the app, too"
        os.kill(os.getpid(), number)

    try:
        with pytest.raises(KeyboardInterrupt):
            start.answering({}, port, ready)
        with socket.create_server(("127.0.0.1", port)), pytest.raises(BadInput, match=f"Port {port} is in use"):
            start.answering({}, port, ready)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        pass


def test_a_checkpoint_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "figure.csv"
    assert main(["figure", "pixel_attention.1v8", "strokes:23", "-o", str(path)]) == 0
    assert "# command: attnviz" in path.read_text()


@pytest.mark.parametrize(
    ("model", "picture", "words"),
    [
        ("nothing.py:made", "photo", "There is no file nothing.py"),
        ("nobody.knows:made", "photo", "There is no module 'nobody.knows'"),
        (MODEL.replace("of_a_command", "of_a_comand"), "photo", "Did you mean 'of_a_command'?"),
        (f"{Path(small.__file__)}:photo", "photo", "returned ndarray; expected a torch module"),
        (MODEL, "nowhere.png", "nowhere.png cannot be read as a picture"),
        ("pixel_attention.1v8", "23", "DATASET:NUMBER, such as strokes:23, not '23'"),
    ],
)
def test_mistakes_are_said(
    model: str, picture: str, words: str, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = str(photo) if picture == "photo" else picture
    assert main(["figure", model, given, "-o", str(tmp_path / "figure.png")]) == 2
    assert words in capsys.readouterr().err
    assert main(["figure", model, given, "-o", str(tmp_path / "figure.jpg")]) == 2
    assert "saved as one of" in capsys.readouterr().err
