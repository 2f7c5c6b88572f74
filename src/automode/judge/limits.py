"""What a message says of the work as a whole: one thing only, no change at all, or a bare yes."""

import re

_BARE = re.compile(
    r"^\W*(?:y|yes|yep|yeah|yup|sure|ok(?:ay)?|k|go(?: ahead| on)?|do (?:it|that|this|so)|proceed|"
    r"continue|please(?: do| continue)?|sounds good|lgtm|perfect|great|good|thanks?|approved?|next|"
    r"keep going|carry on|ja|oui|s[ií]|da|hai|好的?|はい|继续|\d{1,2}|[a-d])"
    r"(?:[\s,.!]+\w+){0,4}\W*$",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"\b(?:only|solely|exclusively|nothing (?:else|more)|no more than|"
    r"anything (?:else|but|except)|leave (?:everything|the rest|all) (?:else )?(?:alone|as)|"
    r"that's (?:it|all)|no changes outside|únicamente|solamente|"
    r"sólo|nur|ausschließlich|seulement|uniquement|apenas|somente|soltanto|только)\b|只",
    re.IGNORECASE,
)
_NO_CHANGE = re.compile(
    r"\bread-?only\b|\b(?:change|modify|edit|touch|write) nothing\b|"
    r"\b(?:no|without(?: any)?) (?:code |file )?(?:changes|edits|modifications)\b|"
    r"\b(?:do not|don['\u2019]?t|dont) (?:change|modify|edit|touch|write) "
    r"(?:anything|any ?thing|any (?:code|files?)|files|code)\b"
    r"(?! (?:else|but|except|other|outside))",
    re.IGNORECASE,
)
LONGEST_LIMIT = 600  # in a long text `only` is about something else


def limits(message: str) -> bool:
    """Whether the user wants one thing and nothing beside it."""
    return len(message) <= LONGEST_LIMIT and _LIMITED.search(message) is not None


def wants_no_change(message: str) -> bool:
    return len(message) <= LONGEST_LIMIT and _NO_CHANGE.search(message) is not None


def affirms(message: str) -> bool:
    return _BARE.match(message) is not None
