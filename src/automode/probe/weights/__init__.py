"""The model's weights: `planted.bin`, written by tools/training/probe/train.py."""
