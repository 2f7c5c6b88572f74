"""Compares our reading and writing of prompts with transformers' own, on a few rows."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import torch  # type: ignore[import-not-found]
from gpu_model import Answers, Model, alike, rows, written_prompts

LENGTH = 64


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prompts", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True, help="a GGUF file or a folder")
    parser.add_argument("--count", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    given = options()
    model = Model(given.weights)
    shared, wanted = rows(model, written_prompts(given.prompts), frozenset())
    some = wanted[: given.count]
    longest = max(len(tail) for row in some for tail in row.tails)
    most = max(question.max_tokens for row in some for _, question in row.asked)
    answers = Answers(model, shared, longest + most, most=8)
    ours = {written.key: written for written in answers.of(some)}
    for row in some:
        for tail, (key, question) in zip(row.tails, row.asked, strict=True):
            ids = torch.tensor([[*shared, *tail]], device=model.reader.device)
            theirs = model.whole.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=min(LENGTH, question.max_tokens),
                do_sample=False,
                output_logits=True,
                return_dict_in_generate=True,
                eos_token_id=sorted(model.ends),
            )
            said = theirs.sequences[0, ids.shape[1] :].tolist()
            first = theirs.logits[0][0].float().log_softmax(-1)
            same = alike([said, ours[key].ids[: len(said)]])
            print(question.name, f"{same} of {len(said)} tokens alike", flush=True)
            print("  ours", ours[key].chances, "theirs", answers.shares(first, question.choices))


if __name__ == "__main__":
    with torch.inference_mode():
        main()
