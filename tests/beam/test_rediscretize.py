"""The same graph with other beams, and the model that a DAE remembers."""

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models
from flexblocks.errors import FlexblocksError


def arm(modes=2):
    return models.subudhi_morris_2002(modes=modes)


def test_each_kind_is_judged_by_a_finer_one_of_its_kind():
    for own, finer in (
        (fb.AssumedModes(2, tip="auto"), fb.AssumedModes(6, tip="auto")),
        (fb.FiniteElements(3), fb.FiniteElements(6)),
        (fb.RigidSegments(4), fb.RigidSegments(8)),
        (fb.StrainModes(2), fb.StrainModes(4)),
        (fb.Rigid(), fb.Rigid()),
    ):
        model = fb.rediscretize(arm(), {"link1": own})
        assert fb.rediscretize(model)["link1"].discretization == finer


def test_another_discretization_leaves_all_else_as_it_was():
    """The frequencies are those of the arm built so from the beginning."""
    found = fb.assemble(fb.rediscretize(arm(1), fb.AssumedModes(5, tip="auto")))
    built = fb.assemble(arm(5))
    assert found.x.names == built.x.names
    q = np.random.default_rng(1).normal(size=found.tree.size)
    np.testing.assert_array_equal(found.mass_matrix(q, []).full(), built.mass_matrix(q, []).full())


def test_rigid_beams_stay_rigid_unless_named():
    model = fb.rediscretize(arm(2), {"link1": fb.Rigid()})
    finer = fb.rediscretize(model, fb.FiniteElements(2))
    assert finer["link1"].discretization == fb.Rigid()
    assert finer["link2"].discretization == fb.FiniteElements(2)
    assert fb.rediscretize(model, {"link1": fb.RigidSegments(2)})["link1"].discretization == fb.RigidSegments(2)


def test_dae_knows_the_model_as_it_was_assembled():
    model = arm()
    dae = fb.assemble(model)
    model.add(fb.Payload("more", mass=1.0))
    assert "more" not in dae.model.blocks
    assert fb.assemble(dae.model).x.names == dae.x.names
    size = dae.tree.size
    changed = fb.change_coordinates(dae, np.eye(size), [f"c{i}" for i in range(size)])
    assert changed.model is None


def test_copy_puts_blocks_in_place_of_others():
    model = arm()
    other = model.copy({"payload": fb.Payload("payload", mass=0.7)})
    assert (other["payload"].mass, model["payload"].mass) == (0.7, 0.1)
    assert [[str(port) for port in ports] for ports in other.connections] == [
        [str(port) for port in ports] for ports in model.connections
    ]
    with pytest.raises(FlexblocksError, match=r"'load' replaces 'payload'; give it that name"):
        model.copy({"payload": fb.Payload("load", mass=0.7)})
    with pytest.raises(FlexblocksError, match=r"Did you mean payload\?"):
        model.copy({"paylod": fb.Payload("paylod", mass=0.7)})
    with pytest.raises(FlexblocksError, match="has no port 'frame_b'"):
        model.copy({"link1": fb.Payload("link1", mass=0.7)})


@pytest.mark.parametrize(
    ("to", "message"),
    [
        (
            {"lnk1": fb.AssumedModes(3, tip="free")},
            r"no beam 'lnk1'. Did you mean link1\? Its beams are link1, link2\.",
        ),
        ({"payload": fb.AssumedModes(3, tip="free")}, "no beam 'payload'"),
        ({"link1": 3}, "FlexibleBeam 'link1': discretization = 3"),
        (3, "discretization = 3"),
    ],
)
def test_what_is_no_discretization_is_refused(to, message):
    with pytest.raises(FlexblocksError, match=message):
        fb.rediscretize(arm(), to)
