"""The numbers of the model of consent: what is loaded is what was packed, or nothing is."""

import hashlib
import math
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from automode.judge.asked import Asked
from automode.judge.consent_model import FILE, SUMS, load_consent, shipped_consent
from automode.judge.consent_text import MARKS
from automode.judge.model_files import BadModel
from tools.training.consent import pack
from tools.training.consent.tensors import Array

WIDTH, INNER = 24, 48
PIECES = (*sorted(MARKS), "push", "branch", "git", "the", "login", "delete")


def trained(seed: int = 1) -> dict[str, Array]:
    """Weights of two layers as training writes them."""
    chance = np.random.default_rng(seed)

    def numbers(*shape: int) -> Array:
        return chance.normal(0, 0.3, shape).astype(np.float32)

    found = {
        "word.weight": numbers(len(PIECES), WIDTH),
        "place.weight": numbers(512, WIDTH),
        "kind.weight": numbers(4, WIDTH),
        "mid.weight": numbers(WIDTH, 2 * WIDTH),
        "mid.bias": numbers(WIDTH),
        "out.weight": numbers(1, WIDTH),
        "out.bias": numbers(1),
    }
    for layer in ("", "layers.0.", "layers.1."):
        norms = ("n1", "n2") if layer else ("norm",)
        found |= {f"{layer}{one}.weight": 1 + numbers(WIDTH) for one in norms}
        found |= {f"{layer}{one}.bias": numbers(WIDTH) for one in norms}
    for layer in ("layers.0.", "layers.1."):
        for one in "qkvo":
            found[f"{layer}{one}.weight"] = numbers(WIDTH, WIDTH)
            found[f"{layer}{one}.bias"] = numbers(WIDTH)
        found |= {f"{layer}up.weight": numbers(INNER, WIDTH), f"{layer}up.bias": numbers(INNER)}
        found |= {f"{layer}down.weight": numbers(WIDTH, INNER), f"{layer}down.bias": numbers(WIDTH)}
    return found


def written(folder: Path, packed: bytes, digest: str = "") -> Path:
    (folder / FILE).write_bytes(packed)
    (folder / SUMS).write_text(f"{digest or hashlib.sha256(packed).hexdigest()}  {FILE}\n")
    return folder


def packed(**changes: Array | None) -> bytes:
    about = b'{"version":"t","layers":2,"heads":12,"clears_from":2}'
    arrays = {
        **pack.small(trained()),
        "about": np.frombuffer(about, np.uint8),
        "vocabulary": np.frombuffer("\n".join(PIECES).encode(), np.uint8),
        **changes,
    }
    return pack.archive({name: one for name, one in arrays.items() if one is not None})


def plain_score(given: dict[str, Array], ids: list[int], kinds: list[int]) -> float:
    """The same sum written once more, without packing, one piece after the other."""

    def norm(x: Array, name: str) -> Array:
        spread = np.sqrt(((x - x.mean()) ** 2).mean() + 1e-12)
        found: Array = (x - x.mean()) / spread * given[f"{name}.weight"] + given[f"{name}.bias"]
        return found

    def line(x: Array, name: str) -> Array:
        found: Array = given[f"{name}.weight"] @ x + given[f"{name}.bias"]
        return found

    word, place, kind = (given[f"{name}.weight"] for name in ("word", "place", "kind"))
    both = enumerate(zip(ids, kinds, strict=True))
    xs = [norm(word[i] + place[at] + kind[k], "norm") for at, (i, k) in both]
    for layer in ("layers.0.", "layers.1."):
        q, k, v = ([line(x, f"{layer}{one}") for x in xs] for one in "qkv")
        size = WIDTH // 12
        after = []
        for at, x in enumerate(xs):
            heads = []
            for start in range(0, WIDTH, size):
                part = slice(start, start + size)
                raw = np.array([q[at][part] @ one[part] / math.sqrt(size) for one in k])
                share = np.exp(raw) / np.exp(raw).sum()
                heads.append(sum(w * one[part] for w, one in zip(share, v, strict=True)))
            middle = norm(x + line(np.concatenate(heads), f"{layer}o"), f"{layer}n1")
            up = line(middle, f"{layer}up")
            up = np.array([0.5 * z * (1 + math.erf(z / math.sqrt(2))) for z in up])
            after.append(norm(middle + line(up, f"{layer}down"), f"{layer}n2"))
        xs = after
    pooled = np.concatenate((xs[0], sum(xs) / len(xs)))
    return float(line(np.tanh(line(pooled, "mid")), "out")[0])


def test_the_score_is_that_of_the_trained_weights(tmp_path: Path) -> None:
    model = load_consent(written(tmp_path, packed()))

    heard = model.hear(["delete the login branch"], "git push login", {"pushes": Asked.NO})

    asked = model.read(["delete the login branch"], "git push login", {"pushes": Asked.NO})
    wanted = plain_score(trained(), list(asked.ids), list(asked.kinds))
    assert heard.score == pytest.approx(wanted, abs=0.15)  # eight bits a weight
    assert heard.whole


def test_other_words_have_another_score(tmp_path: Path) -> None:
    model = load_consent(written(tmp_path, packed()))

    scores = {model.hear([one], "git push login", {}).score for one in ("push", "delete")}

    assert len(scores) == 2


def test_the_same_weights_give_the_same_bytes() -> None:
    assert packed() == packed()


def test_a_changed_file_is_not_used(tmp_path: Path) -> None:
    with pytest.raises(BadModel, match="not the one it should be"):
        load_consent(written(tmp_path, packed(), "0" * 64))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadModel, match="model of consent cannot be read"):
        load_consent(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04 no archive",
        packed(about=None),
        packed(vocabulary=None),
        packed(about=np.frombuffer(b"[]", np.uint8)),
        packed(about=np.frombuffer(b'{"layers":"x"}', np.uint8)),
        packed(vocabulary=np.frombuffer(b"\xff\xff", np.uint8)),
    ],
)
def test_a_file_that_holds_something_else_is_not_used(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(BadModel, match="cannot be understood"):
        load_consent(written(tmp_path, content))


def test_the_shipped_model_draws_its_line_above_even_chances() -> None:
    assert shipped_consent().clears_from > 0.0


def test_numpy_is_loaded_with_the_first_call_that_needs_it() -> None:
    code = "import sys, automode.assemble; print('numpy' in sys.modules)"

    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert told.stdout.strip() == "False"


def test_the_licence_of_what_it_began_as_goes_with_it() -> None:
    notice = files("automode.judge").joinpath("weights/consent.NOTICE.txt").read_text()

    for words in ("all-MiniLM-L6-v2", "What was changed", "Apache License", "Version 2.0"):
        assert words in notice
