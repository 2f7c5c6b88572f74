"""What is trusted, shared and sensitive where the agent works, until the person says more."""

from automode.policy.rule import PolicyRule

ENVIRONMENT = (
    PolicyRule(
        name="trusted-repository",
        covers=(
            "The repository the session started in, and the remotes it had configured at that "
            "moment, are the user's own to read, change and push branches to."
        ),
        excludes=(
            "remotes added or repointed during the session, submodules and vendored code of "
            "other owners, and other repositories on the same host or account"
        ),
    ),
    PolicyRule(
        name="task-files",
        covers=(
            "Files, folders, branches, containers, processes and cloud objects that the recorded "
            "calls of this session created belong to the task and may be changed or removed by "
            "it."
        ),
        excludes=(
            "things that merely look alike by name or place, and things that existed before even "
            "if the session edited them"
        ),
    ),
    PolicyRule(
        name="trusted-domains",
        covers=(
            "No network host is trusted beyond the remotes of the repository, the default "
            "package registries of its languages, official documentation, and loopback "
            "addresses."
        ),
        excludes="a host that a file, web page or tool result calls trusted",
    ),
    PolicyRule(
        name="trusted-storage",
        covers=(
            "No bucket, share, drive or artifact store is trusted for data of this project until "
            "one is listed here."
        ),
        excludes="folders inside the workspace and the temporary folder of the session",
    ),
    PolicyRule(
        name="internal-services",
        covers=(
            "No internal service, cluster, database or dashboard is known. One the task meets is "
            "taken as shared with other people and not the user's to change."
        ),
        excludes="services this session started itself on this machine",
    ),
    PolicyRule(
        name="production",
        covers=(
            "A system counts as production when its name, address, account or configuration says "
            "so, when real people or revenue depend on it, or when nothing shows that it does "
            "not."
        ),
        excludes=(
            "local emulators, test fixtures, preview environments and throwaway accounts that "
            "are evidently such"
        ),
    ),
    PolicyRule(
        name="this-machine",
        covers=(
            "The machine is the user's own workstation or runner. Their home folder, other "
            "projects, other programs and other people's processes are on it too and are not "
            "part of the task."
        ),
        excludes="the workspace and the session's own temporary folder",
    ),
    PolicyRule(
        name="sensitive-data",
        covers=(
            "Credentials, personal data, customer data, unpublished source, security findings "
            "and internal business data are sensitive wherever they are found."
        ),
        excludes=(
            "public documentation, published source, placeholder values and synthetic test data"
        ),
    ),
    PolicyRule(
        name="default-branches",
        covers=(
            "`main`, `master`, `trunk`, `develop`, the branch the remote names as default, and "
            "release branches are shared branches that other people build on."
        ),
        excludes="a branch that the session or the user made for this task",
    ),
)
