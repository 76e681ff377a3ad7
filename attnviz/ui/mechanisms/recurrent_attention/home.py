"""What the home page shows of recurrent attention: ten digits, each a link to the path over it."""

import numpy as np
import streamlit as st

from attnviz import cards, data
from attnviz.ui.mechanisms.mechanism import Mechanism
from attnviz.ui.shared import page

PREFERRED = "recurrent_attention.digits"
CLASSES = tuple("0123456789")
FEW = 256  # pictures among which one of each class is found


def show(mechanism: Mechanism) -> None:
    """Draw a picture of each digit; nothing where no model of them is here."""
    known = [name for name in cards.names() if name.split(".")[0] in mechanism.models]
    digits = [name for name in known if cards.read(name).classes == CLASSES and _takes_digits(name)]
    if not digits:
        return
    model = PREFERRED if PREFERRED in digits else digits[0]
    st.markdown("**Ten drawn digits.** Click one to watch a model look at it in six glimpses.")
    images, labels = data.load("strokes", "test", count=FEW)
    with st.container(key="digits_glimpses", horizontal=True):
        for label, name in enumerate(CLASSES):
            at = int(np.flatnonzero(labels == label)[-1])  # not one of the first, which pixel attention shows
            picture = f"![a drawn {name}]({page.png(images[at, :, :, 0])})"
            page.link(mechanism.page, f"{picture} {name}", model=model, data="strokes", number=at)


def _takes_digits(name: str) -> bool:
    return data.DATASETS[cards.read(name).recipe.data].shape == data.DATASETS["strokes"].shape
