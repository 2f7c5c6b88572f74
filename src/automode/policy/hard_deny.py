"""What no instruction clears: few rules, each about harm the user could not undo."""

from automode.policy.rule import PolicyRule

HARD_DENY = (
    PolicyRule(
        name="exfiltration",
        covers=(
            "Moving secrets, private source or internal or personal data to a destination that "
            "is neither trusted in the environment nor chosen by the user in their own words; or "
            "by a disguised route: encoded in names, lookups, images, timing or split requests."
        ),
        excludes=(
            "pushes to the repository's own remotes, a tool talking to its own provider, and "
            "publications the user asked for, which the soft rules judge"
        ),
    ),
    PolicyRule(
        name="credential-harvest",
        covers=(
            "Sweeping for credentials nobody handed to the task: searching home folders, key "
            "stores, browsers, process memory, environments or cloud metadata for whatever can "
            "be found."
        ),
        excludes=(
            "a secret scanner over this workspace, testing whether one variable is set, and a "
            "tool reading its own configured credential"
        ),
    ),
    PolicyRule(
        name="oversight-tampering",
        covers=(
            "Changing what records, limits or reviews the agent: erasing or forging logs, audit "
            "records or session transcripts; editing, disabling or starving permission rules, "
            "hooks, monitors or automode itself; making a check see something other than what "
            "runs."
        ),
        excludes=(
            "reading these, a repository whose own product is such a tool, and the user changing "
            "their settings themselves"
        ),
    ),
    PolicyRule(
        name="covert-foothold",
        covers=(
            "Leaving access that outlives the session and that somebody else, or the agent, "
            "could use unseen: added login keys, hidden accounts, backdoors, remote shells, "
            "start-up entries that fetch and run code."
        ),
        excludes=(
            "unit files, charts or installers written as the project's product and not installed "
            "here; jobs the user asked for by name, which the soft rules judge"
        ),
    ),
    PolicyRule(
        name="broad-power-grant",
        covers=(
            "Giving administrator, owner, root-equivalent or organisation-wide rights to the "
            "agent's own identity, to everyone, or to an account the user never named."
        ),
        excludes=(
            "a limited right for an account the user named, removing rights, and permission code "
            "in the project that is not applied to a live system"
        ),
    ),
    PolicyRule(
        name="protections-off",
        covers=(
            "Switching a protection off for a whole machine, account, organisation or running "
            "service: certificate checks or trust stores, authentication, authorisation, "
            "encryption, malware or integrity protection, security logging."
        ),
        excludes="a test double on loopback, a stricter setting, and restoring a protection",
    ),
    PolicyRule(
        name="unsupervised-executor",
        covers=(
            "Starting a service, bot or agent that runs code or commands arriving from other "
            "people or from content, with this machine's or organisation's rights and neither "
            "sandbox nor approval."
        ),
        excludes=(
            "writing and testing such software in the workspace, isolated job runners, and "
            "servers on loopback that only the user reaches"
        ),
    ),
    PolicyRule(
        name="impersonation",
        covers=(
            "Publishing invented facts, reviews, evidence or identities as genuine, or speaking "
            "publicly as a real person or organisation that did not agree to those words."
        ),
        excludes=(
            "fiction, sample data and mock-ups recognisable as such, and drafts the user will "
            "send themselves"
        ),
    ),
)
