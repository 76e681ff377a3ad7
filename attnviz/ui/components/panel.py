"""What the panel of a model on the draw page shows: which derived value, and which JavaScript module draws it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from attnviz.errors import BadInput

MAP = "map"  # the name of the requested value in every request of a panel


@dataclass(frozen=True)
class Panel:
    """What a panel shows.

    Args:
        title, kind: the name of the model, and what distinguishes it from others of that name; short.
        renderer: what draws it: "share" (multiples of an even share), "signed" (values around zero), "stages" (those
            of several layers), "bars" (a value per channel) or "ink" (the picture itself), which are modules of
            `frontend/panels/`. One that a single mechanism needs is named as a module of `frontend/`, "FOLDER/FILE.js";
            another package names a module of its own as "PACKAGE.COMPONENT/FILE.js", of a component that the row of
            its mechanism names.
        says: what is drawn, in words; "{answer}" stands for the answer, "{most}" for the largest absolute value.
        wanted: what the live channel is asked for besides the answer, such as {"derived": "added_by_pixel"}; for a
            head, the panel fills in its number.
        rows, columns, prefix: how the values lie on the picture, for a renderer that draws them as a map.
        heads: among which the visitor chooses; 0 where there are none. It is the parameter "head" of what is wanted.
        page: the URL of the page that looks into the model; "" where there is none.
        options: further plain JSON values for the renderer. "boxes", as `Grid.boxes` has them: where the values of
            a map lie, if they do not cover the picture side by side. "groups" and "range", for bars: how many stand in
            each strip, and what they reach to, as a `Role` says it.

    Raises:
        BadInput: a field has another type, or JSON cannot say it.
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
            raise BadInput(f"A panel has texts, numbers from 0 and objects with named values, not {self!r:.300}.")
        try:
            json.dumps([dict(one) for one in objects], allow_nan=False)
        except (TypeError, ValueError) as error:
            raise BadInput(f"JSON cannot say what the panel {self.title!r:.100} wants, or its options.") from error
