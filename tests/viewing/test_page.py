"""The page, by parsing it."""

import math
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from tests.viewing.shown import FUNCTIONS, lstm, network, view_of
from yota_ast.api.decorator import differentiable
from yota_ast.api.grad import simplegrad
from yota_ast.errors import SourceUnavailable
from yota_ast.tools.cli.main import main
from yota_ast.tools.report.markup import HUES
from yota_ast.tools.report.page import page

ROOT = Path(__file__).resolve().parents[2]
VOID = {"meta", "link", "br", "img", "hr", "input"}
POINTERS = ("data-to", "aria-controls", "aria-labelledby", "data-fold")


class Page(HTMLParser):
    """The elements of a page, by id; checks that tags are closed."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.data = [], [], {}
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        assert len(attributes) == len(attrs)
        self.elements.append((tag, attributes))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.data[self.open[-1] if self.open else ""] = data

    @property
    def ids(self):
        return [a["id"] for _, a in self.elements if "id" in a]

    def links(self):
        """Where each element that is linked is linked to."""
        return {
            a["id"]: a["data-to"].split() for _, a in self.elements if "data-to" in a
        }


def page_of(function):
    return page(view_of(function))


@pytest.fixture(params=FUNCTIONS, ids=lambda f: f.__name__)
def text(request):
    return page_of(request.param)


def test_every_id_is_there_once(text):
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    known = set(page.ids)
    for _, attributes in page.elements:
        for name in POINTERS:
            assert set(attributes.get(name, "").split()) <= known
    assert set(re.findall(r"url\(#(\w+)\)", text)) <= known
    assert set(re.findall(r'byId\("(\w+)"\)', text)) <= known


def test_links_go_both_ways(text):
    links = Page(text).links()
    assert links
    for name, others in links.items():
        for other in others:
            if name[0] == "p" or other[0] == "p":
                assert name in links[other], (name, other)


def test_every_line_is_mapped(text):
    page = Page(text)
    links = page.links()
    lines = [
        a["id"]
        for _, a in page.elements
        if re.fullmatch(r"g\d+", a.get("id", ""))
        and not {"import", "helper", "heading"} & set(a["class"].split())
    ]
    bare = [name for name in lines if name not in links]
    empty = re.findall(
        r'<div id="(g\d+)"[^>]*>(?:<span[^>]*>\d+</span>)<code> </code>', text
    )
    assert set(bare) <= set(empty)
    assert any(re.fullmatch(r"n\d+", name) for name in links)
    assert any(re.fullmatch(r"t\d+", name) for name in links)


def test_nothing_outside_is_referred_to(text):
    for tag, attributes in Page(text).elements:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base")
        assert not {"src", "href", "srcset", "action", "xlink:href"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
    addresses = set(re.findall(r"\w+://[^\s\"']+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name of SVG's elements
    assert "@import" not in text
    assert set(re.findall(r"url\((.)", text)) <= {"#"}
    for word in ("fetch(", "XMLHttpRequest", "import(", "localStorage", "eval("):
        assert word not in text


def test_roles(text):
    page = Page(text)
    roles = [a.get("role") for _, a in page.elements]
    assert roles.count("tab") == roles.count("tabpanel") == 4
    assert roles.count("tree") == 3
    assert roles.count("tablist") == roles.count("status") == 1
    items = [a for _, a in page.elements if a.get("role") == "treeitem"]
    assert all("aria-level" in a and a["tabindex"] == "-1" for a in items)
    groups = [a for _, a in page.elements if a.get("role") == "group"]
    assert all(a["aria-label"] for a in groups)
    folding = [a["data-fold"] for a in items if "aria-expanded" in a]
    assert sorted(folding) == sorted(a["id"] for a in groups)
    assert ("html", {"lang": "en"}) in page.elements


def test_light_dark_and_print():
    text = page_of(network)
    rules = [
        re.search(pattern, text, re.DOTALL)[1]
        for pattern in (
            r":root \{(.*?)\n\}",
            r"@media screen and \(prefers-color-scheme: dark\) \{[^{]*\{(.*?)\}",
            r':root\[data-theme="dark"\] \{(.*?)\n\}',
        )
    ]
    light, system, chosen = (
        dict(re.findall(r"(--[\w-]+):\s*([^;]+);", r)) for r in rules
    )
    assert system == chosen
    assert set(system) <= set(light)
    assert {n for n in light if light[n] != system.get(n)} >= set(system)
    assert "@media print" in text
    assert "prefers-reduced-motion" in text


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    a, b = sorted((luminance(one), luminance(other)))
    return (b + 0.05) / (a + 0.05)


def test_contrast():
    text = page_of(network)
    light = re.search(r":root \{(.*?)\n\}", text, re.DOTALL)[1]
    dark = re.search(r':root\[data-theme="dark"\] \{(.*?)\n\}', text, re.DOTALL)[1]
    for rules in (light, dark):
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", rules))
        on_pane = [n for n in colours if n in ("ink", "soft", "accent") or n[0] == "w"]
        for name in on_pane:
            assert contrast(colours[name], colours["pane"]) >= 4.5, name
        for name in ("ink", "soft"):
            assert contrast(colours[name], colours["paper"]) >= 4.5, name
        assert contrast(colours["mark"], colours["mark-bg"]) >= 4.5


def lit(lightness, chroma, hue):
    """The luminance of oklch(lightness chroma hue): B. Ottosson, A perceptual color
    space for image processing."""
    a, b = (chroma * f(math.radians(hue)) for f in (math.cos, math.sin))
    x = lightness + 0.3963377774 * a + 0.2158037573 * b
    y = lightness - 0.1055613458 * a - 0.0638541728 * b
    z = lightness - 0.0894841775 * a - 1.2914855480 * b
    x, y, z = x**3, y**3, z**3
    red = 4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z
    green = -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z
    blue = -0.0041960863 * x - 0.7034186147 * y + 1.7076147010 * z
    red, green, blue = (min(max(c, 0.0), 1.0) for c in (red, green, blue))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_contrast_of_lines_that_are_lit():
    text = page_of(network)
    light = re.search(r":root \{(.*?)\n\}", text, re.DOTALL)[1]
    dark = re.search(r':root\[data-theme="dark"\] \{(.*?)\n\}', text, re.DOTALL)[1]
    for rules in (light, dark):
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", rules))
        for name in ("lit", "kin"):
            lightness, chroma = map(
                float, re.search(rf"--{name}: ([\d. ]+);", rules)[1].split()
            )
            for hue in HUES:
                below = lit(lightness, chroma, hue)
                for word in (
                    "ink",
                    "soft",
                    *(n for n in colours if n.startswith("w-")),
                ):
                    a, b = sorted((below, luminance(colours[word])))
                    assert (b + 0.05) / (a + 0.05) >= 4.5, (name, hue, word)


def test_the_text_is_all_there():
    view = view_of(lstm)
    text = page(view)
    plain = re.sub(r"<[^>]+>", "", text).replace("&gt;", ">").replace("&lt;", "<")
    plain = plain.replace("&quot;", '"').replace("&amp;", "&").replace("&#x27;", "'")
    for line in view.lines:
        assert line.line.text in plain
    for _, lines in view.functions:
        for line in lines:
            assert line.text in plain
    for row in view.rows:
        assert row.text in plain


def test_equal_bytes_under_every_hash_seed():
    program = (
        "import sys; from tests.viewing.shown import *\n"
        "from yota_ast.tools.report.notebook_piece import piece\n"
        "from yota_ast.tools.report.page import page\n"
        "sys.stdout.write(page(view_of(lstm)) + piece(view_of(lstm)))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, check=True, text=True,
            capture_output=True, env={"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": "1"},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(texts) == 1
    assert str(ROOT) not in texts.pop()


def test_names_are_escaped():
    def f(x):
        y = x < 3.0  # a < b & c "quoted" <script>
        return np.sum(np.where(y, x * x, x))

    text = simplegrad(f, np.ones(3)).viewer("page")
    assert text.count("<script>") == 1
    assert "&lt;script&gt;" in text
    Page(text)


def test_report_writes_the_page(tmp_path):
    gradient = simplegrad(lambda x: np.sum(x**2), np.ones(3))
    path = gradient.report(tmp_path / "report.html")
    assert path.read_text(encoding="utf-8") == gradient.viewer("page")


def test_the_decorator_reports_too(tmp_path):
    @differentiable(wrt=["w"])
    def energy(w: float, x: np.ndarray):
        return 0.5 * w**2 * np.sum(x**2)

    text = energy.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "energy_grad" in text
    Page(text)


def test_a_function_of_its_text_alone_has_no_report(tmp_path):
    import pickle

    again = pickle.loads(pickle.dumps(simplegrad(network)))
    assert again._repr_html_() is None
    with pytest.raises(SourceUnavailable, match="source alone"):
        again.report(tmp_path / "report.html")


def test_the_command_writes_a_page(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    target = tmp_path / "out.html"
    name = "tests/viewing/shown.py:network"
    assert main(["show-grad", name, "--wrt", "W1", "--html", str(target)]) == 0
    assert capsys.readouterr().out == f"wrote {target}\n"
    Page(target.read_text(encoding="utf-8"))
    missing = tmp_path / "no" / "out.html"
    assert main(["show-grad", name, "--html", str(missing)]) == 2
    assert "there is no directory" in capsys.readouterr().err


def test_a_large_graph_is_not_drawn(monkeypatch):
    monkeypatch.setattr("yota_ast.tools.report.panes.MOST_NODES", 5)
    text = page_of(network)
    assert "Not drawn" in text
    assert 'class="node' not in text
    assert not any(re.fullmatch(r"n\d+", name) for name in Page(text).ids)


def test_the_tangent_has_a_page(tmp_path):
    target = tmp_path / "out.html"
    name = "tests/viewing/shown.py:lstm"
    assert main(["show-grad", name, "--mode", "forward", "--html", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    Page(text)
    assert "<title>lstm and its tangent</title>" in text
    assert "dgates" in text
