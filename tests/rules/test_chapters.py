"""Chapters of the book that are read when something of their library is asked for."""

import sys
import threading
import types

from yota_ast.rules.notation.book import Book

CHAPTER = """\
import read_late_events as events
events.begun.set()
events.asked.wait(10)
events.read = True
"""


class Waited:
    """A lock that tells when someone has to wait for it."""

    def __init__(self, told):
        self.lock, self.told = threading.RLock(), told

    def __enter__(self):
        if not self.lock.acquire(blocking=False):
            self.told.set()
            self.lock.acquire()

    def __exit__(self, *_):
        self.lock.release()


def test_who_asks_while_a_chapter_is_read_waits_for_it(tmp_path, monkeypatch):
    events = types.ModuleType("read_late_events")
    events.begun, events.asked = threading.Event(), threading.Event()
    events.read = False
    monkeypatch.setitem(sys.modules, "read_late_events", events)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "read_late_chapter.py").write_text(CHAPTER)
    book = Book()
    book._opening = Waited(events.asked)
    book.add_chapter("json", "read_late_chapter")
    first = threading.Thread(target=book.open_chapters, args=(["json"],))
    first.start()
    events.begun.wait(10)
    seen = []

    def ask():
        book.open_chapters(["json"])
        seen.append(events.read)

    second = threading.Thread(target=ask)
    second.start()
    second.join()
    events.asked.set()
    first.join()
    sys.modules.pop("read_late_chapter")
    assert seen == [True]
