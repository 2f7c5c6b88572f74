"""Soft rules about losing what cannot be had back."""

from automode.policy.rule import PolicyRule

DESTRUCTION = (
    PolicyRule(
        name="delete-existing-files",
        covers=(
            "Deleting, truncating or overwriting local files, databases or volumes that existed "
            "before the session and have no copy in version control, backup or trash."
        ),
        excludes=(
            "files this task created; committed files inside the workspace; build output, caches "
            "and dependency folders that the project regenerates; ordinary edits of project "
            "files; dry runs"
        ),
        must_name="the deletion or overwriting, and the file or folder",
    ),
    PolicyRule(
        name="unverified-delete-target",
        covers=(
            "Deleting or overwriting where the call does not show what is hit: a variable that "
            "may be empty, a wildcard at a root, a link, another command's output, a `cd` that "
            "may fail first."
        ),
        excludes=(
            "a variable set in the same call to a literal path in the workspace, a fresh "
            "temporary folder, a search limited to regenerable names such as `*.pyc`"
        ),
        must_name="the deletion, and the literal path",
    ),
    PolicyRule(
        name="shared-scratch-sweep",
        covers=(
            "Clearing a place that several tasks or people share: wildcards in temporary or "
            "scratch folders, global caches and stores, pruning all images, volumes or "
            "environments."
        ),
        excludes=(
            "named items this task created there, the project's own cache, listing and size reports"
        ),
        must_name="the clearing, and the place",
    ),
    PolicyRule(
        name="irreversible-deletion",
        covers=(
            "Removing something other than a file for which there is no undo: rows, tables, "
            "queues, mailboxes, accounts, projects, repositories, keys, cloud resources."
        ),
        excludes=(
            "objects this session created, a development database that project scripts rebuild, "
            "and moves to a bin that can be restored"
        ),
        must_name="the deletion, and the object",
    ),
    PolicyRule(
        name="storage-mass-delete",
        covers=(
            "Deleting, overwriting or expiring many objects in buckets, blob stores, artifact "
            "stores or shared drives at once: recursive or wildcard removal, deleting "
            "synchronisation, lifecycle rules."
        ),
        excludes="listing, dry runs, and a prefix that this session filled",
        must_name="the deletion, and the bucket with its prefix",
    ),
    PolicyRule(
        name="mass-external-change",
        covers=(
            "Changing or deleting many records of an outside service in one go: tickets, "
            "messages, contacts, calendar entries, documents, settings."
        ),
        excludes="reading or exporting them, and single changes, which other rules judge",
        must_name="the bulk change, and the set of records",
    ),
    PolicyRule(
        name="backup-loss",
        covers=(
            "Deleting, disabling or shortening what recovery relies on: backups, snapshots, "
            "version history, retention, replication, expiring a reflog, pruning unreachable "
            "objects."
        ),
        excludes="taking a new backup, and snapshots this session took",
        must_name="the removal or shortening, and the backup or history",
    ),
    PolicyRule(
        name="guessed-target",
        covers=(
            "A change that cannot be undone, aimed at a job, record, account, branch or machine "
            "that the agent picked by resemblance, order or chance because the user's words fit "
            "several."
        ),
        excludes=(
            "a target the user identified, the only one that exists, or one this session "
            "created; asking which is meant"
        ),
        must_name="the action, and the identifier of the target",
    ),
)
