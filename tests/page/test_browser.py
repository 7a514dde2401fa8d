"""The page of a report, and displays in notebooks, driven in a real headless browser."""

import re
import shlex
import shutil
import struct
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

import rankstone as rs
from rankstone.cli import main
from rankstone.text.comparison_table import write_comparison

sync_api = pytest.importorskip("playwright.sync_api", reason="the package playwright is missing")
pytest.importorskip("vl_convert", reason="the package vl-convert-python is missing")

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium")

SEARCH = "examples/search"
RUNS = {name: f"{SEARCH}/{name}.run" for name in ("bm25", "dense", "hybrid")}
HOSTILE = "</script><img src=x onerror=window.hacked=1>"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    rs.report(
        f"{SEARCH}/qrels.txt",
        RUNS,
        ["nDCG@10", "AP", "RR"],
        by=f"{SEARCH}/needs.tsv",
        query_texts=f"{SEARCH}/queries.tsv",
        resamples=500,
    ).save(path)
    return path


@pytest.fixture(scope="session")
def recommenders(tmp_path_factory):
    """A report on two runs by accuracy and three measures beyond it."""
    path = tmp_path_factory.mktemp("recommenders") / "report.html"
    judged = {f"u{n}": ["a"] for n in range(20)}
    runs = {"same": {u: ["a", "b"] for u in judged}, "own": {u: [u, "a"] for u in judged}}
    history = {u: ["a", "b", u] if u == "u1" else ["a", u] for u in judged}
    long = "Popularity(scale='rank', empty='zero', short='k')@2"
    names = ["P@2", "RR", "Coverage@2", "Novelty@2", long, "Gini@2"]
    rs.report(judged, runs, names, history=history, resamples=200).save(path)
    return path


@pytest.fixture
def opened(browser):
    """Open pages; afterwards none has complained or loaded anything."""
    contexts, complaints = [], []

    def open_page(path, fragment="", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: (
                request.url.startswith(("file:", "data:", "blob:"))
                or complaints.append(request.url)
            ),
        )
        page.goto(path.as_uri() + fragment)
        page.wait_for_selector("#definitions")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def texts(page, selector):
    return page.locator(selector).all_inner_texts()


def numbers(page, selector):
    return [float(text.replace("\u2212", "-").replace("±", "")) for text in texts(page, selector)]


def wait_until(page, condition):
    """Wait for what a script says; the browser itself may not ask again, by the page's policy."""
    for _ in range(400):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(condition)


def draw_all(page):
    for figure in page.locator("figure").all():
        if figure.is_visible():
            figure.scroll_into_view_if_needed()
    wait_until(
        page, "[...document.querySelectorAll('figure')].every((f) => f.hidden || f.dataset.drawn)"
    )


def test_every_section_and_picture_is_drawn(opened, demo):
    page = opened(demo)
    names = page.eval_on_selector_all("section", "all => all.map((one) => one.id)")
    assert names == [
        "verdict", "health", "table", "pictures", "slices", "explorer", "definitions",
    ]  # fmt: skip
    assert texts(page, ".card h3") == [
        "▲ hybrid is better than bm25", "? Incomplete: dense against bm25",
    ]  # fmt: skip
    assert page.locator(".choices select >> nth=1").input_value() == "2"  # hybrid is shown first
    assert "95 % interval +0.0" in texts(page, ".card.better .numbers")[0]
    draw_all(page)
    assert page.locator("figure canvas").count() == 7
    details = page.locator("#picture-judged details")
    details.locator("summary").click()
    details.locator("tbody tr").first.wait_for()
    assert details.locator("tbody tr").count() == 60
    assert demo.stat().st_size < 1_000_000


def test_a_printed_page_has_every_picture_within_its_width(opened, demo):
    page = opened(demo)
    wait_until(
        page,  # nothing is scrolled into sight
        "[...document.querySelectorAll('figure')].every((f) => f.hidden || f.dataset.drawn)",
    )
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 1000})
    wide = """all => all.filter((one) => {
        const box = one.getBoundingClientRect();
        return box.width && box.right > document.documentElement.clientWidth + 1;
    }).map((one) => one.id || one.tagName)"""
    assert page.eval_on_selector_all("figure, canvas, table", wide) == []


def test_pictures_are_printed_on_white(opened, demo):
    page = opened(demo, color_scheme="dark")
    wait_until(page, "document.querySelectorAll('.paper canvas').length === 7")
    page.emulate_media(media="print")
    shown = "[...document.querySelectorAll('figure canvas')].filter((one) => one.offsetWidth)"
    corners = f"{shown}.map((one) => one.getContext('2d').getImageData(1, 1, 1, 1).data.join())"
    assert page.evaluate(corners) == ["255,255,255,255"] * 7


@pytest.mark.parametrize("width", [390, 1400])
def test_legends_name_every_run_within_the_picture(opened, tmp_path, width):
    path = tmp_path / "long.html"
    runs = {f"{name} with a name that is long": run for name, run in RUNS.items()}
    rs.report(f"{SEARCH}/qrels.txt", runs, "RR", resamples=100).save(path)
    page = opened(path, viewport={"width": width, "height": 900})
    draw_all(page)
    is_clear = """(one) => {
        const { width, height } = one; // nothing at the lower and at the right edge, by the legend
        const part = one.getContext("2d").getImageData(0, height - 60, width, 60).data;
        return part.every((value, i) => value === 255 || (i < 57 * width * 4 && (i >> 2) % width < width - 1));
    }"""
    for name in ("roc", "pr", "cutoffs", "distribution"):
        assert page.locator(f"#picture-{name} canvas").evaluate(is_clear), name


def test_tables_are_sorted_and_copied(opened, demo):
    page = opened(demo, permissions=["clipboard-read", "clipboard-write"])
    names = "#table tbody th"
    assert texts(page, names)[0].startswith("bm25")
    page.click("#table th button:has-text('nDCG@10')")
    assert texts(page, names)[0].startswith("hybrid")
    assert page.get_attribute("#table th:has-text('nDCG@10')", "aria-sort") == "descending"
    page.click("#table th button:has-text('nDCG@10')")
    assert texts(page, names)[0].startswith("bm25")
    groups = f"{SEARCH}/needs.tsv"
    compared = rs.compare(
        f"{SEARCH}/qrels.txt", RUNS, ["nDCG@10", "AP", "RR"], resamples=500, by=groups
    )
    for name, form in (("Markdown", "md"), ("LaTeX", "latex")):
        page.click(f"text=Copy as {name}")
        page.wait_for_selector("text=Copied")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == "\n".join(write_comparison(compared, form))
        page.wait_for_selector(f"text=Copy as {name}")
    with page.expect_download() as download:
        page.click("text=Save as CSV")
    assert download.value.suggested_filename == "rankstone-results.csv"
    assert download.value.path().read_text() == "\n".join(write_comparison(compared, "csv")) + "\n"


@pytest.mark.parametrize("name", ["scatter", "roc"])
def test_pictures_are_saved_as_files(opened, demo, name):
    page = opened(demo)
    draw_all(page)
    saved = {}
    for form in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.click(f"#picture-{name} button:has-text('{form}')")
        of = "-hybrid-bm25-nDCG@10" if name == "scatter" else ""
        assert download.value.suggested_filename == f"rankstone-{name}{of}.{form.lower()}"
        saved[form] = download.value.path().read_bytes()
    root = ET.fromstring(saved["SVG"])
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    marks = {"scatter": 40, "roc": 3}[name]
    role = "circle" if name == "scatter" else "line mark"
    assert saved["SVG"].decode().count(f'aria-roledescription="{role}"') == marks
    assert saved["PNG"].startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", saved["PNG"][16:24])
    assert width == pytest.approx(3 * float(root.get("width")), abs=3)
    assert height == pytest.approx(3 * float(root.get("height")), abs=3)


def test_runs_beyond_the_colours_have_other_lines_and_marks(opened, tmp_path):
    path = tmp_path / "many.html"
    runs = {f"run{i}": RUNS["bm25"] for i in range(10)}
    report = rs.report(f"{SEARCH}/qrels.txt", runs, "nDCG@10", resamples=100)
    report.save(path)
    svg = report.plot("cutoffs").to_svg()
    lines = re.findall(r'<path aria-label="[^"]*" role="graphics-symbol"[^>]*line mark[^>]*>', svg)
    assert len(lines) == 10
    drawn = [re.findall(r'stroke(?:-dasharray)?="([^"]*)"', line) for line in lines]
    assert len({tuple(one) for one in drawn}) == 10
    page = opened(path)
    marks = page.eval_on_selector_all(
        "#table tbody .swatch", "all => all.map((one) => one.style.background)"
    )
    assert len(set(marks)) == 10


def test_queries_are_searched_filtered_sorted_and_opened(opened, demo):
    page = opened(demo)
    page.fill("#search", "tent")
    shown = texts(page, ".line .name")
    assert shown
    assert all("tent" in text for text in shown)
    page.fill("#search", "")
    page.select_option("#explorer .controls select >> nth=0", "worse")
    changes = numbers(page, ".line .number:last-child")
    assert changes
    assert max(changes) < 0
    assert changes == sorted(changes)
    page.select_option("#explorer .controls select >> nth=1", "best")
    changes = numbers(page, ".line .number:last-child")
    assert changes == sorted(changes, reverse=True)
    page.locator(".line").nth(2).click()
    name = texts(page, ".line[aria-selected=true] .id")[0]
    assert texts(page, ".query-head h3") == [name]
    assert page.evaluate("location.hash") == f"#q={name}"
    page.focus(".list")
    page.keyboard.press("ArrowDown")
    assert texts(page, ".query-head h3") != [name]


def test_a_link_opens_a_query_with_rankings_and_working(opened, demo):
    page = opened(demo, "#q=q07")
    assert texts(page, ".query-head h3") == ["q07"]
    assert page.locator(".column").count() == 3
    assert page.locator(".moves path").count() > 5
    assert page.locator(".rankings li.unjudged").count() > 0
    working = rs.explain("nDCG@10", f"{SEARCH}/qrels.txt", RUNS["bm25"], query="q07")
    outcome = texts(page, ".outcome code")[0]
    assert outcome.endswith(f"= {working.value:.4f}")
    assert page.locator(".working").first.locator("tbody tr").count() == len(working.steps)
    page.select_option(".choices select >> nth=0", label="AP")
    assert texts(page, ".outcome code")[0].startswith("AP = ")
    assert "+0.068 AP, 95 %" in texts(page, ".card")[1]


def test_a_click_in_a_picture_opens_the_query(opened, demo):
    page = opened(demo)
    draw_all(page)
    canvas = page.locator("#picture-differences canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.97, box["y"] + box["height"] * 0.6)
    page.wait_for_selector("#tooltip:not([hidden])")
    worst = texts(page, "#tooltip b")[0]
    page.mouse.click(box["x"] + box["width"] * 0.97, box["y"] + box["height"] * 0.6)
    wait_until(page, f"location.hash === '#q={worst}'")
    assert texts(page, ".query-head h3") == [worst]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes(opened, demo, scheme):
    page = opened(demo, color_scheme=scheme)
    ground = "getComputedStyle(document.body).backgroundColor"
    colours = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}
    assert page.evaluate(ground) == colours[scheme]
    other = "dark" if scheme == "light" else "light"
    page.select_option(".choices select >> nth=-1", other)
    assert page.evaluate(ground) == colours[other]
    draw_all(page)
    corner = (
        "[...document.querySelector('#picture-roc canvas').getContext('2d')"
        ".getImageData(1, 1, 1, 1).data].slice(0, 3).join(', ')"
    )
    assert f"rgb({page.evaluate(corner)})" == colours[other]


def test_the_page_in_chinese_has_no_english_sentence(opened, tmp_path):
    path = tmp_path / "zh.html"
    measures = ["AP", "nDCG@10", "ERR", "Bpref", "P@5", "R@20", "AUC", "RBP", "Q", "infAP"]
    rs.report(
        f"{SEARCH}/qrels.txt",
        RUNS,
        measures,
        language="zh",
        by={"q07": "gear"},
        resamples=200,
        unjudged_interval=True,
        ties="input",
    ).save(path)
    page = opened(path)
    assert page.get_attribute("html", "lang") == "zh"
    assert texts(page, "#slices tbody th") == ["gear", "（无分组）"]  # noqa: RUF001
    assert texts(page, "h2")[0] == "结论"
    assert english_in(page) == []


def test_english_sentences_are_found(opened, demo):
    assert len(english_in(opened(demo))) > 20


def english_in(page):
    """Return the beginnings of English sentences on a page, whatever shows them."""
    draw_all(page)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    shown = page.evaluate(
        """() => { const page = document.body.cloneNode(true);
        const parts = (names) => [...page.querySelectorAll(names)];
        parts('pre, code, script, style, .list, h3.query').forEach((part) => part.remove());
        const names = ['title', 'aria-label', 'placeholder'];
        const words = parts('*').flatMap((part) => names.map((name) => part.getAttribute(name) || ''));
        return [page.innerText, ...words].join('\\n'); }"""
    )
    return re.findall(r"\b[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}\b", shown)


@pytest.mark.parametrize("width", [375, 800, 1400])
def test_nothing_is_wider_than_the_window(opened, demo, width):
    page = opened(demo, viewport={"width": width, "height": 800})
    draw_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (([[2, 0, 1], [0, 1, 0]], {"a": [[0.3, 0.2, 0.1]] * 2}), "a: RR 0.7500"),
        (
            ({"q1": {"d": 1}, "q2": {"d": 1}}, {n: {"q1": ["d"], "q2": ["d"]} for n in "ab"}),
            "b and a have the same RR for every query",
        ),
    ],
    ids=["one run without ids", "equal runs"],
)
def test_pages_without_rankings_or_differences(opened, tmp_path, data, title):
    path = tmp_path / "page.html"
    rs.report(*data, "RR", resamples=100).save(path)
    page = opened(path)
    draw_all(page)
    assert title in texts(page, ".card h3")[0]
    assert page.locator(".line").count() == 2
    assert not {"null", "undefined", "NaN"} & set(page.inner_text("body").split())
    runs = "1 run," if len(data[1]) == 1 else "2 runs,"
    assert page.inner_text("header p") == f"{runs} 2 queries, 1 measure"


@pytest.mark.parametrize("form", ["doc-{:032x}-x", "D{:09}", "{}"])
def test_ids_of_any_form_are_shown_whole(opened, tmp_path, form):
    path = tmp_path / "page.html"
    most = 2**128 if "x" in form else 10**9
    names = [form.format(i * 0x9E3779B97F4A7C15F39CC0605CEDC835 % most) for i in range(120)]
    lists = {f"q{i}": names[20 * i : 20 * i + 20] for i in range(6)}
    runs = {"a": lists, "b": {**lists, "q1": names[100:]}}
    rs.report({q: {own[3]: 1} for q, own in lists.items()}, runs, "RR", pictures=False).save(path)
    page = opened(path, "#q=q1")
    assert texts(page, ".column >> nth=0 >> li .id") == names[20:40]
    assert texts(page, ".column >> nth=1 >> li .id") == names[100:]


def test_a_page_of_values_says_what_it_lacks(opened, tmp_path):
    path = tmp_path / "page.html"
    values = {
        name: {f"q{i}": {"latency": i + shift, "AP": 0.1 * i} for i in range(9)}
        for name, shift in (("old", 1.0), ("new", 0.0))
    }
    rs.report(values, lower_is_better=["latency"]).save(path)
    page = opened(path)
    draw_all(page)
    assert texts(page, ".card h3")[0] == "▲ new is better than old"
    assert "Rankings, workings and curves need the judgments" in page.inner_text("#health")
    assert page.locator(".line").count() == 9
    assert page.locator(".column").count() == 0
    shown = page.eval_on_selector_all(
        "figure", "all => all.filter((f) => !f.hidden).map((f) => f.id)"
    )
    assert shown == ["picture-differences", "picture-scatter", "picture-distribution"]
    assert not {"null", "undefined", "NaN"} & set(page.inner_text("body").split())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_cards_say_what_to_bear_in_mind(opened, tmp_path, language):
    path = tmp_path / "page.html"
    runs = {name: RUNS[name] for name in ("bm25", "dense")}
    rs.report(f"{SEARCH}/qrels.txt", runs, "AP", language=language, resamples=100).save(path)
    page = opened(path)
    (said,) = texts(page, ".card .quiet")
    words = {
        "en": ["dense has no answer for 2 of 40 queries.",
               "The queries that both answered do not show which is better: ",
               "38 queries can only show differences of"],
        "zh": ["dense 在 40 个查询中有 2 个没有结果。", "双方都有结果的查询看不出哪个更好",
               "38 个查询只能检出不小于"],
    }  # fmt: skip
    assert [word for word in words[language] if word not in said] == []
    assert said.count("nDCG") == 0
    assert page.locator(".detail").inner_text().split().count("null") == 0


def test_runs_that_cannot_be_compared_say_why(opened, tmp_path):
    path = tmp_path / "page.html"
    rs.report({"q": {"d": 1}}, {"a": {"q": ["d"]}, "b": {"q": ["e", "d"]}}, "RR").save(path)
    page = opened(path)
    assert texts(page, ".card h3")[0].endswith("b and a cannot be compared")
    assert page.inner_text(".card .quiet").startswith("One common query: ")


def test_the_working_is_written_as_explain_writes_it(opened, demo):
    page = opened(demo, "#q=q04")
    working = rs.explain("nDCG@10", f"{SEARCH}/qrels.txt", RUNS["dense"], query="q04")
    shown = page.locator(".working").nth(1)
    rows = [row.split("\t") for row in shown.locator("tbody tr").all_inner_texts()]
    assert [row[0] for row in rows] == [str(i) for i in range(1, 11)]
    assert rows[7] == ["8", "not judged, adds nothing"]
    assert rows[0] == ["1", "tent-0061", "3", "3", "1", "3", "3"]
    first = next(line for line in str(working).splitlines() if "tent-0061" in line)
    assert first.split()[:7] == rows[0]
    page = opened(demo, "#q=q37")  # without a relevant document
    assert "There is nothing to divide by" in page.inner_text(".working >> nth=0")
    assert texts(page, ".outcome code")[0] == "nDCG@10 = 0.0000"


def test_the_level_of_intervals_is_the_one_asked_for(opened, tmp_path):
    path = tmp_path / "page.html"
    rs.report(f"{SEARCH}/qrels.txt", [RUNS["bm25"]], "AP", confidence=0.9).save(path)
    page = opened(path)
    assert page.inner_text(".card .numbers").startswith("90 % interval")
    assert "90 % interval of the mean" in page.inner_text("#table")


def test_hostile_names_stay_text(opened, tmp_path):
    judgments = {f"q{i}{HOSTILE}": {f"d{i}{HOSTILE}": 1, "e": 0} for i in range(6)}
    runs = {
        f"{name}{HOSTILE}": {q: list(docs)[::step] for q, docs in judgments.items()}
        for name, step in (("a", 1), ("b", -1))
    }
    path = tmp_path / "hostile.html"
    rs.report(
        judgments,
        runs,
        ["RR", "AP"],
        title=HOSTILE,
        by=dict.fromkeys(judgments, f"g{HOSTILE}"),
        query_texts=dict.fromkeys(judgments, f"text {HOSTILE}"),
        document_texts={"e": f"text {HOSTILE}"},
        command=f"rankstone {HOSTILE}",
        resamples=100,
    ).save(path)
    page = opened(path)
    draw_all(page)
    for line in page.locator(".line").all():
        line.click()
    for details in page.locator("details:visible").all():
        details.evaluate("(one) => { one.open = true; }")
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert HOSTILE in page.inner_text("h1")
    assert HOSTILE in texts(page, ".query-head h3")[0]
    assert page.locator(f"td:has-text('{HOSTILE}')").count() > 0


def test_the_policy_refuses_other_scripts_and_eval(browser, demo):
    context = browser.new_context()
    page = context.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(demo.as_uri())
    page.wait_for_selector("#definitions")
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 1';"
        " document.head.append(s); const i = document.createElement('img');"
        " i.src = 'https://example.org/x.png'; document.body.append(i); }"
    )
    page.wait_for_timeout(100)
    assert page.evaluate("window.hacked") is None
    assert len([text for text in refused if "Content Security Policy" in text]) >= 2
    context.close()


def test_thousands_of_queries_stay_light(opened, tmp_path):
    count, runs = 3000, {}
    judgments = {f"q{i}": {f"d{i % 7}": 1} for i in range(count)}
    for r in range(2):
        runs[f"r{r}"] = {
            f"q{i}": [f"d{(i + j * r + j) % 30}" for j in range(25)] for i in range(count)
        }
    path = tmp_path / "large.html"
    rs.report(judgments, runs, ["RR", "AP"], resamples=100).save(path)
    assert path.stat().st_size < 1_500_000
    page = opened(path)
    assert page.evaluate("performance.getEntriesByName('rankstone-drawn')[0].startTime") < 5000
    assert page.locator(".line").count() < 60
    page.evaluate("document.querySelector('.list').scrollTop = 2000 * 44")
    wait_until(
        page, "[...document.querySelectorAll('.line')].some((one) => one.ariaPosInSet === '2001')"
    )
    assert page.locator(".line").count() < 60


def test_notebook_displays_render_and_stay_text(browser, tmp_path):
    judgments = {f"q{i}{HOSTILE}": {f"d{HOSTILE}": 1} for i in range(8)}
    runs = {
        f"a{HOSTILE}": {q: ["x", f"d{HOSTILE}"] for q in judgments},
        f"b{HOSTILE}": {q: [f"d{HOSTILE}"] for q in judgments},
    }
    result = rs.evaluate(judgments, runs[f"a{HOSTILE}"], ["RR", "NumRet"], name=f"a{HOSTILE}")
    comparison = rs.compare(judgments, runs, "RR")
    working = rs.explain("nDCG", judgments, runs[f"a{HOSTILE}"], query=f"q1{HOSTILE}")
    shown = [one._repr_html_() for one in (result, comparison, working, rs.nDCG @ 10)]
    pictures = [result.plot()._repr_svg_(), comparison.plot()._repr_svg_()]
    path = tmp_path / "notebook.html"
    path.write_text("<meta charset=utf-8><body>" + "<hr>".join([*shown, *pictures]))
    context = browser.new_context()
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator("table").count() == 4
    assert page.locator("svg").count() == 2
    assert page.locator("img").count() == 0
    assert page.evaluate("window.hacked") is None
    body = page.inner_text("body")
    assert HOSTILE in body
    assert "0.5000" in body
    assert "is better than" in body
    assert "DCG" in body
    context.close()


@pytest.mark.parametrize("width", [390, 800, 1400])
@pytest.mark.parametrize("place", ["#q=q07", "#definitions", "#q=none"])
def test_links_lead_there_when_the_pictures_are_drawn(opened, demo, width, place):
    page = opened(demo, place, viewport={"width": width, "height": 800})
    wait_until(
        page, "[...document.querySelectorAll('figure')].every((f) => f.hidden || f.dataset.drawn)"
    )
    page.wait_for_timeout(300)
    shown = {"#q=q07": ".query-head", "#definitions": "#definitions h2", "#q=none": "#explorer h2"}
    assert 0 <= page.locator(shown[place]).bounding_box()["y"] < 500
    if place == "#q=none":
        assert texts(page, "[role=alert]") == [
            "This report has no query none. Choose one from the list."
        ]


def test_relevant_documents_that_are_missed_are_named(opened, tmp_path):
    path = tmp_path / "page.html"
    judged = {"q": {"a": 2, "b": 1, "c": 1, "x": 0}, "r": {"a": 1}}
    runs = {"one": {"q": ["a", "y", "b"]}, "two": {"q": ["x", "b"]}, "none": {"r": ["a"]}}
    rs.report(judged, runs, "AP", depth=2, pictures=False).save(path)
    page = opened(path, "#q=q")
    below = "Relevant, not among the first 2:"
    assert [re.sub(r"\s+", " ", text) for text in texts(page, ".missed")] == [
        f"{below} 1b 1c", f"{below} 2a 1c", f"{below} 2a 1b 1c",
    ]  # fmt: skip
    assert texts(page, ".column >> nth=1 >> li .moved") == [">2", ">2"]
    assert texts(page, ".working >> nth=2 >> p.quiet") == ["Nothing was retrieved."]


def test_lines_between_rankings_join_the_rows_on_a_phone(opened, demo):
    page = opened(demo, "#q=q04", viewport={"width": 390, "height": 800})
    heights = page.evaluate(
        """[...document.querySelectorAll('.moves')].map((moves) => [
            moves.getBoundingClientRect().height,
            moves.viewBox.baseVal.height * moves.getScreenCTM().d,
            moves.getScreenCTM().a * 56 - moves.getBoundingClientRect().width])"""
    )
    assert len(heights) == 2
    for height, drawn, wider in heights:
        assert abs(height - drawn) < 1
        assert abs(wider) < 1


def test_the_command_of_a_working_gives_the_numbers_of_the_page(opened, tmp_path, monkeypatch):
    monkeypatch.setattr("rankstone.page.workings._MOST_NUMBERS", 1)
    path = tmp_path / "a page.html"
    words = ["report", f"{SEARCH}/qrels.txt", RUNS["bm25"], RUNS["hybrid"], "-m", "RR", "AP"]
    more = ["-c", "relevance=2", "--min-score", "3", "--no-pictures", "--quiet", "-o", str(path)]
    assert main([*words, *more]) == 0
    page = opened(path, "#q=q07")
    page.select_option(".choices select >> nth=0", label="AP")
    (shown,) = texts(page, ".detail pre")
    own = shlex.split(shown)
    files = [f"{SEARCH}/qrels.txt", RUNS["bm25"], RUNS["hybrid"]]
    assert own[:2] == ["rankstone", "explain"]
    assert own[2:8] == ["AP", *files, "--query", "q07"]
    value = rs.explain("AP", *files[:2], query="q07", relevance=2, min_score=3.0).value
    assert f"{value:.4f}" in texts(page, ".detail td.chosen")
    printed = subprocess.run(
        [sys.executable, "-m", *own], capture_output=True, text=True, check=True
    ).stdout
    assert f"{value:.4f}" in printed


def test_weights_count_everywhere(opened, tmp_path):
    path = tmp_path / "page.html"
    queries = [f"q{i:02}" for i in range(1, 41)]
    weights = {query: i for i, query in enumerate(queries)}
    runs = {name: RUNS[name] for name in ("bm25", "hybrid")}
    options = {"weights": weights, "resamples": 100, "pictures": False}
    groups = dict.fromkeys(queries, "every query")
    rs.report(f"{SEARCH}/qrels.txt", runs, "AP", by=groups, **options).save(path)
    pair = rs.compare(f"{SEARCH}/qrels.txt", runs, "AP", weights=weights)["hybrid", "AP"]
    page = opened(path)
    wanted = [f"{mean:.4f}" for mean in (pair.baseline_mean, pair.mean)]
    assert texts(page, "#table .value") == wanted
    assert texts(page, "#slices .value") == wanted
    assert "weighted" in page.inner_text("#table .note")
    one = rs.report(f"{SEARCH}/qrels.txt", {"bm25": RUNS["bm25"]}, "AP", **options).model
    assert f"{one.means[0][0]:.4f}" == wanted[0]
    assert one.cutoffs == {}
    plain = {**options, "weights": None}
    assert rs.report(f"{SEARCH}/qrels.txt", {"bm25": RUNS["bm25"]}, "AP", **plain).model.cutoffs
    with pytest.raises(rs.DataError, match="39 queries without a weight"):
        rs.report(
            f"{SEARCH}/qrels.txt", {"a": RUNS["bm25"]}, "AP", **options | {"weights": {"q01": 1}}
        )


def test_joiners_stay_in_texts_but_not_in_ids(opened, tmp_path):
    path = tmp_path / "page.html"
    word = "\u0645\u06cc\u200c\u062e\u0648\u0645"
    judged = {word: {"d\u200c": 1}}
    options = {"query_texts": {word: word}, "document_texts": {"d\u200c": word + "\u202e"}}
    rs.report(judged, {"a": {word: ["d\u200c"]}}, "RR", pictures=False, **options).save(path)
    page = opened(path)
    assert texts(page, ".query-text") == [word]
    assert texts(page, ".column .text") == [word + "\\x202e"]
    assert texts(page, ".column li .id") == ["d\\x200c"]
    assert word not in texts(page, ".query-head h3")


def test_the_numbers_of_pictures_are_tables(opened, demo):
    page = opened(demo)
    draw_all(page)
    heads = {
        "differences": ["Query", "bm25", "hybrid", "Difference"],
        "cutoffs": ["Run", "cutoff k", "nDCG"],
        "distribution": ["Run", "Query", "nDCG@10"],
        "judged": ["Run", "rank", "judged"],
    }
    for name, wanted in heads.items():
        page.locator(f"#picture-{name} summary").click()
        page.wait_for_selector(f"#picture-{name} table")
        assert texts(page, f"#picture-{name} th") == wanted
    assert texts(page, "#picture-judged tbody tr >> nth=0 >> td")[1] == "1"
    differences = numbers(page, "#picture-differences td:nth-child(4)")
    assert differences == sorted(differences, reverse=True)
    labels = page.eval_on_selector_all(
        "figure canvas", "all => all.map((c) => c.ariaLabel || c.getAttribute('aria-label'))"
    )
    assert "Vega visualization" not in labels


@pytest.mark.parametrize("width", [1400, 390])
def test_accuracy_against_measures_beyond_it_in_panels(opened, recommenders, width):
    page = opened(recommenders, viewport={"width": width, "height": 900})
    draw_all(page)
    for name in ("tradeoff", "exposure"):
        canvas = page.locator(f"#picture-{name} canvas").bounding_box()
        place = page.locator(f"#picture-{name} .canvas").bounding_box()
        assert 0.75 * place["width"] < canvas["width"] <= place["width"] + 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#picture-tradeoff summary").click()
    page.wait_for_selector("#picture-tradeoff tbody tr")
    cells = texts(page, "#picture-tradeoff tbody tr:first-child td")
    assert cells[:2] == ["same", "Coverage@2"]
    assert texts(page, "#picture-tradeoff tbody tr:last-child td")[1] == "Gini@2 (lower is better)"
    assert "P@2" in page.locator("#picture-tradeoff figcaption").inner_text()
