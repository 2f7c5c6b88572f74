"""Commands of the first hour: what there is already, taken over, looked at and tried."""
