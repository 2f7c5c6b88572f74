#!/bin/sh
# Runs automode's hook for Claude Code: gate.sh MOMENT. Closes where automode cannot be found.
#
# A project may have chosen the environment that this runs in. So PATH is set here, and the home
# folder is the one of the account, whatever HOME says. Where sh is bash, functions come from there
# too, and would go before the words below; nothing in here helps against SHELLOPTS=noexec.

unset -f command id printf read sed test '['
PATH=/usr/bin:/bin:/usr/sbin:/sbin
export PATH
moment=$1

close() {
    case $moment in
        finished | prompt | session)
            printf 'automode: %s\n' "$1" >&2
            exit 0
            ;;
    esac
    sentence="automode could not decide, so this call must not run: $1"
    printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
    printf '"permissionDecisionReason":"%s"}}\n' "$sentence"
    printf '%s\n' "$sentence" >&2
    exit 2
}

# The interpreter that the program `automode` at $1 names in its first lines; empty for none.
interpreter() {
    IFS= read -r first <"$1" || return 0
    case $first in
        '#!/bin/sh')
            # How installers write a path that is too long for a first line, or has blanks in it.
            sed -n "2s/^'''exec' [\"']\{0,1\}\(\/[^\"']*[^\"' ]\)[\"']\{0,1\} \"\$0\" .*/\1/p" "$1"
            ;;
        '#!/usr/bin/env '*) ;;
        '#!/'*)
            first=${first#'#!'}
            printf '%s\n' "${first%% *}"
            ;;
    esac
}

account=$(id -un)
case $account in
    '' | -* | *[!A-Za-z0-9._-]*) close 'the name of this account cannot be read' ;;
esac
eval "home=~$account" # of the account database, and checked above
case $home in
    /*) ;;
    *) close 'this account has no home folder' ;;
esac

python=
for program in "$home/.local/bin/automode" /opt/homebrew/bin/automode \
    /usr/local/bin/automode /usr/bin/automode; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    python=$(interpreter "$program")
    break
done
[ -n "$python" ] && [ -x "$python" ] ||
    close 'the plugin finds no automode; install it from its repository with uv or pipx, then run: automode doctor claude-code'

# Started by its path it need not look for the package: twice as fast.
set -- "${python%/*}"/../lib/python3*/site-packages/automode/hook/client.py
if [ $# -eq 1 ] && [ -f "$1" ]; then
    set -- -I -S "$1"
else
    set -- -I -m automode.hook.client
fi
"$python" "$@" --state "$home/.local/state/automode" --config "$home/.config/automode" \
    claude-code "$moment"
case $? in
    0) exit 0 ;;
    2) exit 2 ;;
    *) close 'its hook could not be started; run: automode doctor claude-code' ;;
esac
