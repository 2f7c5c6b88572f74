"""Linters and formatters that belong to no one language's package manager."""

from collections.abc import Mapping

from automode.programs.development import develops, inside
from automode.programs.jvm import or_version
from automode.programs.rows import Flat
from automode.programs.use import Effect, Invocation, Judge, Use, runs, writes
from automode.programs.verbs import Verbs, many, prints, reads, spec
from automode.shell.options import arguments

# Their configuration may name plug-ins or be code itself, so even checking runs code.
_CODE_CONFIG = or_version(
    develops(
        "--config -c --rulesdir --rules --resolve-plugins-relative-to --plugin --parser"
        " --ext-plugin"
        " --config-path --plugin-search-dir --custom-syntax --config-basedir --configPointer -r"
        " --require --no-eslintrc -f"
    ),
)
_FIXING = or_version(develops("--config -c --config-path --style", Effect.WRITES))


def _own_config(judge: Judge, *options: str) -> Judge:
    """`judge`, unless the configuration named on the command line is not the project's own."""
    naming = spec(" ".join(f"{option}=" for option in options))

    def told(invocation: Invocation) -> Use:
        values = [
            option.value
            for option in arguments(invocation.args, naming).options
            if option.name in options
        ]
        if any(value is None or not inside(invocation, value.text) for value in values):
            return runs("its configuration is not the project's own")
        return judge(invocation)

    return told


_SHELLCHECK = (
    "-a -x -V --version --help --list-optional --check-sourced --external-sources --norc --color[=]"
    " -f= --format= -s= --shell= -e= --exclude= -i= --include= -S= --severity= -o= --enable= -P="
    " --source-path= -W= --wiki-link-count= --extended-analysis="
)
_HADOLINT = (
    "-h --help -v --version --no-fail --no-color -V --verbose -f= --format= --ignore= -t="
    " --failure-threshold= --error= --warning= --info= --style= --trusted-registry= -c= --config="
    " --strict-labels --disable-ignore-pragma --require-label="
)
_YAMLLINT = (
    "-h --help -v --version -s --strict -f= --format= -d= --config-data= -c= --config-file="
    " --list-files --no-warnings"
)
_CLANG_FORMAT = (
    "-n --dry-run --Werror -Werror --style= -style= --fallback-style= --assume-filename= --offset="
    " --length= --lines= --sort-includes --dump-config --help --version --verbose --cursor="
    " --files="
    " -h --ferror-limit= --output-replacements-xml"
)


def _clang_format(invocation: Invocation) -> Use:
    """Without `-i` it prints the formatted text."""
    doubled = Flat(spec(_CLANG_FORMAT), {"-i": writes("`-i` rewrites files")})
    if any(word.text in ("-i", "--i", "-inplace") for word in invocation.args):
        return writes("`-i` rewrites files")
    return doubled(invocation)


_CODESPELL = (
    "-h --help --version -q= --quiet-level= -L= --ignore-words-list= -I= --ignore-words= -S="
    " --skip="
    " -s --summary -c --count -f --check-filenames -H --check-hidden -x= -d --disable-colors"
)
_BIOME: dict[str, Judge] = {
    **many("check lint ci format", develops("--config-path --stdin-file-path")),
    **many("version explain rage", prints),
    **many("init migrate start stop upgrade", lambda _: writes("it changes files or settings")),
}
_BUF: dict[str, Judge] = {
    **many("lint build breaking format generate", develops("--config --template")),
}
_TAPLO: dict[str, Judge] = {
    **many("lint check", develops()),
    **many("format fmt", develops("", Effect.WRITES)),
}

PROGRAMS: Mapping[str, Judge] = {
    **many(
        "eslint prettier stylelint xo standard tslint jshint htmlhint markdownlint"
        " markdownlint-cli2"
        " remark commitlint cspell oxlint dprint svelte-check vue-tsc knip depcheck lint-staged",
        _CODE_CONFIG,
    ),
    "biome": Verbs(_BIOME, spec("--version -V --help -h")),
    "shellcheck": reads(_SHELLCHECK),
    "hadolint": _own_config(reads(_HADOLINT), "-c", "--config"),
    "yamllint": _own_config(reads(_YAMLLINT), "-c", "--config-file"),
    "actionlint": or_version(develops("-shellcheck -pyflakes -config-file")),
    "clang-format": _clang_format,
    **many("clang-tidy cppcheck cpplint include-what-you-use", _FIXING),
    "codespell": reads(_CODESPELL),
    "buf": Verbs(_BUF, spec("--version --help -h")),
    "taplo": Verbs(_TAPLO, spec("--version --help -h")),
    **many("stylua luacheck selene sqlfluff sqlfmt djlint curlylint vale typos", _FIXING),
    **many("cfn-lint checkmake dotenv-linter editorconfig-checker", _FIXING),
}
