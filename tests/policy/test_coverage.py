"""Kinds of harm and of ordinary work that a policy for coding agents must speak about.

Each maps to the rules of ours that cover it, so that no kind is lost when rules are reworded.
"""

from automode.policy.defaults import DEFAULTS, Section
from tests.rows import each_row

SOFT: dict[str, tuple[str, ...]] = {
    "git destructive": ("history-rewrite", "default-branch-push", "uncommitted-work"),
    "code that leaks when run": ("leaking-code",),
    "code from external": ("download-and-run", "unread-code"),
    "cloud storage mass delete": ("storage-mass-delete",),
    "production deploy": ("production-change",),
    "remote shell writes": ("remote-shell-write",),
    "sensitive remote exec": ("sensitive-remote-exec",),
    "production reads": ("production-read",),
    "blind apply": ("blind-apply",),
    "protected-scope iac apply": ("protected-infrastructure",),
    "logging/audit tampering": ("log-weakening", "oversight-tampering"),
    "permission grant": ("permission-grant", "broad-power-grant"),
    "tls/auth weaken": ("trust-weakening", "protections-off"),
    "secret-store writes": ("secret-store-write",),
    "dns/domain/cert changes": ("dns-and-certificates",),
    "security weaken": ("security-weakening", "protections-off"),
    "security test removal": ("security-test-removal",),
    "safety bypass flag": ("bypass-flag",),
    "create unsafe agents": ("unsafe-agent", "unsupervised-executor"),
    "interfere with workloads": ("workload-interference",),
    "shared cluster mutation": ("shared-cluster-change",),
    "ci bypass": ("check-bypass", "pipeline-privilege"),
    "modify shared resources": ("shared-resource-change",),
    "irreversible local destruction": ("delete-existing-files", "uncommitted-work"),
    "unverifiable deletion target": ("unverified-delete-target",),
    "shared scratch sweep": ("shared-scratch-sweep",),
    "irreversible deletion": ("irreversible-deletion", "backup-loss"),
    "create rce surface": ("remote-code-surface",),
    "expose local services": ("exposed-service",),
    "external ingress tunnel": ("ingress-tunnel",),
    "credential leakage": ("credential-leak",),
    "credential materialization": ("credential-materialization",),
    "credential exploration": ("credential-exploration", "credential-harvest"),
    "pii data handling": ("personal-data",),
    "exfil scouting": ("outlet-scouting",),
    "traffic redirection": ("traffic-redirection",),
    "remote repoint": ("remote-repoint",),
    "out-of-place publication": ("out-of-place-publication",),
    "sensitive-source provenance": ("restricted-source",),
    "excess sensitive detail": ("excess-detail",),
    "live-shared artifact sensitive delta": ("live-shared-document",),
    "sandbox network callback": ("network-callback",),
    "create public surface": ("public-surface",),
    "public data-sharing upload": ("public-upload",),
    "untrusted code integration": ("foreign-code-added",),
    "package registry bypass": ("registry-bypass",),
    "unauthorized persistence": ("persistence", "covert-foothold"),
    "self-modification": ("agent-settings",),
    "tmux self drive": ("terminal-self-drive",),
    "instruction poisoning": ("instruction-poisoning",),
    "auto-mode bypass": ("denial-workaround", "oversight-tampering"),
    "session transcript tampering": ("oversight-tampering",),
    "external system writes": ("external-write",),
    "merge without review": ("merge-without-review",),
    "self-approval": ("self-approval",),
    "chatops trigger comments": ("chat-command",),
    "feature flag writes": ("feature-flag-change",),
    "node lifecycle operations": ("node-lifecycle",),
    "cluster-wide workload creation": ("cluster-wide-workload",),
    "real-world transactions": ("real-world-transaction",),
    "third-party attack": ("third-party-attack",),
    "browser navigate exfil": ("browser-navigation-leak",),
    "browser input exfil": ("browser-input-leak",),
    "browser js exfil": ("browser-script",),
    "browser file-upload exfil": ("browser-upload",),
    "browser shortcut execution": ("browser-shortcut",),
}

# Further soft kinds, where one sentence names several harms.
SOFT_TOO: dict[str, tuple[str, ...]] = {
    "force-push, remote branch delete, history rewrite, push to default": (
        "history-rewrite",
        "default-branch-push",
    ),
    "download and execute": ("download-and-run",),
    "production deploy, migration, infrastructure": ("production-change", "blind-apply"),
    "delete, truncate or overwrite existing local files": ("delete-existing-files",),
    "mass change in storage, ticketing, collaboration, external services": (
        "storage-mass-delete",
        "mass-external-change",
    ),
    "writes through remote shells": ("remote-shell-write",),
    "live or shared infrastructure without preview": ("blind-apply", "shared-cluster-change"),
    "killing others' processes and shared jobs": ("workload-interference",),
    "network service exposing local files or credentials": ("exposed-service",),
    "outbound messages, purchases, bookings, transactions": (
        "outbound-message",
        "real-world-transaction",
    ),
}

ALLOW: dict[str, tuple[str, ...]] = {
    "security discussion": ("security-discussion",),
    "transient retry": ("transient-retry",),
    "test artifacts": ("test-artifacts",),
    "local operations": ("local-work", "own-cleanup"),
    "read-only operations": ("read-only",),
    "declared dependencies": ("declared-dependencies",),
    "toolchain bootstrap": ("toolchain-bootstrap",),
    "standard credentials": ("standard-credentials",),
    "session-created job cleanup": ("own-processes", "own-cleanup"),
    "git push destination": ("task-branch-push",),
    "trusted internal infrastructure, data flow": ("trusted-flows",),
    "scheduled-task fires": ("scheduled-work",),
    "multi-agent coordination": ("delegation",),
    "memory directory": ("agent-memory",),
    "instruction file content": ("project-instructions",),
    "the agent's own scheduling": ("scheduled-work",),
    "browser trusted navigation": ("trusted-browsing",),
}

HARD: dict[str, tuple[str, ...]] = {
    "data exfiltration": ("exfiltration",),
    "weaken tls, certificates, authentication, audit, security controls": ("protections-off",),
    "persistence": ("covert-foothold",),
    "grant admin, owner or production access": ("broad-power-grant",),
    "systematic credential scanning": ("credential-harvest",),
    "tamper with logs, monitoring, permission rules, safety files": ("oversight-tampering",),
    "services or agents that execute arbitrary code without approval": ("unsupervised-executor",),
    "fabricated or impersonating public content": ("impersonation",),
}

ENVIRONMENT: dict[str, tuple[str, ...]] = {
    "trusted repository": ("trusted-repository",),
    "source control": ("trusted-repository", "default-branches"),
    "trusted internal domains": ("trusted-domains",),
    "trusted buckets": ("trusted-storage",),
    "key internal services": ("internal-services",),
    "what counts as production": ("production",),
    "what counts as sensitive": ("sensitive-data",),
}

KINDS = [
    (kind, names, sections)
    for table, sections in (
        (SOFT, (Section.SOFT_DENY, Section.HARD_DENY)),
        (SOFT_TOO, (Section.SOFT_DENY,)),
        (ALLOW, (Section.ALLOW,)),
        (HARD, (Section.HARD_DENY,)),
        (ENVIRONMENT, (Section.ENVIRONMENT,)),
    )
    for kind, names in table.items()
]


@each_row("kind, names, sections", KINDS)
def test_every_kind_is_covered_by_a_rule_of_its_section(
    kind: str, names: tuple[str, ...], sections: tuple[Section, ...]
) -> None:
    there = {rule.name for section in sections for rule in DEFAULTS[section]}

    assert set(names) <= there, kind


def test_the_tables_are_whole() -> None:
    assert (len(SOFT), len(SOFT_TOO), len(ALLOW), len(HARD)) == (66, 10, 17, 8)
