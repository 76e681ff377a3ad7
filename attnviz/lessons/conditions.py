"""The conditions of tasks, which the page must meet before a task counts as done.

    query is 12,13                                 a field of the URL
    viewer.answer is not 8 and off is set          a value that a component declares, and a field of the URL
    pixel_viewer.share > 5

A name without a dot is a field of the URL, which omits defaults; a name with a dot is COMPONENT.VALUE.
`frontend/lessons/progress.js` evaluates them.
"""

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches

from attnviz.errors import BadInput, closest
from attnviz.lessons.languages import DEFAULT, LANGUAGES, Language
from attnviz.lessons.lesson import Condition

RELATIONS = ("is not set", "is set", "is not", "is", "contains", "changed", "<=", ">=", "<", ">")
ALONE = ("is set", "is not set", "changed")  # these do not take a value

_ALIKE = 0.8  # the similarity of a misspelt component to the right one; components of other packages are less similar

_NAME = r"[A-Za-z_]\w{0,39}(?:\.[a-z_]\w{0,39}){0,2}"
_ONE = re.compile(
    rf"(?P<name>{_NAME})\s+(?P<relation>{'|'.join(re.escape(one) for one in RELATIONS)})(?:\s+(?P<value>\S.*))?",
    re.ASCII,
)


def read(words: str, declared: Mapping[str, Collection[str]], language: Language = LANGUAGES[DEFAULT]) -> Condition:
    """Parse conditions joined by "and", which must all hold. BadInput: one is invalid, or its component does not
    declare the value.
    """
    found = []
    for one in re.split(r"\s+and(?:\s+|$)", words.strip()):
        parts = _ONE.fullmatch(one)
        if not parts or (parts["relation"] in ALONE) is not (parts["value"] is None):
            raise BadInput(
                f"A condition is such as 'query is 12,13' or 'pixel_viewer.share > 5', with one of "
                f"{', '.join(RELATIONS)}, not {one[:60]!r}."
            )
        name, relation, value = parts["name"], parts["relation"], (parts["value"] or "").strip()
        check_name(name, declared)
        plain, meant = language.plain(value), language.repaired(value)
        if relation[0] in "<>" and plain is None:
            hint = f" Write {meant}." if meant else ""
            raise BadInput(f"Only numbers can be compared with {relation}, and {value[:60]!r} is not a number.{hint}")
        if relation[0] in "<>" and plain is not None:
            value = plain
        found.append([name, relation, value])
    return found


def check_name(name: str, declared: Mapping[str, Collection[str]]) -> None:
    """Refuse a name COMPONENT.VALUE whose component does not declare the value or is misspelt. A name without a dot is
    a field of the URL and passes.
    """
    component, dot, value = name.partition(".")
    if dot and component not in declared and get_close_matches(component, declared, 1, _ALIKE):
        raise BadInput(f"There is no component {component!r}. {closest(component, declared)}")
    if dot and component in declared and value not in declared[component]:
        raise BadInput(f"{component} declares no value {value!r}. {closest(value, declared[component])}")


def holds(check: Condition, words: Mapping[str, str], before: Mapping[str, str] | None = None) -> bool | None:
    """Return whether conditions hold for a URL and the URL at the start of the step, or None if that depends on a
    component, whose values only a browser knows.
    """
    before = words if before is None else before
    known = [_holds((one[0], one[1], one[2]), words, before) for one in check if "." not in one[0]]
    if not all(known):
        return False
    return True if len(known) == len(check) else None


def _holds(one_of: tuple[str, str, str], words: Mapping[str, str], before: Mapping[str, str]) -> bool:
    name, relation, value = one_of
    found = words.get(name, "")
    if relation in ("is set", "is not set") or not found:
        return (found != "") is (relation == "is set") and relation in ("is set", "is not set")
    if relation == "changed":
        return name in before and before[name] != found
    if relation in ("is", "is not"):
        return (found == value) is (relation == "is")
    if relation == "contains":
        return value in found.split(",")
    try:
        one, other = float(found), float(value)
    except ValueError:
        return False
    return {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[relation]
