"""The layers for what the person wrote: rules that share one verdict."""

from collections.abc import Callable, Iterable, Sequence

from automode.core.call import Fetch, Read, Shell, ToolCall, Write
from automode.core.decision import Decision, Failure, Verdict, allow, ask, deny
from automode.core.errors import BadPattern
from automode.core.session import Session
from automode.core.tools import fetched_urls
from automode.core.workspace import Workspace
from automode.gate.layer import Answer, Trail
from automode.programs.call_facts import CallFacts, CommandFacts
from automode.rules.input_match import (
    Protected,
    file_match,
    file_rules,
    input_covered,
    input_match,
    path_covered,
    path_match,
    unprotected,
    url_covered,
    url_match,
)
from automode.rules.pattern import Match, Pattern, Rule, parse
from automode.rules.shell_allow import broad, covering_patterns, nothing_is_proved
from automode.rules.shell_match import SCRIPT_LIMIT, raw_match, shell_match


def _everything_is_protected(path: str) -> bool:
    """An allow layer is given the protected paths; without them it allows no write."""
    return True


class Rules:
    """Deny and ask rules tighten, so any match counts; allow rules need everything covered."""

    def __init__(
        self,
        verdict: Verdict,
        rules: Iterable[Rule],
        *,
        protected: Protected = _everything_is_protected,
        reads: Callable[[CommandFacts], bool] = nothing_is_proved,
        classify_all_shell: bool = False,
    ) -> None:
        self.verdict = verdict
        self.name = f"rules.{verdict.word}"
        self.protected = protected
        self.reads = reads
        self.classify_all_shell = classify_all_shell
        self.patterns, self.malformed = _parse_all(rules)
        self.for_files = file_rules(self.patterns)
        self.aside: tuple[Pattern, ...] = ()
        if verdict is Verdict.ALLOW:
            self.aside = tuple(pattern for pattern in self.patterns if broad(pattern))
            self.patterns = tuple(one for one in self.patterns if one not in self.aside)

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        if not self.patterns and not self.malformed:
            return None
        if self.verdict is Verdict.ALLOW:
            return self._allow(facts)
        call = facts.call
        patterns = [pattern for pattern in self.patterns if pattern.about(call)]
        found, pattern = self._surest(patterns, facts)
        if found is not Match.YES and self.for_files and isinstance(call.action, Shell):
            other = self._files(call.action, facts)
            found, pattern = max((found, pattern), other, key=lambda pair: pair[0])
        if pattern is not None and found is Match.YES:
            return self._answer(pattern)
        if self.malformed:
            return self._unreadable(self.malformed[0])
        return None if pattern is None else self._unsure(pattern)

    def covers(self, facts: CallFacts) -> bool:
        """Whether these allow rules alone cover a call."""
        return self._allow(facts) is not None

    def _surest(
        self, patterns: Sequence[Pattern], facts: CallFacts
    ) -> tuple[Match, Pattern | None]:
        call = facts.call
        whole = next((pattern for pattern in patterns if pattern.argument is None), None)
        if whole or not patterns:
            return (Match.YES, whole) if whole else (Match.NO, None)
        if isinstance(call.action, Shell):
            return _shell(patterns, call.action, facts)
        found = [(_match_of(pattern, call, facts.workspace), pattern) for pattern in patterns]
        best = max(found, key=lambda pair: pair[0])
        return best if best[0] is not Match.NO else (Match.NO, None)

    def _files(self, action: Shell, facts: CallFacts) -> tuple[Match, Pattern | None]:
        """Rules for files against the files that a script touches. What stands in a gap of the
        reading may be any file."""
        if action.dialect != "bash":
            return Match.COULD, self.for_files[0]
        found, pattern = file_match(self.for_files, facts.touched_files, facts.workspace)
        if found is Match.NO and not facts.script.complete:
            return Match.COULD, self.for_files[0]
        return found, pattern

    def _answer(self, pattern: Pattern) -> Decision:
        if self.verdict is Verdict.ASK:
            return ask(self.name, f"ask rule {pattern.rule.shown} matches")
        return deny(self.name, f"deny rule {pattern.rule.shown} matches")

    def _unsure(self, pattern: Pattern) -> Decision:
        """What cannot be read for sure may be what the rule is about."""
        reason = f"{self.verdict.word} rule {pattern.rule.shown} could match: part of the call "
        advice = "write it without variables, wildcards or generated code"
        reason += "cannot be known before it runs"
        return ask(self.name, reason, advice, clearable=self.verdict is Verdict.ASK)

    def _unreadable(self, rule: Rule) -> Decision:
        reason = f"{self.verdict.word} rule {rule.shown} cannot be read, so it could mean this call"
        remedy = "correct the rule: `tool` or `tool(glob)`"
        return ask(self.name, reason, clearable=False, remedy=remedy)

    def _allow(self, facts: CallFacts) -> Decision | None:
        patterns = tuple(pattern for pattern in self.patterns if pattern.permits(facts.call))
        used = self._patterns_for(patterns, facts) if patterns else ()
        if not used:
            return None
        rules = ", ".join(pattern.rule.shown for pattern in used)
        return allow(self.name, f"allow rule {rules} covers it")

    def _patterns_for(self, patterns: tuple[Pattern, ...], facts: CallFacts) -> tuple[Pattern, ...]:
        call, workspace = facts.call, facts.workspace
        match call.action:
            case Shell(command, dialect):
                if self.classify_all_shell:
                    return ()
                if dialect != "bash":
                    return tuple(one for one in patterns if one.argument == command)[:1]
                return covering_patterns(
                    patterns,
                    facts.script,
                    command,
                    workspace,
                    self.protected,
                    lambda one: self.reads(facts.of(one)),
                )
            case Fetch():
                urls = (call.action.url, *fetched_urls(call.input))
                return _each(patterns, urls, lambda one, url: url_covered(one.argument, url))
            case Read(paths) | Write(paths) if paths:
                writes = isinstance(call.action, Write)
                if writes and not all(unprotected(p, workspace, self.protected) for p in paths):
                    return ()
                return _each(
                    patterns, paths, lambda one, p: path_covered(one.argument, p, workspace)
                )
            case Write():
                return ()
            case _:
                fits = (one for one in patterns if self._input_covered(one, call, workspace))
                return tuple(fits)[:1]

    def _input_covered(self, pattern: Pattern, call: ToolCall, workspace: Workspace) -> bool:
        return input_covered(pattern.argument, call, workspace, self.protected)


def _shell(
    patterns: Sequence[Pattern], action: Shell, facts: CallFacts
) -> tuple[Match, Pattern | None]:
    """The quick reading is enough to deny; only the full one can say that nothing matches."""
    if action.dialect != "bash":
        return raw_match(patterns, action, facts.first.commands)
    text, workspace = action.command, facts.workspace
    found, pattern = shell_match(patterns, facts.first, text, workspace)
    if found is Match.YES:
        return found, pattern
    found, pattern = shell_match(patterns, facts.script, text, workspace)
    # What code inside the call would run is read in part: only what surely matches counts.
    for inner in facts.inner_scripts if found is not Match.YES else ():
        sure, by = shell_match(patterns, inner, "", workspace)
        if sure is Match.YES:
            return sure, by
    if found is Match.NO and len(text) > SCRIPT_LIMIT:
        return Match.COULD, patterns[0]
    return found, pattern


def _parse_all(rules: Iterable[Rule]) -> tuple[tuple[Pattern, ...], tuple[Rule, ...]]:
    patterns: list[Pattern] = []
    malformed: list[Rule] = []
    for rule in rules:
        try:
            patterns.append(parse(rule))
        except BadPattern:
            malformed.append(rule)
    return tuple(patterns), tuple(malformed)


def _match_of(pattern: Pattern, call: ToolCall, workspace: Workspace) -> Match:
    """How surely a deny or ask pattern with an argument matches a call that is no shell script."""
    glob = pattern.argument or "*"
    match call.action:
        case Fetch():
            urls = (call.action.url, *fetched_urls(call.input))
            return max(url_match(glob, url) for url in urls)
        case Read(paths) | Write(paths) if paths:
            return max(path_match(glob, path, workspace) for path in paths)
        case Write():
            return Match.COULD
        case _:
            return input_match(glob, call)


def _each(
    patterns: Sequence[Pattern],
    parts: Sequence[str],
    covers: Callable[[Pattern, str], bool],
) -> tuple[Pattern, ...]:
    """One pattern for each part; empty when a part has none."""
    found = [next((one for one in patterns if covers(one, part)), None) for part in parts]
    used = tuple(dict.fromkeys(pattern for pattern in found if pattern is not None))
    return used if None not in found else ()


SOURCE = "rules.malformed"


class Malformed:
    """`faults` are the settings that may have held a prohibition, one line each."""

    name = "rules.malformed"

    def __init__(self, faults: tuple[str, ...]) -> None:
        self.faults = faults

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        if not self.faults:
            return None
        more = f" (and {len(self.faults) - 1} more)" if len(self.faults) > 1 else ""
        return ask(
            SOURCE,
            f"a rule that may forbid this call cannot be read: {self.faults[0]}{more}",
            clearable=False,
            error=Failure.UNREADABLE,
            remedy="correct the configuration; `automode config` shows where",
        )
