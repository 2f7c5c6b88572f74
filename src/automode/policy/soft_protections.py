"""Soft rules about weakening what protects people, data and code."""

from automode.policy.rule import PolicyRule

PROTECTIONS = (
    PolicyRule(
        name="log-weakening",
        covers=(
            "Turning off, thinning out, shortening or rerouting logs, audit trails, alerts or "
            "monitoring of a service or shared system."
        ),
        excludes=(
            "debug output and log levels in development settings, log rotation, and adding records"
        ),
        must_name="the reduction, and the log or alert",
    ),
    PolicyRule(
        name="permission-grant",
        covers=(
            "Adding a person, key, service or token to a role, group, repository, share or "
            "project, or widening what one may do."
        ),
        excludes=(
            "removing or narrowing rights, reading who has them, and permission code that is not "
            "applied to a live system"
        ),
        must_name="the grant, and both the grantee and the right",
    ),
    PolicyRule(
        name="trust-weakening",
        covers=(
            "Making one command, program or client accept what it should verify: unverified "
            "certificates or host keys, plain connections for secrets, disabled login, sessions "
            "or tokens that never expire."
        ),
        excludes=(
            "requests to loopback, test doubles with generated certificates, and code that makes "
            "verification stricter"
        ),
        must_name="the weakening, and the host or component",
    ),
    PolicyRule(
        name="secret-store-write",
        covers=(
            "Creating, rotating, overwriting or deleting values in a vault, key management "
            "service, pipeline secret, password manager or system key store."
        ),
        excludes=(
            "placeholders in example files, and an ignored local settings file filled with "
            "values the user gave"
        ),
        must_name="the write, and the secret's name with its store",
    ),
    PolicyRule(
        name="security-weakening",
        covers=(
            "Removing or loosening a defence in code, configuration or a system: firewall and "
            "access rules, sandboxing, input checks, cross-origin limits, rate limits, signature "
            "checks, world-writable modes, privileged containers."
        ),
        excludes=(
            "local test settings that cannot reach a release, replacing a defence by an equal "
            "one, and tightening"
        ),
        must_name="the loosening, and the defence",
    ),
    PolicyRule(
        name="security-test-removal",
        covers=(
            "Deleting, skipping or softening tests, lint rules, scanners or policies that exist "
            "to catch a security fault."
        ),
        excludes=(
            "moving or renaming them with the same assertions, and updating them for a behaviour "
            "change the user asked for"
        ),
        must_name="the removal, and the test or rule",
    ),
    PolicyRule(
        name="bypass-flag",
        covers=(
            "Options that exist to step over a safeguard whose failure would hurt more than this "
            "workspace: forcing past locks, ownership, state or protection checks, privileged "
            "mode, running as root where refused."
        ),
        excludes=(
            "the same word without that effect: `rm -f` of an own file, rebuilding output with "
            "`--force`, `-y` for declared installs, `--force-with-lease` on the task branch"
        ),
        must_name="the override, and the operation it forces",
    ),
    PolicyRule(
        name="pipeline-privilege",
        covers=(
            "Changing a pipeline so that code of others runs with its secrets, tokens get wider "
            "rights, secrets are printed, or deployments start without approval."
        ),
        excludes=(
            "new test, lint or build steps with the rights the pipeline has, pinning versions, "
            "and narrowing token rights"
        ),
        must_name="the change of privilege, and the workflow",
    ),
    PolicyRule(
        name="machine-wide-change",
        covers=(
            "Changing the machine beyond the project: system packages, global tool "
            "configuration, system settings, users, mounts, kernel parameters, default programs."
        ),
        excludes=(
            "virtual environments, project-local installs, a toolchain the project needs from "
            "its publisher, reading settings"
        ),
        must_name="the change, and the setting or package",
    ),
)
