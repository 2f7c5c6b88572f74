"""A program of the table: finds the row of a command line, and says what the command does."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from automode.programs.checks import check_of, language_of, touches_of
from automode.programs.deeds import command_words, deeds_in
from automode.programs.development import (
    FOREIGN,
    development_use,
    install_use,
    ordinary,
    script_file,
)
from automode.programs.loading import brings_option, loaded_use, settle_patterns
from automode.programs.row import (
    NOTHING,
    STREAMS,
    Given,
    Kind,
    Refusal,
    Row,
    Touch,
    option_touches,
    option_use,
    word_use,
)
from automode.programs.subcommands import Found, Path, Subcommands
from automode.programs.use import READS, Effect, Invocation, Use, printable, unknown
from automode.shell.options import Option, arguments, perhaps_several
from automode.shell.script import HOLE, Origin, Word


@dataclass(frozen=True, slots=True)
class Program:
    row: Row
    subcommands: Mapping[Path, Row] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    family: Mapping[str, "Program"] = field(default_factory=dict, repr=False, compare=False)
    _tree: Subcommands = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tree", Subcommands(self.row, self.subcommands))

    def __call__(self, invocation: Invocation) -> Use:
        """What the command does: what its row says, plus what its check objects to."""
        return self.use(invocation, self.given(invocation))

    def use(self, invocation: Invocation, given: Given | None) -> Use:
        """The same for a command line that was taken apart before."""
        if self._helps(invocation.args):
            helping = Given(invocation, self.row, invocation.args, NOTHING)
            # The help of a sub-command may come from another program.
            asked = objections(helping) if len(invocation.args) > 1 else READS
            return loaded_use(helping) | asked
        if given is None:
            verb = next((w for w in invocation.args if w.text[:1] != "-"), Word("…"))
            use = unknown(f"`{invocation.name} {printable(verb)}` is not known to only read")
            leading = arguments(invocation.args, self._tree.leading)
            unnamed = Given(invocation, self.row, invocation.args, leading)
            return use | use_of_options(unnamed) | objections(unnamed)
        if given.row.program:
            return use_of_other(given, self._inner_program(given.row, given.verb)(given.inner))
        return use_of(given)

    def touches(self, given: Given | None) -> Iterator[Touch]:
        """The files that the command reads, writes, moves or removes, as far as the row tells."""
        if given is None:
            return
        if given.row.program:
            other = self._inner_program(given.row, given.verb)
            yield from other.touches(other.given(given.inner))
            return
        if given.options.unclear and not given.row.spec.abbreviates:
            given = replace(given, options=arguments(given.args, given.row.loose_spec))
        for touch in _touches(given):
            written = touch.kind in (Kind.WRITES, Kind.DELETES, Kind.MOVES)
            if touch.word.value != "-" or (written and not given.row.dash):
                yield touch

    @property
    def always(self) -> tuple[str, ...]:
        """What the program is to the judge, whatever its words are."""
        return self.row.always

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.row, *self.subcommands.values()

    def deeds(self, args: tuple[Word, ...]) -> Iterator[str]:
        """What its words make the command to the judge. The lines of the program's row hold for all
        its sub-commands."""
        found = self._tree.find(args) or Found(self.row, args)
        options = arguments(found.rest, found.row.loose_spec)
        yield from deeds_in(
            self.row.deeds, command_words(found.path, found.rest, options, found.before)
        )
        if found.path:
            yield from found.row.always
            before = found.before if self.row.globals_anywhere else NOTHING
            yield from deeds_in(found.row.deeds, command_words((), found.rest, options, before))
        elif self.subcommands and options.unclear and options.operands:
            # The first word may belong to an option that nobody knows.
            left = replace(options, operands=options.operands[1:])
            yield from deeds_in(self.row.deeds, command_words((), found.rest, left))
        if found.row.program:
            other = self._inner_program(found.row, found.path[-1])
            yield from (*other.always, *other.deeds(found.rest))

    def hides_verb(self, args: tuple[Word, ...]) -> bool:
        """Whether a word that is only known when it runs stands where a sub-command is told."""
        found = self._tree.find(args)
        if found is not None and found.row.program:
            return self._inner_program(found.row, found.path[-1]).hides_verb(found.rest)
        return self._tree.hides_verb(args)

    def _inner_program(self, row: Row, verb: str) -> "Program":
        """The program that the words after the sub-command are meant for."""
        return self.family[verb if row.program == "*" else row.program]

    def _helps(self, args: tuple[Word, ...]) -> bool:
        """Whether it only prints help: a word of `help` alone, or one of `verb-help` after words of
        a sub-command that is named. After any other word it may be the help of another program."""
        if len(args) == 1:
            return args[0].value in self.row.help | self.row.verb_help
        if not args or args[-1].value not in self.row.verb_help:
            return False
        words = [word.value or "-" for word in args[:-1]]
        return any(
            all(word in part for word, part in zip(words, path, strict=False))
            for path in self.subcommands
            if len(path) >= len(words)
        )

    def given(self, invocation: Invocation) -> Given | None:
        """The row of this command line and its words; None where no row fits."""
        invocation = settle_patterns(invocation)
        found = self._tree.find(invocation.args)
        if found is None:
            return None
        outer = self.row if found.path else None
        options = arguments(found.rest, found.row.spec)
        return Given(invocation, found.row, found.rest, options, outer, found.before)


def _touches(given: Given) -> Iterator[Touch]:
    if given.row.touches:
        yield from touches_of(given.row.touches)(given)
        return
    yield from option_touches(given)
    kinds = given.kinds
    if kinds is None:
        kinds = (Kind.ANY if given.row.words is None else Kind.TEXT,) * len(given.operands)
    for kind, word in zip(kinds, given.operands, strict=True):
        if kind not in (Kind.TEXT, Kind.HOST, Kind.CODE):
            yield Touch(kind, word)


_ENDING = re.compile(r"\*\.\w+$")
_WRITTEN_OPTION = re.compile(r"--[\w-]+=")  # only its value is a pattern: `--include=*.py`
_ORDINARY = Use(Effect.DEVELOPMENT, "an ordinary step of development")


def use_of(given: Given) -> Use:
    row = given.row
    if not given.invocation.args and row.bare is not None:
        return row.bare
    use = use_of_options(given)
    if given.before.unclear:
        # An unknown option before the sub-command may swallow the next word and the meaning.
        return use | unknown(f"option `{given.before.unclear[0]}` is not known to be harmless")
    if len(given.args) == 1 and given.args[0].value in row.help:
        return use | loaded_use(given)
    if given.reads_with:
        reading = _add_objections(given, use | _by_words(given, READS))
        if not row.develops or not reading.effect & ~Effect.REMOTE_READ:
            return reading
    if row.develops or row.installs:
        return use | _development(given)
    # Where an option would make it read, the words are those of reading.
    use |= row.base if row.reads_with else row.base | _by_words(given, row.base)
    return _everyday(given, _add_objections(given, use))


def use_of_other(given: Given, use: Use) -> Use:
    """What another program does with the words, and what speaks against those in front of it."""
    if (unclear := unclear_use(given)) is not READS:
        use = Use(use.effect & ~Effect.DEVELOPMENT, use.why) | unclear
    use |= use_of_options(given) | objections(given)
    if use.effect & Effect.REMOTE_READ and not given.invocation.literal:
        return use | unknown("it can connect, and an argument is only known when it runs")
    swallowed = _dashed_value(replace(given, options=NOTHING))
    return use | unknown(f"`{swallowed}` may be an option") if swallowed else use


def _add_objections(given: Given, use: Use) -> Use:
    """`use`, and what objects to it, where it is harmless so far."""
    use |= objections(given)
    if use.effect & ~Effect.REMOTE_READ:
        return use
    use |= _doubts(given)
    if (given.row.connects or use.effect & Effect.REMOTE_READ) and not given.invocation.literal:
        return use | unknown("it can connect, and an argument is only known when it runs")
    return use


def _development(given: Given) -> Use:
    """A step of development, as long as nothing leads out of the project and no check objects."""
    row, invocation = given.row, given.invocation
    if row.script:
        return _script(given)
    use = (install_use if row.installs else development_use)(given.inner, row.foreign)
    leading = invocation.args[: len(invocation.args) - len(given.args)]
    if not ordinary(replace(invocation, args=leading), row.foreign):
        use = Use(use.effect & ~Effect.DEVELOPMENT, FOREIGN)
    use |= Use(row.base.effect & ~Effect.DEVELOPMENT, row.base.why)
    objection = objections(given)
    if objection is READS:
        return use
    both = use.effect & objection.effect & Effect.DEVELOPMENT
    return Use((use.effect | objection.effect) & ~Effect.DEVELOPMENT | both, objection.why)


def _everyday(given: Given, use: Use) -> Use:
    """A change that is an ordinary step with the options that the row lists under `everyday`."""
    names = given.row.everyday
    if names is None or given.would_read or given.before.unclear or given.options.unclear:
        return use
    usual = all(option.name in names for option in given.options.options)
    return use | _ORDINARY if usual and objections(given) is READS else use


def _script(given: Given) -> Use:
    """A script of the project is its own code; what else is given to it is its own business."""
    if given.options.unclear or given.code != ():
        return Use(Effect.RUNS, "it runs code")
    use = script_file(replace(given.invocation, args=given.operands))
    objection = objections(given)
    if objection is READS:
        return use
    return Use((use.effect | objection.effect) & ~Effect.DEVELOPMENT, objection.why)


def _code(given: Given) -> Use:
    texts = given.code
    if texts is None:
        return unknown("the code is not known")
    use = language_of(given.row.language)(given, texts) if texts else READS
    return use | unclear_use(given)  # an option that is not known may change what the code is


def objections(given: Given) -> Use:
    """What its code does, what the row's check objects to, and the program's own check."""
    use = _code(given) if given.row.language else READS
    for row in (given.row, given.outer):
        if row is not None and row.refuses:
            use |= next((line.use for line in row.refuses if _holds(line, given)), READS)
        if row is not None and row.check:
            use |= check_of(row.check)(given)
    return use


_pattern = lru_cache(maxsize=1_024)(re.compile)


def _holds(line: Refusal, given: Given) -> bool:
    options = given.options
    if (line.given and not options.has(*line.given)) or options.has(*line.unless):
        return False
    if not line.places:
        return True
    words = [word for place in line.places for word in _words(place, given, line.bare)]
    words = words[line.past :]
    return any(_counts(line, word) for word in words) or (line.needs and not words)


def _words(place: str, given: Given, bare: bool) -> Iterable[Word | None]:  # noqa: FBT001
    """None for an option without a value."""
    line = given.invocation.args
    match place:
        case "operands":
            return given.operands
        case "first":
            return given.operands[:1]
        case "args":
            return given.args
        case "line":
            return line
        case "verb":
            return line[: len(line) - len(given.args)][-1:]
        case _:
            options = (*given.before.options, *given.options.options)
            values = [one.value for one in options if place in (one.name, "values")]
            return [value for value in values if value is not None or bare]


def _counts(line: Refusal, word: Word | None) -> bool:
    if word is None:
        return True
    if word.value is None and line.unknown:
        return True
    if line.numbers and word.plain and word.text == HOLE:
        return False
    if line.like is not None:
        return _pattern(line.like).search(word.text) is not None
    if line.unlike is not None:
        return word.value is None or _pattern(line.unlike).fullmatch(word.value) is None
    return not line.needs


def use_of_options(given: Given) -> Use:
    use = READS
    pairs = [(given.row, option) for option in given.options.options]
    if given.outer is not None:
        pairs += [(given.outer, option) for option in given.before.options]
    for row, option in pairs:
        use |= _by_option(row, option)
        value = option.value
        if value is not None and value.text[:1] == "-" and not _is_glued(option, given):
            # Where a value is optional, or another version takes none, it is an option.
            for one in arguments((value,), row.spec).options:
                use |= _by_option(row, one)
    return use


def _is_glued(option: Option, given: Given) -> bool:
    """Whether the value stands behind `=` in the same word: `--sort=-date`."""
    own = any(option.value is word for word in given.invocation.args)
    return option.name.startswith("--") and not own


def _stream(row: Row, word: Word) -> bool:
    """Whether writing to this changes no file. To some programs `-` is the name of a file."""
    return word.value in STREAMS or (row.dash and word.value == "-")


def _by_option(row: Row, option: Option) -> Use:
    key = row.effects.get(option.name)
    to_stream = key == "writes" and option.value is not None and _stream(row, option.value)
    return READS if key is None or to_stream else option_use(option.name, key)


def _by_words(given: Given, base: Use) -> Use:
    kinds = given.kinds
    if kinds is None:
        if base.effect & ~Effect.REMOTE_READ or not given.operands:
            return READS  # it is not harmless anyway, or there is nothing to know
        word = given.operands[-1]
        return unknown(f"`{given.row.name}` is not known to take `{printable(word)}`")
    use = _by_further_words(given)
    for kind, word in zip(kinds, given.operands, strict=True):
        if not (kind is Kind.WRITES and _stream(given.row, word)):
            use |= word_use(printable(word), kind)
    return use


def _by_further_words(given: Given) -> Use:
    """A pattern and an unquoted expansion may bring more words than are written."""
    several = [word for word in given.args if perhaps_several(word)]
    words = given.row.words
    if not several or words is None or words.repeats_harmlessly:
        return READS
    return unknown(f"`{printable(several[0])}` may become several words")


def _doubts(given: Given) -> Use:
    """What speaks against a command that would only read: everything that is not known."""
    row = given.row
    if (unclear := unclear_use(given)) is not READS:
        return unclear
    asks = row.base.effect & Effect.REMOTE_READ or row.reads_with
    if (row.optional_values or asks) and (swallowed := _dashed_value(given)):
        return unknown(f"`{swallowed}` may be an option")
    if row.at_files and any(word.text.startswith("@") for word in given.invocation.args):
        return unknown("`@file` brings options along")
    if any(
        word.text.startswith("@") and kind in (Kind.READS, Kind.TREE, Kind.LISTS)
        for kind, word in zip(given.kinds or (), given.operands, strict=False)
    ):
        # Many programs take `@file` for the words in that file.
        return unknown("`@file` may bring options along")
    return loaded_use(given)


def unclear_use(given: Given) -> Use:
    unclear = [*given.before.unclear, *given.options.unclear]
    if given.row.program:
        unclear = [*given.before.unclear]
    elif given.row.complete:
        # A word that is only known when it runs may be an option: none of them does harm.
        dynamic = {printable(word) for word in given.invocation.args if _names_no_file(given, word)}
        unclear = [one for one in unclear if one not in dynamic]
    return unknown(f"option `{unclear[0]}` is not known to be harmless") if unclear else READS


def _names_no_file(given: Given, word: Word) -> bool:
    """Whether a word that is only known when it runs makes it read no other file, should it be an
    option. Names that were found are looked at where they come from, lists are not. Where nothing
    is there to match, `*.py` could only match a list called `--files0-from=a.py`."""
    keys = {*given.row.effects.values()} & {"lists", "reads"}
    if word.origin is Origin.GLOB and keys and not _WRITTEN_OPTION.match(word.text):
        ends = "lists" not in keys or _ENDING.search(word.text)
        return bool(ends) and brings_option(word, given.invocation) is None
    return word.value is None and "lists" not in keys


def _dashed_value(given: Given) -> str | None:
    """A word that is taken for the value of the option before it, and looks like an option."""
    for option in (*given.before.options, *given.options.options):
        value = option.value
        own = value is not None and any(value is word for word in given.invocation.args)
        dashed = value is not None and value.text[:1] == "-" and not value.text[1:].isdigit()
        if value is not None and own and dashed and len(value.text) > 1:
            return printable(value)
    return None
