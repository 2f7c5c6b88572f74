"""What happens in each scenario, by what it is about."""
