"""What installers share: plans, receipts, cuts in JSON, and how an agent is started."""
