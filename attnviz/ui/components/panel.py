"""A model's panel on the draw page: the derived value to show, and the JavaScript module that draws it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from attnviz.errors import BadInput

MAP = "map"  # name of the requested value in every panel request


@dataclass(frozen=True)
class Panel:
    """The contents of a panel.

    Args:
        title, kind: The model's name, and what distinguishes it from others of that name; short.
        renderer: The renderer: "share" (multiples of an even share), "signed" (values around zero), "stages" (those of
            several layers), "bars" (a value per channel) or "ink" (the picture itself), which are modules of
            `frontend/panels/`. A renderer for a single mechanism is named as a module of `frontend/`, "FOLDER/FILE.js";
            another package names its own module as "PACKAGE.COMPONENT/FILE.js", of a component that the row of its
            mechanism names.
        says: A description of the picture; "{answer}" stands for the answer, "{most}" for the largest absolute value.
        wanted: The request to the live channel besides the answer, such as {"derived": "added_by_pixel"}; for a head,
            the panel fills in its number.
        rows, columns, prefix: The layout of the values on the picture, for a renderer that draws them as a map.
        heads: The number of heads to choose from, 0 if there are none; the choice is the parameter "head" of `wanted`.
        page: The URL of the page that explores the model, or "".
        options: Further plain JSON values for the renderer. "boxes", as in `Grid.boxes`, are the positions of a map's
            values if they do not cover the picture side by side. "groups" and "range", for bars, are the number in each
            strip and the range of the values, as in a `Role`.

    Raises:
        BadInput: A field has the wrong type, or cannot be written as JSON.
    """

    title: str
    kind: str
    renderer: str
    says: str
    wanted: Mapping[str, Any] = field(default_factory=dict)
    rows: int = 0
    columns: int = 0
    prefix: int = 0
    heads: int = 0
    page: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        texts = (self.title, self.kind, self.renderer, self.says, self.page)
        numbers = (self.rows, self.columns, self.prefix, self.heads)
        objects = (self.wanted, self.options)
        right = all(isinstance(one, str) for one in texts) and all(isinstance(one, Mapping) for one in objects)
        if not right or not all(isinstance(one, int) and one >= 0 for one in numbers):
            raise BadInput(f"A panel takes texts, numbers from 0 and objects with named values, not {self!r:.300}.")
        try:
            json.dumps([dict(one) for one in objects], allow_nan=False)
        except (TypeError, ValueError) as error:
            raise BadInput(f"JSON cannot say what the panel {self.title!r:.100} wants, or its options.") from error
