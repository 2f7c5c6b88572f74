"""macos_trust: which command lines of macOS trust tools only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.macos_trust import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
codesign -dvv /x.app
codesign -d --entitlements - /x.app
codesign --verify --deep --strict /x.app
codesign -h 1234
pkgutil --pkgs
pkgutil --pkgs=com.apple.x
pkgutil --files com.apple.pkg.Safari
pkgutil --pkg-info x
pkgutil -h
spctl --assess --verbose /x.app
spctl -a -t exec -vv /x.app
spctl --status
security list-keychains
security find-certificate -a
security find-identity -v -p codesigning
profiles list
profiles show -type configuration
profiles status -type enrollment
""".strip().splitlines()
OTHERWISE = {
    Effect.WRITES: r"""
codesign -s - /x.app
codesign -f -s x /x.app
codesign -d --entitlements out /x.app
codesign -d --extract-certificates /x.app
profiles show -output out
""".strip().splitlines(),
    Effect.SYSTEM: r"""
spctl --add /x.app
spctl --master-disable
profiles
profiles remove -all
profiles -C -R -p x
security delete-keychain x
security list-keychains -s x
""".strip().splitlines(),
    Effect.SECRETS: r"""
security find-generic-password -w -s x
security find-internet-password -s x
security dump-keychain
security export -k x
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
pkgutil --forget x
pkgutil --expand x.pkg out
pkgutil --bom x.pkg
""".strip().splitlines(),
}


@pytest.mark.parametrize("line", READING)
def test_a_form_that_only_prints_reads(line: str, use_of: UseOf) -> None:
    assert use_of(PROGRAMS, line).effect is Effect.NONE


@pytest.mark.parametrize(
    ("effect", "line"), [(effect, line) for effect, lines in OTHERWISE.items() for line in lines]
)
def test_a_form_that_does_more_says_what(effect: Effect, line: str, use_of: UseOf) -> None:
    use = use_of(PROGRAMS, line)
    assert effect in use.effect
    assert use.why
