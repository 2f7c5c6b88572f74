"""The files of words: every pattern compiles, and code and files name the same things."""

import re
from pathlib import Path

import automode.judge
from automode.judge.words import patterns, read_words, word_lists
from tests.rows import each_row

ROOM = Path(automode.judge.__file__).parent
SOURCES = {str(path.relative_to(ROOM)): path.read_text() for path in ROOM.rglob("*.py")}
TOPICS = sorted(path.stem for path in (ROOM / "words").glob("*.toml"))
BOUND = re.compile(r"^(\w+) = (patterns|word_lists)\(\"(\w+)\"\)", re.MULTILINE)


@each_row("topic", TOPICS)
def test_every_entry_of_a_file_can_be_read(topic: str) -> None:
    tables = read_words(topic)

    if topic != "deeds":
        assert all(word_lists(topic).__getattr__(name) for name in tables.get("words", ()))
    if topic != "unread_scripts":
        assert all(patterns(topic).__getattr__(name) for name in tables.get("patterns", ()))


@each_row("module", SOURCES)
def test_every_name_that_code_asks_for_is_there(module: str) -> None:
    for variable, kind, topic in BOUND.findall(SOURCES[module]):
        table = read_words(topic)["patterns" if kind == "patterns" else "words"]
        asked = re.findall(rf"(?<![\w.]){variable}\.(\w+)", SOURCES[module])

        assert set(asked) <= set(table), topic


def test_nothing_in_the_files_is_left_unused() -> None:
    code = "\n".join(SOURCES.values())
    files = "\n".join((ROOM / f"words/{topic}.toml").read_text() for topic in TOPICS)
    named = [
        (topic, name)
        for topic in TOPICS
        for table in ("patterns", "words")
        for name in read_words(topic).get(table, ())
        if topic not in ("deeds", "unread_scripts", "needs")
    ]

    assert [one for one in named if f".{one[1]}" not in code and f"%{one[1]}%" not in files] == []
