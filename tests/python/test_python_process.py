"""tamis in a process: threads, Ctrl-C, progress, leaks, what an import costs."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
import tamis


def run_python(code, **options):
    """A Python of its own; its stderr has to be empty, where nanobind would tell of leaks."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120,
                          **options)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_calls_from_many_threads_give_the_same():
    images = [tamis.phantom("foam", (30, 40, 60 + i), max_radius=9, seed=i) for i in range(6)]
    expected = [(tamis.granulometry(image), tamis.size_map(image)) for image in images]

    def work(i):
        image = images[i % 6]
        numpy.testing.assert_array_equal(tamis.size_map(image, threads=i % 3), expected[i % 6][1])
        numpy.testing.assert_array_equal(tamis.threshold(image, 0), image)
        return tamis.granulometry(image, threads=i % 3) == expected[i % 6][0]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(60)))


def test_other_threads_run_meanwhile():
    image = tamis.phantom("foam", 256, max_radius=20)
    ticks, over = [], threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    for _ in range(3):
        tamis.granulometry(image)
    end = time.monotonic()
    over.set()
    thread.join()
    inside = [t for t in ticks if start < t < end]
    assert len(inside) > 5
    # Somebody else's load may hold a thread up; the GIL would hold it for a whole call.
    assert max(numpy.diff(inside), default=0) < max(0.2, (end - start) / 3)


# Says when it begins, is interrupted, and says how. The work would take minutes.
INTERRUPTED = """
    import time, numpy, tamis
    image = numpy.ones((600, 600, 600), numpy.uint8)
    image[0, 0, 0] = 0
    print("begin", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    assert tamis.granulometry(image[5:10, :5, :5], 0).curve[0] == 125  # all is well afterwards
"""


@pytest.mark.parametrize("call", [
    "tamis.granulometry(image, grey=True, element='ball')",
    "tamis.size_map(image > 0, element='ball', border='neutral', threads=1)",
    "tamis.granulometry(image, grey=True, element='ball', progress=lambda *_: None)",
])
def test_ctrl_c_ends_long_work(call):
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(INTERRUPTED.format(call=call))],
                               stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "begin\n"
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.stdout.readline() == "interrupted\n"
        assert time.monotonic() - start < 5
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def test_a_handler_that_lets_it_pass_lets_the_work_go_on():
    out = run_python("""
        import os, signal, threading, numpy, tamis
        heard = []
        signal.signal(signal.SIGINT, lambda *_: heard.append(1))
        image = tamis.phantom("foam", 420, max_radius=20)  # 0.2 s and more of work
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        sizes = tamis.granulometry(image, element="ball", threads=1)
        assert sizes == tamis.granulometry(image, element="ball")
        print(len(heard))
    """)
    assert out == "1\n"


def test_progress_is_told_in_stages():
    told = []
    image = tamis.phantom("foam", 200, max_radius=12)
    tamis.granulometry(image, progress=lambda stage, done, total: told.append((stage, done, total)))
    assert {"threshold", "distance", "openings"} & {stage for stage, _, _ in told}
    for stage, done, total in told:
        assert isinstance(stage, str) and 0 <= done and (total == 0 or done <= total)


def test_an_error_in_progress_ends_the_work_and_comes_out():
    def fail(*_):
        raise RuntimeError("the bar broke")

    image = tamis.phantom("foam", 200, max_radius=12)
    with pytest.raises(RuntimeError, match="the bar broke"):
        tamis.granulometry(image, progress=fail)


def test_a_bar_is_drawn_with_tqdm(capfd):
    pytest.importorskip("tqdm")
    tamis.granulometry(tamis.phantom("foam", 200, max_radius=12), progress=True)
    assert "%|" in capfd.readouterr().err


def test_nothing_heavy_is_imported_and_it_takes_no_time():
    times, modules = [], []
    for _ in range(5):
        out = run_python("""
            import json, sys, time
            import numpy  # takes 0.18 s on some machines, which is not ours
            start = time.process_time()  # of the processor: others may keep it busy
            import tamis
            print(json.dumps([time.process_time() - start, sorted(sys.modules)]))
        """)
        seconds, modules = json.loads(out)
        times.append(seconds)
    heavy = {"matplotlib", "pandas", "tifffile", "h5py", "zarr", "dask", "tqdm", "nibabel", "pydicom", "imageio"}
    assert not heavy & set(modules)
    assert min(times) < 0.2


@pytest.mark.parametrize(("view", "mebibytes"), [("[:]", 8), ("[::2]", 8), ("[:, ::-1, ::2]", 48), (".T", 48)])
def test_arrays_are_not_copied(view, mebibytes):
    """A threshold is chosen without memory for the samples; views whose rows are not dense pass through two slabs."""
    out = run_python(f"""
        import resource, numpy, tamis
        image = numpy.zeros((256, 512, 1024), numpy.uint8)  # 128 MiB
        image[:, 100:200] = 200
        tamis.threshold_value(image[:2], threads=1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        tamis.threshold_value(image{view}, threads=1)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """)
    assert int(out) < mebibytes << 10


def test_no_call_leaks():
    out = run_python("""
        import resource, tracemalloc, numpy, tamis
        image = tamis.phantom("foam", (64, 64, 64), max_radius=9)
        grey = image.astype(numpy.uint8) * 100
        def calls():
            tamis.threshold(grey, 50)
            tamis.threshold(grey[::2, ::-1].T, "otsu", roi="cylinder")
            sizes = tamis.granulometry(image)
            sizes.curve, sizes.spectrum, repr(sizes), sizes._repr_html_()
            tamis.size_map(image, widths=True)
            tamis.convert(grey, "f32")
            for wrong in ({"threshold": "otto"}, {"roi": image[0, :3]}, {"progress": 3}):
                try:
                    tamis.granulometry(grey, **wrong)
                except tamis.InputError:
                    pass
        def resident():
            return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
        for _ in range(20):
            calls()
        tracemalloc.start()
        before, traced = resident(), tracemalloc.get_traced_memory()[0]
        for _ in range(200):
            calls()
        print(resident() - before, tracemalloc.get_traced_memory()[0] - traced)
    """)
    grown, traced = map(int, out.split())
    assert grown < 8 << 20  # an array of 64^3 in each of 200 rounds would be 50 MiB
    assert traced < 100_000


def test_nothing_is_left_at_the_end():
    """nanobind tells of instances, types and functions that outlive the interpreter."""
    run_python("""
        import threading, numpy, tamis
        kept = tamis.granulometry(numpy.ones((5, 5), bool))
        try:
            tamis.threshold(numpy.ones((5, 5)), "otto")
        except tamis.InputError as error:
            also_kept = error
        tamis.granulometry(numpy.ones((50, 50, 50), bool), progress=lambda *_: None)
        threading.Thread(target=tamis.granulometry, args=(numpy.ones((5, 5), bool),)).start()
    """)


def test_a_forked_worker_computes_too():
    """Also where the parent has had its threads at work."""
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    out = run_python("""
        import multiprocessing, warnings, tamis
        warnings.simplefilter("ignore")  # Python 3.12 has something to say of forks
        foam = tamis.phantom("foam", (100, 110, 140), max_radius=12)
        here = tamis.granulometry(foam)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(all(there == here for there in pool.map(tamis.granulometry, [foam] * 4)))
    """)
    assert out == "True\n"
