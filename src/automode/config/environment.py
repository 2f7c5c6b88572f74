"""What an environment that the user does not trust may still say.

A repository can often set environment variables, so without trust they may tighten and choose a
model, and nothing else.
"""

from collections.abc import Mapping
from dataclasses import replace

from automode.config.diagnostics import Findings, Level
from automode.config.json_tree import Scalar
from automode.config.keys import PROVIDERS, ROW_OF
from automode.config.kinds import DEFAULTS, Rules
from automode.config.part import Given, Listed, Part
from automode.llm.providers import PROVIDERS as PROVIDER_TABLE

_MODEL = "autoMode.classifierModel"
_HINT = 'only `"trustEnvironment": true` in your own settings file lets the environment loosen'


def restrain(part: Part, now: Mapping[str, Scalar]) -> Part:
    """`part` without what would loosen the values in force `now`; what was left out is reported."""
    findings = Findings(part.source, part.file)
    if part.providers:
        findings.add(Level.WARNING, PROVIDERS, None, "ignored: an endpoint loosens", _HINT)
    return replace(
        part,
        scalars=_scalars(part.scalars, now, findings),
        lists=_lists(part.lists, findings),
        providers=(),
        diagnostics=(*part.diagnostics, *findings.all()),
    )


def _scalars(
    scalars: Mapping[str, Given], now: Mapping[str, Scalar], findings: Findings
) -> Mapping[str, Given]:
    kept: dict[str, Given] = {}
    for key, given in scalars.items():
        if key == _MODEL and _keyless(given.value):
            message = "ignored: a server without a key may be anybody's"
            findings.add(Level.WARNING, key, given.line, message, _HINT)
        elif ROW_OF[key].order.loosens(now[key], given.value):
            findings.add(Level.WARNING, key, given.line, "ignored: this would loosen", _HINT)
        else:
            kept[key] = given
    return kept


def _keyless(model: Scalar) -> bool:
    """Whether the model's provider is known by nothing but its address on this machine: whoever
    listens there would be the judge."""
    provider = PROVIDER_TABLE.get(str(model).partition("/")[0].casefold())
    return provider is not None and not provider.key_variables


def _lists(lists: Mapping[str, Listed], findings: Findings) -> Mapping[str, Listed]:
    kept: dict[str, Listed] = {}
    for key, listed in lists.items():
        kind = ROW_OF[key].kind
        if not isinstance(kind, Rules) or not kind.tightens:
            findings.add(Level.WARNING, key, listed.line, "ignored: this list can loosen", _HINT)
            continue
        if kind.built_in and listed.keeps is False:
            message = f"ignored: leaving out `{DEFAULTS}` would loosen; the entries count"
            findings.add(Level.WARNING, key, listed.line, message, _HINT)
            listed = replace(listed, keeps=None)
        kept[key] = listed
    return kept
