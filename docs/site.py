"""Builds the documentation site below `build/site`; a broken link or anchor stops it.

The pages keep the paths that they have in the repository, so a relative link works in both places.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "site"
ROOT_FILES = ("README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE")
PATTERNS = ("docs/**/*.md", "docs/**/*.svg", "docs/**/*.webp", "examples/**/*.py")
SHIM = '<script src="https://unpkg.com/iframe-worker/shim" type="text/javascript"></script>'
"""Zensical has a page that is opened from disk load this. We bring our own: no network."""

LOGO = re.compile(r'<a href="[^"]*"(?= title="automode")')
"""Leads to a folder, which a browser lists."""


def build(folder: Path) -> Path:
    """The folder with the pages. Raises where Zensical finds something wrong."""
    shutil.rmtree(folder, ignore_errors=True)
    source = folder / "source"
    for file in [*map(ROOT.joinpath, ROOT_FILES), *(f for p in PATTERNS for f in ROOT.glob(p))]:
        target = source / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    shutil.copy(ROOT / "docs" / "site.yml", folder / "mkdocs.yml")
    zensical = Path(sys.executable).with_name("zensical")
    subprocess.run([zensical, "build", "--strict"], cwd=folder, check=True)  # noqa: S603
    html = folder / "html"
    shutil.copy(ROOT / "docs" / "worker.js", html / "assets" / "worker.js")
    (html / "404.html").unlink()  # only a server shows it, and it names files from the root
    for page in html.rglob("*.html"):
        above = "../" * (len(page.relative_to(html).parts) - 1)
        text = page.read_text().replace(SHIM, f'<script src="{above}assets/worker.js"></script>')
        page.write_text(LOGO.sub(f'<a href="{above}index.html"', text))
    return html


if __name__ == "__main__":
    try:
        print(f"open {build(BUILD) / 'index.html'}")
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)
