"""Plans of real arms, from grams to tons, without a warm start: arms times tasks."""
