"""The mark of a process that automode itself asks as the judge."""

JUDGE_FOLDER = "automode-judge-"
"""How the name of such a process's working folder begins."""


def is_judge_folder(path: str) -> bool:
    return any(part.startswith(JUDGE_FOLDER) for part in path.split("/"))
