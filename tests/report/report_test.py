"""`braid report`: its files, and its page in a headless Chromium, driven with real pointer, wheel and key events.

BRAID_CLI names the binary. Run by ctest; `python report_test.py` works too.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

from branches import ATTACK, branches, grouped, row, wide_names
from chromium import Browser

BRAID = os.environ["BRAID_CLI"]
CTRL, SHIFT = 2, 8


def braid(*arguments, code=0):
    done = subprocess.run([BRAID, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    if done.returncode != code:
        raise AssertionError(f"braid {arguments} ended with {done.returncode}:\n{done.stderr}")
    return done


# What the label of a run's peak covers: the line of the arena, memory in use, or the strip above; null if none is drawn.
LABEL_CROSSES = """(() => {{
  const plot = braidReport.plots[{run}];
  let label = null;
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {{
    if (text.startsWith('peak ')) {{
      const width = this.measureText(text).width;
      const left = this.textAlign === 'right' ? x - width : x;
      label = {{left, right: left + width, top: y - 5, bottom: y + 5}};
    }}
    draw.call(this, text, x, y);
  }};
  braidReport.drawNow.call({{...braidReport, plots: [plot]}});
  CanvasRenderingContext2D.prototype.fillText = draw;
  if (!label) return null;
  const y = (bytes) => plot.memoryTop + STRIP - (STRIP - 4) * bytes / plot.model.mostBytes;
  const crossed = [];
  const arena = y(plot.run.arena_bytes);
  if (label.top < arena && arena < label.bottom) crossed.push('arena');
  const columns = plot.columns(plot.run.memory, GUTTER, plot.right, true);
  for (let x = Math.floor(label.left); x < label.right; ++x)
    if (y(columns[x - GUTTER] || 0) < label.bottom) crossed.push(`memory at ${{x}}`);
  if (label.top < plot.usageTop + STRIP) crossed.push('usage');
  if (label.left < GUTTER || label.right > plot.right) crossed.push('edge');
  return crossed;
}})()"""

# The words of a picture that stick out of their box, as [text, how far].
STICKING_OUT = """[...document.querySelectorAll('g')].flatMap((g) => {
  const box = g.querySelector('rect').getBBox();
  return [...g.querySelectorAll('text')].map((text) => [text.textContent, text.getBBox()])
    .filter(([, words]) => words.x < box.x || words.y < box.y || words.x + words.width > box.x + box.width ||
                           words.y + words.height > box.y + box.height)
    .map(([text, words]) => [text, words.x + words.width - box.x - box.width]);
})"""


class Shared(unittest.TestCase):
    """The files of one simulated report, made once."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.model = cls.path / "branches.onnx"
        branches(cls.model)
        cls.page = cls.path / "report.html"
        braid("report", cls.model, "--device", "sim:a100", "--schedulers", "sequential,nimble,braid", "-o", cls.page,
              "--json", cls.path / "report.json", "--svg", cls.path / "timeline.svg", "--graph-svg",
              cls.path / "graph.svg", "--dot", cls.path / "graph.dot")
        cls.data = json.loads((cls.path / "report.json").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()


class Files(Shared):
    def test_json_tells_what_ran_when(self):
        data = self.data
        self.assertEqual((data["format"], data["version"], data["device"]), ("braid-report", 1, "sim:a100"))
        self.assertTrue(data["simulated"])
        self.assertIn("--schedulers sequential,nimble,braid", data["command"])
        model = data["models"][0]
        self.assertEqual([run["scheduler"] for run in model["runs"]], ["sequential", "nimble", "braid"])
        self.assertEqual(model["reference"], 2)
        for run in model["runs"]:
            spans = run["spans"]
            self.assertTrue(all(len(spans[column]) == len(spans["node"])
                                for column in ("stream", "part", "parts", "begin_ns", "end_ns", "kernel")))
            for span, other in zip(spans["waiting"], spans["waits_for"]):
                self.assertGreaterEqual(spans["begin_ns"][span], spans["end_ns"][other])
            self.assertLessEqual(run["path_us"], run["end_us"] + 1e-3)
            self.assertLessEqual(run["peak_bytes"], run["arena_bytes"])
            self.assertEqual(max(run["memory"]["value"]), run["peak_bytes"])
            self.assertLessEqual(run["ratio_low"], run["ratio_high"])
            self.assertEqual(len(run["usage"]), 3)

    def test_the_same_command_gives_the_same_data(self):
        again = json.loads(braid("report", self.model, "--device", "sim:a100", "--schedulers", "sequential,nimble,braid",
                                 "--json", "-").stdout)
        self.assertEqual(again["models"], self.data["models"])

    def test_svg_files_are_well_formed(self):
        names = {"{http://www.w3.org/2000/svg}" + name
                 for name in ("svg", "style", "defs", "linearGradient", "stop", "g", "rect", "path", "line", "text", "tspan",
                              "title")}
        for file in ("timeline.svg", "graph.svg"):
            root = xml.parse(self.path / file).getroot()
            self.assertLessEqual({element.tag for element in root.iter()}, names, file)
            text = " ".join(root.itertext())
            self.assertIn("</script><script>", text)
            self.assertIn("branch_2/conv_0", text)

    def test_dot_has_every_node_and_balanced_quotes(self):
        lines = (self.path / "graph.dot").read_text().splitlines()
        nodes = [line for line in lines if "[label=" in line]
        self.assertEqual(len(nodes), len(self.data["models"][0]["nodes"]["name"]))
        for line in lines:
            self.assertEqual(line.replace("\\\\", "").replace('\\"', "").count('"') % 2, 0, line)
        self.assertTrue(any("style=dashed" in line for line in lines))

    def test_measured_on_the_cpu(self):
        data = json.loads(braid("report", self.model, "--threads", 2, "--schedulers", "sequential,braid", "--iterations",
                                3, "--no-profile-cache", "--json", "-").stdout)
        self.assertFalse(data["simulated"])
        for run in data["models"][0]["runs"]:
            self.assertEqual(run["samples"], 3)
            self.assertEqual([series["name"] for series in run["usage"]], ["lanes at work"])
            self.assertGreater(len(run["spans"]["node"]), 5)
            self.assertTrue(all(0 <= value <= 1.0001 for value in run["usage"][0]["value"]))

    def test_a_loaded_plan_is_drawn_too(self):
        plan = self.path / "plan.json"
        braid("plan", self.model, "--device", "sim:a100", "--scheduler", "opara", "-o", plan)
        runs = json.loads(braid("report", self.model, "--device", "sim:a100", "--schedulers", "sequential",
                                "--load-plan", plan, "--json", "-").stdout)["models"][0]["runs"]
        self.assertEqual([(run["scheduler"], run["plan_by"]) for run in runs],
                         [("sequential", "sequential"), ("loaded", "opara")])

    def test_wrong_usage(self):
        self.assertIn("one model", braid("report", self.model, self.model, "--svg", self.path / "x.svg", code=2).stderr)
        self.assertIn("wishful", braid("report", self.model, "--schedulers", "wishful", code=2).stderr)
        braid("report", self.model, "--device", "sim:a100", "-o", self.path / "no" / "folder.html", code=2)
        self.assertEqual([file for file in self.path.iterdir() if "tmp" in file.name], [])


class Page(Shared):
    """What the reader does, and what the page then shows."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser(cls.page)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        super().tearDownClass()

    def setUp(self):
        self.browser.evaluate("scrollTo(0, 0); document.activeElement.blur(); braidReport.search('', true); "
                              "braidReport.fit(); braidReport.setCritical(true)")
        self.browser.mouse("mouseMoved", 2, 2)

    def view(self):
        return self.browser.evaluate("[braidReport.view.begin, braidReport.view.end]")

    def length(self):
        begin, end = self.view()
        return end - begin

    def at_span(self, run, span):
        """The middle of a bar on the screen; scrolls there."""
        return self.browser.evaluate(f"""(() => {{
          const plot = braidReport.plots[{run}];
          plot.canvas.scrollIntoView({{block: 'center'}});
          const box = plot.canvas.getBoundingClientRect();
          const {{begin, end}} = braidReport.view;
          const middle = (plot.run.begin[{span}] + plot.run.end[{span}]) / 2;
          return [box.left + GUTTER + (middle - begin) / (end - begin) * (box.width - GUTTER - MARGIN),
                  box.top + plot.rowTop(plot.run.spans.stream[{span}]) + plot.rowHeight / 2];
        }})()""")

    def span_of(self, run, name):
        spans = self.data["models"][0]["runs"][run]["spans"]
        node = self.data["models"][0]["nodes"]["name"].index(name)
        return spans["node"].index(node)

    def tip(self):
        return self.browser.evaluate("document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText")

    def pixels(self, run):
        return self.browser.evaluate(f"braidReport.plots[{run}].canvas.toDataURL()")

    def test_says_what_it_is(self):
        text = self.browser.evaluate("document.body.innerText")
        for words in ("branches.onnx", "sim:a100", "simulated", "braid report", self.data["braid"], "NVIDIA A100",
                      "reference", "no GPU took part"):
            self.assertIn(words, text)
        rows = self.browser.evaluate("[...document.querySelectorAll('#table tbody tr')].map((row) => row.innerText)")
        self.assertEqual(len(rows), 3)
        for row, run in zip(rows, self.data["models"][0]["runs"]):
            self.assertIn(run["verdict"], row)

    def test_names_do_no_harm(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertNotIn("owned", self.browser.evaluate("document.title"))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('img, body script:not([id])').length"), 1)
        x, y = self.at_span(0, self.span_of(0, self.data["models"][0]["nodes"]["name"][1]))
        self.browser.mouse("mouseMoved", x, y)
        names = [name for name in self.data["models"][0]["nodes"]["name"] if "owned" in name]
        self.assertEqual(len(names), 1)
        x, y = self.at_span(0, self.span_of(0, names[0]))
        self.browser.mouse("mouseMoved", x, y)
        self.assertIn("</script><script>", self.tip())
        self.assertEqual(self.browser.complaints(), [])

    def test_the_policy_lets_no_script_in(self):
        self.browser.evaluate("(() => { const s = document.createElement('script'); s.textContent = 'window.owned = 1'; "
                              "document.body.append(s); s.remove(); })()")
        self.assertIsNone(self.browser.evaluate("window.owned"))
        self.browser.events.clear()  # it complained about that, as it should

    def test_hover_tells_about_an_operator(self):
        run = self.data["models"][0]["runs"][2]
        span = self.span_of(2, "join")
        x, y = self.at_span(2, span)
        self.browser.mouse("mouseMoved", x, y)
        tip = self.tip()
        for words in ("Concat", "join", "kernel", "stream", "start", "duration", "idle before"):
            self.assertIn(words, tip)
        duration = (run["spans"]["end_ns"][span] - run["spans"]["begin_ns"][span]) / 1e3
        self.assertIn(f"{duration:.2f} µs" if duration < 10 else f"{duration:.1f} µs", tip)
        if span in run["spans"]["waiting"]:
            self.assertIn("waits for", tip)
        self.browser.mouse("mouseMoved", 2, 2)
        self.assertEqual(self.tip(), "")

    def test_wheel_zooms_around_the_pointer(self):
        whole = self.length()
        x, y = self.at_span(0, self.span_of(0, "join"))
        self.browser.wheel(x, y, -200)
        self.assertEqual(self.length(), whole, "without Ctrl the wheel is the page's until a timeline is clicked")
        x, y = self.at_span(0, self.span_of(0, "join"))
        before = self.browser.evaluate(f"braidReport.timeAt(braidReport.plots[0].canvas, {{clientX: {x}}})")
        self.browser.wheel(x, y, -200, CTRL)
        self.assertLess(self.length(), 0.8 * whole)
        after = self.browser.evaluate(f"braidReport.timeAt(braidReport.plots[0].canvas, {{clientX: {x}}})")
        self.assertAlmostEqual(before, after, delta=whole / 1000)
        self.browser.wheel(x, y, 2000, CTRL)
        self.assertEqual(self.view(), [0, whole])
        self.browser.click(x, y)
        self.browser.wheel(x, y, -200)
        self.assertLess(self.length(), 0.8 * whole)

    def test_dragging_moves_and_shift_zooms(self):
        whole = self.length()
        x, y = self.at_span(0, self.span_of(0, "join"))
        self.browser.evaluate("braidReport.setView(0, braidReport.model.endNs / 4)")
        x, y = self.browser.evaluate("(() => { const box = braidReport.plots[0].canvas.getBoundingClientRect(); "
                                     "return [box.left + 700, box.top + 10]; })()")
        self.browser.drag(x, y, x - 200, y)
        begin, end = self.view()
        self.assertGreater(begin, 0)
        self.assertAlmostEqual(end - begin, whole / 4, delta=1)
        self.browser.evaluate("braidReport.fit()")
        self.browser.drag(x - 100, y, x + 100, y, SHIFT)
        self.assertLess(self.length(), whole / 3)
        axis_x, axis_y = self.browser.evaluate("(() => { document.getElementById('axis').scrollIntoView(); const box = "
                                               "document.getElementById('axis').getBoundingClientRect(); return "
                                               "[box.left + 300, box.top + 10]; })()")
        before = self.length()
        self.browser.drag(axis_x, axis_y, axis_x + 200, axis_y)
        self.assertLess(self.length(), before / 2)

    def test_double_click_fills_the_window_with_an_operator(self):
        span = self.span_of(0, "join")
        x, y = self.at_span(0, span)
        self.browser.click(x, y)
        self.browser.click(x, y, count=2)
        spans = self.data["models"][0]["runs"][0]["spans"]
        self.assertAlmostEqual(self.length(), 3 * (spans["end_ns"][span] - spans["begin_ns"][span]), delta=2)

    def test_search_finds_in_all_timelines(self):
        before = [self.pixels(run) for run in range(3)]
        self.browser.key("/")
        self.browser.write("concat")
        self.assertEqual(self.browser.evaluate("braidReport.found"), {"nodes": 1, "spans": [1, 1, 1]})
        self.assertIn("1 nodes", self.browser.evaluate("document.getElementById('found').textContent"))
        for run in range(3):
            self.assertNotEqual(self.pixels(run), before[run])
        self.browser.key("Enter")
        self.assertEqual(self.browser.evaluate("braidReport.state.chosen.span"), self.span_of(2, "join"))
        self.browser.key("Escape")
        self.assertEqual(self.browser.evaluate("document.getElementById('search').value"), "")
        self.browser.mouse("mouseMoved", 2, 2)
        self.browser.evaluate("braidReport.choose(braidReport.plots[0], -1)")
        self.browser.settle()
        self.assertEqual([self.pixels(run) for run in range(3)], before)

    def test_keys_do_what_the_pointer_does(self):
        whole = self.length()
        self.browser.evaluate("braidReport.plots[1].canvas.focus()")
        self.browser.key("+")
        self.assertAlmostEqual(self.length(), whole / 2, delta=1)
        begin = self.view()[0]
        self.browser.key("d")
        self.assertGreater(self.view()[0], begin)
        self.browser.key("0")
        self.assertEqual(self.view(), [0, whole])
        for key in ("ArrowRight", "ArrowRight"):
            self.browser.key(key)
        self.assertEqual(self.browser.evaluate("braidReport.state.chosen.span"), 1)
        self.assertIn("duration", self.browser.evaluate("document.getElementById('spoken').textContent"))
        self.browser.key("ArrowDown")
        self.assertEqual(self.browser.evaluate("(({plot, span}) => plot.run.spans.stream[span])(braidReport.state.chosen)"), 1)
        self.browser.key("Escape")
        self.assertEqual(self.tip(), "")

    def test_the_critical_path_can_be_switched_off(self):
        with_path = self.pixels(2)
        self.browser.key("c")
        self.assertFalse(self.browser.evaluate("document.getElementById('critical').checked"))
        self.assertNotEqual(self.pixels(2), with_path)
        self.browser.key("c")
        self.assertEqual(self.pixels(2), with_path)

    def test_dark_and_light_and_print(self):
        light = self.pixels(0)
        self.browser.media(scheme="dark")
        self.assertNotEqual(self.pixels(0), light)
        ground = "getComputedStyle(document.body).backgroundColor"
        self.assertEqual(self.browser.evaluate(ground), "rgb(20, 23, 27)")
        pdf = self.browser.send("Page.printToPDF", printBackground=True)["data"]
        self.assertGreater(len(pdf), 10_000)
        self.browser.media(scheme="light")
        self.assertEqual(self.browser.evaluate(ground), "rgb(255, 255, 255)")
        self.assertEqual(self.pixels(0), light)

    def test_the_label_of_a_peak_lies_on_no_line(self):
        for begin, end in ((0, 1), (0.3, 0.7), (0, 0.05)):
            self.browser.evaluate(f"braidReport.setView({begin} * braidReport.model.endNs, {end} * braidReport.model.endNs)")
            self.browser.settle()
            for run in range(3):
                crossed = self.browser.evaluate(LABEL_CROSSES.format(run=run))
                self.assertIn(crossed, ([], None), f"run {run} from {begin} to {end}")
                self.assertFalse(crossed is None and end == 1, "the peak of the whole run is drawn")

    def test_nothing_to_complain_about(self):
        self.browser.open(self.page)
        self.assertEqual(self.browser.complaints(), [])


class OptimisedPage(unittest.TestCase):
    """A report on a model as it is given and as it is optimised."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        path = pathlib.Path(cls.folder.name)
        grouped(path / "grouped.onnx")
        cls.page = path / "report.html"
        braid("report", path / "grouped.onnx", "--device", "sim:a100", "--schedulers", "sequential,braid", "--optimise",
              "--optimise-seconds", 2, "-o", cls.page, "--json", path / "report.json", "--svg", path / "timeline.svg",
              "--dot", path / "graph.dot")
        cls.data = json.loads((path / "report.json").read_text())["models"][0]

    def test_json_has_both_graphs(self):
        runs = self.data["runs"]
        self.assertEqual([(run["scheduler"], run["optimised"]) for run in runs],
                         [("sequential", False), ("sequential", True), ("braid", False), ("braid", True)])
        self.assertEqual(self.data["reference"], 2)
        found = self.data["optimised"]
        self.assertTrue(found["rules"], found["reason"])
        for figure in ("critical_path_us", "sum_us", "width"):
            self.assertGreater(found[figure]["before"], 0)
        for run in runs:
            nodes = found["nodes"] if run["optimised"] else self.data["nodes"]
            self.assertLess(max(run["spans"]["node"]), len(nodes["name"]))

    def test_the_page_shows_both_and_what_was_rewritten(self):
        with Browser(self.page) as browser:
            text = browser.evaluate("document.body.innerText")
            for words in ("braid, as given", "braid, optimised", "What was rewritten", "critical path", *self.data["optimised"]["rules"]):
                self.assertIn(words, text)
            self.assertEqual(browser.evaluate("braidReport.plots.length"), 4)
            browser.evaluate("document.getElementById('search').focus()")
            browser.write("conv")
            self.assertTrue(all(browser.evaluate("braidReport.found.spans")))
            browser.evaluate("braidReport.choose(braidReport.plots[3], 0)")
            self.assertIn(self.data["optimised"]["nodes"]["name"][self.data["runs"][3]["spans"]["node"][0]],
                          browser.evaluate("document.getElementById('tip').innerText"))
            self.assertEqual(browser.complaints(), [])


    def test_the_table_fits_a_common_window(self):
        with Browser(self.page, width=1400) as browser:
            table, room = browser.evaluate("(() => { const table = document.getElementById('table'); "
                                           "return [table.offsetWidth, table.parentElement.clientWidth]; })()")
            self.assertLessEqual(table, room)


class UnchangedPage(unittest.TestCase):
    """A report on a model that no rule makes faster."""

    def test_what_was_not_rewritten_is_drawn_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            row(path / "row.onnx")
            braid("report", path / "row.onnx", "--device", "sim:a100", "--schedulers", "sequential,braid", "--optimise",
                  "--optimise-seconds", 1, "-o", path / "report.html", "--json", path / "report.json", "--svg",
                  path / "timeline.svg")
            model = json.loads((path / "report.json").read_text())["models"][0]
            self.assertEqual([(run["scheduler"], run["optimised"]) for run in model["runs"]],
                             [("sequential", False), ("braid", False)])
            self.assertEqual(model["optimised"]["rules"], {})
            self.assertTrue(model["optimised"]["reason"])
            self.assertNotIn("as given", (path / "timeline.svg").read_text())
            with Browser(path / "report.html") as browser:
                self.assertEqual(browser.evaluate("braidReport.plots.length"), 2)
                text = browser.evaluate("document.body.innerText")
                self.assertIn("No rule was used", text)
                self.assertNotIn(", as given", text)
                self.assertTrue(browser.evaluate("document.getElementById('figures').hidden"))
                self.assertEqual(browser.complaints(), [])


class GraphPicture(unittest.TestCase):
    """`--graph-svg`, as a browser draws it."""

    def test_words_stay_in_their_boxes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            for make in (branches, wide_names):
                make(path / "m.onnx")
                braid("report", path / "m.onnx", "--device", "sim:a100", "--schedulers", "opara", "--graph-svg",
                      path / "graph.svg")
                with Browser(path / "graph.svg") as browser:
                    self.assertGreater(browser.evaluate("document.querySelectorAll('g text').length"), 6)
                    self.assertEqual(browser.evaluate(STICKING_OUT), [])


class LargePage(unittest.TestCase):
    def test_many_operators_are_drawn_without_an_element_each(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "nasnet.html"
            braid("report", "zoo:nasnet-a-mobile", "zoo:squeezenet-1.1", "--device", "sim:a100", "--schedulers",
                  "sequential,opara,nimble", "-o", page)
            with Browser(page) as browser:
                self.assertGreater(browser.evaluate("braidReport.plots[0].run.count"), 500)
                self.assertLess(browser.evaluate("document.querySelectorAll('*').length"), 400)
                # What a frame costs is bounded by pixels: bars that share one are drawn once.
                bars = browser.evaluate("""(() => {
                  let calls = 0;
                  const fill = CanvasRenderingContext2D.prototype.fillRect;
                  CanvasRenderingContext2D.prototype.fillRect = function (...box) { ++calls; fill.apply(this, box); };
                  const plot = braidReport.plots[0];
                  plot.draw({begin: 0, end: 1000 * braidReport.model.endNs}, {...braidReport.state, critical: false});
                  CanvasRenderingContext2D.prototype.fillRect = fill;
                  return calls;
                })()""")
                self.assertLess(bars, 20)
                browser.evaluate("(() => { const box = document.getElementById('models'); box.value = 1; "
                                 "box.dispatchEvent(new Event('change')); })()")
                browser.settle()
                self.assertIn("squeezenet", browser.evaluate("document.querySelector('h1').innerText"))
                self.assertEqual(browser.complaints(), [])


if __name__ == "__main__":
    unittest.main()
