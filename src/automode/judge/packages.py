"""Which packages and images a command brings in that the project does not declare, or takes out."""

import re
from collections.abc import Iterator

ADDS = frozenset("install i add in ins isntall get require update upgrade up".split())
_UPDATES = frozenset("update upgrade up".split())
REMOVES = frozenset("uninstall remove rm un".split())
EVERYTHING = "*"
"""What an update is done to that names no package."""
_DECLARED = (".txt", ".toml", ".lock", ".in", ".yml", ".yaml")
_IMAGE_VERBS = frozenset({"run", "pull", "create"})
_IMAGE = re.compile(r"[\w.-]+(?::\d+)?(?:/[\w.-]+)+(?::[\w.-]+)?(?:@sha256:\w+)?")


SCOPES = frozenset(
    """types tanstack babel vue angular testing-library playwright radix-ui mui emotion reduxjs
    prisma nestjs sveltejs eslint typescript-eslint vitejs vitest storybook aws-sdk google-
    cloud azure sentry supabase apollo trpc hookform headlessui heroicons fortawesome
    tailwindcss nuxt astrojs remix-run react-navigation react-native modelcontextprotocol
    anthropic-ai biomejs changesets""".split()
) | {""}
"""Publishers whose packages people call by the last part of the name."""


def real_name(word: str) -> str:
    """The package without its version. What another one is to be installed as, or a place that it
    comes from, is no version: `axios@npm:other`."""
    name, _, rest = word[1:].partition("@")
    if rest.startswith("npm:"):
        return real_name(rest.removeprefix("npm:"))
    if ":" in rest or "/" in rest:
        return rest
    return re.split(r"[=<>~!\[;]", word[:1] + name, maxsplit=1)[0]


def bare(word: str) -> str:
    return real_name(word).removeprefix("@types/")


def place(word: str) -> str:
    """Where a package comes from, if not from its registry: `x@npm:y`, `x@file:../y`."""
    _, at, version = word[1:].partition("@")
    if at and re.search(r"[:/]", version):
        return version
    return word if re.match(r"[\w+]+:", word) else ""


def removed(words: list[str]) -> list[str]:
    """Of a package manager's words: what it is to take out."""
    words = words[1:] if words[:1] == ["pip"] else words
    return words[1:] if words and words[0] in REMOVES else []


def added(words: list[str]) -> Iterator[str]:
    """Of a package manager's words: what it is to add."""
    if words[:1] == ["pip"]:
        words = words[1:]
    if words[:2] == ["tool", "install"]:
        words = words[1:]
    if not words or words[0] not in ADDS:
        return
    if words[0] in _UPDATES and len(words) == 1:
        yield EVERYTHING
    for word in words[1:]:
        own = word in (".", "./", "..") or word.startswith((".[", "/", "install"))
        if not own and not word.endswith(_DECLARED):
            yield word


def images(words: list[str], usual: frozenset[str]) -> Iterator[str]:
    """Of a container program's words: the image, where it is none that everybody has."""
    if words[:1] == ["image"]:
        words = words[1:]
    if not words or words[0] not in _IMAGE_VERBS:
        return
    # Options take values: any word may be the image.
    plain = (re.split(r"[:@](?!//)", word)[0].removeprefix("docker.io/") for word in words[1:])
    if any(word.removeprefix("library/") in usual for word in plain):
        return
    yield from [word for word in words[1:] if words[0] == "pull" or _IMAGE.fullmatch(word)][:1]
