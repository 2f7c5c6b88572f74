"""The composition root: reading this from top to bottom is reading the architecture."""

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from automode.classifier.budget import Limits
from automode.classifier.cache import Cache, file_state
from automode.classifier.chosen import chosen, chosen_stages
from automode.classifier.layer import Classifier, NotTheJudge
from automode.classifier.prompt import PolicyLists, Prompts, new_key
from automode.classifier.stages import DEADLINE_SECONDS, Stage, Terms
from automode.config.load import Loaded, faults, load, prose, rules
from automode.config.places import Places
from automode.config.settings import (
    AssistantText,
    Builtins,
    Confine,
    OnFailure,
    Probe,
    Settings,
    Source,
)
from automode.core.decision import Verdict
from automode.facts.established import Established
from automode.facts.git import changed_files
from automode.facts.git_kept import kept_texts, unshared_moves
from automode.facts.place import all_names, home_folder, installed_files
from automode.facts.reader import ShellReader
from automode.gate import breaker
from automode.gate.gate import Gate
from automode.gate.layer import Layer
from automode.guards.floor.layer import Floor
from automode.guards.own_files import OwnFolders
from automode.guards.protected import PROTECTED_PATHS, Protected
from automode.guards.reads.read_only import ReadOnly
from automode.guards.session_files import MARK, SessionFiles, Unless
from automode.guards.typed_session import TypedSession
from automode.guards.workspace_edits import WorkspaceEdits
from automode.judge.calls.needs import hosts_in
from automode.judge.confined import AlsoConfined, ConfinedDoor, Confining
from automode.judge.embedded import BadModel, EmbeddedJudge, shipped_model
from automode.judge.reading import CallReader
from automode.judge.runs.commits import UnaskedCommits
from automode.judge.runs.git_losses import GitLosses
from automode.llm.endpoints import Missing, Sources
from automode.llm.hosted import Wire
from automode.llm.keys import KeyHelper, Keyring, KeyStore, no_keyring
from automode.llm.ledger import Ledger
from automode.llm.model import Model
from automode.llm.prices import cost_beside
from automode.llm.session_keys import SessionKeys
from automode.policy.defaults import Section, texts
from automode.rules.layer import Malformed, Rules
from automode.sessions.confinement import Confinement
from automode.sessions.decision_service import DecisionService
from automode.sessions.host_checks import live_host_checks
from automode.sessions.layers import NOT_LOOKED_AT, RAN_AROUND, Approvals, NamedOnly, SuspectResult
from automode.sessions.projects import Projects
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.rule_offers import RuleOffers
from automode.sessions.transcript_text import given_files
from automode.store.folder import StateFolder
from automode.store.writer import Writer

READER = ShellReader()  # one for all gates of a process, because it keeps readings
_PERSONS = (Source.USER, Source.LOCAL, Source.MANAGED)


def build_gate(
    settings: Settings,
    *,
    judges: Sequence[Layer] = (),
    reader: ShellReader | None = None,
    approvals: Sequence[Layer] = (),
    folders: OwnFolders | None = None,
    unproved_names_in: str = "",
    confining: Confining | None = None,
) -> Gate:
    """Deny and ask checks run before allow checks. `folders` are automode's own (`own_folders`),
    where they are not the usual ones alone. `unproved_names_in` is a session whose tools may have
    any name: there a name proves nothing. `confining` runs calls under the kernel's guard, where
    somebody can."""
    protected = Protected.of(entry.text for entry in settings.protected_paths)
    reading = ReadOnly(
        remote_reads=settings.remote_reads,
        classify_tools=settings.classify_read_only_tools,
    )
    reads: Layer = reading
    if unproved_names_in:
        reads = NamedOnly(reads, unproved_names_in)
        judges = [NamedOnly(judge, unproved_names_in) for judge in judges]
    allowing: Layer = Unless(
        MARK,
        Rules(
            Verdict.ALLOW,
            rules(settings.permissions.allow),
            protected=protected.matches,
            reads=reading.proves,
            classify_all_shell=settings.classify_all_shell,
        ),
    )
    confined: list[Layer] = []
    if confining is not None and settings.confine is not Confine.OFF:
        if settings.confine is Confine.ALL_SHELL:
            allowing, reads = AlsoConfined(allowing, confining), AlsoConfined(reads, confining)
            judges = [AlsoConfined(judge, confining) for judge in judges]
        # Prohibitions of a person's own are prose, which only a judge can read.
        if not own_prohibitions(settings):
            judged = bool(judges) and settings.confine is Confine.ASKED
            confined = [ConfinedDoor(confining, judged=judged)]
            if judged:
                judges = [AlsoConfined(one, confining, Verdict.ASK) for one in judges]
    return Gate(
        standing=[
            Rules(Verdict.DENY, rules(settings.managed_deny)),
            Malformed(faults(settings, Source.MANAGED)),
        ],
        walls=[
            Rules(Verdict.DENY, rules(settings.permissions.deny)),
            Rules(Verdict.ASK, rules(settings.permissions.ask)),
            Malformed(faults(settings)),
            Floor(folders),
            TypedSession(),
            SessionFiles(),
            NotTheJudge(),
            RAN_AROUND,
            NOT_LOOKED_AT,
            *([SuspectResult(reads)] if settings.probe is Probe.ASK else []),
        ],
        doors=[
            allowing,
            reads,
            *([WorkspaceEdits(protected, folders)] if settings.workspace_edits else []),
            *confined,
        ],
        judges=judges,
        approvals=approvals,
        limits=_breaker(settings),
        read=(reader or READER).facts,
    )


def own_folders(places: Places, state: str | None) -> OwnFolders:
    """Where this very installation lies: its settings, its state, its program and the environment
    that the program runs in, and the files of agents that lead to it; links are followed, too."""
    config = os.path.dirname(places.trust_file)
    package = os.path.dirname(os.path.abspath(__file__))
    prefix = (sys.prefix,) if sys.prefix != sys.base_prefix else ()
    runtime, installed = all_names(package, *prefix), all_names(*installed_files(state))
    return OwnFolders(all_names(config), all_names(state), runtime, installed)


def _breaker(settings: Settings) -> breaker.Limits:
    limits = settings.escalation
    return breaker.Limits(limits.consecutive, limits.total, limits.unavailable, limits.unattended)


def build_classifier(
    settings: Settings, model: Model | Missing, *, ledger: Ledger | None = None
) -> Classifier:
    """The last layer: a model's judgement. Where nobody chose a model, the embedded judge stands
    in for it; a chosen one that cannot be had is not replaced, and its call is asked."""
    limits = settings.transcript
    judge = embedded_judge(settings)
    return Classifier(
        prompts=Prompts(
            policy=PolicyLists(
                environment=prose(settings.policy.environment),
                allow=prose(settings.policy.allow),
                soft_deny=prose(settings.policy.soft_deny),
                hard_deny=prose(settings.policy.hard_deny),
            ),
            process_key=new_key(),
            limits=Limits(
                visible=limits.assistant_text is AssistantText.VISIBLE,
                user_tokens=limits.max_user_tokens,
                call_tokens=limits.max_call_tokens,
                visible_entries=limits.max_transcript_lines,
            ),
            redact=settings.redact,
            files=given_files,
            established=Established(
                environment=[
                    one.text for one in settings.policy.environment if one.source in _PERSONS
                ]
            ),
        ),
        model=None if isinstance(model, Missing) else model,
        terms=_terms(settings, judge, chosen_stages(settings, model)),
        judge=judge if isinstance(judge, EmbeddedJudge) else None,
        ledger=ledger,
        cache=Cache(file_state, time.monotonic),
        no_model_detail=_no_model(model, judge),
    )


def embedded_judge(settings: Settings | None = None) -> EmbeddedJudge | BadModel:
    """Or why there is none: its numbers may be missing or damaged, and it cannot read prose."""
    if settings is not None and own_prohibitions(settings):
        return BadModel(
            "the policy has prohibitions of its own, which only a model can read",
            "choose a model with `automode model`",
        )
    try:
        return EmbeddedJudge(call_reader(settings), shipped_model())
    except BadModel as bad:
        return bad


def call_reader(settings: Settings | None = None) -> CallReader:
    policy = None if settings is None else settings.policy
    theirs = [] if policy is None else [one for one in policy.environment if one.source in _PERSONS]
    known = hosts_in(entry.text for entry in theirs)
    commits = UnaskedCommits(
        settings is None or settings.local.unasked_commits == "clear", changed_files
    )
    return CallReader(known, commits, GitLosses(unshared_moves, kept_texts))


def own_prohibitions(settings: Settings) -> bool:
    """Whether somebody added prose that forbids, or took some away."""
    entries = (*settings.policy.soft_deny, *settings.policy.hard_deny)
    return any(entry.source is not Source.BUILT_IN for entry in entries)


def _no_model(model: Model | Missing, judge: EmbeddedJudge | BadModel) -> str:
    missing = model.reason if isinstance(model, Missing) else ""
    return missing if isinstance(judge, EmbeddedJudge) else f"{missing}; {judge}".lstrip("; ")


def _terms(settings: Settings, judge: EmbeddedJudge | BadModel, stages: tuple[Stage, ...]) -> Terms:
    deadline, local = settings.deadline_ms, settings.local
    on_failure = settings.on_classifier_failure
    below, alone = local.clear_below, local.clear_below_alone
    if isinstance(judge, EmbeddedJudge):
        below = judge.model.clear_below if below is None else below
        alone = judge.model.clear_below_alone if alone is None else alone
    return Terms(
        stages=stages,
        local_below=below or 0.0,
        local_below_alone=alone or 0.0,
        fast_max_tokens=settings.fast_max_tokens,
        request_seconds=settings.classifier_timeout_ms / 1000,
        deadline_seconds=DEADLINE_SECONDS if deadline is None else deadline / 1000,
        on_failure=Verdict.DENY if on_failure is OnFailure.DENY else Verdict.ASK,
        stand_in=on_failure is OnFailure.LOCAL,
        budget_usd=settings.budget_usd,
    )


def chosen_model(
    settings: Settings,
    environment: Mapping[str, str],
    host_model: str | None = None,
    *,
    wire: Wire | None = None,
    keyring: Keyring = no_keyring,
) -> Model | Missing:
    """The model that the settings choose, else the host's, else the reason why there is none."""
    sources = Sources(
        environment,
        own=settings.providers,
        trust_environment=settings.trust_environment,
        home="" if settings.trust_environment else home_folder(),
        keyring=keyring,
        helper=KeyHelper(settings.api_key_helper) if settings.api_key_helper else None,
    )
    return chosen(settings, sources, host_model, wire)


def key_store(folder: StateFolder) -> KeyStore:
    """Keys lie beside the tokens, which the floor keeps from agents."""
    return KeyStore(os.path.join(folder.tokens, "keys.json"))


def build_service(
    store: Writer,
    *,
    places: Callable[[str], Places],
    key: bytes,
    account: str,
    environment: Mapping[str, str],
    judged: bool = True,
    folders: OwnFolders | None = None,
    home: str | None = None,
    unproved_names_in: str = "",
    confines: bool = False,
    holds: bool = False,
) -> DecisionService:
    """`places` says where the settings of a project root stand, `key` is the installation's own
    secret, `environment` is where keys of models are looked for. Without `judged` the classifier
    is left out. `folders` and `unproved_names_in`: see `build_gate`. `home` is where agents keep
    their own settings. `confines`: calls may run under the kernel's guard. `holds`: an ask can be
    answered from elsewhere while it waits."""
    confinement = None
    if confines:
        config = os.path.dirname(places("/").trust_file)
        confinement = Confinement(store.folder.path, config, home or home_folder())
    builder = RecordBuilder(key, account, READER)
    approvals = Approvals(store, builder.retries)
    ledger, session_keys, stored = Ledger(), SessionKeys(), key_store(store.folder)
    # Kept open from call to call. Whether proxies are trusted is for each project's settings.
    wires = {
        trusted: Wire(
            trust_environment=trusted,
            keep_alive=True,
            programs_below=os.path.join(store.folder.path, f"judge-{trusted}"),
        )
        for trusted in (True, False)
    }

    def ask_model(settings: Settings, host_model: str | None, lender: str) -> Model | Missing:
        wire, keys = wires[settings.trust_environment], session_keys.keyring(lender, stored)
        return chosen_model(settings, environment, host_model, wire=wire, keyring=keys)

    def build(
        settings: Settings, host_model: str | None, lender: str
    ) -> tuple[Gate, Classifier | None]:
        classifier = None
        if judged:
            model = ask_model(settings, host_model, lender)
            own = {server.name for server in settings.providers}
            priced = replace(ledger, price=cost_beside(own))
            classifier = build_classifier(settings, model, ledger=priced)
        protected = Protected.of(entry.text for entry in settings.protected_paths)
        confining = None
        if confinement is not None:
            prepare = partial(confinement.prepare, protected=protected)
            confining = Confining(prepare, confinement.unavailable, call_reader(settings))
        gate = build_gate(
            settings,
            judges=[] if classifier is None else [classifier],
            approvals=[approvals],
            folders=folders,
            unproved_names_in=unproved_names_in,
            confining=confining,
        )
        return gate, classifier

    async def close() -> None:
        for wire in wires.values():
            await wire.close()

    projects = Projects(places, load_settings, build, session_keys=session_keys, model=ask_model)
    installed, trust = () if folders is None else folders.installed, places("/").trust_file
    checks = live_host_checks(home or home_folder(), trust_file=trust, installed=installed)
    parts = (store, projects, builder, ledger)
    return DecisionService(
        *parts,
        closing=close,
        host_checks=checks,
        confinement=confinement,
        holds=holds,
        offers=RuleOffers(
            lambda root: load_settings(places(root)).settings,
            partial(build_gate, folders=folders),
            partial(places, "/"),
            READER,
        ),
    )


def builtins() -> Builtins:
    """What `$defaults` stands for in each list."""
    return Builtins(
        environment=texts(Section.ENVIRONMENT),
        allow=texts(Section.ALLOW),
        soft_deny=texts(Section.SOFT_DENY),
        hard_deny=texts(Section.HARD_DENY),
        protected_paths=PROTECTED_PATHS,
    )


def load_settings(places: Places) -> Loaded:
    return load(places, builtins())
