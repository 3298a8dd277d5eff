"""Films of a scene: shaded pictures, one after another, as GIF or MP4."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError, ParameterError
from flexblocks.libraries import optional
from flexblocks.plot.animation.films.solids import Solid, solids
from flexblocks.plot.animation.run import Run
from flexblocks.plot.animation.scene import Scene
from flexblocks.plot.animation.shapes.palette import ROLES, link_color, rgb

BACKGROUND, INK, GRID, PATH = "#f4f6f9", "#2b313b", "#d3d9e2", "#d55e00"
MOST = 1500  # pictures; a longer film is a mistake in `speed`
SECONDS_OF_MODE = 2.0
MARGIN = 1.12
DPI = 100


def write(scene: Scene, path: Path, fps: float, speed: float, size: tuple[int, int]) -> None:
    """Write a film to a ``.gif`` or ``.mp4`` file.

    Raises
    ------
    ParameterError
        `fps`, `speed` or `size` is not positive, or the film would be endless.
    FileFormatError
        ``.mp4`` without ffmpeg.
    MissingExtraError
        Matplotlib, which draws the pictures, is not installed.
    OSError
        ffmpeg could not write the file.
    """
    optional("matplotlib", "Animation.save of films (.gif, .mp4)")
    from matplotlib.animation import FFMpegWriter, PillowWriter
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not (fps > 0 and speed > 0 and min(size) > 0):
        raise ParameterError(f"Animation.save: fps = {fps:g}, speed = {speed:g}, size = {size}; must all be > 0.")
    runs = scene.runs[:1] if scene.options.get("layout") == "single" else scene.runs
    duration = max(_duration(run) for run in runs)
    count = max(1, round(duration / speed * fps))
    if count > MOST:
        raise ParameterError(
            f"Animation.save: {duration:g} s at {fps:g} pictures per second are {count} pictures; must be at most "
            f"{MOST}. Pass speed={duration * fps / MOST:.2g} or more, or a smaller fps."
        )
    if path.suffix.lower() == ".mp4" and not FFMpegWriter.isAvailable():
        raise FileFormatError("Animation.save: ffmpeg writes .mp4 and is not installed; save a .gif or a .html.")
    width, height = (2 * round(each / 2) for each in size)  # what H.264 encodes
    figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor=BACKGROUND)
    FigureCanvasAgg(figure)
    stage = _Stage(scene, runs, width / height)
    ffmpeg = ["-pix_fmt", "yuv420p", "-crf", "20"]
    rate: Any = fps  # any number; annotated as a whole one
    writer: Any = FFMpegWriter(fps=rate, extra_args=ffmpeg) if path.suffix.lower() == ".mp4" else PillowWriter(fps=rate)
    try:
        with writer.saving(figure, str(path), DPI):
            for time in np.arange(count) * speed / fps:
                stage.draw(figure, float(time))
                writer.grab_frame(facecolor=BACKGROUND)
    except subprocess.CalledProcessError as error:
        # ffmpeg reports a full disk in its last lines alone.
        told = str(error.stderr or error).strip().splitlines()
        raise OSError(next((line for line in told if "space" in line), f"ffmpeg: {told[-1]}")) from error


def _duration(run: Run) -> float:
    return SECONDS_OF_MODE if run.kind == "mode" else float(run.t[-1] - run.t[0])


class _Stage:
    """The solids of all runs, and the camera that sees all of the motion."""

    def __init__(self, scene: Scene, runs: tuple[Run, ...], aspect: float) -> None:
        factor = float(scene.options.get("exaggeration", 1.0))
        self.scene, self.runs = scene, runs
        self.solids = [solids(run, factor) for run in runs]
        eye, up = scene.view, scene.up
        right = np.cross(up, eye) if np.linalg.norm(np.cross(up, eye)) > 1e-6 else np.eye(3)[0]
        right = right / np.linalg.norm(right)
        self.axes = np.array([right, np.cross(eye, right), eye])
        moving = [solid.r.reshape(-1, 3) for each in self.solids for solid in each]
        points = np.concatenate([scene.corners, *moving])
        seen = points @ self.axes.T
        self.low, self.high = seen.min(axis=0), seen.max(axis=0)
        room = MARGIN * (self.high - self.low)[:2] + 6 * runs[0].arm.scale.joint
        self.half = max(room[1], room[0] / aspect) / 2
        self.aspect = aspect
        self.floor = float((points @ up).min()) - 2.6 * runs[0].arm.scale.joint
        self.light = self.axes.T @ np.array([-0.35, 0.6, 0.72])
        self.path = [
            next((s.r[:, 0] for s in each if s.name == run.arm.parts[run.arm.tip].name), None)
            for run, each in zip(runs, self.solids, strict=True)
        ]

    def draw(self, figure: Any, time: float) -> None:
        """Draw the picture at a time [s] since the start."""
        from matplotlib.collections import LineCollection, PolyCollection

        figure.clear()
        ax = figure.add_axes((0, 0, 1, 1))
        ax.set_axis_off()
        middle = (self.low + self.high)[:2] / 2
        ax.set_xlim(middle[0] - self.half * self.aspect, middle[0] + self.half * self.aspect)
        ax.set_ylim(middle[1] - self.half, middle[1] + self.half)
        if np.linalg.norm(self.scene.gravity):
            ax.add_collection(LineCollection(self._grid(), colors=GRID, linewidths=0.8))
        triangles, colors = [], []
        for number, (run, each) in enumerate(zip(self.runs, self.solids, strict=True)):
            frame = _frame(run, time)
            for solid in each:
                faces, shades = self._shaded(solid, solid.vertices(frame), number)
                triangles.append(faces)
                colors.append(shades)
            path = self.path[number]
            if path is not None and run.kind != "mode":
                ax.plot(*(path[: frame + 1] @ self.axes.T)[:, :2].T, color=PATH, linewidth=1.3, zorder=1.5)
        for _, role, mesh in self.scene.fixtures:
            still = Solid("", role, mesh, np.eye(3)[None, None], np.zeros((1, 1, 3)), np.ones(1))
            faces, shades = self._shaded(still, still.vertices(0), 0)
            triangles.append(faces)
            colors.append(shades)
        faces, shades = np.concatenate(triangles), np.concatenate(colors)
        order = np.argsort(faces[:, :, 2].mean(axis=1))
        polygons = PolyCollection(
            list(faces[order, :, :2]), facecolors=shades[order], edgecolors=shades[order], linewidths=0.4, zorder=2
        )
        ax.add_collection(polygons)
        ax.text(0.02, 0.965, self.scene.title, transform=ax.transAxes, color=INK, fontsize=12, va="top", weight="bold")
        moving = self.runs[0].kind == "motion"
        told = f"t = {time + float(self.runs[0].t[0]):.2f} s" if moving else self.runs[0].label
        ax.text(0.02, 0.915, told, transform=ax.transAxes, color=INK, fontsize=10.5, va="top")

    def _shaded(self, solid: Solid, vertices: np.ndarray, run: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the triangles (f, 3, 3) that face the eye, as seen, and their colours (f, 4)."""
        corners = vertices[solid.mesh.triangles]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
        color, _, _, opacity = ROLES[solid.role]
        own = solid.mesh.color
        opacity = opacity if own is None else own[3]
        front = np.full(len(corners), True) if opacity < 1 else normal @ self.axes[2] > 0
        bright = 0.52 + 0.55 * np.clip(np.abs(normal[front] @ self.light), 0.0, 1.0)
        plain = rgb(link_color(run) if solid.role == "link" else color)
        base = plain if own is None else np.array(own[:3])
        shades = np.column_stack([np.clip(bright[:, None] * base, 0.0, 1.0), np.full(front.sum(), opacity)])
        return corners[front] @ self.axes.T, shades

    def _grid(self) -> list[np.ndarray]:
        """Return lines (2, 2) of the ground, as seen."""
        up = self.scene.up
        one = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
        two = np.cross(up, one)
        middle = self.axes.T @ ((self.low + self.high) / 2)
        middle = middle + up * (self.floor - middle @ up)
        reach = 2.2 * self.half
        lines = []
        for step in np.linspace(-reach, reach, 25):
            for a, b in ((one, two), (two, one)):
                line = np.array([middle + step * a - reach * b, middle + step * a + reach * b])
                lines.append((line @ self.axes.T)[:, :2])
        return lines


def _frame(run: Run, time: float) -> int:
    """Return the sample nearest to a time [s] since the start."""
    if run.kind == "mode":
        return round(time / SECONDS_OF_MODE % 1.0 * (len(run.t) - 1))
    return int(np.argmin(np.abs(run.t - run.t[0] - time)))
