"""Plans of real arms, from grams to tons, from cold: arms times tasks."""
