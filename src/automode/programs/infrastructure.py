"""Programs that plan and build infrastructure: terraform and its kin, pulumi, cdk, packer."""

from collections.abc import Mapping

from automode.programs.clients import (
    BUILDS,
    CHANGES,
    REMOTE,
    RUNS,
    SECRET,
    WRITES,
    Row,
    Verbs,
    alone,
    options,
    words,
)
from automode.programs.development import inside
from automode.programs.services import Service, others, paths
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network
from automode.shell.options import Arguments


def _single(text: str = "", base: Use = READS, **effects: Use) -> Row:
    """A row of a program whose options have one dash, or two."""
    both = " ".join(f"{word} -{word}" for word in text.split())
    found = {
        f"{dash}{name.replace('_', '-')}": u for name, u in effects.items() for dash in ("-", "--")
    }
    return Row(options(both, single_dash=True), base, found)


def _formats(given: Arguments) -> Use:
    """`fmt` rewrites files unless told to only look, or fed from standard input."""
    looks = given.has("-check", "--check")
    write = given.value("-write", "--write")
    kept = write is not None and write.text == "false"
    piped = [word.text for word in given.operands] == ["-"]
    return (
        READS
        if looks or kept or piped
        else Use(Effect.WRITES | Effect.DEVELOPMENT, "formats files")
    )


def _outputs(given: Arguments) -> Use:
    """Only the plain list of all outputs hides those marked as secret."""
    asked = given.operands or given.has("-json", "--json", "-raw", "--raw")
    return SECRET if asked else READS


_FORMAT = _single("-check -diff -recursive -list= -no-color -write=")
_STATE = "-state= -no-color -json -raw -id= "
_TERRAFORM_ROWS = {
    "version": _single("-json"),
    "providers": Row(options("-test-directory=", single_dash=True), check=alone),
    # What needs the schemas of resources starts the providers that lie in `.terraform`.
    "providers schema": _single("-json", BUILDS),
    "validate": _single("-json -no-color -no-tests -test-directory= -var= -var-file=", BUILDS),
    "fmt": Row(_FORMAT.spec, check=_formats),
    "show": _single("-json -no-color", REMOTE | BUILDS, json=SECRET),
    "output": Row(_single(_STATE).spec, REMOTE, check=_outputs),
    "state list": _single(_STATE, REMOTE),
    "state show": _single(_STATE, REMOTE | BUILDS),
    "graph": _single("-type= -draw-cycles -plan= -module-depth=", REMOTE | BUILDS),
    "workspace list": _single("", REMOTE),
    "workspace show": _single(),
    "metadata functions": _single("-json"),
    "modules": _single("-json"),
    "get": Row(base=network("fetches modules")),
    "plan": _single(
        "-out= -target= -var= -var-file= -no-color -input= -refresh= -refresh-only -destroy -lock="
        " -lock-timeout= -parallelism= -compact-warnings -detailed-exitcode -json -replace= -state="
        " -concise -generate-config-out=",
        BUILDS,
        out=WRITES,
        generate_config_out=WRITES,
    ),
    "test": _single("-filter= -json -no-color -var= -var-file= -verbose", RUNS | CHANGES),
    "init": _single(
        "-input= -no-color -upgrade -reconfigure -backend=", BUILDS | network("fetches")
    ),
}
_TERRAFORM_USES = {
    **dict.fromkeys(words("apply destroy import taint untaint refresh force-unlock"), CHANGES),
    **dict.fromkeys(words("console rpcapi"), RUNS),
    **dict.fromkeys(words("login logout"), Use(Effect.WRITES | Effect.NETWORK, "signs in or out")),
    **{f"state {verb}": CHANGES for verb in words("mv rm push replace-provider")},
    "state pull": SECRET,
    "workspace new": CHANGES,
    "workspace delete": CHANGES,
    "workspace select": WRITES,
    "providers lock": network("asks a registry") | WRITES,
    "providers mirror": network("fetches providers") | WRITES,
}
_TERRAFORM = Verbs(
    _TERRAFORM_ROWS,
    options("-chdir= --chdir= -version --version -v", single_dash=True),
    {},
    _TERRAFORM_USES,
    help_depth=2,
)


def terraform(invocation: Invocation) -> Use:
    """As ordinary as the folder it works in: `-chdir` out of the project is not ordinary."""
    use = _TERRAFORM(invocation)
    folders = [word.text.partition("=")[2] for word in invocation.args if "chdir" in word.text]
    if all(folder and inside(invocation, folder) for folder in folders):
        return use
    return Use(use.effect & ~Effect.DEVELOPMENT | Effect.RUNS, use.why or RUNS.why)


_TERRAGRUNT = Service(
    reads=paths("version"),
    uses=others(
        {
            "plan|validate|output|show|providers|graph|state|hclfmt|init|find|list": BUILDS,
            "apply|destroy|run-all|import|run|stack|exec": RUNS | CHANGES,
        }
    ),
)

_PACKER_ROWS = {
    "version": _single(),
    "validate": _single(
        "-syntax-only -evaluate-datasources -var= -var-file= -only= -except=", RUNS
    ),
    "inspect": _single("-machine-readable -var= -var-file="),
    "fmt": Row(_FORMAT.spec, check=_formats),
    "plugins installed": _single(),
    "plugins required": _single(),
}
_PACKER_ROWS["validate"] = Row(
    _PACKER_ROWS["validate"].spec,
    check=lambda given: READS if given.has("-syntax-only", "--syntax-only") else BUILDS,
)
_PACKER = Verbs(
    _PACKER_ROWS,
    options("-machine-readable -version --version -v", single_dash=True),
    uses={
        "build": RUNS | CHANGES,
        "console": RUNS,
        "init": network("fetches plug-ins"),
        "hcl2_upgrade": WRITES,
        "plugins install": network("fetches plug-ins"),
        "plugins remove": WRITES,
    },
)

_PULUMI = Service(
    reads=paths("""
stack ls|output|history
stack tag ls|get
version|whoami|logs|completion
plugin ls
org get-default
policy ls
"""),
    alone=paths("stack\nconfig"),
    uses=others(
        {
            "preview|pre|watch|install": BUILDS,
            "up|update|destroy|refresh|import|cancel|state": CHANGES,
            "stack export": SECRET,
            "stack graph": WRITES,
            "stack tag set|rm": CHANGES,
            "config get|env": SECRET,
            "env|esc": SECRET,
        }
    ),
    spec=options(
        "-s= --stack= -j -f --follow --json --non-interactive --color= -v= --show-ids"
        " --show-urns -a"
    ),
)
_CDK = Service(
    reads=paths("doctor\nnotices\nversion"),
    alone=paths("context"),
    uses=others(
        {
            "list|ls|diff|synth|synthesize|metadata|drift": BUILDS,
            "deploy|destroy|bootstrap|import|watch|gc|rollback|migrate|refactor": RUNS | CHANGES,
            "init": WRITES,
            "docs|doc": RUNS,
        }
    ),
    spec=options("-j --json -v --verbose --no-color"),
    base=READS,
)
_SAM = Service(
    reads=paths("list endpoints|resources|stack-outputs\nlogs\ntraces\nvalidate"),
    uses=others(
        {
            "build": BUILDS,
            "local": RUNS,
            "deploy|delete|sync|package|publish|remote|pipeline": CHANGES,
            "init": WRITES,
        }
    ),
    spec=options(
        "-t= --template= --output= --stack-name= --region= --lint -n= --name= --tail --tailed"
    ),
)
_SERVERLESS = Service(
    bare=RUNS,
    reads=paths("version"),
    uses=others(
        {
            "print|package|info|logs|metrics": BUILDS,
            "deploy|remove|rollback|invoke|login|create|install|plugin|config": RUNS | CHANGES,
        }
    ),
    base=READS,
)

PROGRAMS: Mapping[str, Judge] = {
    "terraform": terraform,
    "tofu": terraform,
    "terragrunt": _TERRAGRUNT,
    "packer": _PACKER,
    "pulumi": _PULUMI,
    "cdk": _CDK,
    "sam": _SAM,
    "serverless": _SERVERLESS,
    "sls": _SERVERLESS,
}
