"""The visitor's own model, for every page that runs it: one call at a time, with its errors shown as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from attnviz.errors import AttnvizError, BadInput
from attnviz.subjects import Net, own
from attnviz.ui.shared import cache, threads
from attnviz.work.queue import LISTEN

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.arrays import Bytes


def is_own(net: Net) -> bool:
    """Return whether a net is the visitor's own model."""
    return net.architecture == own.ARCHITECTURE


def wait_until_built() -> None:
    """Wait until the model that the server was started with, if any, is built, and show a spinner meanwhile."""
    if own.there() and not own.is_built():
        with st.spinner("Your model is being built."):
            own.own()


def batch_of(mine: own.Own, picture: Bytes) -> Tensor:
    """Return a picture preprocessed for the model, as a batch of one."""
    from PIL import Image

    pixels = picture if picture.shape[2] == 3 else np.repeat(picture[..., :1], 3, 2)
    return mine.loaded.batch(Image.fromarray(pixels))


@contextmanager
def running(mine: own.Own) -> Iterator[None]:
    """Hold the model exclusively, and turn any exception from third-party code into one sentence."""
    while not mine.lock.acquire(timeout=LISTEN):
        cache.wanted()
    try:
        threads.free_ones()
        yield
    except AttnvizError:
        raise
    except Exception as error:
        raise BadInput(f"{mine.net.title} does not take this picture: {type(error).__name__}: {error}") from error
    finally:
        mine.lock.release()
