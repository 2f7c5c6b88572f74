"""Every setting, as one table: validation, the JSON Schema and the reference page come from it."""

import re

from automode.config.row import (
    CLOSED,
    FREE,
    ONLY_FALSE,
    ONLY_HIGHER,
    ONLY_LOWER,
    ONLY_LOWER_LIMIT,
    ONLY_TRUE,
    Choice,
    Endpoint,
    Flag,
    Number,
    Row,
    Rules,
    Text,
    Whole,
    along,
    only_to,
)
from automode.config.rows import RULE_ROWS, RUNNING_ROWS
from automode.config.settings import Source

ROWS: tuple[Row, ...] = (
    Row(
        "autoMode.enabled",
        Flag(),
        True,
        "Whether automode decides anything; off leaves the host's own permission flow, and only "
        "the managed file's deny rules stay.",
        ONLY_TRUE,
    ),
    Row(
        "autoMode.mode",
        Choice(("enforce", "shadow")),
        "enforce",
        "`enforce` applies every decision, `shadow` decides but applies nothing.",
        along("enforce", "shadow"),
    ),
    Row(
        "autoMode.classifierModel",
        Text(r"[^/\s]+/\S+", "a text like `provider/model-id`"),
        None,
        "The model that judges what rules leave open, as `provider/model-id`.",
        FREE,
        absent="the session's model if the host names one, else the embedded judge",
        chooses=True,
    ),
    Row(
        "autoMode.fastModel",
        Text(r"gguf/\S+", "a text like `gguf/PATH`"),
        None,
        "A model file that takes the fast stage's look in place of that model, as `gguf/PATH`; it "
        "can only clear, and what it does not clear is for the deliberate stage.",
        CLOSED,
        absent="the model of the other stages",
        sources=frozenset({Source.USER, Source.LOCAL, Source.MANAGED}),
        chooses=True,
    ),
    Row(
        "autoMode.stages",
        Choice(("both", "all", "fast", "deliberate", "local")),
        "both",
        "Which stages of the classifier run: `both` (fast, then deliberate), `all` (local first), "
        "or `fast`, `deliberate`, `local` alone; `local` is the embedded judge, which needs no "
        "model and stands in where none is chosen.",
        only_to({"all": ("both", "fast", "deliberate"), "both": ("fast", "deliberate")}),
    ),
    Row(
        "autoMode.local.clearBelow",
        Number(0, 1),
        None,
        "The embedded judge clears a call below this probability of harm when a later stage "
        "follows.",
        ONLY_LOWER,
        absent="calibrated",
    ),
    Row(
        "autoMode.local.clearBelowAlone",
        Number(0, 1),
        None,
        "The same threshold where the embedded judge is the only stage.",
        ONLY_LOWER,
        absent="calibrated",
    ),
    Row(
        "autoMode.local.unaskedCommits",
        Choice(("clear", "ask")),
        "clear",
        "Whether the embedded judge may clear a local commit that nobody asked for; it never "
        "clears one that skips its hooks, amends, or takes changed files that no session of the "
        "project is known to have written.",
        along("ask", "clear"),
    ),
    Row(
        "autoMode.providers.<name>",
        Endpoint(),
        None,
        "A model server of one's own, chosen as `name/model`: its protocol (`api`), its address "
        "(`baseUrl`) and the variable that holds its own key (`apiKeyEnv`); never read from a "
        "project's files.",
        CLOSED,
        absent="none",
        sources=frozenset({Source.USER, Source.ENVIRONMENT, Source.MANAGED}),
    ),
    Row(
        "autoMode.fastMaxTokens",
        Whole(16, 65536),
        None,
        "How many tokens the fast stage may answer with.",
        FREE,
        absent="16, for reasoning models 512",
        spellings=("autoMode.fastClassifierMaxTokens",),
    ),
    Row(
        "autoMode.redact",
        Flag(),
        True,
        "Whether secrets become placeholders before anything leaves the machine.",
        ONLY_TRUE,
    ),
    Row(
        "autoMode.onClassifierFailure",
        Choice(("ask", "deny")),
        "ask",
        "What a failed classifier means: `ask` (denied when nobody is there) or `deny`.",
        along("deny", "ask"),
    ),
    Row(
        "autoMode.workspaceEdits",
        Flag(),
        True,
        "Whether edits inside the workspace that touch no protected path are allowed at once.",
        ONLY_FALSE,
    ),
    Row(
        "autoMode.classifyReadOnlyTools",
        Flag(),
        False,
        "Whether reads go to the classifier too.",
        ONLY_TRUE,
    ),
    Row(
        "autoMode.remoteReads",
        Flag(),
        True,
        "Whether the read verbs of known service clients count as read-only.",
        ONLY_FALSE,
    ),
    Row(
        "autoMode.classifyAllShell",
        Flag(),
        False,
        "Whether every allow rule for the shell is suspended.",
        ONLY_TRUE,
    ),
    Row(
        "autoMode.classifierTimeoutMs",
        Whole(1000, 600_000),
        20_000,
        "How long one request to the classifier may take, over the whole stream, in milliseconds.",
        ONLY_LOWER,
    ),
    Row(
        "autoMode.deadlineMs",
        Whole(1000, 600_000),
        None,
        "How long one decision may take with all stages and retries, in milliseconds; past it the "
        "classifier counts as unavailable.",
        ONLY_LOWER,
        absent="50000; planned: per host, below its hook timeout",
    ),
    Row(
        "autoMode.transcript.assistantText",
        Choice(("none", "referent", "visible")),
        "referent",
        "How much of the assistant's text the classifier sees: `none`, `referent` (the last "
        'paragraph before a bare "yes") or `visible` (all of it, cut); planned, no effect yet, '
        "because no host passes any.",
        along("none", "referent", "visible"),
    ),
    Row(
        "autoMode.transcript.maxUserTokens",
        Whole(32, 200_000),
        4000,
        "How many tokens of user messages the classifier sees.",
        ONLY_HIGHER,
        spellings=("autoMode.maxUserTranscriptTokens",),
    ),
    Row(
        "autoMode.transcript.maxCallTokens",
        Whole(32, 200_000),
        4000,
        "How many tokens of earlier tool calls the classifier sees.",
        ONLY_HIGHER,
        spellings=("autoMode.maxToolTranscriptTokens",),
    ),
    Row(
        "autoMode.transcript.maxTranscriptLines",
        Whole(1, 10_000),
        80,
        "Planned, no effect yet: how many entries the classifier sees when `assistantText` is "
        "`visible`.",
        ONLY_HIGHER,
        spellings=("autoMode.maxTranscriptLines",),
    ),
    *RULE_ROWS,
    *RUNNING_ROWS,
    Row(
        "autoMode.probe",
        Choice(("off", "warn", "ask")),
        "warn",
        "What a suspicious tool result leads to: nothing (`off`), a warning in front of it "
        "(`warn`), or a question to the person (`ask`).",
        along("ask", "warn", "off"),
    ),
    Row(
        "autoMode.budget.usdPerSession",
        Number(0, 1_000_000),
        None,
        "How many US dollars the classifier may cost per session; past it calls are asked about, "
        "or denied when nobody is there.",
        ONLY_LOWER_LIMIT,
        absent="no limit",
    ),
    Row(
        "trustEnvironment",
        Flag(),
        False,
        "Whether settings in environment variables may loosen; only the user's own file can say.",
        ONLY_FALSE,
        sources=frozenset({Source.USER}),
    ),
)

ROW_OF = {row.key: row for row in ROWS}
DEFAULT_VALUES = {
    row.key: row.default for row in ROWS if not isinstance(row.kind, Rules | Endpoint)
}
SHARED_ROWS = (ROW_OF["permissions.deny"], ROW_OF["permissions.ask"])
PROVIDERS = "autoMode.providers"
SECTIONS = frozenset(row.key[: dot.start()] for row in ROWS for dot in re.finditer(r"\.", row.key))
IGNORED = frozenset({"$schema"})  # editors put it there


def _letters(key: str) -> str:
    return key.replace("_", "").replace("-", "").casefold()


def _spellings() -> dict[str, str]:
    """Other ways to write a key. A prohibition under a slightly wrong name must not vanish, so
    what only tightens and the sections around it are understood whatever their case."""
    known = {spelling: row.key for row in ROWS for spelling in row.spellings}
    lenient = [row.key for row in ROWS if isinstance(row.kind, Rules) and row.kind.tightens]
    return known | {_letters(key): key for key in (*lenient, *SECTIONS)}


_SPELLING_OF = _spellings()


def canonical(key: str) -> str:
    """The name of the setting or section that `key` means; `key` itself when it means none."""
    if key in ROW_OF or key in SECTIONS:
        return key
    return _SPELLING_OF.get(key) or _SPELLING_OF.get(_letters(key), key)
