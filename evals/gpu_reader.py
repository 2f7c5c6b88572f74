"""A network that reads and writes many prompts with one beginning; torch alone, nothing of ours.

The layers are those of transformers' Llama and Qwen models; keys and values are kept here, so that
what prompts share is read once and is not copied for each of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch  # type: ignore[import-not-found]
from torch import Tensor
from torch.nn import Module, functional  # type: ignore[import-not-found]

Memory = list[tuple[Tensor, ...]]
"""For each layer the keys and values of what was read: (batch, groups, tokens, width)."""


@dataclass(frozen=True, slots=True)
class Question:
    name: str
    text: str
    choices: tuple[str, ...]
    max_tokens: int


@dataclass(slots=True)
class Written:
    """One answer on its way. `ids` is what was said so far."""

    key: str
    question: Question
    prompt_tokens: int
    chances: dict[str, float]
    ids: list[int] = field(default_factory=list)
    ended: bool = False

    @property
    def done(self) -> bool:
        return self.ended or len(self.ids) >= self.question.max_tokens


class Reader:
    def __init__(self, model: Module) -> None:
        self.layers = model.model.layers
        self.embed = model.model.embed_tokens
        self.rotary = model.model.rotary_emb
        self.norm = model.model.norm
        # Rounded to bfloat16 the chances of two answers differ in steps of an eighth, which is more
        # than most calls differ from each other.
        self.head = model.lm_head.weight.float()
        self.groups = model.config.num_key_value_heads
        self.heads_per_group = model.config.num_attention_heads // self.groups
        self.width = self.layers[0].self_attn.head_dim
        self.device = next(model.parameters()).device
        self.dtype = next(model.parameters()).dtype

    def read(self, ids: Tensor, past: Memory) -> tuple[Tensor, Memory]:
        """Hidden states of `ids` (batch, tokens) after `past`, which all of the batch share, and
        the memory of `ids` alone."""
        batch, count = ids.shape
        start = past[0][0].shape[2] if past else 0
        x = self.embed(ids)
        place = self.rotary(x, torch.arange(start, start + count, device=self.device)[None])
        later = torch.ones(count, count, dtype=torch.bool, device=self.device).triu(1)
        unseen = later.repeat(self.heads_per_group, 1)
        made: Memory = []
        for number, layer in enumerate(self.layers):
            q, k, v = self.parts(layer, x, place)
            made.append((k, v))
            if past:
                shared = tuple(one[0] for one in past[number])
                grouped = q.reshape(batch, self.groups, -1, self.width)
                found = attended(grouped, shared, (k, v), unseen).reshape(q.shape)
            else:
                k, v = (one.repeat_interleave(self.heads_per_group, 1) for one in (k, v))
                found = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = self.rest(layer, x, found.transpose(1, 2).reshape(batch, count, -1))
        return x, made

    def parts(self, layer: Module, x: Tensor, place: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Queries, keys and values of one layer: (batch, heads, tokens, width)."""
        cos, sin = (one[:, None] for one in place)
        batch, count, _ = x.shape
        normed, attention = layer.input_layernorm(x), layer.self_attn
        q, k, v = (
            project(normed).view(batch, count, -1, self.width).transpose(1, 2)
            for project in (attention.q_proj, attention.k_proj, attention.v_proj)
        )
        return turned(q, cos, sin), turned(k, cos, sin), v

    def rest(self, layer: Module, x: Tensor, attended: Tensor) -> Tensor:
        x = x + layer.self_attn.o_proj(attended)
        return x + layer.mlp(layer.post_attention_layernorm(x))

    def chances(self, hidden: Tensor) -> Tensor:
        """Logarithms, one for each token of the vocabulary."""
        return functional.linear(self.norm(hidden).float(), self.head).log_softmax(-1)


def attended(q: Tensor, shared: Sequence[Tensor], own: Sequence[Tensor], unseen: Tensor) -> Tensor:
    """Attention to what the whole batch shares, (groups, tokens, width), and to what each has of
    its own. All heads of a group and all tokens stand in one dimension of `q`."""
    common = torch.einsum("bgqd,gsd->bgqs", q, shared[0])
    apart = torch.einsum("bgqd,bgsd->bgqs", q, own[0]).masked_fill(unseen, float("-inf"))
    scores = torch.cat((common, apart), -1).float() * q.shape[-1] ** -0.5
    weights = scores.softmax(-1).to(q.dtype)
    start = common.shape[-1]
    found = torch.einsum("bgqs,gsd->bgqd", weights[..., :start], shared[1])
    return found + torch.einsum("bgqs,bgsd->bgqd", weights[..., start:], own[1])


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions."""
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


class Slots:
    """Answers written side by side, greedily. A slot holds what follows the shared part."""

    def __init__(self, reader: Reader, shared: Memory, count: int, room: int) -> None:
        shape = (len(reader.layers), count, reader.groups, room, reader.width)
        self.reader = reader
        self.shared = [(k[0], v[0]) for k, v in shared]
        self.start = shared[0][0].shape[2]
        self.keys = torch.zeros(shape, dtype=reader.dtype, device=reader.device)
        self.values = torch.zeros_like(self.keys)
        self.lengths = torch.zeros(count, dtype=torch.long, device=reader.device)
        self.last = torch.zeros_like(self.lengths)
        self.held: list[Written | None] = [None] * count

    @property
    def free(self) -> bool:
        return None in self.held

    @property
    def busy(self) -> bool:
        return any(self.held)

    def admit(self, written: Written, own: Memory) -> None:
        """`own` without the batch: (groups, tokens, width)."""
        slot = self.held.index(None)
        self.held[slot] = written
        length = own[0][0].shape[1]
        for number, (k, v) in enumerate(own):
            self.keys[number, slot, :, :length] = k
            self.values[number, slot, :, :length] = v
        self.lengths[slot] = length
        self.last[slot] = written.ids[-1]

    def step(self, ends: frozenset[int]) -> list[Written]:
        """One more token in every slot; what is done by it."""
        self.last = self._next()
        self.lengths += 1
        done: list[Written] = []
        for slot, token in enumerate(self.last.tolist()):
            written = self.held[slot]
            if written is None:
                continue
            written.ids.append(token)
            written.ended = token in ends
            if written.done:
                done.append(written)
                self.held[slot] = None
        idle = [slot for slot, written in enumerate(self.held) if written is None]
        self.lengths[idle] = 0
        return done

    def _next(self) -> Tensor:
        reader, rows = self.reader, torch.arange(len(self.held), device=self.reader.device)
        x = reader.embed(self.last[:, None])
        place = reader.rotary(x, (self.start + self.lengths)[:, None])
        longest = int(self.lengths.max()) + 1
        unseen = torch.arange(longest, device=reader.device)[None] > self.lengths[:, None]
        for number, layer in enumerate(reader.layers):
            q, k, v = reader.parts(layer, x, place)
            self.keys[number, rows, :, self.lengths] = k[:, :, 0]
            self.values[number, rows, :, self.lengths] = v[:, :, 0]
            own = tuple(one[number, :, :, :longest] for one in (self.keys, self.values))
            grouped = q.view(len(self.held), reader.groups, -1, reader.width)
            found = attended(grouped, self.shared[number], own, unseen[:, None, None])
            x = reader.rest(layer, x, found.reshape(len(self.held), 1, -1))
        return reader.chances(x[:, 0]).argmax(-1)
