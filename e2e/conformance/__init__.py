"""The conformance kit: a scripted model, recorded payloads, scenarios for every agent."""
