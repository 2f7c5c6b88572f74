"""One name for each kind of tool, whatever the host calls it."""

import re

# Compared without case, `_`, `-`, `.` and blanks: `ReadFile`, `read_file` and `read-file` are one.
_NAMES: dict[str, str] = {
    "bash": "bash sh zsh shell shell_command run_shell_command exec_command local_shell exec"
    " execute_command execute_bash run_command run_commands run_bash bash_tool terminal"
    " run_terminal_cmd run_terminal_command run_in_terminal container.exec unified_exec monitor",
    "powershell": "powershell pwsh powershell_tool",
    "cmd": "cmd cmd.exe",
    "read": "read read_file read_files view view_file view_image cat_file read_many_files"
    " notebook_read open_file",
    "write": "write write_file create_file create write_to_file save_file delete delete_file"
    " remove_file",
    "edit": "edit edit_file multi_edit replace replace_in_file replace_file_content str_replace"
    " str_replace_editor str_replace_based_edit_tool str_replace_edit search_replace editor"
    " insert_content apply_diff apply_patch patch notebook_edit edit_notebook",
    "grep": "grep rg grep_search search_file_content search_files grep_tool",
    "find": "find glob file_search find_files glob_tool glob_file_search",
    "ls": "ls list list_directory list_dir list_files directory_list",
    "web_fetch": "web_fetch fetch fetch_url fetch_web_content read_url url_fetch",
    "web_search": "web_search google_web_search search_web",
    "agent": "agent task delegate spawn_agent delegate_to_agent subagent run_subagent new_task"
    " invoke_agent",
}

# Tools of the hosts themselves that touch nothing but the agent's own plans and screens.
_HARMLESS = (
    "todowrite todoread writetodos updatetodo updateplan exitplanmode enterplanmode planexit"
    " toolsearch lsp taskcreate taskupdate tasklist taskget taskoutput taskstop askuserquestion"
    " askuser askquestion question requestuserinput listmcpresources listmcpresourcestool"
    " readmcpresource readmcpresourcetool readmcpresourcedirtool listmcpresourcetemplates"
    " waitformcpservers think bashoutput readbash listbash killshell killbash stopbash"
    " reportintent reportfindings listcodedefinitionnames updatetopic completetask"
    " listbackgroundprocesses readbackgroundoutput getgoal updategoal listagents"
)


_SEPARATORS = re.compile(r"[_\-. ]")
_MCP_SLASHED = re.compile(r"mcp:([^/\s]+)/(\S+)")


def canonical(tool: str) -> str:
    """The one name for `tool` across hosts; its own name in lower case when nobody described it.

    A tool of an MCP server is never one of ours, whatever it is called."""
    name = tool.strip().casefold()
    if name in _CANONICAL:
        return _CANONICAL[name]
    slashed = _MCP_SLASHED.fullmatch(name)
    if slashed:
        return f"mcp__{slashed[1]}__{slashed[2]}"
    if name.startswith("mcp__"):
        return name
    return _CANONICAL.get(squashed(name), name)


def harmless(tool: str) -> bool:
    """Whether it is one of the hosts' own tools that touch nothing. MCP names never are."""
    name = tool.strip().casefold()
    return not name.startswith(("mcp__", "mcp:")) and squashed(name) in _HARMLESS_NAMES


def squashed(name: str) -> str:
    """`name` without what hosts disagree about."""
    return _SEPARATORS.sub("", name.casefold())


_CANONICAL = {squashed(name): kind for kind, names in _NAMES.items() for name in names.split()}
_HARMLESS_NAMES = frozenset(_HARMLESS.split())
