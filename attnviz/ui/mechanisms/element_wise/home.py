"""What the home page shows of element-wise attention: pictures of clothes, each a link to its stages."""

import numpy as np
import streamlit as st

from attnviz import cards, data
from attnviz.data import samples
from attnviz.ui.mechanisms.element_wise import MECHANISM
from attnviz.ui.shared import page

SOURCE = "fashion_mnist"


def show() -> None:
    """Draw a sample picture of each class; nothing where no model of them is here."""
    here = [name for name in cards.names() if name.split(".")[0] in MECHANISM.models]
    model = next((name for name in here if cards.read(name).recipe.data == SOURCE), None)
    if model is None:
        return
    st.markdown("**Ten pictures of clothes.** Click one to follow one of its pixels through every step of a layer.")
    few = samples.read(SOURCE)
    with st.container(key="digits_clothes", horizontal=True):
        for label, name in enumerate(data.DATASETS[SOURCE].classes):
            at = int(np.flatnonzero(few.labels == label)[0])
            picture = f"![sample picture: {name}]({page.png(few.images[at, :, :, 0])})"
            words = {"model": model, "data": SOURCE, "number": int(few.numbers[at])}
            page.link(MECHANISM.page, f"{picture} {name}", **words)
