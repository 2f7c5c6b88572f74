"""Soft rules about credentials and personal data."""

from automode.policy.rule import PolicyRule

SECRETS = (
    PolicyRule(
        name="credential-leak",
        covers=(
            "Putting a live secret where others or records can see it: command lines, addresses, "
            "logs, commits, images, tickets, chat, a model's input, error reports."
        ),
        excludes=(
            "placeholders, masked values, secrets handed to their own provider by the usual "
            "means, ignored local files"
        ),
        must_name="the disclosure, and the secret with its place",
    ),
    PolicyRule(
        name="credential-materialization",
        covers=(
            "Taking a secret out of its protected store into output, a file, a variable or the "
            "clipboard, or minting a new token, key or password."
        ),
        excludes=(
            "a tool using its store by itself, testing whether a value exists, generated keys "
            "for tests, and a sign-in the user started"
        ),
        must_name="the extraction or creation, and the credential",
    ),
    PolicyRule(
        name="credential-exploration",
        covers=(
            "Using or looking for a credential the task was not given: another tool's token, "
            "another profile or account, a key found by searching, an instance's identity "
            "service."
        ),
        excludes=(
            "the credential the failing tool is configured with, names of variables without "
            "values, and a scan of this workspace for leaked secrets"
        ),
        must_name="the use or search, and the credential",
    ),
    PolicyRule(
        name="personal-data",
        covers=(
            "Collecting, copying, joining, printing or moving data about real people beyond what "
            "the task needs, or out of the system that holds it."
        ),
        excludes=(
            "invented data, the user's own name and address in their project, commit authors, "
            "and schema work without values"
        ),
        must_name="the handling, and the data set",
    ),
    PolicyRule(
        name="person-recording",
        covers=(
            "Recording people or what they do: screen, keystrokes, clipboard, camera, microphone, "
            "location, private messages, browsing history."
        ),
        excludes=(
            "screenshots and videos of the project's own application in a test, and input the "
            "user hands over for the task"
        ),
        must_name="the recording, and what or whom it captures",
    ),
)
