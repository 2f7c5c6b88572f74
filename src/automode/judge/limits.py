"""What a message says of the work as a whole: one thing only, no change, a bare yes, or a halt."""

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
_HALT = (
    r"^\W*(?:(?:no|oh|ok(?:ay)?|hey|actually|sorry|please|pls|hm+|but|well|um+|and|yeah|uh)\b\W*)*"
    r"(?:(?:stop|cancel|abort|skip)(?=\W*$|[,.!;:\u2014-]|\s+(?:it|that|this|there|everything|all|"
    r"please|pls|right|for|now|what|doing|working|here|them)\b)|"
    r"(?:leave|keep) (?:it|them|that|this|those)(?=\W*$|[,.!;]|\s+(?:as|for|there|alone|in)\b)|"
    r"wait(?!\s+(?:for|times?)\b)|hold (?:on|off|up|it|your)\b|hang on|pause|halt\b|"
    r"not (?:yet|now|so fast|today)|never ?mind|nvm|forget (?:it|that|about|what)|scratch that|"
    r"let['\u2019]?s not\b|(?:do not|don['\u2019]?t)(?: do)?(?: (?:it|that|so))?(?=\W*$|[,.!;])|"
    r"(?:i|we)(?:['\u2019]ve| have)? changed (?:my|our) minds?|on second thoughts?|"
    r"first(?:ly)?,? (?:show|let|tell|explain|check|look|run|do|make|fix|finish|test|see|read|list|"
    r"give|i|we|please|review|verify|clarify|answer|discuss|wait)\b(?!.*\bthen\b)|"
    r"before (?:that|doing)\b|no(?=\W*$)|nope|scrap (?:it|that)|"
    r"warte|stopp?(?=\W*$)|noch nicht|doch nicht|lass (?:es|das)|espera|todavía no|para(?=\W*$)|"
    r"attends|pas encore|arrête(?=\W*$)|подожди|стоп|не надо)|^\W*(?:等|停|先别|别|待って|まだ)"
)
_HALTS = re.compile(_HALT, re.IGNORECASE)
_BARE_HALT = re.compile(rf"(?:{_HALT})(?:[\s,.!]+[\w'\u2019]+){{0,4}}\W*$", re.IGNORECASE)
_LOOKS = re.compile(r"\b(?:repo(?:s|sitor(?:y|ies))?|code ?base|project)\b", re.IGNORECASE)
_DOES = re.compile(
    r"\b(?:run|build|test|install|fix|add|mak|writ|chang|updat|refactor|implement|creat|set ?up|"
    r"start|execut|improv|compil|lint|verif|try|deploy|commit|push|get|debug|reproduc|remov|delet|"
    r"mov|ensur|sure|pass|bench|do (?:it|the|this|that|not|a)|if|init|new|fork|publish|releas|"
    r"migrat|convert|upgrad|bump|config|clean|renam|continu|need|want|should|must|error|fail|bug|"
    r"broken|work)\w*",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:no|not|\w+n['\u2019]t|dont|stop|wait|hold|pause|halt|cancel|abort|later|yet|myself|"
    r"rather|never ?mind|keep(?! going| on)|still need|before|unsure|think about|doubt\w*|wrong|"
    r"mistake|ignore (?:it|that)|take (?:it|over) from here|alone|postpone|undo|meant|"
    r"decided against|nicht|nein|noch|warte|espera|todavía|pas|attends|нет|не|подожди)\b|别|不|等",
    re.IGNORECASE,
)
_SUGGESTS = re.compile(r"\b(?:can|could|should|shall) (?:we|you|i)\b", re.IGNORECASE)
SHORT = 40
LONGEST_LIMIT = 600  # in a long text `only` is about something else


def limits(message: str) -> bool:
    """Whether the user wants one thing and nothing beside it."""
    return len(message) <= LONGEST_LIMIT and _LIMITED.search(message) is not None


def wants_no_change(message: str) -> bool:
    return len(message) <= LONGEST_LIMIT and _NO_CHANGE.search(message) is not None


def only_looks(message: str) -> bool:
    """Whether all that the user wants is to learn what a project is."""
    short = len(message) <= LONGEST_LIMIT
    return short and bool(_LOOKS.search(message)) and not _DOES.search(message)


def affirms(message: str) -> bool:
    return _BARE.match(message) is not None


def takes_back(message: str) -> bool:
    """Whether it stops, or puts something before, what was asked for earlier."""
    return _HALTS.search(message) is not None


def halts(message: str) -> bool:
    """Whether it says nothing but that."""
    return _BARE_HALT.search(message) is not None and "then" not in message


def doubts(message: str) -> bool:
    """Whether a short answer has a word in it that may take back what was asked for earlier."""
    if len(message) > SHORT or not _DOUBTS.search(message):
        return False
    return "?" not in message or _SUGGESTS.search(message) is not None
