"""stalemate campaigns as pytest tests: one subtest per property, one failure per finding.

    def test_contention(stalemate):
        stalemate("--crds", "config/crd", "--sample", "sample.yaml", command=["kopf", "run", "controller.py"])

It needs no Node on PATH: it calls the standalone program or the image.
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
        help="the command that calls stalemate, split as a shell does (default: $STALEMATE, else stalemate); "
        "for the image: docker run --rm --init --user UID:GID -v FOLDER:/work stalemate",
    )


@pytest.fixture
def stalemate(pytestconfig, subtests):
    """Runs `stalemate ci ARGS -- COMMAND` and fails the test if the campaign fails."""
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
            # Exit code 3: too little contention, or a problem of the environment.
            pytest.fail(f"{said}\nexit code {code}, without a finding", pytrace=False)

    return run


def _run(words, cwd):
    try:
        process = subprocess.Popen(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        return None, "", f"{error}; --stalemate or STALEMATE names the program, or the command that runs the image"
    said = []
    listener = threading.Thread(target=_listen, args=(process.stderr, said))
    listener.start()
    try:
        out = process.stdout.read()
    except KeyboardInterrupt:
        # On an interrupt, stalemate stops its targets and reports what it has found.
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        raise
    finally:
        listener.join()
        process.wait()
    return process.returncode, out, "".join(said)


def _listen(stream, said):
    """Copies the progress to stderr, which `pytest -s` shows: a search takes minutes."""
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
        pytest.skip("no run could evaluate it")
    if line["vacuous"] or line.get("untested"):
        pytest.skip("no run exercised it")
