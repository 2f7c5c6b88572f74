"""Which files a command writes, empties, deletes and moves, and which skills are a product."""

import pytest

from automode.assemble import READER
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.facts.place import recorded_workspace
from automode.judge.file_deeds import is_product, redirect_touches, touches
from tests.judge.sessions import TABLES, WORKSPACE
from tests.rows import each_row


@each_row("script, wanted", TABLES["touches"])
def test_effects_count_and_not_names(script: str, wanted: str) -> None:
    commands = READER.full(script, WORKSPACE).commands
    found = {
        f"{touch.how} {touch.path}"
        for command in commands
        for touch in (*touches(command), *redirect_touches(command))
    }

    assert ", ".join(sorted(found)) == wanted


SKILLS = recorded_workspace("/home/user/projects/acme-skills", "/home/user")


@each_row(
    "place, path, wanted",
    [
        (SKILLS, "skills/search/SKILL.md", True),
        (SKILLS, "plugins/acme/skills/search/SKILL.md", True),
        (SKILLS, ".claude/skills/search/SKILL.md", False),
        (SKILLS, ".agents/skills/search/SKILL.md", False),
        (SKILLS, "AGENTS.md", False),
        (SKILLS, "skills/search/run.sh", False),
        (SKILLS, "../shop/skills/search/SKILL.md", False),
        (WORKSPACE, "skills/deploy/SKILL.md", False),
        (WORKSPACE, "plugins/shop/skills/deploy/SKILL.md", False),
    ],
)
def test_a_skill_is_a_product_where_the_repository_offers_skills(
    place: Workspace, path: str, *, wanted: bool
) -> None:
    full = f"{place.root}/{path}".replace("/acme-skills/../", "/")

    assert is_product(full, place) is wanted


def test_a_manifest_says_that_a_folder_is_a_plug_in(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = tmp_path_factory.mktemp("shop")
    (root / "plugin" / ".claude-plugin").mkdir(parents=True)
    place = Workspace(str(root), str(root), "/home/user", Disk())

    assert is_product(f"{root}/plugin/skills/search/SKILL.md", place)
    assert not is_product(f"{root}/other/skills/search/SKILL.md", place)
