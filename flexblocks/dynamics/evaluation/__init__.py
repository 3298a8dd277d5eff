"""Each block's physics evaluated once, on local symbols."""
