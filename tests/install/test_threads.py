"""What docs/cpp.md says of oneTBB, fork, signals and many threads at once, in a program of a user."""

from installed_tree import ROOT, run


def test_a_program_may_have_arenas_threads_children_and_signals(installed, tmp_path):
    program = installed.compile(ROOT / "tests" / "install" / "threads.cpp", tmp_path / "threads", "-O1",
                                *installed.flags("tamis"), "-ltbb", "-pthread")
    assert run(program, tmp_path, timeout=300) == "arenas locks threads forks signals"
