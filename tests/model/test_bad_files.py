"""Small files that are deep, odd or repeat themselves end in one refusal, and large ones are read in linear time."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import flexblocks as fb
from flexblocks.errors import FileFormatError, ModelError
from flexblocks.modeling import yaml_json

TENS = ", ".join(f"&{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in pairwise("abcdefghi"))
HEAD = "flexblocks: 1\nname: arm\n"
REFUSED = {
    "an alias bomb": (f"{HEAD}blocks: {{p: {{type: Payload, mass: [&a [1, 1], {TENS}]}}}}", "aliases stand for more"),
    "an alias in itself": (f"{HEAD}blocks: &a {{p: *a}}", "contains itself"),
    "levels of lists": ("[" * 100_000, "more than 100 levels"),
    "levels of mappings": (f"{HEAD}blocks: {'{a: ' * 5_000}", "more than 100 levels"),
    "an object's tag": (f"{HEAD}blocks: !!python/object:os.system {{}}", "the tag !!python/object:os.system; must be"),
    "a tag of its own": (f"{HEAD}blocks: !arm {{}}", "the tag !arm; must be"),
    "a time": (f"{HEAD}blocks: !!timestamp now", "the tag !!timestamp; must be"),
    "text as a number": (
        f"{HEAD}blocks: {{p: {{type: Payload, mass: !!int heavy}}}}",
        "'heavy' cannot be read",
    ),
    "nothing as a number": (
        f"{HEAD}blocks: {{p: {{type: Payload, mass: !!float ''}}}}",
        "'' cannot be read",
    ),
    "a list as a mapping": (f"{HEAD}blocks: !!map [1]", "cannot be read as !!map"),
    "a list as a key": (f"{HEAD}? [a]\n: 3\n", "a key must be a name"),
    "a key twice": (f"{HEAD}name: other", "line 3.*duplicate key 'name'"),
    "a zero byte": (f"{HEAD}blocks: \0", "not a YAML file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_yaml_file_that_is_odd_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    text, message = REFUSED[name]
    (tmp_path / "arm.yaml").write_text(text)
    with pytest.raises(FileFormatError, match=rf"arm\.yaml.*{message}"):
        fb.load(tmp_path / "arm.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [("[" * 100_000, "more than 100 levels"), ('{"flexblocks": ' + "9" * 9_000 + "}", "not a JSON file")],
)
def test_a_json_file_that_is_odd_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "arm.json").write_text(text)
    with pytest.raises(FileFormatError, match=message):
        fb.load(tmp_path / "arm.json")


def test_levels_are_counted_where_libyaml_is_missing_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(f"{HEAD}blocks: {'[' * 500}")
    monkeypatch.setattr(yaml_json, "MOST_LEVELS", 10)
    with pytest.raises(FileFormatError, match=r"line 3.*more than 10 levels"):
        fb.load(path)


def test_half_a_character_is_no_name(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="surrogate"):
        fb.Model("arm \ud800")


def chain(count: int) -> fb.Model:
    model = fb.Model("chain")
    port = model.add(fb.Ground("ground")).frame_b
    for i in range(count):
        link = model.add(fb.FixedTransform(f"link{i}"))
        model.connect(port, link.frame_a)
        port = link.frame_b
    return model


class Counted(str):
    """A name that counts how often names are compared or hashed."""

    count = 0

    def __eq__(self, other: object) -> bool:
        Counted.count += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        Counted.count += 1
        return str.__hash__(self)


def test_work_on_a_model_grows_linearly_with_its_blocks() -> None:
    """Counted in comparisons and hashes of names, which no load of the machine changes."""
    counts = []
    for size in (200, 800):
        model = chain(size)
        for table in (model._blocks,):
            for name in list(table):
                block = table.pop(name)
                object.__setattr__(block, "name", Counted(block.name))
                table[block.name] = block
        model._connections = [tuple(block.port(port.name) for port in ports for block in [model._blocks[port.block]])
                              for ports in model._connections]  # fmt: skip
        Counted.count = 0
        model.check()
        counts.append(Counted.count)
    assert counts[0] > 1000
    assert counts[1] < 4.5 * counts[0]


def test_keys_of_a_mapping_are_compared_in_linear_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each name was compared with all before it: 1.8e9 comparisons for 60 000 blocks."""
    read = yaml_json._Loader.construct_object

    def counted(self: Any, node: Any, deep: bool = False) -> Any:
        value = read(self, node, deep)
        return Counted(value) if isinstance(value, str) else value

    monkeypatch.setattr(yaml_json._Loader, "construct_object", counted)
    path = tmp_path / "arm.yaml"
    counts = []
    for size in (200, 800):
        path.write_text("".join(f"link{i}: 1\n" for i in range(size)))
        Counted.count = 0
        assert len(yaml_json.read_document(path)) == size
        counts.append(Counted.count)
    assert counts[0] >= 200
    assert counts[1] < 4.5 * counts[0]


@pytest.mark.slow
def test_five_thousand_blocks_are_saved_loaded_and_checked(tmp_path: Path) -> None:
    model = chain(5_000)
    model.save(tmp_path / "arm.yaml")
    again = fb.load(tmp_path / "arm.yaml")
    again.check()
    assert len(again.blocks) == 5_001
