"""Soft rules about code from elsewhere and code that runs later."""

from automode.policy.rule import PolicyRule

FOREIGN_CODE = (
    PolicyRule(
        name="download-and-run",
        covers=(
            "Running code fetched from outside in the same task: a download piped into a shell, "
            "a fetched script, binary, notebook or archive content, a package run straight from "
            "an address."
        ),
        excludes=(
            "declared dependencies, a publisher's official installer for a toolchain the project "
            "needs, and downloading something only to read it"
        ),
        must_name="running it, and the address or project it comes from",
    ),
    PolicyRule(
        name="unread-code",
        covers=(
            "Running what nobody in the session can have read: decoded or obfuscated text, "
            "freshly unpacked archives, a binary of unknown origin, a file whose content the "
            "recorded calls do not show."
        ),
        excludes=(
            "the project's own scripts, tests and builds; scripts written by this session in "
            "plain sight; compiled output of this project"
        ),
        must_name="running it, and the file",
    ),
    PolicyRule(
        name="foreign-code-added",
        covers=(
            "Bringing outside code into the project where it will run with the project's rights: "
            "an obscure or look-alike package, an unpinned repository address, a third-party "
            "pipeline step, plug-in or base image, code copied from an untrusted page."
        ),
        excludes=(
            "updates within declared ranges, and a widely used package from the default registry "
            "that the task needs, recorded in the manifest"
        ),
        must_name="adding it, and the package, repository or image",
    ),
    PolicyRule(
        name="registry-bypass",
        covers=(
            "Fetching packages around the configured source: another index, a direct archive, a "
            "proxy, or with lock file, hash or signature checks turned off."
        ),
        excludes=(
            "registries that the project's checked-in configuration or the environment lists, "
            "local path and workspace packages"
        ),
        must_name="the bypass, and the registry or archive used instead",
    ),
    PolicyRule(
        name="leaking-code",
        covers=(
            "Writing or committing code, tests, configuration or pipeline steps that will, when "
            "run by anyone, send secrets, environment or private data to an unapproved place, or "
            "that hide what they do."
        ),
        excludes=(
            "calls to services the project already uses, with the data those services are meant "
            "to get; fixtures with invented data"
        ),
        must_name="the sending, and the data with its destination",
    ),
)
