"""Commands of PowerShell: their arguments, and the list of them."""

import re
from dataclasses import replace

from automode.core.paths import normal
from automode.shell.powershell_words import (
    ALIASES,
    BARE,
    BLANK,
    BLOCK,
    CMDLET,
    CONSTANTS,
    DASHES,
    DERIVED,
    DOUBLE_QUOTES,
    ENDS,
    LISTS,
    NUMBER,
    REDIRECT,
    SINGLE_QUOTES,
    UNKNOWN,
    VARIABLE,
    Cursor,
    Part,
    as_path,
    word_of,
)
from automode.shell.script import (
    HOLE,
    POWERSHELL,
    Command,
    Elsewhere,
    Origin,
    Redirect,
    Word,
)

_SHARE = re.compile(r"[\\/]{2}[\w.$?-]+[\\/]|.*::[\\/]{2}")  # `\\\\machine\\folder`
_DRIVE = re.compile(r"[\w.]{2,}:")
_PARAMETER = re.compile(
    rf"[{DASHES}](?=[A-Za-z_?])[^\s;|&(){{}},:=.{SINGLE_QUOTES}{DOUBLE_QUOTES}$`]+"
)


class Commands(Cursor):
    def __init__(self, text: str, cwd: str, home: str, assigned: dict[str, int]) -> None:
        super().__init__(text, cwd, home)
        self.commands: list[Command] = []
        self.begins: list[tuple[int, ...]] = []
        self.once = frozenset(name for name, times in assigned.items() if times == 1)
        self.assigned: dict[str, int] = {}
        self.functions: set[str] = set()
        self.elsewhere: tuple[Elsewhere, ...] = ()
        self.depth = 0
        self.replaces = False
        self.counting = True  # only how often each variable is assigned
        self.blocks = 0  # how many blocks are around, which may run never or often
        self.pipelines = 0
        self.position = (0, 0)
        self.found: tuple[int, int, Word] = (-1, 0, UNKNOWN)  # files that a pipeline hands on

    def called(self, start: int, *, dotted: bool) -> None:
        """`& name …`, `. file`, `& {…}`."""
        if self.at("{"):
            self.nested("{", blocks=0 if not self.blocks else 1)
            self.finish(BLOCK, start)
            return
        bare = self.char and self.char not in f"$@({SINGLE_QUOTES}{DOUBLE_QUOTES}"
        name = self.generic() if bare else self.operand()
        if name is None or name.value is None:
            self.gap("the name of a program is put together at run time")
        if dotted:
            self.gap("a script is run in this very shell")
            self.finish(Word("."), start, (as_path(name or UNKNOWN),))
            return
        self.finish(name or UNKNOWN, start)

    def command(self, start: int) -> None:
        name = self.generic()
        if "`" in self.text[start : self.place]:
            self.gap("letters of a name are escaped")
        if not name.text:
            self.gap("a command without a name")
        self.finish(name, start)

    def generic(self) -> Word:
        """A word up to the next blank, quotes and variables in it read."""
        parts: list[Part] = []
        while self.char and self.char not in f"{BLANK}\n;|&(){{}},":
            if self.char in SINGLE_QUOTES:
                self.place += 1
                word = self.single_quoted()
                parts.append(Part(word.text, word.origin))
            elif self.char in DOUBLE_QUOTES:
                self.place += 1
                word = self.double_quoted()
                parts.append(Part(word.text, word.origin))
            elif self.at("`") and self.text[self.place + 1 : self.place + 2].isalnum():
                self.gap("letters outside of quotes are escaped")
                parts.append(Part(self.text[self.place + 1]))
                self.place += 2
            elif self.at("`\n") or self.at("`\r"):
                break
            elif self.char in "`$":
                parts.append(self.expanded_bare())
            elif self.char in "<>":
                self.gap("a redirect without a blank before it")
                break
            elif found := self.match(BARE):
                parts.append(Part(found[0]))
            else:
                parts.append(Part(self.char))
                self.place += 1
        return word_of(parts)

    def expanded_bare(self) -> Part:
        part = (
            self.expanded()
            if self.char == "`" or VARIABLE.match(self.text, self.place) or self.at("$(")
            else None
        )
        if part is None:
            self.place += 1
            return Part("$")
        return part

    def finish(self, name: Word, start: int, first: tuple[Word, ...] = ()) -> None:
        """The arguments of a command, and the command into the list."""
        words, begins, redirects = [*first], [start], []
        parameter: Word | None = None
        while True:
            self.blanks()
            char = self.char
            if (
                not char
                or char in "\n;|)}"
                or char == "&"
                or (char == "#" and self.text[self.place - 1] in BLANK)
            ):
                break
            begin = self.place
            if redirect := self.redirect():
                redirects.append(redirect)
                continue
            begins.append(begin)
            found = self.argument()
            if self.place == begin:
                self.gap(f"`{char}` is not understood here")
                self.place += 1
            if len(found) > 1 and parameter is not None:
                found = [one for value in found for one in (parameter, value)][1:]
            words += found
            only = found[0] if len(found) == 1 else None
            parameter = (
                only if only is not None and not only.plain and only.text[:1] == "-" else None
            )
        if char == "#":
            self.place = (self.text.find("\n", self.place) + len(self.text) + 1) % (
                len(self.text) + 1
            )
        self.emit((name, *words), tuple(begins), tuple(redirects))

    def redirects(self) -> tuple[Redirect, ...]:
        found: list[Redirect] = []
        while one := self.redirect():
            found.append(one)
            self.blanks()
        return tuple(found)

    def redirect(self) -> Redirect | None:
        if self.at("<"):
            self.gap("`<` is not understood")
        found = self.match(REDIRECT)
        if found is None:
            return None
        fd = found[1].replace("*", "&")
        if found[3]:
            return Redirect(">&", Word(found[3]), fd if fd != "&" else "")
        target = self.operand() if self.char in "$(" else None
        if target is None:
            target = self.generic()
        if target == CONSTANTS["null"] or target.text.casefold() in ("nul", "nul:"):
            target = Word("/dev/null")
        return Redirect(
            found[2] if fd != "&" else f"&{found[2]}", as_path(target), fd if fd != "&" else ""
        )

    def argument(self) -> list[Word]:
        """One argument; the members of a list each by itself."""
        found = [self.one_argument()]
        while self.match(re.compile(r"[ \t]*,\s*")):
            before = self.place
            found.append(self.one_argument())
            if self.place == before:
                break
        return found

    def one_argument(self) -> Word:
        char = self.char
        if self.at("--%"):
            self.gap("`--%` stops the reading of the line")
        if char in DASHES and (found := self.match(_PARAMETER)):
            if char != "-":
                self.gap("a dash that looks like another one")
            return self.parameter(f"-{found[0][1:]}")
        quoted = char in SINGLE_QUOTES or char in DOUBLE_QUOTES
        if quoted or char in "({@[" or self.at("$("):
            if char == "[" or (
                char == "@"
                and not VARIABLE.match(self.text, self.place)
                and self.text[self.place + 1 : self.place + 2] not in "({'\""
            ):
                return self.generic_at()
            value = self.operand()
            if self.char and self.char not in ENDS:
                self.gap("what follows a quote or a bracket without a blank")
                self.generic()
                return DERIVED
            return value if value is not None else UNKNOWN
        if char == "$" and (variable := VARIABLE.match(self.text, self.place)):
            return self.of_variable(variable)
        number = NUMBER.match(self.text, self.place)
        if number and self.text[number.end() : number.end() + 1] in ("", *ENDS):
            self.place = number.end()
            return Word(number[0], plain=True)
        return as_path(self.generic())

    def generic_at(self) -> Word:
        """`@babel/core`, `[abc]`: text that begins like something else."""
        char = self.char
        self.place += 1
        rest = self.generic()
        return replace(rest, text=char + rest.text, origin=max(rest.origin, Origin.GLOB))

    def parameter(self, text: str) -> Word:
        """`-Name`, `-Name:value`; to a program that is not PowerShell's own it is any word."""
        if self.char in ENDS or not self.char:
            return Word(text)
        if self.at(":"):
            self.place += 1
            if self.char in BLANK or not self.char:
                return Word(f"{text}:")
            value = self.one_argument()
            return replace(value, text=f"{text}:{value.text}", plain=False)
        if self.at(".") and text[:2] != "--":
            self.gap("a dot in an option, which versions read differently")
        rest = self.generic()
        if self.char and self.char in "({":
            self.gap("a bracket in an option")
        return replace(rest, text=text + rest.text, plain=False)

    def of_variable(self, variable: re.Match[str]) -> Word:
        """`$x`, `$x.Name`, `$x[0]`, and `$x\\folder`, which is one word."""
        start = self.place
        self.place = variable.end()
        if (
            self.char
            and self.char in ".["
            and self.text[self.place + 1 : self.place + 2] not in "./\\ "
        ):
            return self.accessed(self.value_of(variable))
        if not self.char or self.char in f"{BLANK}\n;|&(){{}},":
            return self.value_of(variable)
        self.place = start
        return replace(as_path(self.generic()), plain=True)

    def emit(
        self, words: tuple[Word, ...], begins: tuple[int, ...], redirects: tuple[Redirect, ...]
    ) -> None:
        """The command, and what else the same words may mean."""
        typed = words[0].text.casefold()
        name = ALIASES.get(typed, typed)
        cmdlet = CMDLET.fullmatch(name)
        number, stage = self.position
        if words[0] == BLOCK:
            words = ()
        command = Command(
            words,
            assignments=tuple(self.environment.values()),
            redirects=redirects,
            cwd=self.folder,
            via=(POWERSHELL,),
            pipeline=number,
            position=stage,
            elsewhere=self.elsewhere,
        )
        if words and cmdlet:
            own = (Word(cmdlet[1]), *(self.own_argument(word) for word in words[1:]))
            own += self.incoming(cmdlet[1], own[1:])
            self.commands.append(replace(command, words=own))
            self.begins.append(begins)
            self.after(cmdlet[1], own[1:])
            begins = ()
            if typed not in LISTS["shared"]:
                return
        if typed in self.functions:
            command = replace(command, transparent=True)
        # A program of another maker may take any word for an option, quoted or not.
        given = tuple(replace(self.from_home(word), plain=False) for word in words[1:])
        self.commands.append(replace(command, words=(*map(as_path, words[:1]), *given)))
        self.begins.append(begins)

    def from_home(self, word: Word) -> Word:
        if _SHARE.match(word.text):
            self.gap("a path on another machine")
        if word.text != "~" and not word.text.startswith(("~/", "~\\")):
            return word
        return replace(word, text=self.home + word.text[1:].replace("\\", "/"))

    def own_argument(self, word: Word) -> Word:
        """An argument as a cmdlet takes it: only what is written with a dash is a parameter."""
        if word.plain or word.text[:1] not in DASHES or not word.text:
            return self.from_home(as_path(word if word.splits else replace(word, plain=True)))
        name, colon, value = word.text.partition(":")
        return replace(word, text=f"-{name[1:].casefold()}{colon}{value}")

    def incoming(self, name: str, args: tuple[Word, ...]) -> tuple[Word, ...]:
        """What comes through the pipe as the paths that a cmdlet works on."""
        number, stage = self.position
        if name in LISTS["finds"]:
            folder = next((one for one in args if one.text[:1] != "-"), Word("."))
            narrows = any(one.text[:2] in ("-f", "-i", "-e") for one in args)
            rest = Part(f"{HOLE}", Origin.DERIVED) if narrows else Part("*", Origin.GLOB)
            self.found = (
                number,
                stage,
                word_of([Part(folder.text, folder.origin), Part("/"), rest]),
            )
        elif name in LISTS["passes"] and self.found[0] == number:
            text, origin = self.found[2].text.replace("*", HOLE), Origin.DERIVED
            self.found = (number, stage, Word(text, origin))
        if not stage or name not in LISTS["takes_paths"]:
            return ()
        if any(one.text in ("-path", "-literalpath") for one in args):
            return ()
        files = self.found[0] == number
        if name == "select-string" and not files:
            return ()
        word = self.found[2] if files and self.found[1] == stage - 1 else UNKNOWN
        return Word("-path"), replace(word, plain=True)

    def inner_script(self, text: str) -> None:
        """Lists what a script inside the script would run."""
        raise NotImplementedError

    def is_secret_drive(self, word: Word) -> bool:
        drive, colon, rest = word.text.casefold().partition(":")
        if drive == "env" and rest.strip("/\\") in LISTS["environment"]:
            return False
        return bool(colon) and _DRIVE.match(word.text) is not None

    def after(self, name: str, args: tuple[Word, ...]) -> None:
        """What a cmdlet changes for the commands behind it."""
        if name == "invoke-expression" and args and args[-1].value:
            self.inner_script(args[-1].value)
        if name in (
            "set-alias",
            "new-alias",
            "import-alias",
            "import-module",
            "new-psdrive",
            "set-variable",
        ):
            self.gap(f"`{name}` changes what names mean")
        if name in LISTS["shows"] and any(map(self.is_secret_drive, args)):
            self.gap("it shows another drive than one of files, which may hold a secret")
        if name not in ("set-location", "push-location", "pop-location"):
            return
        targets = [word for word in args if word.text[:1] != "-"]
        before, target = self.folder, targets[0].value if len(targets) == 1 else None
        if (
            name == "pop-location"
            or target is None
            or target[:1] in ("-", "+")
            or ":" in target[2:]
        ):
            self.folder, self.elsewhere = None, ()
        elif not args[1:] or args[0].text in ("-path", "-literalpath"):
            text = self.home + target[1:] if target[:1] == "~" else target
            text = normal(text) if text[1:2] == ":" else text
            if text[:1] == "/":
                self.folder = text
            elif before is not None:  # `..` stays: a link before it is followed first
                self.folder = f"{before.rstrip('/')}/{text}"
            missing = (self.folder,) if self.folder else ()
            self.elsewhere = (*self.elsewhere, Elsewhere(before, missing))[-3:]
        else:
            self.folder = None
        if self.blocks:
            self.folder = None
