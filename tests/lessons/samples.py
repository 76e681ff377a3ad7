"""A small lesson that has everything, and what it may name."""

from attnviz.errors import UnknownName
from attnviz.lessons import Known

TERMS = ("attention-head", "query")


def anchor(name: str) -> str:
    """Return the name of a term in links."""
    if name.replace(" ", "-") not in TERMS:
        raise UnknownName("term in the glossary", name, TERMS)
    return name.replace(" ", "-")


KNOWN = Known({"": "Home", "look": "Look", "draw": "Draw"}, anchor, {"viewer": ("answer", "weight")})

TEXT = """---
title: Everything
minutes: 3
level: all
objectives:
  - Read it.
believed: It is long.
against: It is short.
---

## First

:::{view} look?number=23&query=12,13
:frame: viewer.pair
:::

The answer is {shown}`8 <viewer.answer>`, of *one* {term}`attention head`, for {query}`its query`, $q \\cdot k$.

- a list
- of two

:::{exercise}
:check: key is set and viewer.weight > 0.5
Lock a key.
:::

:::{hint}
Click.
:::

:::{solution}
:view: ?key=3,3
The weight is {shown}`0.75 <viewer.weight>`.
:::

## Second

:::{view} ?head=2
:::

Which [page](draw) is it?

:::{exercise}
Choose.

- [ ] The first

  No, *not* that one.
- [x] The second
:::

## Third

Count.

:::{exercise}
:number: 0.25 <viewer.weight>
:within: 0.1
How large is it?
:::

:::{keypoints}
- It works.
:::
"""
