"""Draw the moving picture of the front page: ``python docs/pictures/pump_film.py`` writes pump.gif.

The boom of the concrete pump unfolds along a plan, its deflections exaggerated ten times. Frames are pictures that the
viewer of animations draws in Chromium; needs playwright and Pillow.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from PIL import Image
from viewer_pictures import Viewer

import flexblocks as fb
from flexblocks import models, optim

HERE = Path(__file__).parent
EXAGGERATION, FRAMES, SIZE = 10.0, 72, (720, 420)
START, GOAL = (1.15, -0.95, -1.0, -0.9), (0.45, -0.05, -0.4, -0.3)


def motion() -> optim.Plan:
    """Return the plan: joints from posture to posture in 20 s, at rest at both ends."""
    dae = fb.assemble(models.concrete_pump(valves="servo"))
    task = optim.RestToRest(
        start={f"joint{i}.angle": angle for i, angle in enumerate(START, 1)},
        goal={f"joint{i}.angle": angle for i, angle in enumerate(GOAL, 1)},
        duration=20.0,
        objective=optim.Effort(rate_weight=4.0),
        input_ends="holding",
    )
    return optim.plan(dae, task, intervals=40)


def draw() -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "pump.html"
        motion().animate(color="bending moment", exaggeration=EXAGGERATION, frames=400).save(page)
        with Viewer(SIZE) as viewer:
            viewer.open(page)
            shots = [viewer.picture(k / (FRAMES - 1)) for k in range(FRAMES)]
    frames = [Image.open(io.BytesIO(shot)).convert("RGB") for shot in shots]
    palette = frames[len(frames) // 2].quantize(96, dither=Image.Dither.NONE)
    films = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    times = [900, *[70] * (len(films) - 2), 1600]  # ms: it rests at both ends
    films[0].save(HERE / "pump.gif", save_all=True, append_images=films[1:], duration=times, loop=0, optimize=True)


if __name__ == "__main__":
    draw()
