const GUTTER = 132;
const MARGIN = 14;
const STRIP = 46;
const GAP = 8;
const PEAK_ROOM = 14;  // above the lines of memory, for the label of its peak
const FONT = '11px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

/** Colours of the theme in force. */
function theme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ground: colour('ground'), ink: colour('ink'), faint: colour('faint'), line: colour('line'), row: colour('row'),
    accent: colour('accent'), critical: colour('critical'), memory: colour('memory'), rest: colour('rest'),
    usage: [colour('usage-1'), colour('usage-2'), colour('usage-3')],
  };
}

/** The picture of one run: a row per stream, what was in use, and memory, over the shared window of time. */
class Plot {
  constructor(model, run, canvas) {
    this.model = model;
    this.run = run;
    this.canvas = canvas;
    this.rowHeight = run.streams <= 8 ? 22 : run.streams <= 16 ? 16 : 12;
    this.usageTop = run.streams * this.rowHeight + GAP;
    this.memoryTop = this.usageTop + STRIP + GAP + PEAK_ROOM;
    this.height = this.memoryTop + STRIP + 4;
    canvas.style.height = `${this.height}px`;
  }

  x(ns) { return GUTTER + (ns - this.view.begin) * this.scale; }
  rowTop(stream) { return stream * this.rowHeight; }

  /** The span at a place of the canvas; -1 if there is none. */
  spanAt(x, y, view) {
    const stream = Math.floor(y / this.rowHeight);
    if (x < GUTTER || stream < 0 || stream >= this.run.streams) return -1;
    const width = this.canvas.clientWidth - GUTTER - MARGIN;
    const nsPerPixel = (view.end - view.begin) / width;
    const at = view.begin + (x - GUTTER) * nsPerPixel;
    const row = this.run.rows[stream];
    // A span of less than a pixel can be met as well.
    const span = firstAfter(this.run, row, at - nsPerPixel);
    return span < row.last && this.run.begin[span] <= at + nsPerPixel ? span : -1;
  }

  draw(view, state) {
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    this.view = view;
    this.colours = state.colours;
    this.scale = (width - GUTTER - MARGIN) / (view.end - view.begin);
    this.right = width - MARGIN;
    const context = prepared(this.canvas, width, this.height);
    this.context = context;
    this.drawRows();
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, this.right - GUTTER, this.height);
    context.clip();
    this.drawSpans(state);
    context.globalAlpha = state.searching ? 0.25 : 1;
    if (state.critical) this.drawPath();
    context.globalAlpha = 1;
    this.drawUsage();
    this.drawMemory();
    if (state.chosen && state.chosen.plot === this) this.drawChosen(state.chosen.span);
    this.drawCursor(state.cursorNs);
    context.restore();
    this.drawLabels();
  }

  drawRows() {
    const {context, colours, run} = this;
    context.fillStyle = colours.row;
    for (let stream = 0; stream < run.streams; ++stream)
      context.fillRect(GUTTER, this.rowTop(stream) + 1, this.right - GUTTER, this.rowHeight - 2);
    context.fillRect(GUTTER, this.usageTop, this.right - GUTTER, STRIP);
    context.fillRect(GUTTER, this.memoryTop, this.right - GUTTER, STRIP);
  }

  drawSpans(state) {
    for (let stream = 0; stream < this.run.streams; ++stream) {
      this.drawRow(stream, () => true, state.searching ? 0.18 : 1);
      if (state.searching) this.drawRow(stream, (span) => this.run.isMatch[span] === 1, 1, this.colours.accent);
    }
  }

  /** Bars of a row; those that are too narrow for their own colour to be seen get that of `narrow`, if given. */
  drawRow(stream, wanted, alpha, narrow) {
    const {context, run, view} = this;
    const row = run.rows[stream];
    const top = this.rowTop(stream) + 1;
    const height = this.rowHeight - 2;
    let drawnTo = -1;  // pixels that already show something
    context.globalAlpha = alpha;
    context.font = FONT;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    for (let span = firstAfter(run, row, view.begin); span < row.last && run.begin[span] < view.end; ++span) {
      if (!wanted(span)) continue;
      const left = this.x(run.begin[span]);
      const right = this.x(run.end[span]);
      if (right <= drawnTo) continue;
      const wide = right - left > 3;
      const least = narrow ? 2 : 1;
      context.fillStyle = narrow && !wide ? narrow : run.colour[span] || this.colours.rest;
      context.fillRect(left, top, Math.max(wide ? right - left - 0.6 : right - left, least), height);
      drawnTo = Math.max(right, left + least) - 0.25;
      if (right - left > 26 && height >= 10 && alpha === 1) this.drawName(span, Math.max(left, GUTTER), Math.min(right, this.right), top + height / 2);
    }
    context.globalAlpha = 1;
  }

  /** Operator and name of the node, or as much of that as there is room for. */
  drawName(span, left, right, middle) {
    const {context, run} = this;
    const node = run.spans.node[span];
    const room = right - left - 8;
    const [op, name] = [run.nodes.op[node], run.nodes.name[node]];
    const fits = (text) => text.length * 4 <= room && context.measureText(text).width <= room;
    const text = [`${op}  ${name}`, name, op].find(fits);
    if (text === undefined) return;
    context.fillStyle = '#15181c';
    context.fillText(text, left + 4, middle + 0.5);
  }

  /** A red line below the spans of the critical path, and thin ones where it goes from a stream to another. */
  drawPath() {
    const {context, run} = this;
    context.fillStyle = this.colours.critical;
    context.strokeStyle = this.colours.critical;
    context.lineWidth = 1;
    context.beginPath();
    let before = null;
    for (const piece of this.pathPieces()) {
      const bottom = this.rowTop(piece.stream) + this.rowHeight - 1;
      let drawnTo = -Infinity;
      for (const span of run.path.slice(piece.first, piece.last)) {
        const left = this.x(run.begin[span]);
        const right = this.x(run.end[span]);
        if (right <= drawnTo) continue;
        context.fillRect(left, bottom - 3, Math.max(right - left, 1), 3);
        drawnTo = Math.max(right, left + 1) - 0.25;
      }
      // Between pieces of but a few pixels, lines would hide everything.
      if (before && Math.max(before.end - before.begin, piece.end - piece.begin) * this.scale >= 6) {
        context.moveTo(this.x(before.end), this.rowTop(before.stream) + this.rowHeight - 2);
        context.lineTo(this.x(piece.begin), bottom - 1);
      }
      before = piece;
    }
    context.stroke();
  }

  /** The parts of the critical path that stay on one stream, of those in the window and one on either side. */
  pathPieces() {
    const {run, view} = this;
    const pieces = [];
    run.path.forEach((span, i) => {
      if (run.end[span] < view.begin || run.begin[span] > view.end) {
        const next = run.path[i + 1];
        const previous = run.path[i - 1];
        const touches = (other) => other !== undefined && run.end[other] >= view.begin && run.begin[other] <= view.end;
        if (!touches(next) && !touches(previous)) return;
      }
      const stream = run.spans.stream[span];
      const last = pieces.at(-1);
      if (last && last.stream === stream && last.last === i) Object.assign(last, {last: i + 1, end: run.end[span]});
      else pieces.push({stream, first: i, last: i + 1, begin: run.begin[span], end: run.end[span]});
    });
    return pieces;
  }

  drawUsage() {
    this.run.usage.forEach((series, i) => {
      const colour = this.colours.usage[i % this.colours.usage.length];
      this.drawSteps(series, this.usageTop, 1, colour, i === 0 ? 0.3 : 0, false);
    });
  }

  drawMemory() {
    const {context, run, model, colours} = this;
    this.drawSteps(run.memory, this.memoryTop, model.mostBytes, colours.memory, 0.35, true);
    const y = (bytes) => this.memoryY(bytes);
    context.strokeStyle = colours.faint;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(GUTTER, y(run.arena_bytes));
    context.lineTo(this.right, y(run.arena_bytes));
    context.stroke();
    context.setLineDash([]);
    const peak = run.memory.value.indexOf(run.memory.value.reduce((a, b) => Math.max(a, b), 0));
    if (peak < 0) return;
    const left = this.x(run.memory.at_ns[peak]);
    if (left < GUTTER || left > this.right) return;
    context.fillStyle = colours.critical;
    context.beginPath();
    context.arc(left, y(run.peak_bytes), 3.5, 0, 2 * Math.PI);
    context.fill();
    const text = `peak ${bytesText(run.peak_bytes)}`;
    context.font = FONT;
    const label = this.peakPlace(left, context.measureText(text).width);
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    context.fillStyle = colours.ink;
    context.fillText(text, label.left, (label.top + label.bottom) / 2);
  }

  memoryY(bytes) { return this.memoryTop + STRIP - (STRIP - 4) * bytes / this.model.mostBytes; }

  /** Where the label of the peak stands: above its dot, where there is no memory, and above the line of the arena if that is near. */
  peakPlace(x, width) {
    const half = 7;
    const arena = this.memoryY(this.run.arena_bytes);
    let middle = this.memoryY(this.run.peak_bytes) - 5 - half;
    if (middle - half < arena + 1) middle = Math.min(middle, arena - 2 - half);
    const left = Math.min(Math.max(x - width / 2, GUTTER + 2), this.right - width - 2);
    return {left, right: left + width, top: middle - half, bottom: middle + half};
  }

  /** A line over a strip: of each pixel the mean, or the most, of what the series says; filled if `fill` is above 0. */
  drawSteps(series, top, whole, colour, fill, most) {
    const {context, run} = this;
    const bottom = top + STRIP;
    const left = Math.max(Math.floor(this.x(0)), GUTTER);
    const columns = this.columns(series, left, Math.min(Math.ceil(this.x(run.endNs)), this.right), most);
    context.beginPath();
    context.moveTo(left, bottom);
    columns.forEach((value, i) => {
      const y = bottom - (STRIP - 4) * Math.min(1, value / whole);
      context.lineTo(left + i, y);
      context.lineTo(left + i + 1, y);
    });
    context.lineTo(left + columns.length, bottom);
    context.strokeStyle = colour;
    context.lineWidth = 1.25;
    context.stroke();
    context.lineWidth = 1;
    if (fill === 0) return;
    context.globalAlpha = fill;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
  }

  columns(series, left, right, most) {
    const {run, view} = this;
    const values = new Float64Array(Math.max(0, right - left));
    for (let i = firstPoint(series.at_ns, view.begin); i < series.at_ns.length && series.at_ns[i] <= view.end; ++i) {
      const begin = Math.max(this.x(series.at_ns[i]) - left, 0);
      const end = Math.min(this.x(i + 1 < series.at_ns.length ? series.at_ns[i + 1] : run.endNs) - left, values.length);
      for (let column = Math.floor(begin); column < end; ++column) {
        const share = Math.min(end, column + 1) - Math.max(begin, column);
        if (most) values[column] = Math.max(values[column], series.value[i]);
        else values[column] += share * series.value[i];
      }
    }
    return values;
  }

  /** A frame around the span, and lines from what it had to wait for. */
  drawChosen(span) {
    const {context, run, colours} = this;
    const top = (one) => this.rowTop(run.spans.stream[one]) + 1;
    const frame = (one, width) => {
      context.lineWidth = width;
      const left = this.x(run.begin[one]);
      context.strokeRect(left, top(one), Math.max(this.x(run.end[one]) - left, 2), this.rowHeight - 2);
    };
    context.strokeStyle = colours.accent;
    for (const other of run.waitsOf.get(span) || []) {
      frame(other, 1.5);
      context.beginPath();
      context.moveTo(this.x(run.end[other]), top(other) + this.rowHeight / 2);
      context.lineTo(this.x(run.begin[span]), top(span) + this.rowHeight / 2);
      context.stroke();
    }
    context.strokeStyle = colours.ink;
    frame(span, 2);
    context.lineWidth = 1;
  }

  drawCursor(ns) {
    if (ns === null) return;
    const {context, colours} = this;
    context.strokeStyle = colours.faint;
    context.beginPath();
    context.moveTo(Math.round(this.x(ns)) + 0.5, 0);
    context.lineTo(Math.round(this.x(ns)) + 0.5, this.height);
    context.stroke();
  }

  drawLabels() {
    const {context, colours, run, model} = this;
    context.font = FONT;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    context.fillStyle = colours.faint;
    const step = this.rowHeight >= 12 ? 1 : 2;
    for (let stream = 0; stream < run.streams; stream += step)
      context.fillText(`${model.streamWord} ${stream}`, GUTTER - 8, this.rowTop(stream) + this.rowHeight / 2);
    run.usage.forEach((series, i) => {
      const top = this.usageTop + STRIP * (i + 0.5) / run.usage.length;
      context.fillStyle = colours.usage[i % colours.usage.length];
      context.fillText(series.name, GUTTER - 8, top);
    });
    context.fillStyle = colours.memory;
    context.fillText('arena in use', GUTTER - 8, this.memoryTop + 12);
    context.fillStyle = colours.faint;
    context.fillText(`of ${bytesText(run.arena_bytes)}`, GUTTER - 8, this.memoryTop + 28);
  }
}

/** The canvas at the screen's resolution, cleared; one unit is one CSS pixel. */
function prepared(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const size = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== size[0]) canvas.width = size[0];
  if (canvas.height !== size[1]) canvas.height = size[1];
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** The time axis that all plots share. */
function drawAxis(canvas, view, state) {
  const width = canvas.clientWidth;
  const context = prepared(canvas, width, 24);
  const scale = (width - GUTTER - MARGIN) / (view.end - view.begin);
  const x = (ns) => GUTTER + (ns - view.begin) * scale;
  const step = tickNs((view.end - view.begin) / Math.max(2, (width - GUTTER) / 110));
  context.font = FONT;
  context.textBaseline = 'middle';
  context.strokeStyle = state.colours.line;
  context.fillStyle = state.colours.faint;
  for (let tick = Math.ceil(view.begin / step); tick * step <= view.end; ++tick) {
    const at = x(tick * step);
    context.textAlign = at > width - 60 ? 'right' : at < GUTTER + 30 ? 'left' : 'center';
    context.fillText(tickText(tick * step, step), at, 10);
    context.beginPath();
    context.moveTo(at, 18);
    context.lineTo(at, 24);
    context.stroke();
  }
  context.fillStyle = state.colours.accent;
  context.globalAlpha = 0.25;
  if (state.range) context.fillRect(x(Math.min(...state.range)), 0, Math.abs(state.range[1] - state.range[0]) * scale, 24);
  context.globalAlpha = 1;
  if (state.cursorNs === null) return;
  const text = timeText(state.cursorNs);
  const half = context.measureText(text).width / 2 + 5;
  const middle = Math.min(Math.max(x(state.cursorNs), GUTTER + half), width - half);
  context.fillStyle = state.colours.accent;
  context.fillRect(middle - half, 2, 2 * half, 16);
  context.fillStyle = state.colours.ground;
  context.textAlign = 'center';
  context.fillText(text, middle, 10.5);
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
function tickNs(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least);
}

function tickText(ns, step) {
  if (ns === 0) return '0';
  const [unit, name] = step >= 1e5 ? [1e6, 'ms'] : [1e3, 'µs'];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
  return `${(ns / unit).toFixed(digits)} ${name}`;
}
