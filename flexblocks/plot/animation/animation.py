"""Animation: motions in space, to be shown, and saved as a page, a model or a film."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from flexblocks.errors import FileFormatError, listing
from flexblocks.files import atomic_file
from flexblocks.plot.animation.films import film, glb
from flexblocks.plot.animation.page import page
from flexblocks.plot.animation.scene import Scene

HEIGHT = 620  # pixels of a notebook's cell


@dataclass(frozen=True, eq=False)
class Animation:
    """Animation of motions in space; in a notebook it shows itself.

    Attributes
    ----------
    scene : Scene
    """

    scene: Scene

    def html(self) -> str:
        """Return one page that plays the animation, with everything in it; it loads nothing."""
        return page(self.scene)

    def save(
        self, path: str | Path, *, fps: float = 25.0, speed: float = 1.0, size: tuple[int, int] = (960, 600)
    ) -> None:
        """Write the animation to a file.

        Parameters
        ----------
        path : str or Path
            ``.html``, one interactive page for any browser; ``.glb``, a model for Blender, slides and viewers of glTF;
            ``.gif`` or ``.mp4``, a film (mp4 needs ffmpeg).
        fps : float
            Pictures of a film per second.
        speed : float
            Seconds of the motion per second of a film.
        size : (int, int)
            Width and height of a film in pixels.

        Raises
        ------
        FileFormatError
            Another suffix, no ffmpeg for ``.mp4``, or the file cannot be written.
        ParameterError
            `fps`, `speed` or `size` is not positive.
        """
        suffix = Path(path).suffix.lower()
        writers: dict[str, Callable[[Path], object]] = {
            ".html": lambda file: file.write_text(self.html(), encoding="utf-8"),
            ".glb": lambda file: file.write_bytes(glb.binary(self.scene)),
            ".gif": lambda file: film.write(self.scene, file, fps, speed, size),
            ".mp4": lambda file: film.write(self.scene, file, fps, speed, size),
        }
        if suffix not in writers:
            raise FileFormatError(f"{path}: suffix '{suffix}'; an animation is saved as {listing(writers)}.")
        with atomic_file(path) as unfinished:
            writers[suffix](unfinished)

    def _repr_html_(self) -> str:
        """Return a frame with the page in it, as a notebook shows it."""
        source = html.escape(self.html(), quote=True)
        return (
            f'<iframe srcdoc="{source}" style="width:100%;height:{HEIGHT}px;border:0;border-radius:8px" '
            f'allow="fullscreen" title="{html.escape(self.scene.title, quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        runs = ", ".join(run.label for run in self.scene.runs)
        return f"Animation({self.scene.title!r}: {runs}); save it as .html, .glb, .gif or .mp4"
