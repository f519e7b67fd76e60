"""The page in a headless Chromium, driven as a person would: mouse, keys, print."""

import shutil

import pytest

from tests.viewing.shown import lstm, view_of
from yota_ast.tools.report.page import page as page_of

pytestmark = pytest.mark.browser
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--window-size=1500,900"
)


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """A Chromium that shows the page of an LSTM."""
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    profile = tmp_path_factory.mktemp("profile")
    for flag in (*FLAGS.split(), f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options, service)
    path = tmp_path_factory.mktemp("page") / "lstm.html"
    path.write_text(page_of(view_of(lstm)), encoding="utf-8")
    driver.address = path.as_uri()
    yield driver
    driver.quit()


@pytest.fixture
def page(driver):
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    driver.set_window_size(1500, 900)
    driver.get("about:blank")
    driver.get(driver.address)
    yield Shown(driver)
    assert driver.get_log("browser") == []
    assert (
        driver.execute_script("return performance.getEntriesByType('resource')") == []
    )


class Shown:
    """The page as it is shown: what is lit, what has the focus."""

    def __init__(self, driver):
        self.driver = driver

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def line(self, side, text):
        """The id of the first line of a side ("p" or "g") that holds a text."""
        found = self.run(
            "return [...document.querySelectorAll('.ln[id^=' + arguments[0] + ']')]"
            ".filter((e) => e.querySelector('code').textContent.includes(arguments[1]))"
            ".map((e) => e.id)",
            side,
            text,
        )
        return found[0]

    def element(self, name):
        return self.driver.find_element("id", name)

    def texts(self, kind):
        """The texts of the lines that have a class."""
        script = (
            "return [...document.querySelectorAll('.ln.' + arguments[0] + ' code')]"
            ".map((e) => e.textContent.trim())"
        )
        return self.run(script, kind)

    def focus(self):
        return self.run("return document.activeElement.id")

    def visible(self, name):
        script = (
            "return document.getElementById(arguments[0]).getClientRects().length > 0"
        )
        return self.run(script, name)

    def point_at(self, name):
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).move_to_element(self.element(name)).perform()

    def press(self, *keys):
        from selenium.webdriver import ActionChains, Keys

        for key in keys:
            ActionChains(self.driver).send_keys(getattr(Keys, key)).perform()

    def emulate(self, media="", **features):
        pairs = [
            {"name": name.replace("_", "-"), "value": value}
            for name, value in features.items()
        ]
        request = {"media": media, "features": pairs}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", request)

    def colour(self, name="background-color", of="body"):
        found = "getComputedStyle(document.querySelector(arguments[0]))"
        return self.run(f"return {found}[arguments[1]]", of, name)


REVERSE = [
    "db += dgates", "dh = dgates @ U", "dU += np.outer(dgates, h_in)", "x = xs[i]",
    "dx = dgates @ W", "dW += np.outer(dgates, x)",
]  # fmt: skip


def test_pointing_at_a_line_lights_what_it_became(page):
    page.point_at(page.line("p", "gates = W @ x"))
    texts = page.texts("lit")
    assert texts[:2] == 2 * ["gates = W @ x + U @ h + b"]
    assert "dgates @ U" in " ".join(texts)
    page.point_at(page.line("g", "dU += np.outer(dgates, h_in)"))
    assert page.texts("lit") == [
        "gates = W @ x + U @ h + b",
        "dU += np.outer(dgates, h_in)",
    ]
    assert set(REVERSE) & set(page.texts("kin"))
    status = page.element("status").text
    assert status.startswith("line ")


def test_pointing_at_a_call_lights_what_it_inlines(page):
    page.point_at(page.line("p", "h, c = cell("))
    assert "g = np.tanh(gates[3 * n :])" in page.texts("kin")


def test_the_keyboard_goes_from_line_to_line(page):
    first = page.line("p", "def lstm")
    page.press("TAB", "TAB")
    assert page.focus() == first
    assert "def lstm(xs, target, W, U, b):" in page.texts("lit")
    page.press("ARROW_DOWN", "ARROW_DOWN", "ARROW_UP")
    assert page.focus() == page.line("p", "h = np.zeros")
    page.press("END")
    assert page.focus() == page.line("p", "return np.mean")
    page.press("TAB", "TAB")
    assert page.focus() == page.line("g", "t2 = h - target")
    page.press("HOME")
    assert page.focus() == "g1"


def test_folding_by_keys_and_by_mouse(page):
    call, inner = page.line("p", "h, c = cell("), page.line("p", "gates = W @ x")
    assert page.visible(inner)
    page.run("document.getElementById(arguments[0]).focus()", call)
    page.press("ARROW_LEFT")
    assert not page.visible(inner)
    page.press("ARROW_DOWN")
    assert page.focus() == page.line("p", "return np.mean")
    page.press("ARROW_UP", "ARROW_RIGHT")
    assert page.visible(inner)
    page.run("document.getElementById(arguments[0]).focus()", inner)
    page.press("ARROW_LEFT")
    assert page.focus() == call
    check = page.line("g", "xs.ndim != 2")
    assert not page.visible(check)
    page.driver.find_element("css selector", ".ln.check .fold").click()
    assert page.visible(check)


def test_tabs(page):
    panels = [f"panel-{name}" for name in ("gradient", "memory", "tape", "graph")]
    page.run("document.getElementById('tab-gradient').focus()")
    for name in panels:
        assert [p for p in panels if page.visible(p)] == [name]
        assert page.focus() == name.replace("panel", "tab")
        page.press("ARROW_RIGHT")
    assert page.visible("panel-gradient")
    page.press("END")
    assert page.visible("panel-graph")
    page.point_at(page.line("p", "gates = W @ x"))
    nodes = page.run("return document.querySelectorAll('.graph .lit').length")
    assert nodes == 4  # two products, two sums
    page.element("tab-tape").click()
    page.point_at(page.line("t", "matmul"))
    assert "gates = W @ x + U @ h + b" in page.texts("lit")


def test_pinning(page):
    line = page.line("p", "target) ** 2")
    page.element(line).click()
    page.point_at(page.line("p", "def lstm"))
    lit = page.texts("lit")
    assert lit[0] == "return np.mean((h - target) ** 2)"
    assert "pinned" in page.element(line).find_element("xpath", "/html").get_attribute(
        "class"
    )
    page.press("ESCAPE")
    assert page.texts("lit") == []


def test_light_and_dark(page):
    light = page.colour()
    page.emulate(prefers_color_scheme="dark")
    dark = page.colour()
    assert dark != light
    page.element("theme").click()
    assert page.colour() == light
    page.element("theme").click()
    assert page.colour() == dark
    page.emulate(prefers_color_scheme="light")
    assert page.colour() == dark  # it was chosen


def test_print(page):
    page.emulate(media="print", prefers_color_scheme="dark")
    assert page.colour(of="main") in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")
    assert page.colour("color") == "rgb(0, 0, 0)"
    for name in ("gradient", "memory", "tape", "graph"):
        assert page.visible(f"panel-{name}")
    assert page.visible(page.line("g", "xs.ndim != 2"))
    assert not page.visible("theme")
    pdf = page.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
    assert len(pdf) > 10_000


def test_a_narrow_window(page):
    page.driver.set_window_size(520, 900)
    width, inside = page.run(
        "const root = document.documentElement; "
        "return [root.scrollWidth, root.clientWidth]"
    )
    assert width <= inside
    assert page.visible(page.line("p", "def lstm"))


def test_lines_and_their_code_are_there_for_a_screen_reader(page):
    tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    named = {
        (n["role"]["value"], n.get("name", {}).get("value", ""))
        for n in tree
        if not n["ignored"]
    }
    roles = {role for role, _ in named}
    assert {"tree", "treeitem", "tab", "tabpanel", "status"} <= roles
    assert ("tree", "The function") in named
    assert ("tab", "Gradient") in named
    assert ("button", "Light or dark") in named
    assert any(r == "treeitem" and "gates = W @ x" in name for r, name in named)
    bare = [
        role for role, name in named if role in ("button", "tab", "tree") and not name
    ]
    assert bare == []


def test_ribbons_go_from_lines_to_lines(page):
    count = "return document.querySelectorAll('#ribbons path').length"
    assert page.run(count) > 10
    page.element("tab-graph").click()
    page.run("return new Promise((done) => requestAnimationFrame(() => done()))")
    assert page.run(count) == 0
