"""Measures the gate and the probe on labelled cases, and re-decides what was recorded."""
