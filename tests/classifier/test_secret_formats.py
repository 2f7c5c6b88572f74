"""The table of formats: its samples, its speed, and a maintained scanner as referee."""

import re
from collections.abc import Iterator
from importlib.util import find_spec
from re import _parser  # type: ignore[attr-defined]

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from automode.classifier.redaction import Redactor
from automode.classifier.secret_formats import FORMATS, SHORTEST_TOKEN, Format

# Not here: what we find by the name of a setting, and patterns too vague to replace by shape alone.
PLUGINS = (
    *("azure_storage_key", "discord", "github_token", "gitlab_token", "mailchimp", "openai"),
    *("pypi_token", "sendgrid", "slack", "square_oauth", "stripe", "twilio"),
)
SAMPLES = (
    ("aws-access-key", "AKIAIOSFODNN7EXAMPLE"),
    ("google-api-key", "AIza" + "Sy" + "a1" * 16 + "b"),
    ("github-token", "github_pat_" + "11AAAAAAA0" * 3),
    ("github-token", "ghp_" + "a1B2" * 9),
    ("gitlab-token", "glpat-" + "x1" * 10),
    ("model-key", "sk-ant-api03-" + "Aa1_" * 20),
    ("model-key", "sk-proj-" + "Aa1-" * 20),
    ("huggingface-token", "hf_" + "aB" * 17),
    ("stripe-key", "sk_live_" + "4e" * 12),
    ("slack-token", "xoxb-" + "123456789012-" * 2 + "abcDEF"),
    ("npm-token", "npm_" + "aB3" * 12),
    ("pypi-token", "pypi-AgEIcHlwaS5vcmc" + "aB3" * 30),
    ("vault-token", "hvs." + "aB3" * 10),
    ("json-web-token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"),
)


@pytest.mark.parametrize(("name", "secret"), SAMPLES)
def test_a_sample_is_replaced_wherever_it_stands(name: str, secret: str) -> None:
    for text in (secret, f"x '{secret}' y", f"curl -d k={secret}; ls"):
        shown = Redactor(b"k").text(text)

        assert secret not in shown
        assert f"[secret:{name}#" in shown or "[secret:" in shown


def denylists() -> Iterator[tuple[str, re.Pattern[str]]]:
    for plugin in PLUGINS if find_spec("detect_secrets") else ():
        module = __import__(f"detect_secrets.plugins.{plugin}", fromlist=["x"])
        classes = [one for one in vars(module).values() if isinstance(one, type)]
        for detector in (one for one in classes if one.__module__ == module.__name__):
            yield from ((plugin, pattern) for pattern in getattr(detector, "denylist", ()))


ASCII = st.characters(codec="ascii")


@pytest.mark.parametrize(("plugin", "pattern"), list(denylists()))
def test_what_the_referee_calls_a_secret_is_replaced(plugin: str, pattern: re.Pattern[str]) -> None:
    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(pattern.pattern, fullmatch=True, alphabet=ASCII))
    def check(secret: str) -> None:
        shown = Redactor(b"k").text(f"value {secret} end")
        assert "[secret:" in shown or len(secret) < SHORTEST_TOKEN, secret

    check()


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


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.mark)
def test_no_format_backtracks_without_bound(form: Format) -> None:
    assert unbounded_and_backtracking(form.pattern.pattern) == []


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.mark)
def test_a_long_run_that_almost_fits_is_searched_once(form: Format) -> None:
    """Takes minutes if every place is searched to the end."""
    for filler in ("a", "-", "A1", form.mark, form.mark + "a"):
        shown = Redactor(b"k").text(form.mark + filler * 20_000)
        assert shown


def test_no_format_is_shorter_than_said() -> None:
    assert all(len(sample) >= SHORTEST_TOKEN for _, sample in SAMPLES)
