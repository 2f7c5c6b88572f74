"""The model's weights: `planted.bin`, written by training/probe/train.py."""
