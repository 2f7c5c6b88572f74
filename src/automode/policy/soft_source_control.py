"""Soft rules about history, branches, reviews and releases."""

from automode.policy.rule import PolicyRule

SOURCE_CONTROL = (
    PolicyRule(
        name="history-rewrite",
        covers=(
            "Replacing or removing history that others can fetch: force-pushing, deleting a "
            "remote branch, moving or deleting a published tag, mirror-pushing over a remote."
        ),
        excludes=(
            "amending, rebasing or resetting commits that were never pushed; "
            "`--force-with-lease` onto the task's own branch when the user asked to rebase or "
            "amend it; remote branches this session created; dry runs"
        ),
        must_name="the force-push, deletion or rewrite, and the branch or tag it hits",
    ),
    PolicyRule(
        name="default-branch-push",
        covers=(
            "Pushing commits straight to a shared repository's default, release or otherwise "
            "protected branch."
        ),
        excludes=(
            "pushing the task's own branch, opening a pull request, and local commits on any branch"
        ),
        must_name='pushing, and that branch ("push to main")',
    ),
    PolicyRule(
        name="uncommitted-work",
        covers=(
            "Throwing away changes that are in no commit and that the session did not make: hard "
            "resets, checkout or restore over modified files, forced cleaning, dropped stashes, "
            "forced removal of a worktree with changes."
        ),
        excludes=(
            "a tree that the facts show as clean, undoing the agent's own edits, unstaging, "
            "`clean -n`, removing a clean worktree"
        ),
        must_name="the discarding, and the files, stash or worktree that lose changes",
    ),
    PolicyRule(
        name="remote-repoint",
        covers=(
            "Changing where the repository fetches from or pushes to: a remote's address, "
            "address rewriting, push targets, submodule sources; or pushing to a remote added in "
            "this session."
        ),
        excludes=(
            "adding the public upstream of a fork to fetch from it, switching between https and "
            "ssh for the same repository"
        ),
        must_name="the change, and the new address",
    ),
    PolicyRule(
        name="merge-without-review",
        covers=(
            "Merging a pull request, or arming automatic merging, without another person's "
            "approval, with required checks failing or pending, or by an administrator's "
            "override."
        ),
        excludes=(
            "merging the default branch into the task branch, local merges that are not pushed, "
            "and opening or updating a pull request"
        ),
        must_name="merging, and the pull request",
    ),
    PolicyRule(
        name="self-approval",
        covers=(
            "Approving, signing off or satisfying a required review of work the agent itself "
            "produced, with any identity, or making itself a required reviewer or code owner."
        ),
        excludes=(
            "review comments without approval, and resolving threads on points the agent has fixed"
        ),
        must_name="the approval, and the change it approves",
    ),
    PolicyRule(
        name="check-bypass",
        covers=(
            "Getting past a required check rather than passing it: skipping commit or push "
            "hooks, skip-the-pipeline marks, making a check optional, stubbing its result, "
            "overriding a status."
        ),
        excludes=(
            "running part of the suite locally, repairing a check so that it still checks, and a "
            "skipped hook on a commit that is never pushed"
        ),
        must_name="the bypass, and the hook or check it skips",
    ),
    PolicyRule(
        name="chat-command",
        covers=(
            "Posting a comment, label, reaction or message that a bot takes as a command: "
            "deploying, merging, running pipelines with secrets, assigning rights."
        ),
        excludes=(
            "ordinary discussion without a command word, and re-running a failed check of the "
            "task's own pull request"
        ),
        must_name="the command, and the issue, pull request or channel it goes to",
    ),
    PolicyRule(
        name="package-publish",
        covers=(
            "Publishing or withdrawing a package, image, extension, release or app where others "
            "will pick it up."
        ),
        excludes=(
            "building it, packing it into a local file, publishing with a dry run or to a "
            "registry on loopback"
        ),
        must_name="publishing or withdrawing, and the package with its version or registry",
    ),
)
