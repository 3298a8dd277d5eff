"""Bodies of CalculiX: its input files and the matrices beside them."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
import scipy.sparse as sp

import flexblocks as fb
from arms.flexible_bodies import ALUMINIUM, bar_ends, bar_mesh
from flexblocks.bodies.solid import patches, solid
from flexblocks.errors import FileFormatError, ParameterError

pytest.importorskip("skfem")

# Corners, then middles of edges, in the order of C3D10, by pairs of corners.
EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))


@pytest.fixture(scope="module")
def job():
    """A short bar: its solid, nodes of its ends, and the lines of its input file."""
    of = solid(bar_mesh(length=0.1, n=3), fb.Material(2700.0, 70e9, 0.33))
    ends, _ = patches(of, bar_ends(0.1))
    place = {tuple(np.round(node, 9)): i for i, node in enumerate(of.nodes)}
    corners = of.mesh.p[:, of.mesh.t].transpose(2, 1, 0)
    lines = ["** a bar", "*NODE, NSET=Nall"]
    lines += [f"{i}, {', '.join(f'{x:.12e}' for x in node)}" for i, node in enumerate(of.nodes, 1)]
    lines += ["*ELEMENT, TYPE=C3D10, ELSET=Eall"]
    for number, element in enumerate(corners, 1):
        # CalculiX wants a positive volume.
        if np.linalg.det(element[1:] - element[0]) < 0:
            element = element[[0, 2, 1, 3]]
        places = [*element, *((element[a] + element[b]) / 2 for a, b in EDGES)]
        ids = [place[tuple(np.round(p, 9))] + 1 for p in places]
        lines.append(", ".join(map(str, [number, *ids])))
    for name, nodes in (("ROOT", ends["frame_a"]), ("tip", ends["frame_b"])):
        lines.append(f"*NSET, NSET={name}")
        lines += [f"{node + 1}," for node in nodes]
    lines += [
        "*MATERIAL, NAME=al",
        "*ELASTIC",
        "70e9, 0.33",
        "*DENSITY",
        "2700.",
        "*SOLID SECTION, ELSET=Eall, MATERIAL=al",
    ]
    lines += ["*STEP", "*FREQUENCY, SOLVER=MATRIXSTORAGE", "10", "*END STEP"]
    return of, ends, "\n".join(lines) + "\n"


def write(folder, of, text: str) -> None:
    (folder / "bar.inp").write_text(text)
    rng = np.random.default_rng(0)
    order = rng.permutation(3 * len(of.nodes))
    (folder / "bar.dof").write_text("\n".join(f"{i // 3 + 1}.{i % 3 + 1}" for i in order) + "\n")
    for suffix, matrix in zip(("mas", "sti"), of.matrices, strict=True):
        half = sp.triu(matrix.tocsr()[order][:, order]).tocoo()
        rows = zip(half.row + 1, half.col + 1, half.data, strict=True)
        (folder / f"bar.{suffix}").write_text("\n".join(f"{i} {j} {value:.17e}" for i, j, value in rows))


def test_matrices_in_any_order_make_the_body_of_the_mesh(tmp_path, job):
    of, ends, text = job
    write(tmp_path, of, text)
    body = fb.FlexibleBody.from_calculix(tmp_path / "bar.inp", {"frame_a": "root", "frame_b": "TIP"}, modes=8)
    direct = fb.FlexibleBody.from_matrices(*of.matrices, of.nodes, ends, modes=8, triangles=of.triangles)
    np.testing.assert_allclose(body.natural_frequencies, direct.natural_frequencies, rtol=1e-9)
    np.testing.assert_allclose(body.inertia, direct.inertia, atol=1e-12)
    assert len(body.surface.triangles) == len(of.triangles)


def test_units_of_the_file_become_si(tmp_path, job):
    of, _, text = job
    write(tmp_path, of, text)
    interfaces = {"frame_a": "root", "frame_b": "tip"}
    body = fb.FlexibleBody.from_calculix(tmp_path / "bar.inp", interfaces, modes=6)
    for suffix, factor in (("mas", 1e-3), ("sti", 1e-3)):
        entries = np.loadtxt(tmp_path / f"bar.{suffix}")
        entries[:, 2] *= factor
        np.savetxt(tmp_path / f"bar.{suffix}", entries, fmt=("%d", "%d", "%.17e"))
    head, _, tail = text.partition("*ELEMENT")
    rows = [line.split(",") for line in head.splitlines()[2:]]
    scaled = "\n".join(f"{n}, {', '.join(f'{1e3 * float(x):.12e}' for x in place)}" for n, *place in rows)
    (tmp_path / "bar.inp").write_text(f"*NODE\n{scaled}\n*ELEMENT{tail}")
    again = fb.FlexibleBody.from_calculix(tmp_path / "bar.inp", interfaces, modes=6, units="mm-t-s")
    np.testing.assert_allclose(again.natural_frequencies, body.natural_frequencies, rtol=1e-8)
    assert again.mass == pytest.approx(body.mass, rel=1e-9)


def test_what_is_wrong_in_files_is_told(tmp_path, job):
    of, _, text = job
    interfaces = {"frame_a": "root", "frame_b": "tip"}

    def refused(kind, match, **changed):
        given = {"path": tmp_path / "bar.inp", "interfaces": interfaces, "modes": 6} | changed
        with pytest.raises(kind, match=match):
            fb.FlexibleBody.from_calculix(**given)

    refused(FileFormatError, "there is no such file")
    (tmp_path / "bar.inp").write_text(text)
    refused(FileFormatError, r"bar.dof: there is no such file. CalculiX writes it .*MATRIXSTORAGE")
    write(tmp_path, of, text)
    refused(ParameterError, r"has no \*NSET 'end'; it has NALL, ROOT, TIP", interfaces=interfaces | {"frame_b": "end"})
    refused(ParameterError, "units = 'inch'", units="inch")
    refused(ParameterError, "node 999999 is in no element", interfaces=interfaces | {"frame_b": [1, 2, 999999]})
    dof = (tmp_path / "bar.dof").read_text()
    (tmp_path / "bar.dof").write_text(dof.replace("\n", ".x\n", 1))
    refused(FileFormatError, r"bar.dof: line 1: .*must be node.direction")
    (tmp_path / "bar.dof").write_text("\n".join(dof.split()[:-1]))
    refused(FileFormatError, "is no matrix of .* rows")
    (tmp_path / "bar.inp").write_text("*NODE\n1, a, b, c\n")
    refused(FileFormatError, r"the \*NODE at line 1 has lines that are no numbers")


@pytest.mark.slow
def test_a_body_has_the_frequencies_that_calculix_prints(tmp_path, job):
    """Clamped at its root, its other end held rigid, as interfaces are."""
    if shutil.which("ccx") is None:
        pytest.skip("CalculiX (ccx) is not installed")
    _, _, text = job
    rigid = "*NODE\n9001, 0.1, 0., 0.\n9002, 0.1, 0., 0.\n*RIGID BODY, NSET=tip, REF NODE=9001, ROT NODE=9002\n"
    clamped = text.replace(", SOLVER=MATRIXSTORAGE", "")
    clamped = clamped.replace("*STEP", f"{rigid}*BOUNDARY\nroot, 1, 3\n*STEP", 1)
    for name, lines in (("bar", text), ("clamped", clamped)):
        (tmp_path / f"{name}.inp").write_text(lines)
        subprocess.run(["ccx", name], cwd=tmp_path, check=False, capture_output=True, timeout=120)
    body = fb.FlexibleBody.from_calculix(tmp_path / "bar.inp", {"frame_a": "root", "frame_b": "tip"}, modes=40)
    rows = [line.split() for line in (tmp_path / "clamped.dat").read_text().splitlines()]
    printed = [float(row[3]) for row in rows if len(row) == 5 and row[0].isdigit()][:5]  # Hz
    np.testing.assert_allclose(body.natural_frequencies[:5] / (2 * np.pi), printed, rtol=1e-4)
    assert body.mass == pytest.approx(ALUMINIUM.density * 0.1 * 0.02 * 0.01, rel=1e-6)
