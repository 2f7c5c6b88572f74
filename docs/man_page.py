"""The man page, made from the help of every command."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from automode import __version__
from automode.cli.main import GROUPS, cli

PAGE = Path(__file__).parent / "automode.1"
FILES = {
    "~/.config/automode/config.json": "Your settings; automode schema prints what they may hold.",
    "/etc/automode/config.json": "The administrator's settings.",
    ".automode/config.json": "Settings of a project, which can only tighten.",
    "~/.local/state/automode": "Records, sessions, tokens and the daemon.",
}


def man_page() -> dict[Path, str]:
    root = click.Context(cli, info_name="automode")
    lines = [
        '.\\" Written by `make docs` from the help of the command.',
        f'.TH AUTOMODE 1 "" "automode {__version__}" "User Commands"',
        ".SH NAME",
        "automode \\- decides the tool calls of AI coding agents before they run",
        ".SH SYNOPSIS",
        ".B automode",
        _text(" ".join(cli.collect_usage_pieces(root))),
        ".SH DESCRIPTION",
        *_paragraphs(cli.help or ""),
        ".SH OPTIONS",
        "These may also stand after a command, except for",
        ".BR \\-\\-version .",
        *_options(cli, root),
    ]
    for title, group in GROUPS.items():
        if title:
            lines.append(f".SH {title.upper()}")
            for name in group:
                lines += _command(cli.get_command(root, name), name, root)
    lines.append(".SH FILES")
    for path, meaning in FILES.items():
        lines += [".TP", f".I {_text(path)}", _text(meaning)]
    return {PAGE: "\n".join([*lines, ""])}


def _command(command: click.Command | None, name: str, above: click.Context) -> Iterator[str]:
    if command is None or command.hidden:
        return
    context = click.Context(command, info_name=name, parent=above)
    usage = (context.command_path, *command.collect_usage_pieces(context))
    yield f'.SS "{_text(" ".join(usage))}"'
    yield from _paragraphs(command.help or "")
    if command.epilog:
        yield from _paragraphs(command.epilog)
    yield from _options(command, context)
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            yield from _command(command.get_command(context, each), each, context)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    """Those of every command stand at the beginning of the page."""
    everywhere = {one.name for one in cli.params} if command is not cli else set()
    for one in command.params:
        own = isinstance(one, click.Option) and one.name not in everywhere
        record = one.get_help_record(context) if own else None
        if record is not None:
            yield from (".TP", f".B {_text(record[0])}", _text(record[1]))


def _paragraphs(text: str) -> Iterator[str]:
    """`\\b` is click's mark of a paragraph whose lines stay as they are."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        kept = paragraph.startswith("\b")
        lines = [line for line in paragraph.splitlines() if line.strip("\b ")]
        yield ".PP"
        yield from (".nf", *map(_text, lines), ".fi") if kept else map(_text, lines)


def _text(text: str) -> str:
    """No word of it is taken for a request to troff. `~` and `^` would become accents."""
    found = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    found = found.replace("~", "\\(ti").replace("^", "\\(ha").replace("`", "\\(ga")
    found = found.replace("'", "\\(aq")
    found = "".join(one if one.isascii() else f"\\[u{ord(one):04X}]" for one in found)
    return f"\\&{found}" if found.startswith((".", " ")) else found
