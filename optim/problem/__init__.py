"""The optimal control problem: phases, objectives, path constraints, via points. Nothing here imports Pyomo."""
