"""What a command does by its row: what the row proves, and everything that speaks against it."""

import re
from dataclasses import replace

from automode.programs.checks import check_of, language_of
from automode.programs.development import FOREIGN, Develops, Installs, ordinary, script_file
from automode.programs.glob_words import brings_option
from automode.programs.loading import loading
from automode.programs.row import STREAMS, Kind, Row, option_use, word_use
from automode.programs.touch import NOTHING, Given
from automode.programs.use import READS, Effect, Use, printable, unknown
from automode.shell.options import Option, arguments, perhaps_several
from automode.shell.script import Origin, Word

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
        return use | loading(given)
    if given.reads_with:
        reading = _proved(given, use | _by_words(given, READS))
        if not row.develops or not reading.effect & ~Effect.REMOTE_READ:
            return reading
    if row.develops or row.installs:
        return use | _development(given)
    # Where an option would make it read, the words are those of reading.
    use |= row.base if row.reads_with else row.base | _by_words(given, row.base)
    return _everyday(given, _proved(given, use))


def use_of_other(given: Given, use: Use) -> Use:
    """What another program does with the words, and what speaks against those in front of it."""
    if (unclear := unclear_use(given)) is not READS:
        use = Use(use.effect & ~Effect.DEVELOPMENT, use.why) | unclear
    use |= use_of_options(given) | objections(given)
    if use.effect & Effect.REMOTE_READ and not given.invocation.literal:
        return use | unknown("it can connect, and an argument is only known when it runs")
    swallowed = _dashed_value(replace(given, options=NOTHING))
    return use | unknown(f"`{swallowed}` may be an option") if swallowed else use


def _proved(given: Given, use: Use) -> Use:
    """`use`, and what objects to it, where it is harmless so far."""
    use |= objections(given)
    if use.effect & ~Effect.REMOTE_READ:
        return use
    use |= _unproved(given)
    if (given.row.connects or use.effect & Effect.REMOTE_READ) and not given.invocation.literal:
        return use | unknown("it can connect, and an argument is only known when it runs")
    return use


def _development(given: Given) -> Use:
    """A step of development, as long as nothing leads out of the project and no check objects."""
    row, invocation = given.row, given.invocation
    if row.script:
        return _script(given)
    shape = Installs(row.foreign) if row.installs else Develops(row.foreign)
    use = shape(given.inner)
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
        if row is not None and row.check:
            use |= check_of(row.check)(given)
    return use


def use_of_options(given: Given) -> Use:
    use = READS
    pairs = [(given.row, option) for option in given.options.options]
    if given.outer is not None:
        pairs += [(given.outer, option) for option in given.before.options]
    for row, option in pairs:
        use |= _by_option(row, option)
        value = option.value
        if value is not None and value.text[:1] == "-" and not _glued(option, given):
            # Where a value is optional, or another version takes none, it is an option.
            for one in arguments((value,), row.spec).options:
                use |= _by_option(row, one)
    return use


def _glued(option: Option, given: Given) -> bool:
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


def _unproved(given: Given) -> Use:
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
    return loading(given)


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
