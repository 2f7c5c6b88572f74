"""A model's judgement: what it sees, how it is asked, how its answer is read. The last layer."""
