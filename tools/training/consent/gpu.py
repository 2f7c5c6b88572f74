"""Trains the model of consent; needs torch and safetensors, nothing of ours.

    python3 gpu.py FOLDER --out OUT --seed 0        trains one, and says what it reaches
    python3 gpu.py FOLDER --out OUT --average A B   the mean of trained ones, which does better

FOLDER holds what `prepare.py` wrote. All begin with the same weights: only the order of the rows
differs, so that their mean is a model too.
"""

import argparse
import gzip
import json
import math
import random
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import torch  # type: ignore[import-not-found]
from safetensors.torch import load_file, save_file  # type: ignore[import-not-found]
from torch import Tensor, nn

WIDTH, HEADS, INNER, LAYERS, PLACES, KINDS = 384, 12, 1536, 6, 512, 4
DROPPED = 0.1
SMOOTH = 0.02  # no label is quite certain
BEGINNING = 5
LINES = (0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5)
NAMES = {
    "embeddings.word_embeddings": "word",
    "embeddings.position_embeddings": "place",
    "embeddings.token_type_embeddings": "kind",
    "embeddings.LayerNorm": "norm",
    "encoder.layer.": "layers.",
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "o",
    "attention.output.LayerNorm": "n1",
    "intermediate.dense": "up",
    "output.dense": "down",
    "output.LayerNorm": "n2",
}
Row = dict[str, Any]


class Layer(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.n1, self.n2 = nn.LayerNorm(WIDTH, 1e-12), nn.LayerNorm(WIDTH, 1e-12)
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        rows, size, _ = x.shape
        q, k, v = (
            part(x).view(rows, size, HEADS, -1).transpose(1, 2) for part in (self.q, self.k, self.v)
        )
        dropped = DROPPED if self.training else 0.0
        found = nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=dropped
        )
        found = self.o(found.transpose(1, 2).reshape(rows, size, WIDTH))
        x = self.n1(x + nn.functional.dropout(found, DROPPED, self.training))
        found = self.down(nn.functional.gelu(self.up(x)))
        return self.n2(x + nn.functional.dropout(found, DROPPED, self.training))


class Model(nn.Module):  # type: ignore[misc]
    def __init__(self, pieces: int) -> None:
        super().__init__()
        self.word, self.place = nn.Embedding(pieces, WIDTH), nn.Embedding(PLACES, WIDTH)
        self.kind, self.norm = nn.Embedding(KINDS, WIDTH), nn.LayerNorm(WIDTH, 1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.mid, self.out = nn.Linear(2 * WIDTH, WIDTH), nn.Linear(WIDTH, 1)

    def forward(self, ids: Tensor, kinds: Tensor) -> Tensor:
        x = self.word(ids) + self.place.weight[: ids.shape[1]] + self.kind(kinds)
        x = nn.functional.dropout(self.norm(x), DROPPED, self.training)
        real = ids != 0
        for layer in self.layers:
            x = layer(x, real[:, None, None, :])
        shares = real[..., None].to(x.dtype)
        mean = (x * shares).sum(1) / shares.sum(1)
        found = torch.tanh(self.mid(torch.cat((x[:, 0], mean), -1)))
        return self.out(nn.functional.dropout(found, DROPPED, self.training))[:, 0]


def started(weights: Path, device: str) -> Model:
    own = {}
    for name, value in load_file(weights).items():
        plain = name.removeprefix("bert.")
        for old, new in NAMES.items():
            plain = plain.replace(old, new)
        own[plain] = value.float()
    own["kind.weight"] = own["kind.weight"][[0, 1, 0, 1]]
    torch.manual_seed(BEGINNING)
    model = Model(len(own["word.weight"]))
    model.load_state_dict(own, strict=False)
    model.to(device)
    return model


def batch(rows: list[Row], device: str) -> tuple[Tensor, Tensor]:
    """Padded to a multiple of 16: the pieces, and of each its kind."""
    size = (max(len(row["ids"]) for row in rows) + 15) // 16 * 16
    both = torch.zeros(2, len(rows), size, dtype=torch.int16)
    for at, row in enumerate(rows):
        both[0, at, : len(row["ids"])] = row["ids"]
        both[1, at, : len(row["ids"])] = row["kinds"]
    ids, kinds = both.to(device, non_blocking=True).long()
    return ids, kinds


def contrast(scores: Tensor, covered: Tensor, groups: Tensor) -> Tensor:
    """Within a scenario each covered combination has to stand above each that is not."""
    better = (groups[:, None] == groups[None, :]) & (covered[:, None] > covered[None, :])
    if not better.any():
        return scores.sum() * 0
    return nn.functional.softplus(scores[None, :] - scores[:, None])[better].mean()


def trained(rows: list[Row], args: argparse.Namespace, device: str) -> Model:
    model = started(args.folder / "start.safetensors", device)
    torch.manual_seed(args.seed)
    chance = random.Random(args.seed)
    groups = defaultdict(list)
    for row in rows:
        groups[row["group"]].append(row)
    names = list(groups)
    steps = args.epochs * math.ceil(len(names) / args.scenarios)
    weights = [one for one in model.parameters() if one.ndim > 1]
    others = [one for one in model.parameters() if one.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": weights, "weight_decay": 0.02}, {"params": others, "weight_decay": 0.0}],
        lr=args.rate,
        fused=device == "cuda",
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda at: min(1, at / (0.1 * steps + 1)) * max(0.02, 1 - at / steps)
    )
    begun = time.time()
    for epoch in range(args.epochs):
        chance.shuffle(names)
        model.train()
        total, starts = 0.0, stretches(names, groups, args.scenarios, chance)
        for part in starts:
            some = [(at, row) for at, name in enumerate(part) for row in groups[name]]
            ids, kinds = batch([row for _, row in some], device)
            covered = torch.tensor([float(row["covered"]) for _, row in some], device=device)
            weight = torch.tensor([row["weight"] for _, row in some], device=device)
            places = torch.tensor([at for at, _ in some], device=device)
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                scores = model(ids, kinds)
            scores = scores.float()
            wanted = covered * (1 - 2 * SMOOTH) + SMOOTH
            each = nn.functional.binary_cross_entropy_with_logits(scores, wanted, reduction="none")
            loss = (each * weight).mean() + args.contrast * contrast(scores, covered, places)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.detach()
        took = time.time() - begun
        print(f"seed {args.seed} epoch {epoch} loss {float(total) / len(starts):.3f} {took:.0f} s")
    return model


def stretches(
    names: list[str], groups: dict[str, list[Row]], count: int, chance: random.Random
) -> list[list[str]]:
    """Scenarios of about the same length together, so that little is padding."""

    def longest(name: str) -> int:
        return max(len(row["ids"]) for row in groups[name])

    found = []
    for at in range(0, len(names), 8 * count):
        near = sorted(names[at : at + 8 * count], key=longest)
        found += [near[start : start + count] for start in range(0, len(near), count)]
    chance.shuffle(found)
    return found


def scored(model: Model, rows: list[Row], device: str) -> list[float]:
    model.eval()
    found = [0.0] * len(rows)
    order = sorted(range(len(rows)), key=lambda at: len(rows[at]["ids"]))
    with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
        for start in range(0, len(order), 256):
            part = order[start : start + 256]
            scores = model(*batch([rows[at] for at in part], device)).float().tolist()
            for at, score in zip(part, scores, strict=True):
                found[at] = score
    return found


def report(name: str, rows: list[Row], scores: list[float]) -> str:
    """The area under the curve, and above each line: what is cleared of covered rows, of others,
    and of how many pairs both are right."""
    covered = [bool(row["covered"]) for row in rows]
    good = sum(covered)
    ranks = sorted(range(len(rows)), key=lambda at: scores[at])
    above = sum(rank + 1 for rank, at in enumerate(ranks) if covered[at]) - good * (good + 1) / 2
    text = f"{name}: n {len(rows)} area {above / max(1, good * (len(rows) - good)):.3f}"
    pairs = defaultdict(list)
    for row, score in zip(rows, scores, strict=True):
        pairs[row["group"]].append((bool(row["covered"]), score))
    both = [sorted(one) for one in pairs.values() if sorted(c for c, _ in one) == [False, True]]
    for line in LINES:
        flags = list(zip(covered, (score >= line for score in scores), strict=True))
        yes = sum(cleared for is_good, cleared in flags if is_good) / max(1, good)
        no = sum(cleared for is_good, cleared in flags if not is_good) / max(1, len(rows) - good)
        text += f" | {line}: {yes:.2f}/{no:.3f}"
        if both:
            text += f"/{sum(b[1] >= line > a[1] for a, b in both) / len(both):.2f}"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--average", type=Path, nargs="*")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2.5e-4)
    parser.add_argument("--scenarios", type=int, default=40, help="in a step")
    parser.add_argument("--contrast", type=float, default=0.5)
    parser.add_argument("--limit", type=int, help="learns from the first rows alone")
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    parts = defaultdict(list)
    with gzip.open(args.folder / "rows.jsonl.gz", "rt") as file:
        for line in file:
            row = json.loads(line)
            row["ids"] = torch.tensor(row["ids"], dtype=torch.int16)
            row["kinds"] = torch.tensor([int(one) for one in row["kinds"]], dtype=torch.int16)
            parts[row["part"]].append(row)
    rows = parts.pop("learn")[: args.limit]
    print(len(rows), {name: len(part) for name, part in parts.items()}, device)
    if args.average:
        model = started(args.folder / "start.safetensors", device)
        given = [load_file(one) for one in args.average]
        mean = {name: sum(one[name].float() for one in given) / len(given) for name in given[0]}
        model.load_state_dict(mean)
    else:
        model = trained(rows, args, device)
    args.out.mkdir(parents=True, exist_ok=True)
    name = "average" if args.average else f"seed{args.seed}"
    save_file(
        {key: value.half().contiguous() for key, value in model.state_dict().items()},
        args.out / f"{name}.safetensors",
    )
    for part, held in parts.items():
        print(report(f"{name} {part}", held, scored(model, held, device)))


if __name__ == "__main__":
    main()
