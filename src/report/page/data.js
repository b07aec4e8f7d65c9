'use strict';

// Colours for operators, from the one that takes most time on. Dark text is readable on all of them.
const PALETTE = ['#74aef0', '#f5b461', '#82cc86', '#ee9393', '#bda4ea', '#7fd1d1', '#eaa9d2', '#d3c25c', '#cda283', '#a9c0d6'];

/** The report's data with what the page needs to look things up quickly. */
function decode(data) {
  for (const model of data.models) {
    model.rewritten = model.runs.some((run) => run.optimised);
    for (const graph of [model, model.optimised]) if (graph) graph.text = searchText(graph.nodes);
    model.runs.forEach((run) => decodeRun(model, run));
    model.endNs = Math.max(1, ...model.runs.map((run) => run.endNs));
    model.mostBytes = Math.max(1, ...model.runs.map((run) => run.arena_bytes));
  }
  return data;
}

function searchText({name, op, implementation}) {
  return name.map((one, i) => `${one}\n${op[i]}\n${implementation[i]}`.toLowerCase());
}

function decodeRun(model, run) {
  const spans = run.spans;
  run.graph = run.optimised ? model.optimised : model;
  run.nodes = run.graph.nodes;
  run.label = run.scheduler + (model.rewritten ? (run.optimised ? ', optimised' : ', as given') : '');
  run.count = spans.node.length;
  run.begin = Float64Array.from(spans.begin_ns);
  run.end = Float64Array.from(spans.end_ns);
  run.endNs = run.end.reduce((most, end) => Math.max(most, end), 0);
  run.isCritical = new Uint8Array(run.count);
  for (const span of run.path) run.isCritical[span] = 1;
  run.isMatch = new Uint8Array(run.count);
  run.kernelText = spans.kernels.map((name) => name.toLowerCase());
  // Spans come stream by stream: a row is a range of them.
  run.rows = Array.from({length: run.streams}, () => ({first: 0, last: 0}));
  for (let i = 0; i < run.count; ++i) {
    const row = run.rows[spans.stream[i]];
    if (row.last === 0) row.first = i;
    row.last = i + 1;
  }
  run.waitsOf = new Map();
  spans.waiting.forEach((span, i) => {
    if (!run.waitsOf.has(span)) run.waitsOf.set(span, []);
    run.waitsOf.get(span).push(spans.waits_for[i]);
  });
}

/** Colours the spans of all runs by operator or by kernel; the kinds that take most time in the reference come first. */
function colourBy(model, what) {
  const kindOf = (run, span) => (what === 'kernel' ? kernelOf(run, span) : run.nodes.op[run.spans.node[span]]);
  const times = new Map();
  const reference = model.runs[model.reference];
  for (let i = 0; i < reference.count; ++i) {
    const kind = kindOf(reference, i);
    times.set(kind, (times.get(kind) || 0) + reference.end[i] - reference.begin[i]);
  }
  const total = [...times.values()].reduce((a, b) => a + b, 0) || 1;
  const kinds = [...times].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const shown = kinds.filter(([, time]) => time / total >= 0.0005).slice(0, PALETTE.length);
  model.legend = shown.map(([kind, time], i) => ({kind, share: time / total, colour: PALETTE[i]}));
  const rest = kinds.slice(shown.length).reduce((sum, entry) => sum + entry[1], 0);
  if (kinds.length > shown.length) model.legend.push({kind: null, share: rest / total, colour: null});
  const colours = new Map(model.legend.map((entry) => [entry.kind, entry.colour]));
  for (const run of model.runs)
    run.colour = Array.from({length: run.count}, (_, span) => colours.get(kindOf(run, span)) || null);
}

/** The first span of a row that ends after the moment. */
function firstAfter(run, row, ns) {
  let low = row.first;
  let high = row.last;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.end[middle] > ns) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The last point of a series at or before the moment; 0 if there is none. */
function firstPoint(at, ns) {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle] > ns) high = middle;
    else low = middle + 1;
  }
  return Math.max(0, low - 1);
}

/** What the span had to come after: of its own stream and of others, the one that ended last; -1 if nothing. */
function heldBy(run, span) {
  const stream = run.spans.stream[span];
  let last = span > run.rows[stream].first ? span - 1 : -1;
  for (const other of run.waitsOf.get(span) || [])
    if (last < 0 || run.end[other] > run.end[last]) last = other;
  return last;
}

function kernelOf(run, span) {
  const kernel = run.spans.kernel[span];
  return kernel >= 0 ? run.spans.kernels[kernel] : run.nodes.implementation[run.spans.node[span]];
}

function timeText(ns) {
  const us = ns / 1e3;
  if (us >= 1e6) return `${(us / 1e6).toFixed(3)} s`;
  if (us >= 1e3) return `${(us / 1e3).toFixed(3)} ms`;
  return `${us.toFixed(us < 10 ? 2 : 1)} µs`;
}

function bytesText(bytes) {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`;
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  if (bytes >= 1e3) return `${(bytes / 1e3).toFixed(1)} kB`;
  return `${bytes} B`;
}

function percent(share) {
  if (share > 0 && share < 0.0005) return '< 0.1 %';
  return `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`;
}

/** The mean of a series over the run. */
function meanOf(series, endNs) {
  let sum = 0;
  for (let i = 0; i < series.at_ns.length; ++i) {
    const end = i + 1 < series.at_ns.length ? series.at_ns[i + 1] : endNs;
    sum += series.value[i] * (end - series.at_ns[i]);
  }
  return endNs > 0 ? sum / endNs : 0;
}
