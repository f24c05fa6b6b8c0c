"""Campaigns of stalemate as tests of pytest: a subtest per property, a failure per finding.

    def test_contention(stalemate):
        stalemate("--crds", "config/crd", "--sample", "sample.yaml", command=["kopf", "run", "controller.py"])

No Node is needed on PATH: stalemate is the single download, or the image.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--stalemate",
        default=os.environ.get("STALEMATE", "stalemate"),
        help="how stalemate is called, words as in a shell (default: $STALEMATE, else stalemate); "
        "for the image: docker run --rm --init --user UID:GID -v FOLDER:/work stalemate",
    )


@pytest.fixture
def stalemate(pytestconfig, subtests):
    """Runs `stalemate ci ARGS -- COMMAND` and fails the test where it failed."""
    called = shlex.split(pytestconfig.getoption("--stalemate"))

    def run(*args, command=(), cwd=None):
        words = [*called, "ci", "--report", "jsonl=-", *args, *(["--", *command] if command else [])]
        code, out, said = _run(words, cwd)
        lines = [json.loads(line) for line in out.splitlines() if line]
        if not lines:
            pytest.fail(f"{said}\nexit code {code}: no result of {shlex.join(words)}", pytrace=False)
        for line in lines:
            if line["type"] in ("property", "kept"):
                with subtests.test(msg=line["name"]):
                    _judge(line, lines, " ".join(called))
        failed = any(_fails(line) for line in lines)
        if code != 0 and not failed:
            # Exit code 3: too little contention to mean anything, or an environment that stood in the way.
            pytest.fail(f"{said}\nexit code {code}, without a finding", pytrace=False)

    return run


def _run(words, cwd):
    try:
        process = subprocess.Popen(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        return None, "", f"{error}; --stalemate or STALEMATE names the program, or the words that run the image"
    said = []
    listener = threading.Thread(target=_listen, args=(process.stderr, said))
    listener.start()
    try:
        out = process.stdout.read()
    except KeyboardInterrupt:
        # It ends its targets, and reports what it has.
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        raise
    finally:
        listener.join()
        process.wait()
    return process.returncode, out, "".join(said)


def _listen(stream, said):
    """How far it is, for whoever looks on with `pytest -s`; a search takes minutes."""
    for line in stream:
        said.append(line)
        sys.stderr.write(line)


def _fails(line):
    return (line["type"] == "finding" and line["fails"]) or (line["type"] == "kept" and line["result"] == "failed")


def _judge(line, lines, called):
    if line["type"] == "kept":
        if line["result"] == "aside":
            pytest.skip(line["about"])
        if line["result"] != "passed":
            pytest.fail(f"{line['sentence']}\n{line['about']}", pytrace=False)
        return
    found = [one for one in lines if one["type"] == "finding" and one["property"] == line["name"]]
    stories = [one["story"].replace("npx stalemate", called) for one in found if _fails(one)]
    if stories:
        pytest.fail("\n\n".join(stories), pytrace=False)
    if line["holds"] + line["violated"] == 0:
        pytest.skip("no run could judge it")
    if line["vacuous"] or line.get("untested"):
        pytest.skip("no run put it to the test")
