"""Zips from anywhere, which are refused if their list of members is too large for memory."""

import struct

from attnviz.errors import BadInput

_END = struct.Struct("<4s4H2LH")
_EACH = 160  # bytes in the list, of a member with a long name


def check_directory(content: bytes, most: int, what: str) -> None:
    """Look at the end of a zip before its list of members is read, each of which would take a hundred times its bytes.

    Args:
        content: of the file.
        most: so many members it may have.
        what: they are called.

    Raises:
        BadInput: it has more.
    """
    at = len(content) - _END.size
    if at < 0 or not (content.startswith(b"PK\5\6", at) and content.endswith(b"\0\0")):
        at = content.rfind(b"PK\5\6", max(0, at - 2**16))
    if at < 0 or at + _END.size > len(content):
        return  # it is no zip, which its reader reports
    count, size = _END.unpack_from(content, at)[4:6]
    if count > most or size > _EACH * most or content[max(0, at - 20) :].startswith(b"PK\6\7"):
        raise BadInput(f"The file holds too many members: at most {most:,} {what} are read.")
