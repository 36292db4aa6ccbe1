import difflib
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.errors import TaskError
from hub_agents.swe.patches import Touched, reverse, touched
from hub_agents.swe.trees import File, diff
from tests import need

SEVERAL = """diff --git a/old name.py b/new name.py
similarity index 90%
rename from old name.py
rename to new name.py
index 1111111..2222222 100644
--- a/old name.py
+++ b/new name.py
@@ -1,3 +1,3 @@ def f():
 a
-b
+--- c
 d
diff --git a/made.py b/made.py
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/made.py
@@ -0,0 +1 @@
+x
\\ No newline at end of file
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index 4444444..0000000
--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-one
-two
"""


def test_the_files_of_a_diff_are_told_with_those_that_it_deletes() -> None:
    assert touched(SEVERAL) == [
        Touched("new name.py"), Touched("made.py"), Touched("run.sh"), Touched("gone.txt", True)
    ]  # fmt: skip
    assert touched("") == []


def test_a_line_that_looks_like_a_header_inside_a_hunk_is_none() -> None:
    text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-diff --git a/y b/y\n+b\n"
    assert touched(text) == [Touched("x")]


def test_reversing_twice_gives_the_diff_again() -> None:
    assert reverse(reverse(SEVERAL)) == SEVERAL
    assert "rename from new name.py\nrename to old name.py\n" in reverse(SEVERAL)
    assert "old mode 100755\nnew mode 100644\n" in reverse(SEVERAL)


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ("diff --git a/x b/x\nGIT binary patch\nliteral 3\n", "cannot be taken back"),
        ("diff --git a/x b/x\nBinary files a/x and b/x differ\n", "cannot be taken back"),
        ("diff --git a/x b/y\ncopy from x\ncopy to y\n", "cannot be taken back"),
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n", "ends too early"),
    ],
)
def test_what_cannot_be_taken_back_is_refused(patch: str, message: str) -> None:
    with pytest.raises(TaskError, match=f"row 3: .*{message}"):
        reverse(patch, "row 3")


TEXTS = st.lists(st.sampled_from(["a", "b", "- a", "+ b", "", "--- c", "+++ d", "@@"]), max_size=12)


@given(TEXTS, TEXTS, st.booleans(), st.booleans())
def test_the_reverse_leads_from_the_new_text_to_the_old(
    old: list[str], new: list[str], old_ends: bool, new_ends: bool
) -> None:
    before, after = _text(old, old_ends), _text(new, new_ends)
    patch = diff({"f": File(before.encode())}, {"f": File(after.encode())})
    assert _applied(patch, before) == after
    assert _applied(reverse(patch), after) == before
    assert reverse(reverse(patch)) == patch


def _text(lines: list[str], ends: bool) -> str:
    text = "\n".join(lines)
    return text + "\n" if ends and text else text


def _applied(patch: str, old: str) -> str:
    """Apply a diff of one file without looking at what it expects beyond its removed lines."""
    lines, out, at = old.splitlines(True), [], 0
    body = patch.split("\n")[3:-1]
    for number, line in enumerate(body):
        bare = body[number + 1 : number + 2] == ["\\ No newline at end of file"]
        text = line[1:] + ("" if bare else "\n")
        if line.startswith("@@ -"):
            start, length = (line[4:].split(" ")[0] + ",1").split(",")[:2]
            upto = int(start) - (length != "0")
            out += lines[at:upto]
            at = upto
        elif line[:1] in ("-", " "):
            assert lines[at] == text
            at += 1
        if line[:1] in ("+", " "):
            out.append(text)
    return "".join([*out, *lines[at:]])


def test_git_takes_a_reversed_diff(tmp_path: Path) -> None:
    git = need.program("git")
    old, new = "a\nb\nc\nd\ne\nf\ng\n", "a\nB\nc\nd\ne\nx\ny\ng"
    lines = difflib.unified_diff(
        old.splitlines(True), new.splitlines(True), "a/f.txt", "b/f.txt", n=1
    )
    patch = "diff --git a/f.txt b/f.txt\n"
    end = "\n\\ No newline at end of file\n"
    patch += "".join(line if line.endswith("\n") else f"{line}{end}" for line in lines)
    (tmp_path / "f.txt").write_text(new)
    (tmp_path / "back.patch").write_text(reverse(patch))
    subprocess.run([git, "apply", "back.patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "f.txt").read_text() == old
