"""Models and equations that control design works on."""
