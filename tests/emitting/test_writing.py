"""Files are whole or as they were: failures at every byte, kills, rivals."""

import errno
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from yota_ast.errors import YotaError
from yota_ast.support.whole_files import write

ROOT = Path(__file__).resolve().parents[2]
OLD, NEW = "old\n" * 20, "new, and é\n" * 30


def alone(directory):
    """What is in a directory."""
    return sorted(path.name for path in directory.iterdir())


def test_write(tmp_path):
    path = tmp_path / "f.py"
    write(path, OLD)
    write(path, NEW)
    assert path.read_bytes() == NEW.encode()
    assert alone(tmp_path) == ["f.py"]


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()]
)
def test_a_failure_at_every_byte_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "f.py"
    path.write_text(OLD)
    size = len(NEW.encode())
    for stop in range(size):
        left = [stop]

        def put(descriptor, data, left=left):
            if not left[0]:
                raise error
            done = os.write(descriptor, data[: min(7, left[0])])  # a few at a time
            left[0] -= done
            return done

        with pytest.raises((YotaError, KeyboardInterrupt)) as caught:
            write(path, NEW, put)
        assert path.read_text() == OLD
        assert alone(tmp_path) == ["f.py"]
    if isinstance(error, OSError):
        assert caught.value.diagnostic == (
            f"YotaError: cannot write {path}: No space left on device"
        )


def test_a_failure_at_the_last_step_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "f.py"
    path.write_text(OLD)

    def refuse(self, target):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(YotaError, match=r"cannot write .*: Permission denied"):
        write(path, NEW)
    assert path.read_text() == OLD
    assert alone(tmp_path) == ["f.py"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664])
def test_the_mode_stays(tmp_path, mode):
    path = tmp_path / "f.py"
    path.write_text(OLD)
    path.chmod(mode)
    write(path, NEW)
    assert path.stat().st_mode & 0o777 == mode


def test_the_mode_of_a_new_file_is_that_of_any_new_file(tmp_path):
    write(tmp_path / "f.py", NEW)
    (tmp_path / "g.py").touch()
    assert (tmp_path / "f.py").stat().st_mode == (tmp_path / "g.py").stat().st_mode


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "f.py").write_text(OLD)
    (tmp_path / "f.py").symlink_to("real/f.py")
    write(tmp_path / "f.py", NEW)
    assert (tmp_path / "f.py").is_symlink()
    assert (tmp_path / "real" / "f.py").read_text() == NEW


def test_no_directory(tmp_path):
    with pytest.raises(YotaError, match=r"there is no directory .*nowhere") as caught:
        write(tmp_path / "nowhere" / "f.py", NEW)
    assert caught.value.remedy == "Make it, or name another."


WRITER = """
import sys
from pathlib import Path
from yota_ast.support.whole_files import write
text = (sys.argv[2] + "\\n") * 5_000
print("ready", flush=True)
for _ in range(int(sys.argv[3])):
    write(Path(sys.argv[1]), text)
"""


def writer(path, word, times):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, path, word, str(times)],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def is_whole(path, words):
    lines = path.read_text().splitlines()
    return len(lines) == 5_000 and len(set(lines)) == 1 and lines[0] in words


def test_killed_at_random_moments_the_file_is_whole(tmp_path):
    """Processes that write again and again, each killed at any time."""
    path, draw = tmp_path / "f.py", random.Random(5)
    path.write_text("start\n" * 5_000)
    for _ in range(8):
        with writer(path, "rival", 100_000) as process:
            assert process.stdout.readline() == "ready\n"
            time.sleep(draw.uniform(0.0, 0.05))
            process.send_signal(signal.SIGKILL)
        assert is_whole(path, ("start", "rival"))


def test_rivals_leave_one_whole_file(tmp_path):
    path = tmp_path / "f.py"
    words = [f"writer {k}" for k in range(4)]
    processes = [writer(path, word, 60) for word in words]
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0
    assert is_whole(path, words)
    assert alone(tmp_path) == ["f.py"]


def test_threads_leave_one_whole_file(tmp_path):
    path = tmp_path / "f.py"
    texts = [f"thread {k}\n" * 1_000 for k in range(8)]
    threads = [threading.Thread(target=write, args=(path, text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in texts
    assert alone(tmp_path) == ["f.py"]


KILLED = """
import os, signal, sys
from pathlib import Path

from yota_ast.tools.emit import emit_command as command
from yota_ast.tools.emit.freshness import state_of

options = command.Options(functions=("shop.model:energy",))
[job] = command.jobs_for(options, Path.cwd())
state = state_of(job)
old, new, steps = job.path.read_text(), state.new.file, [0]


def count(frame, event, argument):
    steps[0] += 1
    return count


command._write(state, options, len)  # what is made at the first call
job.path.write_text(old)
sys.settrace(count)
command._write(state, options, len)
sys.settrace(None)
for k in range(200):
    job.path.write_text(old)
    stop = steps[0] * k // 198  # the last ones are behind the end
    child = os.fork()
    if not child:
        left = [stop]

        def trace(frame, event, argument):
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)
        command._write(state, options, len)
        sys.settrace(None)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    text = job.path.read_text()
    print("old" if text == old else "new" if text == new else "broken", status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_200_points(shop):
    """Killed at 200 steps of the interpreter, from the first to the last."""
    shop.emit("shop.model:energy")
    shop.edit("shop/model.py", "k * x**2", "k * x**3")
    done = subprocess.run(
        [sys.executable, "-c", KILLED], cwd=shop.root, check=True,
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) == 200
    assert {text for text, _ in rows} == {"old", "new"}
    assert all(text == "old" for text, _ in rows[:20])
    assert sum(status == str(int(signal.SIGKILL)) for _, status in rows) > 190
    assert all(text == "new" for text, status in rows if status == "0")
