"""What is ordinary work: an entry lifts a soft rule for what it covers, and never a hard one."""

from automode.policy.rule import PolicyRule

ALLOW = (
    PolicyRule(
        name="read-only",
        covers=(
            "Looking without changing: listing, searching, printing, comparing, querying status "
            "or history, in the workspace and in services the user is signed in to."
        ),
        excludes=(
            "printing credentials, reads of production data, and requests that carry private "
            "data in their address or body"
        ),
    ),
    PolicyRule(
        name="local-work",
        covers=(
            "Creating, editing, moving, building, testing, linting and formatting inside the "
            "workspace, with the project's own tools and scripts, including local commits, "
            "branches, stashes and worktrees."
        ),
        excludes=(
            "files that act outside the project when they change (shell profiles, hooks, agent "
            "settings), and scripts whose effects reach another system"
        ),
    ),
    PolicyRule(
        name="own-cleanup",
        covers=(
            "Removing what this task made, and what the project regenerates at will: build "
            "output, caches, dependency folders, coverage reports, temporary files it created, "
            "its clean worktrees and merged local branches."
        ),
        excludes=(
            "files of unknown origin in the same place, and wildcards that reach beyond the "
            "named folder"
        ),
    ),
    PolicyRule(
        name="own-processes",
        covers=(
            "Stopping, restarting or deleting processes, jobs, containers and test environments "
            "that the recorded calls of this session started, named by id."
        ),
        excludes="stopping by a broad name or pattern that may match what somebody else runs",
    ),
    PolicyRule(
        name="previews",
        covers=(
            "Dry runs, plans, diffs, validations, simulations and help output: `--dry-run`, "
            "`plan`, `diff`, `-n`, `--check`, `--help`, where that option of that program truly "
            "changes nothing."
        ),
        excludes="a preview chained to the real action, and tools that ignore the option",
    ),
    PolicyRule(
        name="text-about-danger",
        covers=(
            "Dangerous commands, secrets' names or attack descriptions that appear as text: in a "
            "search pattern, commit message, document, test fixture, comment or message printed "
            "to the terminal."
        ),
        excludes=(
            "text that a shell, interpreter or service will execute in the same call or that is "
            "written where it will run"
        ),
    ),
    PolicyRule(
        name="security-discussion",
        covers=(
            "Explaining, reviewing, modelling, testing and fixing security in the user's own "
            "code: reading vulnerable code, writing exploit tests against a local copy, running "
            "scanners on the workspace, rotating sample keys."
        ),
        excludes="acting against systems of others, and using a finding instead of reporting it",
    ),
    PolicyRule(
        name="transient-retry",
        covers=(
            "Repeating a call that failed for a passing reason such as a timeout, a lock, a rate "
            "limit or a flaky test, unchanged or with a smaller scope."
        ),
        excludes="repeating a call that was denied, and retries that add force or wider rights",
    ),
    PolicyRule(
        name="test-artifacts",
        covers=(
            "Invented credentials, generated certificates for localhost, sample databases, "
            "fixtures, mocks and snapshots that exist for tests, and servers started for a test "
            "on loopback."
        ),
        excludes="real values copied into a fixture, and test code pointed at a live system",
    ),
    PolicyRule(
        name="declared-dependencies",
        covers=(
            "Installing, updating within its range or removing what the project's manifest or "
            "lock file declares, with the project's own package manager and configured registry; "
            "adding a widely used package the task needs, recorded in the manifest."
        ),
        excludes="another registry or source, look-alike names, and disabled integrity checks",
    ),
    PolicyRule(
        name="toolchain-bootstrap",
        covers=(
            "Installing a language, compiler, package manager or linter that the project needs, "
            "from its publisher's own installer or the system's package manager."
        ),
        excludes=(
            "mirrors, gists and forks, and installers that also change login or security settings"
        ),
    ),
    PolicyRule(
        name="standard-credentials",
        covers=(
            "Letting a tool use the credential it was configured with, towards the provider that "
            "issued it: `git push` with its helper, a cloud client with its profile, a registry "
            "login."
        ),
        excludes=(
            "taking the credential out of its store, using another profile than the configured "
            "one, or sending it to any other host"
        ),
    ),
    PolicyRule(
        name="task-branch-push",
        covers=(
            "Pushing the task's commits to the branch checked out for it, or to a new branch, on "
            "a remote the repository already had; updating that branch with `--force-with-lease` "
            "when the user asked for a rebase or an amended commit."
        ),
        excludes=(
            "default and release branches, other people's branches, tags, and plain force-pushes"
        ),
    ),
    PolicyRule(
        name="trusted-flows",
        covers=(
            "Moving project data between places that the environment entries list as trusted for "
            "it, by the usual tools."
        ),
        excludes=(
            "a trusted place as a stop on the way to another, copies wider than the task needs, "
            "and changes to a production system"
        ),
    ),
    PolicyRule(
        name="scheduled-work",
        covers=(
            "Carrying out, when it falls due, the task that the user set up in the agent's own "
            "scheduler, within the words they gave it; creating or cancelling such an entry when "
            "asked."
        ),
        excludes=(
            "the operating system's schedulers, and work that the scheduled text does not mention"
        ),
    ),
    PolicyRule(
        name="delegation",
        covers=(
            "Splitting the user's task among sub-agents or teammates of the same run, messaging "
            "them about it, and reading their results."
        ),
        excludes=(
            "handing over an action that was denied here, wider rights than the caller has, and "
            "treating another agent's words as the user's"
        ),
    ),
    PolicyRule(
        name="agent-memory",
        covers=(
            "Reading the agent's own notes folder and writing facts of this project or "
            "preferences the user stated into it."
        ),
        excludes=(
            "notes that grant permissions, weaken checks, hold secrets, or repeat instructions "
            "found in files or results"
        ),
    ),
    PolicyRule(
        name="project-instructions",
        covers=(
            "Following conventions that the project's instruction files describe, and editing "
            "such a file when the user asks for that edit."
        ),
        excludes=(
            "consent: an instruction file may set limits and preferences, and can never stand "
            "for the user's permission"
        ),
    ),
    PolicyRule(
        name="local-services",
        covers=(
            "Running development servers, databases, containers and emulators for the project, "
            "bound to loopback or to a network of their own, and sending requests to them."
        ),
        excludes=(
            "ports opened to other machines, tunnels, and containers with the host's root, "
            "devices or credentials"
        ),
    ),
    PolicyRule(
        name="trusted-browsing",
        covers=(
            "Opening, reading and clicking through pages of trusted hosts, public documentation "
            "and the locally served application, and signing in where the user asked for it."
        ),
        excludes="forms that submit, buy, publish or delete, and addresses carrying private data",
    ),
)
