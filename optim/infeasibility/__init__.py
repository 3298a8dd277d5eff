"""Why a plan cannot be, and what would have to give way."""
