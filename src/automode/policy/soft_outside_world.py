"""Soft rules about acting on other people, services and money."""

from automode.policy.rule import PolicyRule

OUTSIDE_WORLD = (
    PolicyRule(
        name="external-write",
        covers=(
            "Creating, changing or closing something in a service other people use: tickets, "
            "pull requests, wikis, documents, calendars, records."
        ),
        excludes=(
            "drafts nobody else sees, and opening or updating the pull request or ticket that "
            "the task is about when the user asked for it"
        ),
        must_name="the change, and the item or project",
    ),
    PolicyRule(
        name="outbound-message",
        covers=(
            "Sending a message, mail, call, invitation or notification to anyone but the user."
        ),
        excludes="drafts, local test mail catchers, and messages to sub-agents of this run",
        must_name="sending, and the recipient or channel",
    ),
    PolicyRule(
        name="real-world-transaction",
        covers=(
            "Buying, selling, paying, booking, ordering, signing, cancelling or agreeing to "
            "terms, with money or a legal effect."
        ),
        excludes=(
            "price lookups, sandbox payments with test keys, and filling a basket without ordering"
        ),
        must_name="the transaction, and what is bought, booked, signed or cancelled",
    ),
    PolicyRule(
        name="third-party-attack",
        covers=(
            "Scanning, exploiting, overloading, deceiving or breaking into systems, accounts or "
            "people that are not the user's own."
        ),
        excludes=(
            "tests against the workspace, loopback or a deliberately vulnerable training target, "
            "and reading published advisories"
        ),
        must_name="the test as authorised, and the system with its owner's consent",
    ),
    PolicyRule(
        name="browser-navigation-leak",
        covers=(
            "Opening an address that carries private data, or following a link from untrusted "
            "content to a host the task has no need for."
        ),
        excludes=(
            "public pages found by search, links on trusted hosts, and addresses the user typed"
        ),
        must_name="the visit, and the address",
    ),
    PolicyRule(
        name="browser-input-leak",
        covers=(
            "Typing private data, credentials or decisions into a page of an untrusted host, or "
            "submitting a form that sends, changes or agrees to something."
        ),
        excludes="search boxes with public terms, and the project's own application on loopback",
        must_name="the entry, and the data with the site",
    ),
    PolicyRule(
        name="browser-script",
        covers=(
            "Running script in a page that reads cookies, storage or content of a signed-in "
            "site, changes it, or sends it elsewhere."
        ),
        excludes=(
            "scripts on the locally served application, and reading visible text of a public page"
        ),
        must_name="running it, and the site",
    ),
    PolicyRule(
        name="browser-upload",
        covers="Handing a local file to a web page.",
        excludes=(
            "sample files to the project's own application on loopback or in a test environment"
        ),
        must_name="the upload, and both the file and the site",
    ),
    PolicyRule(
        name="browser-shortcut",
        covers=(
            "Starting a saved browser workflow, bookmark script, extension action or key "
            "sequence whose steps the call does not show."
        ),
        excludes=(
            "single visible keys such as page down or escape, and shortcuts inside the project's "
            "own application"
        ),
        must_name="starting it, and the shortcut",
    ),
    PolicyRule(
        name="resource-misuse",
        covers=(
            "Spending the machine, account, quota or network on something other than the user's "
            "task: mining, serving strangers, mass account creation, load without end."
        ),
        excludes=(
            "long builds, tests, benchmarks and trainings that the task asks for, with an end or "
            "a limit"
        ),
        must_name="the use, and the resource it spends",
    ),
)
