"""What a release needs: one home, one version, links that lead somewhere, and an sdist with all that its tests read."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
import yaml

from flexblocks.modeling.schema_reference import HOME
from repository import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_project_has_one_home_and_one_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {PROJECT["urls"]["Homepage"], PROJECT["urls"]["Source"], cited["repository-code"]} == {HOME}
    assert all(address.startswith(HOME) for address in PROJECT["urls"].values())
    assert cited["version"] == PROJECT["version"]
    assert cited["authors"] == PROJECT["authors"]
    assert cited["license"] == PROJECT["license"]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings: lower case, hyphens for spaces, no other punctuation."""
    headings = re.findall(r"^#+ +(.+?) *$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_links_of_the_package_index_are_absolute_and_lead_to_files() -> None:
    text = runpy.run_path(str(ROOT / "setup.py"))["long_description"]()
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert all(link.startswith("https://") for link in links)
    inside = [link.removeprefix(HOME) for link in links if link.startswith(HOME)]
    assert len(inside) > 20
    assert any(link.startswith("/raw/main/") for link in inside)
    for link in inside:
        name, _, anchor = re.sub(r"^/(raw|blob)/main/", "", link).partition("#")
        assert (ROOT / name).exists(), link
        assert not anchor or anchor in anchors(ROOT / name), link


def test_issue_templates_are_forms() -> None:
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*_re*.yml"))
    assert len(forms) == 2
    for form in forms:
        read = yaml.safe_load(form.read_text())
        assert {"name", "description", "body"} <= read.keys()
        ids = [one["id"] for one in read["body"]]
        assert len(ids) == len(set(ids))


def test_licences_of_bundled_scripts_are_in_the_metadata() -> None:
    """The file names what the page of animations is bundled from, in the versions of its lock file."""
    viewer, bundle = (ROOT / "flexblocks/plot/animation" / name for name in ("viewer", "bundle"))
    assert str((bundle / "LICENSES.txt").relative_to(ROOT)) in PROJECT["license-files"]
    assert all((ROOT / path).is_file() for path in PROJECT["license-files"])
    text = (bundle / "LICENSES.txt").read_text(encoding="utf-8")
    locked = json.loads((viewer / "package-lock.json").read_text())["packages"]
    bundled = json.loads((viewer / "package.json").read_text())["devDependencies"].keys() - {"esbuild"}
    assert bundled == {"three", "uplot"}
    for name in bundled:
        package = locked[f"node_modules/{name}"]
        assert f"{name} {package['version']} ({package['license']})" in text
        assert package["license"] == PROJECT["license"]


@pytest.mark.slow
def test_an_sdist_has_every_file_of_the_repository(tmp_path: Path) -> None:
    pytest.importorskip("setuptools", minversion="77")  # as pyproject.toml requires
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("no repository: this is an sdist itself")
    script = f"from setuptools.build_meta import build_sdist; print(build_sdist({str(tmp_path)!r}))"
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    with tarfile.open(tmp_path / run.stdout.split()[-1]) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    files = set(tracked.stdout.strip("\0").split("\0"))
    assert files - inside <= {".gitignore", ".gitattributes"}


def test_the_changelog_has_this_version_in_a_line_a_change() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(PROJECT['version'])}\] - \d{{4}}-\d\d-\d\d$", text, re.MULTILINE)
    assert len(text.splitlines()) <= 200
    assert not re.search(r"^ +\S", text, re.MULTILINE)  # no second line of a change


def test_the_readme_is_short_and_moves() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text) == ["docs/pictures/pump.gif"]
    assert (ROOT / "docs/pictures/pump.gif").read_bytes()[:6] == b"GIF89a"


def test_workflows_test_every_version_that_is_promised() -> None:
    folder = ROOT / ".github" / "workflows"
    workflows = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in folder.glob("*.yml")}
    assert workflows.keys() == {"tests", "docs", "release"}
    promised = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert workflows["tests"]["jobs"]["tests"]["strategy"]["matrix"]["python"] == promised
    steps = [step.get("run") for one in workflows.values() for job in one["jobs"].values() for step in job["steps"]]
    assert {"make lint", "make test", "make docs", "make release"} <= set(steps)
