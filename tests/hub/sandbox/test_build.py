import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hub.errors import ImageError
from hub.sandbox import build, create, images
from hub.sandbox.build_worker import exported
from hub.sandbox.providers import provider as named
from hub.sandbox.state import sandbox_ids
from tests import need
from tests.hub.dialogue.test_attribution import ended
from tests.hub.dialogue.toy import call, make
from tests.hub.sandbox.conftest import open_directory, require
from tests.hub.sandbox.oci import write_archive


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A place with an image store of this module's own."""
    require("apptainer")
    need.module("spython")
    with pytest.MonkeyPatch.context() as patch, open_directory() as path:
        patch.setenv("HUB_IMAGES", str(path / "store"))
        yield path


@pytest.fixture(scope="module")
def archive(place: Path) -> Path:
    path = place / "small.tar"
    write_archive(path)
    path.chmod(0o644)
    return path


@pytest.fixture(scope="module")
def small(archive: Path) -> str:
    build.build(str(archive))
    return "small"


def test_an_oci_archive_becomes_an_image_that_every_provider_runs(
    provider: str, small: str
) -> None:
    with create(small, provider=provider) as sandbox:
        result = sandbox.shell(
            "cat /etc/marker; echo $GREETING; echo $PATH; echo x > file; cat file"
        )
        assert result.stdout == "mine\nfrom the image\n/opt/tools:/usr/bin:/bin\nx\n"
        assert sandbox.exec("touch /etc/new").exit_code == (provider == "bubblewrap")
        assert sandbox.python("1").exit_code == 127
        assert "python3: No such file" in sandbox.python("1").stderr


def test_an_agent_that_deletes_the_images_programs_has_failed(small: str) -> None:
    # Under bubblewrap the directories of a built image are read-only.
    env = make(tools=["bash"], sandbox={"provider": require("apptainer")}, budget={"turns": 9})
    env.domain.image = lambda task: small  # type: ignore[method-assign]  # the sums need none
    env.reset(seed=0)
    command = "rm -rf /bin /usr/bin /lib /lib64; [ -e /bin/sh ] || echo gone"
    assert "gone" in env.step(call("bash", command=command))[0]
    assert "[The shell ended" in env.step(call("bash", command="exit"))[0]
    outcome, reward, terminated, reason = ended(env, call("bash", command="ls"))
    assert (outcome, reward, terminated) == ("agent_error", -1.0, True)
    assert "destroyed from inside" in reason
    env.close()


def test_a_built_image_can_be_given_network(provider: str, small: str) -> None:
    with create(small, provider=provider, network=True) as sandbox:
        assert sandbox.read("/etc/resolv.conf") == Path("/etc/resolv.conf").read_bytes()


def test_the_same_source_is_built_once_under_any_name(archive: Path, small: str) -> None:
    first = images.describe(small)
    again = build.build(str(archive), "other-name")
    assert again == first
    assert again.bytes > 100_000
    forced = build.build(str(archive), small, force=True)
    assert forced.digest == first.digest


def test_two_builds_of_one_source_at_a_time_publish_one_image(place: Path) -> None:
    twice = place / "twice.tar"
    write_archive(twice)
    twice.write_bytes(twice.read_bytes() + b"\0" * 1024)  # another digest
    twice.chmod(0o644)
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda name: build.build(str(twice), name), ("one", "two")))
    assert made[0] == made[1]
    store = images.root() / "store"
    assert [path.name for path in store.iterdir() if made[0].digest in path.name] == [
        made[0].digest
    ]
    assert not list(store.glob(f"{images.BUILDING}*"))
    for name in ("one", "two"):
        with create(name, provider="apptainer") as sandbox:
            assert sandbox.read("/etc/marker") == b"mine\n"


def test_a_sif_and_a_directory_can_be_sources(place: Path, small: str) -> None:
    rootfs = images.find(small, named("apptainer")).path
    sif = place / "made.sif"
    program = named("apptainer").program()  # type: ignore[attr-defined] # Apptainer's own
    uid, gid = sandbox_ids()
    open_place = place / "open"
    open_place.mkdir()
    shutil.chown(open_place, uid, gid)
    launch = build._as_sandbox_user(
        [program, "-q", "build", str(open_place / sif.name), str(rootfs)]
    )
    subprocess.run(launch, check=True, capture_output=True)
    for source in (open_place / sif.name, rootfs):
        built = build.build(str(source), f"from-{source.name.replace('.', '-')}")
        assert built.env["GREETING"] == "from the image"
    with create("from-made-sif", provider="apptainer") as sandbox:
        assert sandbox.read("/etc/marker") == b"mine\n"


def test_pruning_keeps_what_a_name_or_a_sandbox_uses(archive: Path, place: Path) -> None:
    build.build(str(archive), "kept")
    copy = place / "copy.tar"
    write_archive(copy)
    copy.write_bytes(copy.read_bytes() + b"\0" * 512)  # another digest
    dropped = build.build(str(copy), "dropped")
    with create("dropped", provider="apptainer") as sandbox:
        assert dropped.digest not in images.prune(("dropped",))
        assert sandbox.exec("cat /etc/marker").stdout == "mine\n"
    assert dropped.digest in images.prune()
    assert "kept" in images.built()
    with pytest.raises(ImageError, match=r"no image 'dropped'; there are host, .*kept"):
        images.prune(("dropped",))


def test_a_failed_build_leaves_nothing_and_shows_the_reason(place: Path) -> None:
    bad = place / "bad.tar"
    with tarfile.open(bad, "w") as tar:
        tar.add(__file__, "oci-layout")  # and nothing that it would speak of
    bad.chmod(0o644)
    with pytest.raises(ImageError, match="ended with"):
        build.build(str(bad))
    assert not list((images.root() / "store").glob(f"{images.BUILDING}*"))
    assert "bad" not in images.built()


@pytest.mark.parametrize("kind", ["text", "tar", "oci-archive:text", "cut"])
def test_a_file_of_no_known_kind_is_refused_before_it_is_built(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.tar"
    if kind == "tar":
        with tarfile.open(path, "w") as tar:
            tar.add(__file__, "test.py")
    else:
        path.write_bytes(b"root:x:0:0\n" if "text" in kind else b"SIF_MAGIC")
    source = f"oci-archive:{path}" if kind.startswith("oci") else str(path)
    with pytest.raises(ImageError, match=r"expected 'debian'.* \(\.tar\); it is none of these"):
        build.parse_source(source)


@pytest.mark.parametrize("source", ["/no/such/path", "nothing", "http://x"])
def test_a_source_of_no_known_kind_is_refused(place: Path, source: str) -> None:
    with pytest.raises(ImageError, match="docker://NAME"):
        build.build(source, "x")


@pytest.mark.parametrize("name", ["host", "UPPER", "../up", "", "a b"])
def test_a_name_that_cannot_be_one_is_refused(place: Path, name: str) -> None:
    with pytest.raises(ImageError, match="image name"):
        images.check_name(name)


def test_a_package_name_is_no_place_for_a_command(place: Path) -> None:
    with pytest.raises(ImageError, match="name of a Debian package"):
        build.build("debian", packages=["git; rm -rf /"])


def test_the_definition_names_source_and_packages() -> None:
    origin = build.parse_source("docker://debian:stable-slim")
    text = build.definition(origin, ["git", "python3"], "d" * 32)
    assert text.startswith("Bootstrap: docker\nFrom: debian:stable-slim\n")
    assert "apt-get install -y -q --no-install-recommends git python3\n" in text
    assert "%post" not in build.definition(origin, [], "d")
    assert build.default_name("docker://debian:stable-slim") == "debian-stable-slim"


def test_variables_of_an_oci_image_are_read_from_apptainers_file() -> None:
    text = '#!/bin/sh\nexport PATH="/a:/b"\nexport LANG="${LANG:-"C.UTF-8"}"\nother\n'
    assert exported(text) == {"PATH": "/a:/b", "LANG": "C.UTF-8"}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_real_debian_takes_a_package_through_fakeroot(place: Path, provider: str) -> None:
    need.program("mmdebstrap")
    need.program("newuidmap")
    if "debian-hello" not in images.built():
        base = build.build("debian")
        assert base.bytes > 50_000_000
        rootfs = images.find("debian", named("apptainer")).path
        build.build(str(rootfs), "debian-hello", packages=["hello"])
    with create("debian-hello", provider=provider) as sandbox:
        assert sandbox.exec("hello").stdout == "Hello, world!\n"
        script = (
            "git init -q r && cd r && git -c user.name=a -c user.email=b commit -qm m --allow-empty"
        )
        assert sandbox.shell(script + " && git log --oneline | wc -l").stdout == "1\n"
        assert sandbox.python("import sqlite3, ssl; 1 + 1").stdout == "2\n"
