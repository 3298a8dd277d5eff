"""Digital controllers as C99: a header, a source, a self-test, a build file and an example for ros2_control."""

from flexblocks.export.controllers.write import controller

__all__ = ["controller"]
