"""Cuts long text in its middle: what it is stands at its head, what it ends in at its tail."""

_HEAD_SHARE = 0.65


def cut_in_the_middle(text: str, limit: int) -> str:
    """At most `limit` characters of `text`, and a mark that says how many are missing."""
    if len(text) <= limit:
        return text
    head, tail = ends(limit)
    return joined(text[:head], text[len(text) - tail :], len(text) - limit)


def ends(limit: int) -> tuple[int, int]:
    """How many characters of the head and of the tail stay."""
    head = int(limit * _HEAD_SHARE)
    return head, limit - head


def joined(head: str, tail: str, missing: int) -> str:
    return f"{head}…[{missing} characters cut]…{tail}"
