"""Query tools for JSON, YAML, XML and tables: jq, yq, xmllint and the like."""

import itertools
import re
from collections.abc import Mapping

from automode.programs.forms import Mostly
from automode.programs.rows import Flat, Tree
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, runs, writes
from automode.programs.use import unknown as not_known
from automode.shell.options import Spec, arguments, may_split
from automode.shell.script import Word

_JQ_FLAGS = "nrjascCMSRehV"
_JQ_LONG = frozenset(
    "--null-input --raw-output --raw-output0 --join-output --ascii-output --slurp "
    "--compact-output --color-output --monochrome-output --sort-keys --raw-input --exit-status "
    "--tab --seq --stream --stream-errors --unbuffered --help --version --args --jsonargs "
    "--yaml-input --yaml-output --build-configuration".split()
)
_JQ_VALUES = {"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--indent": 1}
# Blanks and comments may stand between `$` and the name.
_JQ_ENVIRONMENT = re.compile(r'(?<![.\w"])(env|ENV)\b|(?<![.\w"])__prog|get_search_list')
_JQ_MODULES = re.compile(r'(?<![.\w"])(import|include|modulemeta)\b')
_YQ_REACHES_OUT = re.compile(
    r"\b(env|strenv|envsubst|eval|\w*load\w*|system)\b|(?<![.\w])(ENV|import|include|modulemeta)\b"
)

_SECRET_ENVIRONMENT = Use(Effect.SECRETS, "the filter prints the environment")

_YQ = Spec(
    flags="eCMNPjrncyYx0vV",
    values="opI",
    long_flags=(
        "--exit-status --colors --no-colors --no-doc --prettyPrint --tojson --unwrapScalar "
        "--null-input --verbose --version --help --nul-output --raw-output --compact-output "
        "--yaml-output --xml-output --header-preprocess --sort-keys --slurp"
    ).split(),
    long_values=("--output-format", "--input-format", "--indent", "--xml-attribute-prefix"),
    long_maybe=("--unwrapScalar", "--prettyPrint"),
)
_XMLLINT = Spec(
    long_flags=(
        "--noout --format --recover --nowarning --noerror --html --nonet --huge --nocdata "
        "--version --stream --timing --noblanks --nsclean --debug --dropdtd --memory --xmlout "
        "--nodefdtd --htmlout --quiet -noout -format"
    ).split(),
    long_values=("--xpath", "--encode", "--pretty", "--maxmem", "--pattern", "-xpath"),
    single_dash=True,
)
_OUTPUT = writes("`--output` writes a file")


def _jq_words(args: tuple[Word, ...]) -> tuple[list[Word], str]:
    """Operands, and the first thing that is not understood (empty when all is)."""
    words = iter(args)
    operands: list[Word] = []
    for word in words:
        text = word.text
        if may_split(word) or (word.value is None and word.could_be_flag):
            return operands, "an argument that may be an option"
        if not text.startswith("-") or text == "-":
            operands.append(word)
        elif text == "--":
            operands.extend(words)
        elif text in _JQ_VALUES:
            values = tuple(itertools.islice(words, _JQ_VALUES[text]))
            if any(map(may_split, values)):
                return operands, "an argument that may become several"
        elif text not in _JQ_LONG and (text.startswith("--") or set(text[1:]) - set(_JQ_FLAGS)):
            return operands, f"option `{text}`"
    return operands, ""


def _jq(invocation: Invocation) -> Use:
    """The filter language cannot write, run or connect; it can print the environment."""
    operands, problem = _jq_words(invocation.args)
    if problem:
        return not_known(f"{problem} is not known to be harmless")
    if not operands:
        return READS
    program = operands[0].value
    if program is None:
        return not_known("the filter is not known")
    if _JQ_MODULES.search(program):
        return not_known("the filter loads code from a file")
    return _SECRET_ENVIRONMENT if _JQ_ENVIRONMENT.search(program) else READS


def _yq(invocation: Invocation) -> Use:
    given = arguments(invocation.args, _YQ)
    if given.has("-i", "--inplace", "--in-place"):
        return writes("`-i` edits files in place")
    if given.unclear:
        return not_known("an option of yq is not known to be harmless")
    operands = list(given.operands)
    if operands and operands[0].value in ("eval", "e", "eval-all", "ea"):
        operands = operands[1:]
    if operands and operands[0].value is None:
        return not_known("the expression is not known")
    if any(_YQ_REACHES_OUT.search(word.text) for word in operands[:1]):
        return Use(Effect.SECRETS, "the expression reads the environment or other files")
    return READS


def _fetches(spec: Spec) -> Judge:
    """A reader whose operand may also be an address."""

    def judge(invocation: Invocation) -> Use:
        if any("://" in word.text for word in invocation.args):
            return network("an address is fetched")
        return Flat(spec, effects={"--output": _OUTPUT, "-o": _OUTPUT})(invocation)

    return judge


_XSV = Tree(
    reads=(
        "cat count flatten fmt frequency headers input join sample search select slice sort stats "
        "table reverse behead enum safenames sniff validate"
    ).split(),
    spec=Spec(
        flags="hniv",
        values="sdlcnoSej",
        long_flags=(
            "--no-headers",
            "--help",
            "--version",
            "--everything",
            "--json",
            "--invert-match",
        ),
        long_values=("--select", "--delimiter", "--limit", "--output", "--start", "--end", "--len"),
    ),
    effects={"-o": _OUTPUT, "--output": _OUTPUT},
    strict=True,
    depth=1,
)
_DASEL = Spec(
    flags="n",
    values="frws",
    long_flags=("--version", "--help", "--colour", "--null", "--plain", "--compact"),
    long_values=("--file", "--read", "--write", "--selector", "--parser"),
)


def _dasel(invocation: Invocation) -> Use:
    """The verb may stand behind options."""
    if any(word.text in ("put", "delete") for word in invocation.args):
        return writes("`dasel put` and `dasel delete` edit a file")
    if not invocation.literal:
        return not_known("an argument is not known and may be a verb")
    return Flat(_DASEL)(invocation)


PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(("jq", "gojq", "jaq"), _jq),
    **dict.fromkeys(("yq", "xq", "tomlq"), _yq),
    "xmllint": _fetches(_XMLLINT),
    "gron": _fetches(
        Spec(
            flags="sucmjv",
            long_flags=(
                "--stream",
                "--ungron",
                "--colorize",
                "--monochrome",
                "--json",
                "--version",
            ),
        )
    ),
    **dict.fromkeys(("xmlstarlet", "xml"), Mostly(not_known("its queries may load documents"))),
    **dict.fromkeys(("xsv", "qsv"), _XSV),
    "dasel": _dasel,
    "mlr": Mostly(runs("`system` and `tee` in its verbs")),
}
