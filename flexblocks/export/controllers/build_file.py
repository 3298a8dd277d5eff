"""CMake file of a controller in C."""

from __future__ import annotations

from collections.abc import Sequence


def build_file(stem: str, standard: int = 99, more: Sequence[str] = ()) -> str:
    """Return CMakeLists.txt: a static library of this standard of C, of `more` sources, too, and its self-test."""
    sources = " ".join(f"{name}.c" for name in (stem, *more))
    return f"""cmake_minimum_required(VERSION 3.10)
project({stem} C)

# Without contraction to fused operations results are those of flexblocks to the last digit, given the same libm.
add_library({stem} STATIC {sources})
target_include_directories({stem} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
set_target_properties({stem} PROPERTIES C_STANDARD {standard} C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
if(NOT MSVC)
  target_compile_options({stem} PRIVATE -ffp-contract=off)
  target_link_libraries({stem} PUBLIC m)
endif()

enable_testing()
add_executable({stem}_test {stem}_test.c)
target_link_libraries({stem}_test {stem})
set_target_properties({stem}_test PROPERTIES C_STANDARD {standard} C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
add_test(NAME {stem} COMMAND {stem}_test)
"""
