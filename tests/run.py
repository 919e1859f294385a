#!/usr/bin/env python3
"""Runs every test program of a build folder and the Python tests; the last line is `N passed, N failed, N skipped`."""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parent
TAIL_LINES = 60
PREFIX = "test-prefix"
LONG = ("io_test", "granulometry_test", "morphology_test", "core_test")


@dataclass
class Outcome:
    """What became of one test program, or of the Python tests."""

    passed: int = 0
    failures: list = field(default_factory=list)  # (name of the test, message)
    skips: list = field(default_factory=list)  # reasons

    def __str__(self):
        return f"{self.passed} passed, {len(self.failures)} failed, {len(self.skips)} skipped"


def run(command, log, seconds, environment):
    """The exit code, negative for a signal, or None after the time limit; output goes to the file `log`."""
    with open(log, "wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   env=environment, start_new_session=True)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:  # The session: what a test has started ends with it.
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def ending(code, seconds):
    if code is None:
        return f"did not end within {seconds} s"
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"


def last_lines(log):
    return "\n".join(log.read_text(errors="replace").splitlines()[-TAIL_LINES:])


def read_googletest(report):
    outcome = Outcome()
    for suite in json.loads(report.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            if "failures" in test:
                message = "\n".join(failure["failure"] for failure in test["failures"])
                outcome.failures.append((f"{suite['name']}.{test['name']}", message))
            elif test["result"] == "SKIPPED":
                outcome.skips.append("no reason given")
            elif test["result"] == "COMPLETED":
                outcome.passed += 1
    # GoogleTest 1.12 keeps the reasons out of its report.
    reasons = re.findall(r": Skipped\n(?!\[)(.+)", report.with_suffix(".log").read_text(errors="replace"))
    outcome.skips[:len(reasons)] = reasons[:len(outcome.skips)]
    return outcome


def read_junit(report):
    outcome = Outcome()
    for test in xml.parse(report).iter("testcase"):
        problem = next((child for child in test if child.tag in ("failure", "error")), None)
        skip = test.find("skipped")
        if problem is not None:
            outcome.failures.append((f"{test.get('classname')}.{test.get('name')}", problem.text or ""))
        elif skip is not None:
            outcome.skips.append(skip.get("message") or "no reason given")
        else:
            outcome.passed += 1
    return outcome


def judge(command, report, read, quiet_codes, arguments):
    """Runs one command that writes `report`; what the report cannot tell (a crash, a leak at exit) is a failure."""
    log = report.with_suffix(".log")
    report.unlink(missing_ok=True)
    # Users run the installed program, so the Python tests do.
    environment = dict(os.environ, TAMIS_BUILD=str(arguments.build),
                       TAMIS_PROGRAM=str(arguments.build / PREFIX / "bin" / "tamis"),
                       PYTHONPATH=os.pathsep.join(filter(None, [str(arguments.build / "python"),
                                                                os.environ.get("PYTHONPATH")])))
    if arguments.extra:
        environment["TAMIS_TEST_SCALE"] = "full"
    code = run(command, log, arguments.seconds, environment)
    try:
        outcome = read(report)
        told = code in quiet_codes or bool(outcome.failures)
    except (OSError, ValueError, xml.ParseError):
        outcome = Outcome()
        told = False
    if not told:
        outcome.failures.append((report.stem, f"{ending(code, arguments.seconds)}\n{last_lines(log)}"))
    return outcome


def show(name, outcome, seconds):
    lines = [f"{name:<24} {outcome}  ({seconds:.1f} s)"]
    lines += [f"\nFAILED {test}\n{message.rstrip()}\n" for test, message in outcome.failures]
    lines += [f"  skipped {outcome.skips.count(reason)}: {reason}" for reason in sorted(set(outcome.skips))]
    print("\n".join(lines) + "\n", end="", flush=True)  # at once: others may be talking


def why_no_gpu(build):
    """What the program says; None where a GPU can be used."""
    told = subprocess.run([build / "bin" / "tamis", "devices", "--quiet", "--json", "/dev/stdout"], check=True,
                          capture_output=True)
    return json.loads(told.stdout)["why_no_gpu"]


def program_jobs(arguments, reports):
    for program in sorted((arguments.build / "bin").glob("*_test")):
        report = reports / f"{program.name}.json"
        only = ["--gtest_filter=Gpu*"] if arguments.gpu else []
        if arguments.extra:
            only = ["--gtest_also_run_disabled_tests"]
        yield program.name, [program, f"--gtest_output=json:{report}", *only], report, read_googletest, (0,)


def python_jobs(arguments, reports):
    """One for each folder of tests/, or of those asked for; those with most files first."""
    subprocess.run(["cmake", "--install", arguments.build, "--prefix", arguments.build / PREFIX], check=True,
                   stdout=subprocess.DEVNULL)
    only = "gpu" if arguments.gpu else "extra or sampled" if arguments.extra else "not extra"
    files = {folder: len(list(folder.glob("test_*.py"))) for folder in TESTS.iterdir()
             if folder.is_dir() and (not arguments.folders or folder.name in arguments.folders)}
    for folder in sorted((folder for folder in files if files[folder]), key=lambda folder: (-files[folder], folder)):
        report = reports / f"pytest_{folder.name}.xml"
        # 5: no Python test was collected.
        yield f"tests/{folder.name}", [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", only,
                                       f"--junitxml={report}", folder], report, read_junit, (0, 5)


def run_job(job, arguments):
    name, command, report, read, quiet_codes = job
    start = time.monotonic()
    outcome = judge(command, report, read, quiet_codes, arguments)
    show(name, outcome, time.monotonic() - start)
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="build folder")
    parser.add_argument("--programs-only", action="store_true", help="leave the Python tests out")
    parser.add_argument("--folders", nargs="+", metavar="NAME", help="only these folders of Python tests")
    parser.add_argument("--add", action="store_true",
                        help="the closing line adds what the run before counted in this build folder")
    parser.add_argument("--gpu", action="store_true",
                        help="only what needs a GPU: GoogleTest suites named Gpu..., Python tests marked gpu")
    parser.add_argument("--extra", action="store_true", help="what takes long: Python tests marked extra, and at full scale those marked sampled and all GoogleTests, those named DISABLED_... too")
    parser.add_argument("--jobs", type=int, default=1,
                        help="test programs and folders of Python tests at once (%(default)s)")
    parser.add_argument("--seconds", type=float, default=1200, help="time limit for each program (%(default)s)")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    if arguments.gpu and (why := why_no_gpu(arguments.build)):
        print(f"no GPU to test: {why}", file=sys.stderr)
        return 2
    reports = arguments.build / "test-reports"
    reports.mkdir(parents=True, exist_ok=True)
    if not os.environ.get("TAMIS_DATA"):
        print("TAMIS_DATA is not set: tests on real data are skipped")

    jobs = [] if arguments.programs_only else list(python_jobs(arguments, reports))
    programs = [] if arguments.folders else list(program_jobs(arguments, reports))
    # The longest first. io_test waits for thousands of small processes, beside whatever uses the cores.
    slow = [job for name in LONG for job in programs if job[0] == name]
    jobs = slow[:1] + jobs + slow[1:] + [job for job in programs if job not in slow]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        outcomes = list(pool.map(lambda job: run_job(job, arguments), jobs))

    total = Outcome(sum(outcome.passed for outcome in outcomes), sum((outcome.failures for outcome in outcomes), []),
                    sum((outcome.skips for outcome in outcomes), []))
    counts = [total.passed, len(total.failures), len(total.skips)]
    counted = reports / "counted.json"
    if arguments.add and counted.exists():
        print(f"these: {total}")
        counts = [sum(pair) for pair in zip(counts, json.loads(counted.read_text()))]
    counted.write_text(json.dumps(counts))
    print("{} passed, {} failed, {} skipped".format(*counts))
    return 1 if total.failures or total.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
