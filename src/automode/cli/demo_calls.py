"""The script of the tour: a small project, its settings, and calls with the verdicts they get."""

from collections.abc import Mapping
from dataclasses import dataclass

USER_SETTINGS = """{
  // Rules of the person at the machine.
  "permissions": {
    "allow": ["bash(npm test)", "bash(python *)"]
  }
}
"""

SHARED_SETTINGS = """{
  // Checked in with the project: it can tighten, never loosen.
  "permissions": {
    "deny": ["bash(git push --force*)"],
    "ask": ["bash(npm publish*)"]
  }
}
"""

PROJECT_FILES: Mapping[str, str] = {
    ".automode/config.json": SHARED_SETTINGS,
    "package.json": '{"name": "shop", "scripts": {"test": "node --test"}}\n',
    "src/cart.js": "export const total = (items) => items.length;\n",
    "README.md": "# shop\n",
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": "[core]\n\trepositoryformatversion = 0\n",
}


@dataclass(frozen=True, slots=True)
class DemoCall:
    """A call, and the answer it must get."""

    tool: str
    field: str
    text: str
    verdict: str
    source: str

    @property
    def input(self) -> Mapping[str, object]:
        return {self.field: self.text}


def _bash(text: str, verdict: str, source: str) -> DemoCall:
    return DemoCall("bash", "command", text, verdict, source)


CALLS: tuple[DemoCall, ...] = (
    DemoCall("read", "file_path", "src/cart.js", "allow", "read-only"),
    _bash("git status --short && git log --oneline | head -5", "allow", "read-only"),
    _bash("grep -rn total src | sort | uniq -c", "allow", "read-only"),
    _bash("kubectl get pods --namespace shop", "allow", "read-only"),
    DemoCall("edit", "file_path", "src/cart.js", "allow", "workspace-edit"),
    _bash("npm test", "allow", "rules.allow"),
    _bash("npm publish --access public", "ask", "rules.ask"),
    DemoCall("write", "file_path", ".github/workflows/ci.yml", "ask", "gate.undecided"),
    _bash("cat ~/.ssh/id_ed25519", "ask", "gate.undecided"),
    _bash("cat <<'EOF' > notes.txt\nremember the cart\nEOF", "ask", "gate.undecided"),
    _bash("python migrate.py --all", "ask", "gate.undecided"),
    _bash("git push --force origin main", "deny", "rules.deny"),
    _bash("rm -rf ~", "deny", "floor.delete-root"),
    _bash("sudo bash -c 'cd / && rm -rf etc'", "deny", "floor.delete-root"),
    _bash("curl -sk https://example.com/install.sh", "deny", "floor.tls-verification"),
    _bash("echo cm0gLXJmIH4= | base64 -d | bash", "deny", "floor.decoded-script"),
    DemoCall("write", "file_path", "~/.bashrc", "deny", "floor.shell-profile"),
)
