"""Random scripts over every builtin of bash and the programs it is given, tame and hostile.

Pure: a seed makes the same scripts. Whatever a hostile piece would run is `touch pwned`, or the
redirect `>pwned`, which needs no program at all.
"""

import random
import re
from collections.abc import Sequence

from differential_words import (
    ASKS,
    BUILTINS,
    COMPARES,
    HOSTILE,
    MAKES,
    OFTEN,
    PLAIN,
    PLAIN_NAMES,
    SETTINGS,
    SHOPTS,
    SPECIAL_NAMES,
    TAME,
    TAME_BUILTINS,
    USES,
)


class Scripts:
    """Makes scripts. `programs` are command lines that may stand in one."""

    def __init__(self, seed: int, programs: Sequence[str]) -> None:
        self.random = random.Random(seed)
        self.programs = programs
        self.hostility = 0.0  # the share of words that are hostile

    def script(self) -> str:
        """One script: tame for the most part, so that a good share is allowed, or a short probe."""
        if self.chance(0.4):
            return self.probe()
        self.hostility = self.random.choice((0.0, 0.02, 0.02, 0.06, 0.3))
        count = self.random.choice((1, 1, 1, 2, 2, 3))
        text = self.statement(2)
        for _ in range(count - 1):
            text += self.pick(("; ", "\n", " && ", " || ")) + self.statement(2)
        return text

    def probe(self) -> str:
        """One builtin, assignment or expansion with something hostile in it, in some setting."""
        self.hostility = 0.6
        if self.chance(0.7):
            inside = self.builtin()
        else:
            inside = self.pick((self.assignment(), self.expanded(0), self.loop(0), self.double(0)))
        return self.pick(SETTINGS).replace("%", inside, 1)

    def pick(self, choices: Sequence[str]) -> str:
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # Words

    def hostile(self) -> str:
        """Mostly what bash is known to evaluate somewhere."""
        return self.pick(OFTEN if self.chance(0.6) else HOSTILE)

    def word(self) -> str:
        if self.chance(self.hostility):
            return self.hostile()
        if self.chance(self.hostility / 4):
            return self.pick(TAME) + self.hostile()
        return self.pick(PLAIN if self.chance(0.6) else TAME)

    def name(self) -> str:
        if self.chance(self.hostility):
            name = self.pick(SPECIAL_NAMES[: self.random.choice((8, len(SPECIAL_NAMES)))])
        else:
            name = self.pick(PLAIN_NAMES)
        if self.chance(self.hostility / 4):
            return self.pick((f"{name}[{self.word()}]", f"'{name}[$(touch pwned)]'", self.word()))
        return name

    def value(self) -> str:
        if self.chance(0.08):
            return f"({self.word()} {self.word()})"
        return self.hostile() if self.chance(self.hostility + 0.1) else self.word()

    def assignment(self) -> str:
        return f"{self.name()}{self.pick(('=', '=', '=', '+='))}{self.value()}"

    def text(self) -> str:
        return self.pick(
            ("'echo x'", "''", "-", "'%s\\n'", "%d", "%s", self.word(), "'%s %n'", ":")
        )

    def kind(self, letter: str) -> str:
        match letter:
            case "N":
                return self.name()
            case "A":
                return self.assignment() if self.chance(0.8) else self.name()
            case "D":
                return self.word() if self.chance(0.3) else self.pick(("", "1", "2", "$?", "0"))
            case "T":
                return self.text()
            case "S":
                return self.pick(("EXIT", "INT", "DEBUG", "ERR", "RETURN", "TERM"))
            case "E":
                return self.arithmetic(quoted=True)
            case _:
                return self.word()

    def arithmetic(self, *, quoted: bool = False) -> str:
        one = self.pick(
            ("1", "n", "x", "i", "n+1", "i++", "n=2", "x=y", "arr[0]", "$n", "$x", "2*3")
        )
        if self.chance(self.hostility):
            one = self.pick(("a[$(touch pwned)]", "$evil", "evil", "RANDOM=evil", "'a[$(>pwned)]'"))
        return f"'{one}'" if quoted and "'" not in one and self.chance(0.5) else one

    # Simple commands

    def builtin(self) -> str:
        tame = self.hostility < 0.1 and self.chance(0.6)
        name = self.pick(TAME_BUILTINS) if tame else self.pick(tuple(BUILTINS))
        if name in ("test", "["):
            return self.tested(name)
        letters, kinds = BUILTINS[name]
        words = [name]
        while letters and self.chance(0.6 if len(words) == 1 and self.hostility > 0.5 else 0.4):
            options = "".join(self.pick(letters) for _ in range(self.random.choice((1, 1, 1, 2))))
            words.append(self.pick("----+") + options)
            if self.chance(0.2):
                words.append(self.word())
        if name == "shopt":
            words.append(self.pick(SHOPTS))
        words += [self.kind(kind) for kind in kinds if self.chance(0.8)]
        return " ".join(words)

    def tested(self, name: str) -> str:
        if self.chance(0.4):
            inside = f"{self.pick(ASKS)} {self.name() if self.chance(0.4) else self.word()}"
        else:
            inside = f"{self.word()} {self.pick(COMPARES[:6])} {self.word()}"
        negated = "! " if self.chance(0.1) else ""
        return f"{name} {negated}{inside}" + (" ]" if name == "[" else "")

    def program(self) -> str:
        line = self.pick(self.programs)
        return f"{line} {self.word()}" if self.chance(0.25) else line

    def simple(self) -> str:
        if self.chance(0.2):
            return self.pick((self.assignment(), f"{self.assignment()} {self.assignment()}"))
        text = self.builtin() if self.chance(0.6) else self.program()
        if self.chance(0.08):
            text = f"{self.assignment()} {text}"
        if self.chance(0.06):
            text = self.pick(("command ", "builtin ", "eval ", "exec ", "time ", "! ")) + text
        if self.chance(0.12):
            text += self.redirect()
        return text

    def redirect(self) -> str:
        if self.chance(0.08):
            return self.pick(
                (" > out", " >> f", f" {{{self.name()}}}> /dev/null", " &> x", " <> f")
            )
        return self.pick((" 2>/dev/null", " < f", f" <<< {self.word()}", " 2>&1", " > /dev/null"))

    # Compound commands

    def statement(self, depth: int) -> str:
        if depth == 0 or self.chance(0.6):
            return self.simple()
        shapes = (
            self.loop, self.counted, self.condition, self.double, self.case, self.function,
            self.piped, self.lined, self.fed, self.grouped,
            self.background, self.choice, self.reading, self.expanded,
        )  # fmt: skip
        return self.random.choice(shapes)(depth - 1)

    def loop(self, depth: int) -> str:
        words = f"{self.word()} {self.value() if self.chance(0.2) else self.word()}"
        return f"for {self.name().partition('[')[0]} in {words}; do {self.statement(depth)}; done"

    def counted(self, depth: int) -> str:
        head = f"i=0; i<{self.random.choice((1, 2))}; i++"
        if self.chance(0.15):
            head = f"{self.arithmetic()}; i<1; i++"
        return f"for (({head})); do {self.statement(depth)}; done"

    def condition(self, depth: int) -> str:
        other = f"; else {self.statement(depth)}" if self.chance(0.4) else ""
        return f"if {self.statement(depth)}; then {self.statement(depth)}{other}; fi"

    def double(self, depth: int) -> str:
        if self.chance(0.3):
            return f"(({self.arithmetic()}))"
        ask = f"{self.pick(ASKS)} {self.word()}"
        both = f"{self.word()} {self.pick(COMPARES)} {self.word()}"
        return f"[[ {ask if self.chance(0.4) else both} ]] && {self.statement(depth)}"

    def case(self, depth: int) -> str:
        subject, pattern = self.word(), self.pick(("a", "*", "'x'", "$x", "[ab]*", '"$evil"'))
        return f"case {subject} in {pattern}) {self.statement(depth)};; *) :;; esac"

    def function(self, depth: int) -> str:
        name = self.pick(("fn", "fn", "ls", "gn"))
        called = f"; {self.pick((name, 'fn'))} {self.value() if self.chance(0.3) else self.word()}"
        return f"{name}() {{ {self.statement(depth)}; }}{called}"

    def piped(self, depth: int) -> str:
        return f"{self.statement(depth)} | {self.statement(0)}"

    def lined(self, depth: int) -> str:
        """A pipeline of three, and a line behind it."""
        first = f"{self.simple()} | {self.simple()} | {self.simple()}"
        after = self.pick((" && ", " || ", " > /dev/null\n", " | ", "\n"))
        return f"{first}\n{self.simple()}{after}{self.statement(depth)}"

    def fed(self, depth: int) -> str:
        """A here-document with redirects behind its mark, and a pipe."""
        mark = self.pick(("E", "'E'", '"E"'))
        onto = self.pick((" 2>&1", " 2>/dev/null", " > /dev/null 2>&1", ""))
        body = f"{self.word()} {self.word()}\n"
        return f"cat - <<{mark}{onto} | {self.simple()}\n{body}E\n{self.statement(depth)}"

    def grouped(self, depth: int) -> str:
        body = self.statement(depth)
        return self.pick((f"( {body} )", f"{{ {body}; }}", f"{{ {body}; }} 2>/dev/null"))

    def background(self, depth: int) -> str:
        started = self.pick((f"{self.simple()} &", f"( {self.statement(depth)} ) &"))
        if self.chance(0.05):
            started = f"coproc {self.pick(('', 'x '))}{{ {self.simple()}; }};"
        return f"{started} {self.pick(('wait', 'wait $!', 'jobs', self.builtin(), 'wait -n'))}"

    def choice(self, depth: int) -> str:
        return f"{self.statement(depth)} {self.pick(('&&', '||'))} {self.statement(depth)}"

    def reading(self, depth: int) -> str:
        option = self.pick(("-r", "-r", "", "-ra", "-n 1", "-d ''"))
        head = f"while {self.pick(('', 'IFS= '))}read {option} {self.name()}"
        return f"{head}; do {self.statement(depth)}; done < f"

    def expanded(self, depth: int) -> str:
        """One thing assigned, and then used where bash may evaluate it."""
        name = self.pick(PLAIN_NAMES)
        make = self.filled(MAKES, name)
        use = self.filled(USES, name)
        first = f"{name}=5; " if self.chance(0.5) else ""
        if self.chance(0.2):
            return f"{first}for i in 1 2; do {use}; {make}; done"
        between = f"{self.statement(depth)}; " if self.chance(0.3) else ""
        return f"{first}{make}; {between}{use}"

    def filled(self, table: str, name: str) -> str:
        shape = self.pick(re.split(r"[|\n]", table))
        value = self.value()
        return re.sub(r"\b[NV]\b", lambda found: name if found[0] == "N" else value, shape)
