"""How secrets are found: marks, names, overlaps, time, and a maintained scanner as referee."""

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from itertools import cycle, islice, pairwise
from re import _parser  # type: ignore[attr-defined]

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automode.classifier.redaction import Redactor
from automode.classifier.secret_formats import (
    Format,
    _format,
    find_secrets,
    formats,
    kind,
    secret_name,
    secret_value,
)
from tests.rows import each_row, either, rows, texts

# Not here: what we find by the name of a setting, and patterns too vague to replace by shape alone.
PLUGINS = (
    *("azure_storage_key", "discord", "github_token", "gitlab_token", "mailchimp", "openai"),
    *("pypi_token", "sendgrid", "slack", "square_oauth", "stripe", "twilio"),
)
SHORTEST_TOKEN = 13  # characters; what the referee calls a secret may be shorter
ASCII = st.characters(codec="ascii")
TOKEN = "ghp_" + "a1B2" * 9
TWICE = "glpat-" + "a1B2" * 7 + ".01." + "a1b2c3d4e"

# Hypothesis cannot make up what stands before a place that looks back.
FORMATS = [form for form in formats() if "(?<=" not in form.pattern and "(?=" not in form.pattern]


def denylists() -> Iterator[tuple[str, re.Pattern[str]]]:
    for plugin in PLUGINS if find_spec("detect_secrets") else ():
        module = __import__(f"detect_secrets.plugins.{plugin}", fromlist=["x"])
        classes = [one for one in vars(module).values() if isinstance(one, type)]
        for detector in (one for one in classes if one.__module__ == module.__name__):
            yield from ((plugin, pattern) for pattern in getattr(detector, "denylist", ()))


@each_row("plugin, pattern", list(denylists()))
def test_what_the_referee_calls_a_secret_is_replaced(plugin: str, pattern: re.Pattern[str]) -> None:
    @settings(max_examples=15)
    @given(st.from_regex(pattern.pattern, fullmatch=True, alphabet=ASCII))
    def check(secret: str) -> None:
        shown = Redactor(b"k").text(f"value {secret} end")
        assert "[secret:" in shown or len(secret) < SHORTEST_TOKEN, secret

    check()


@given(st.data(), st.sampled_from(FORMATS))
def test_what_fits_a_pattern_is_found_by_its_mark(data: st.DataObject, form: Format) -> None:
    pattern = re.compile(form.pattern, re.ASCII)
    text = data.draw(st.from_regex(pattern, fullmatch=True, alphabet=ASCII))
    match = pattern.fullmatch(text)

    found = find_secrets(text)

    only_words = match is not None and re.fullmatch(r"[A-Z]?[a-z_.\-]*", match[1])
    assert found or only_words, form.name


@given(st.text(max_size=200), st.text(max_size=200))
def test_whatever_stands_around_a_secret_it_is_found(before: str, after: str) -> None:
    shown = Redactor(b"k").text(f"{before} {TOKEN} {after}")

    assert TOKEN not in shown


FOUND: tuple[tuple[str, list[tuple[str, str]]], ...] = (
    (f"x {TOKEN} y", [("github-token", TOKEN)]),
    # what several formats cover together is one secret
    (f"x {TWICE} y", [("gitlab-pat-routable-versioned", TWICE)]),
    (f"İİİ {TOKEN}", [("github-token", TOKEN)]),  # a letter that grows when made small
    ("twitter_key = " + "a1" * 12 + "b", [("twitter-api-key", "a1" * 12 + "b")]),
    ("TWITTER_KEY: '" + "A1" * 12 + "B'", [("twitter-api-key", "A1" * 12 + "B")]),
    ("twitter" + " " * 30 + "= " + "a1" * 12 + "b", []),  # too far away
    ("twitter_key = " + "a1" * 13, []),  # too long
    ("twitter_key = " + "a" * 25, []),  # a word
    ("sk-" + "the-name-of-a-style-sheet-class", []),
    ("prf_" + "read_performance_counter_of_a_core", []),
)


@each_row("text, expected", FOUND)
def test_what_is_found_and_under_which_name(text: str, expected: list[tuple[str, str]]) -> None:
    found = [(one.name, text[one.start : one.stop]) for one in find_secrets(text)]

    assert found == expected


def test_no_secret_lies_within_another() -> None:
    text = " ".join((TOKEN, "sk-" + TOKEN, "discord=" + "a1" * 16, TOKEN * 3))

    found = find_secrets(text)

    assert len(found) >= 4
    assert all(one.stop <= other.start for one, other in pairwise(found))


@pytest.mark.parametrize("row", [[], ["name"], ["name", "mark", "pattern"], {"name": 1}, None])
def test_a_table_that_cannot_be_read_is_an_error_and_not_an_empty_table(row: object) -> None:
    with pytest.raises(ValueError, match="no secret format"):
        _format(row)


def test_the_licences_of_the_source_go_with_the_table() -> None:
    notice = files("automode.classifier").joinpath("secret_formats.NOTICE.txt").read_text()

    for words in ("Betterleaks", "Zachary Rice", "Google LLC", "MongoDB", "Apache License"):
        assert words in notice
    assert "Permission is hereby granted, free of charge" in notice


def test_every_format_has_one_group_and_a_name_for_its_placeholder() -> None:
    name = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

    assert [one.name for one in formats() if re.compile(one.pattern).groups != 1] == []
    assert [one.name for one in formats() if not name.fullmatch(one.name)] == []
    assert [one.name for one in formats() if not one.marks] == []


def _many(times: object) -> bool:
    return isinstance(times, int) and times > 400


def unbounded_and_backtracking(pattern: str) -> list[object]:
    """Repeats that may give back what they took, without a small upper bound."""
    found: list[object] = []

    def walk(items: object) -> None:
        if isinstance(items, (_parser.SubPattern, list, tuple)):
            for item in items:
                walk(item)
        match items:
            case (name, (_, most, _)) if str(name) in _BACKTRACKING and _many(most):
                found.append(items)

    walk(_parser.parse(pattern))
    return found


_BACKTRACKING = ("MAX_REPEAT", "MIN_REPEAT")


def test_no_format_backtracks_without_bound() -> None:
    assert len(formats()) > 400
    assert [one.name for one in formats() if unbounded_and_backtracking(one.pattern)] == []


def _mark_as_written(form: Format) -> str:
    """In the case that the pattern asks for, as far as it can be seen from outside."""
    found = re.search(re.escape(re.escape(form.marks[0])), form.pattern, re.IGNORECASE)
    return re.sub(r"\\(.)", r"\1", found[0]) if found else form.marks[0]


@pytest.mark.slow
@each_row("form", formats())
def test_a_flood_of_what_almost_fits_is_searched_once(form: Format) -> None:
    """Takes minutes if every place is searched to the end."""
    mark = _mark_as_written(form)

    for piece in (mark, mark + "a", mark + "=", mark + " = 'A1", mark + "a1." * 9):
        assert find_secrets(piece * (50_000 // len(piece)) + "\0") is not None


NEAR_MISSES = (
    *("eyJ", "eyJ=", "eyJa.", "glpat-", "glpat-" + "a" * 26, "netlify=", "netlify=a1", "discord "),
    *("amplitude key ", "influx token ", "cloudinary secret ", "M" * 24 + ".", "a1" * 16 + "-us"),
    *("00", ".", "|", "123456789:AA", "AccountKey=", "https://a.webhook.office.com/", "incoming+a"),
    *("xapp-1-A-1-", "xoxe.", "sntrys_eyJpYXQiO", "mercury_production_abc_", "key=" * 3),
)


@each_row("piece", NEAR_MISSES)
def test_a_megabyte_of_near_misses_is_searched_once(piece: str) -> None:
    """Takes hours if every place is searched to the end."""
    assert Redactor(b"k").text(piece * (1_000_000 // len(piece)) + "\0")


PASSWORD = "swordfish"  # a word: only its place gives it away


@each_row("text", texts("classifier", "passwords-handed-over"))
def test_a_password_is_replaced(text: str) -> None:
    shown = Redactor(b"k").text(text.replace("@", PASSWORD))

    assert PASSWORD not in shown
    assert "[secret:" in shown


@each_row("text", texts("classifier", "passwords-none"))
def test_the_same_letter_elsewhere_is_none(text: str) -> None:
    assert Redactor(b"k").text(text) == text


FLOODS = [f"{form.marks[0]} " * 60 + "-" for form in formats() if form.placed]


@each_row("piece", [*FLOODS, 'zip "', "docker --a ", "htpasswd -b a "])
def test_a_flood_of_programs_is_searched_once(piece: str) -> None:
    """Takes half a minute if every program reads what follows all of them."""
    assert Redactor(b"k").text(piece * (400_000 // len(piece)))


@each_row("name, tells", either("classifier", "secret-names", "harmless-names"))
def test_a_name_that_says_so_is_a_secrets_and_one_that_only_looks_so_is_not(
    name: str, tells: bool
) -> None:
    assert bool(secret_name(name)) is tells


KINDS = (("DB_PASS", "password"), ("api-key", "key"), ("authToken", "token"), ("X_AUTH", "secret"))


@pytest.mark.parametrize(("name", "expected"), KINDS)
def test_a_placeholder_says_which_kind_it_stands_for(name: str, expected: str) -> None:
    assert kind(name) == expected


@each_row("name, value, expected", rows("classifier", "secret-values"))
def test_what_can_be_a_secret(name: str, value: str, expected: bool) -> None:
    assert secret_value(name, value) is expected


ALPHABETS = {
    "hexa": "9f3a7c1e5b2d8046",
    "mixed": "a9Kd3Zq7Rb1Xw5Ty8Lm2",
    "large": "Q7XK2MZ5RT3WNB4P",
    "small": "k3x9q7zb2m5w8tn4",
    "digits": "4829173650",
    "letters": "aKdZqRbXwTyLmNoP",
    "base64": "aB3+xY7/kL9mQ2w0",
}


def sample(text: str) -> str:
    """`<hexa 8>` are eight letters of that alphabet: no file holds a whole secret."""

    def run(match: re.Match[str]) -> str:
        return "".join(islice(cycle(ALPHABETS.get(match[1], match[1])), int(match[2])))

    return re.sub(r"<(\w+) (\d+)>", run, text)


SAMPLES = [
    sample(text)
    for table in ("secret-samples", "secret-samples-more")
    for text in texts("classifier", table)
]


@each_row("secret", SAMPLES)
def test_a_sample_is_replaced_wherever_it_stands(secret: str) -> None:
    tail = secret[-9:]  # the address before a secret may stay
    for text in (
        secret,
        f"x '{secret}' y",
        f"curl -d {secret}; ls",
        f"a\n{secret}\nb",
        f"({secret})",
    ):
        shown = Redactor(b"k").text(text)

        assert tail not in shown
        assert "[secret:" in shown


@each_row("secret", SAMPLES)
def test_two_with_one_space_between_them_are_both_found(secret: str) -> None:
    assert len(find_secrets(f"{secret} {secret}")) == 2 * len(find_secrets(secret)) > 0
