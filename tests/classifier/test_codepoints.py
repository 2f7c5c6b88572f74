"""The tables, held against what Python knows of Unicode."""

import re
import sys
import unicodedata

from automode.classifier.hygiene import (
    CONTROLS,
    IGNORABLE,
    LINE_SEPARATORS,
    SURROGATES,
    UNSEEN,
    any_spelling,
    character_class,
)

TABLES = (IGNORABLE, UNSEEN, CONTROLS, LINE_SEPARATORS, SURROGATES)
COVERED = re.compile(f"[{character_class(*TABLES)}]")


def test_every_format_control_and_separator_is_in_a_table() -> None:
    hidden = {"Cf", "Cc", "Cs", "Zl", "Zp"}
    missing = [
        f"U+{code:04X}"
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in hidden
        and chr(code) not in "\t\n"
        and not COVERED.match(chr(code))
    ]

    assert missing == []


def test_no_letter_with_ink_is_in_a_table() -> None:
    printable = "aZ0 é中あ한אع🙂|<>{}"

    assert COVERED.search(printable) is None


def test_a_word_is_found_in_look_alike_letters() -> None:
    assert re.fullmatch(any_spelling("record"), "r\u0435c\u043erd")
    assert not re.fullmatch(any_spelling("record"), "retort")
