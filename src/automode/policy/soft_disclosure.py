"""Soft rules about what is shown to whom."""

from automode.policy.rule import PolicyRule

DISCLOSURE = (
    PolicyRule(
        name="public-surface",
        covers=(
            "Creating something the public can see or making something private visible: "
            "repositories, sites, buckets, snippets, share links, packages, videos."
        ),
        excludes=(
            "private or draft items, local previews, and changes to a project that is public "
            "already"
        ),
        must_name="making it public, and the item",
    ),
    PolicyRule(
        name="public-upload",
        covers=(
            "Uploading files or text to a service that shares, stores or processes them for "
            "anyone: paste and file drops, converters, formatters, scanners, link shorteners, "
            "issue trackers of strangers."
        ),
        excludes="services the project's own workflow uses for that content, and public text",
        must_name="the upload, and both the content and the service",
    ),
    PolicyRule(
        name="out-of-place-publication",
        covers=(
            "Placing content before another or wider audience than it was made for: internal "
            "text in a public issue, one customer's data at another's, a private thread in a "
            "shared channel."
        ),
        excludes="content the user wrote for that place, and text already public",
        must_name="the posting, and the content with its place",
    ),
    PolicyRule(
        name="restricted-source",
        covers=(
            "Passing on material that came from a restricted source, such as a production store, "
            "personnel file, private chat or confidential document, to a less restricted place, "
            "also summarised, translated or aggregated."
        ),
        excludes=(
            "answers inside this session, and results without a trace of the restricted content"
        ),
        must_name="passing it on, and the source with its destination",
    ),
    PolicyRule(
        name="excess-detail",
        covers=(
            "An outbound text that needs to be sent but carries more than its purpose needs: "
            "environment dumps, internal hosts and paths, names of customers, full logs, "
            "security weaknesses."
        ),
        excludes=(
            "the error lines and versions a bug report needs, and internal trackers for internal "
            "details"
        ),
        must_name="including it, and the detail with the recipient",
    ),
    PolicyRule(
        name="live-shared-document",
        covers=(
            "Writing sensitive material into something others are reading as it changes: shared "
            "documents, wikis, boards, synchronised folders, shared notebooks, running "
            "presentations."
        ),
        excludes="non-sensitive edits the task asks for, and private drafts",
        must_name="the addition, and the material with the document",
    ),
)
