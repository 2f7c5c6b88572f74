"""Short tables of words whose effect an allow rule may take for granted."""

CHATTER = frozenset(("DEBUG", "TEST", "VITEST", "PYTEST_TIMEOUT", "PIP_NO_INPUT"))
"""Variables that a person who allows a command need not spell out, whatever their value."""

RUNS_AS_GIVEN = frozenset(
    (
        *("bash", "sh", "zsh", "dash", "env", "command", "builtin", "time", "timeout", "nice"),
        *("nohup", "stdbuf", "ionice", "setsid", "eval"),
    )
)
"""Wrappers that run exactly the words they are given. `xargs` adds some, `ssh` runs elsewhere."""

PLAIN_READERS = frozenset(
    (
        *("cat", "head", "tail", "less", "more", "wc", "grep", "rg", "ls", "stat", "file", "diff"),
        *("cmp", "md5sum", "sha1sum", "sha256sum", "du", "test", "[", "realpath", "readlink"),
        *("basename", "dirname", "nl", "od", "strings", "echo", "printf", "true", "false"),
    )
)
"""Programs that show what they are given and change nothing."""

ESCAPES: dict[str, tuple[str, ...]] = {
    "git": (
        *("--config-env", "--exec-path", "--upload-pack", "--receive-pack", "--ext-diff"),
        *("--exec", "foreach", "filter-branch", "bisect", "config", "difftool", "mergetool"),
        *("--extcmd", "--open-files-in-pager", "--template", "send-email", "instaweb"),
    ),
    "tar": ("-I", "--to-command", "--checkpoint-action", "--use-compress-program", "-F"),
    "rsync": ("-e", "--rsh", "--rsync-path"),
    "scp": ("-o", "-S", "-F"),
    "rg": ("--pre", "--hostname-bin"),
    "sort": ("--compress-program",),
    "go": ("-exec", "-toolexec", "-overlay"),
    "cargo": ("--config",),
    "npm": ("--script-shell", "--node-options", "--prefix"),
    "pytest": ("-p", "-c", "--rootdir", "--override-ini", "-o"),
    "curl": ("-K", "--config"),
    "find": ("-delete", "-fprint", "-fprintf", "-fls", "-fprint0"),
    "hg": ("--config",),
    "man": ("-P", "-H", "--pager", "--html"),
}
"""Words through which a program starts another one, or is set up to."""

LEADING_ESCAPES: dict[str, tuple[str, ...]] = {"git": ("-c",)}
"""The same where only the place before the sub-command counts: `git switch -c` makes a branch."""

SUBCOMMAND_ESCAPES: dict[tuple[str, str], str] = {
    ("git", "rebase"): "x",
    ("git", "difftool"): "x",
    ("git", "grep"): "O",
    ("git", "clone"): "uc",
}
"""Letters of short options that do so under one sub-command: `git cherry-pick -x` does not."""
