"""Describes the first fault of a request in plain words."""

from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

RESERVED = ("logits", "probabilities", "seen")  # arrays of every answer; requested values may not use these names


def first(error: ValidationError, given: Any) -> str:
    """Return a sentence on the first fault of a request, and its position."""
    found = error.errors()[0]
    place = []
    for step in found["loc"]:  # some are Pydantic's tags of the union member it chose
        inside = isinstance(given, dict) and step in given or isinstance(given, list) and step in range(len(given))
        if inside or (found["type"] == "missing" and step == found["loc"][-1]):
            place.append(str(step))
        given = given[step] if inside else given
    return f"{'.'.join(place)[:200] or 'its header'} {_wrong_with(found)}."


def _wrong_with(error: "ErrorDetails") -> str:
    sentence, context = _WRONG.get(error["type"], "cannot be used"), error.get("ctx", {})
    return sentence.format(**context)


_WRONG = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "list_type": "must be a list",
    "dict_type": "must be an object with named values",
    "model_type": "must be an object with named values",
    "literal_error": "must be {expected}",
    "union_tag_invalid": "must be one of {expected_tags}",
    "union_tag_not_found": "does not name its kind, in {discriminator}",
    "string_pattern_mismatch": "is not a name that can be used here",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be below {lt}",
    "too_short": "must have at least {min_length}, not {actual_length}",
    "too_long": "may have at most {max_length}, not {actual_length}",
    "value_error": f"cannot be requested: {', '.join(RESERVED)} are names that every answer uses",
}
"""Pydantic's error types -> a description in plain words, in which the values of "ctx" are filled in."""
