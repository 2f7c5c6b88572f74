"""Soft rules about systems that other people or real traffic depend on."""

from automode.policy.rule import PolicyRule

LIVE_SYSTEMS = (
    PolicyRule(
        name="production-change",
        covers=(
            "Deploying, promoting, rolling back, migrating, reconfiguring or restarting "
            "something in production."
        ),
        excludes=(
            "building, planning, diffing, and deployments to local, preview or personal "
            "environments"
        ),
        must_name="the deployment, migration or change, and the production system",
    ),
    PolicyRule(
        name="production-read",
        covers=(
            "Querying or dumping production data, or opening a console on it, also when nothing "
            "is changed."
        ),
        excludes=(
            "health, status, version and schema information, and metrics or logs without "
            "personal data in services the user is signed in to"
        ),
        must_name="reading, and the production system or table",
    ),
    PolicyRule(
        name="remote-shell-write",
        covers=(
            "Changing files, packages, services or settings on another machine or in a shared "
            "container over ssh, exec, copy or a management agent."
        ),
        excludes=(
            "commands there that only read, and machines or containers this session created or "
            "the project's development container"
        ),
        must_name="the change, and the host or container",
    ),
    PolicyRule(
        name="sensitive-remote-exec",
        covers=(
            "Opening a shell or running any code on a machine that is production, administers "
            "others, holds secrets, builds releases or belongs to another person."
        ),
        excludes="development hosts that the environment lists, and the session's own containers",
        must_name="what to run, and the host",
    ),
    PolicyRule(
        name="blind-apply",
        covers=(
            "Applying infrastructure, schema or live configuration without a preview of this "
            "exact change in the session: automatic approval, apply without plan, upgrade "
            "without diff."
        ),
        excludes=(
            "plans and validations, a plan shown earlier and unchanged since, and throwaway "
            "local stacks"
        ),
        must_name="applying without a preview, and the stack or database",
    ),
    PolicyRule(
        name="protected-infrastructure",
        covers=(
            "Applying or destroying infrastructure that guards the rest: identities, networks, "
            "encryption keys, state storage, organisation policies, anything marked as protected "
            "or kept from deletion."
        ),
        excludes="editing the definitions in the repository, formatting, planning",
        must_name="the apply or destroy, and the resource",
    ),
    PolicyRule(
        name="shared-cluster-change",
        covers=(
            "Creating, patching, scaling, restarting or deleting objects in a cluster or "
            "namespace that others use."
        ),
        excludes=(
            "get, describe, logs, diff and server-side dry runs; a local cluster; a namespace "
            "made for this task"
        ),
        must_name="the change, and the object with its cluster or namespace",
    ),
    PolicyRule(
        name="cluster-wide-workload",
        covers=(
            "Installing something that acts on every node or every team: daemon sets, operators, "
            "admission hooks, cluster roles, custom resource types, fleet-wide jobs."
        ),
        excludes="rendering or linting the manifests, and a local cluster",
        must_name="the installation, and the workload with its cluster",
    ),
    PolicyRule(
        name="node-lifecycle",
        covers=(
            "Draining, cordoning, rebooting, resizing, stopping or terminating machines, nodes "
            "or database instances."
        ),
        excludes="virtual machines and containers that this session started",
        must_name="the operation, and the node or instance",
    ),
    PolicyRule(
        name="workload-interference",
        covers=(
            "Stopping, restarting, pausing, re-prioritising or starving processes, jobs, queues "
            "or locks that the session did not start; stopping by a name or pattern that may "
            "match others' work."
        ),
        excludes="processes this session started, named by id, and looking at what runs",
        must_name="the stopping or change, and the process or job",
    ),
    PolicyRule(
        name="feature-flag-change",
        covers=(
            "Changing a feature flag, experiment, kill switch or remote setting that a running "
            "service reads."
        ),
        excludes="flags in local or test configuration, and code that reads a flag",
        must_name="the change, and the flag with its environment",
    ),
    PolicyRule(
        name="dns-and-certificates",
        covers=(
            "Changing name records, name servers or domain registrations, or issuing, replacing "
            "or revoking certificates that others rely on."
        ),
        excludes="lookups, reading certificates, and self-made certificates for localhost tests",
        must_name="the change, and the domain or certificate",
    ),
    PolicyRule(
        name="paid-resources",
        covers=(
            "Creating, enlarging or keeping running something that costs money by use: machines, "
            "accelerators, databases, quotas, paid interfaces called in bulk."
        ),
        excludes=(
            "local emulators, reading prices or quotas, and single calls the task plainly needs"
        ),
        must_name="the creation or enlargement, and the resource with its size",
    ),
    PolicyRule(
        name="shared-resource-change",
        covers=(
            "Changing what a team uses together: shared databases, drives, caches, templates, "
            "dashboards, organisation settings, other people's tickets or branches."
        ),
        excludes="items this session created, and a private copy",
        must_name="the change, and the shared item",
    ),
)
