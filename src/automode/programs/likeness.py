"""Rows that are like another row of the same file, as they are written."""

from collections.abc import Mapping

from automode.programs.row import OPTION_KEYS, BadRow, each_option, option_names, split_option


def with_more(base: Mapping[str, object], keys: Mapping[str, object]) -> dict[str, object]:
    """A row with `more` has the options of the row that it is like, and those. What it says of an
    option goes before what the other row says."""
    whole = {**base, **keys}
    if "more" not in keys:
        return whole
    style = str(whole.get("style", ""))
    own = {
        name
        for key in ("more", *OPTION_KEYS)
        for name in option_names(str(keys.get(key, "")), style)
    }
    for key in ("options", *OPTION_KEYS):
        if key in base and key not in keys:
            words = (one for word in str(base[key]).split() for one in each_option(word, style))
            whole[key] = " ".join(one for one in words if split_option(one)[0] not in own)
    return {**whole, "options": f"{whole.get('options', '')} {keys['more']}"}


def inherited(
    family: str, given: Mapping[str, Mapping[str, object]], keys: Mapping[str, object]
) -> dict[str, object]:
    """The keys of the row that this one is `like`."""
    like = keys.get("like")
    if like is None:
        return {}
    if not isinstance(like, str) or like not in given:
        raise BadRow(f"`{family}.toml`: there is no row `{like}` to be like")
    left = {key: one for key, one in given[like].items() if key not in ("also", "examples")}
    return {**inherited(family, given, given[like]), **left}
