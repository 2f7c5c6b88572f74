"""Every guard, in the order in which they are asked."""

from automode.guards.agents import UNGUARDED_AGENT
from automode.guards.decoders import DECODED_SCRIPT
from automode.guards.deletion import DELETE_ROOT
from automode.guards.devices import WIPE_DEVICE
from automode.guards.guard import Guard
from automode.guards.own_channel import OWN_CHANNEL
from automode.guards.own_verbs import OWN_VERBS
from automode.guards.permissions import ACCOUNTS, SETUID, SYSTEM_PERMISSIONS
from automode.guards.persistence import SCHEDULED_JOB
from automode.guards.platform import PLATFORM_SECURITY
from automode.guards.processes import FORK_BOMB, POWER
from automode.guards.profiles import SHELL_PROFILE, SSH_ACCESS
from automode.guards.remote_shell import REMOTE_SHELL
from automode.guards.self_protection import SAFETY_FILES, TRANSCRIPTS
from automode.guards.terminals import OTHER_TERMINAL
from automode.guards.tls import TLS_VERIFICATION
from automode.guards.trust_stores import TRUST_STORE

GUARDS: tuple[Guard, ...] = (
    SAFETY_FILES,
    TRANSCRIPTS,
    OWN_VERBS,
    OWN_CHANNEL,
    OTHER_TERMINAL,
    UNGUARDED_AGENT,
    DELETE_ROOT,
    WIPE_DEVICE,
    FORK_BOMB,
    POWER,
    SHELL_PROFILE,
    SSH_ACCESS,
    SCHEDULED_JOB,
    ACCOUNTS,
    SYSTEM_PERMISSIONS,
    SETUID,
    TLS_VERIFICATION,
    TRUST_STORE,
    PLATFORM_SECURITY,
    DECODED_SCRIPT,
    REMOTE_SHELL,
)
