function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function drawing(name, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Dot and whiskers on a common scale that has 1 in it. */
function interval(run, least, most) {
  const x = (ratio) => 4 + 172 * (ratio - least) / (most - least);
  const svg = drawing('svg', {viewBox: '0 0 180 16', class: 'interval', role: 'img'});
  svg.append(
    drawing('line', {x1: 0, x2: 180, y1: 15, y2: 15, class: 'axis'}),
    drawing('line', {x1: x(1), x2: x(1), y1: 0, y2: 16, class: 'one'}),
    drawing('line', {x1: x(run.ratio_low), x2: x(run.ratio_high), y1: 8, y2: 8, class: 'span'}),
    drawing('circle', {cx: x(run.ratio), cy: 8, r: 3.5, class: 'dot'}));
  return svg;
}

function fillTable(table, data, model) {
  const reference = model.runs[model.reference];
  const milliseconds = (us) => (us / 1e3).toFixed(us < 1e4 ? 3 : 2);
  const head = element('tr');
  for (const [title, className] of [
    ['scheduler'], ['time, ms'], [data.simulated ? '10–90 %' : '10–50 %'], [`÷ ${reference.label}`],
    [data.simulated ? '10–90 %' : '95 %'], [''], ['verdict', 'words'], ['streams'], ['waits'], ['arena'],
    [model.runs[0].usage[0] ? model.runs[0].usage[0].name : 'in use'], ['critical path']])
    head.append(element('th', title, className));
  const body = element('tbody');
  const least = Math.min(1, ...model.runs.map((run) => run.ratio_low));
  const most = Math.max(1, ...model.runs.map((run) => run.ratio_high), least + 0.1);
  for (const run of model.runs) {
    const isReference = run === reference;
    const row = element('tr', undefined, isReference ? 'reference' : '');
    const picture = element('td');
    if (!isReference) picture.append(interval(run, least, most));
    const meaning = {slower: 'worse', faster: 'better'}[run.verdict] || '';
    row.append(
      element('td', run.label),
      element('td', milliseconds(run.time_us)),
      element('td', `${milliseconds(run.time_low_us)}–${milliseconds(run.time_high_us)}`, 'small'),
      element('td', isReference ? '1' : run.ratio.toFixed(3)),
      element('td', isReference ? '' : `${run.ratio_low.toFixed(3)}–${run.ratio_high.toFixed(3)}`, 'small'),
      picture,
      element('td', isReference ? 'reference' : run.verdict, `words ${meaning}`),
      element('td', run.streams), element('td', run.waits), element('td', bytesText(run.arena_bytes)),
      element('td', run.usage[0] ? percent(meanOf(run.usage[0], run.endNs)) : ''),
      element('td', percent(run.path_us / (run.end_us || 1))));
    body.append(row);
  }
  const top = element('thead');
  top.append(head);
  table.replaceChildren(top, body);
}

/** What a search made of the graph: figures before and after, and the rules it used. */
function fillRewriting(table, list, note, {critical_path_us, sum_us, width, rules, reason}) {
  const head = element('tr');
  for (const title of ['', 'as given', 'optimised', 'change']) head.append(element('th', title));
  const body = element('tbody');
  const us = (value) => timeText(value * 1e3);
  const signed = (change, text) => `${change > 0 ? '+' : change < 0 ? '−' : ''}${text(Math.abs(change))}`;
  const share = ({before, after}) => signed(before > 0 ? after / before - 1 : 0, (change) => `${(change * 100).toFixed(1)} %`);
  for (const [name, figure, text, change] of [
    ['critical path', critical_path_us, us, share], ['sum of operators', sum_us, us, share],
    ['side by side at most', width, String, ({before, after}) => signed(after - before, String)]]) {
    const row = element('tr');
    row.append(element('td', name), element('td', text(figure.before)), element('td', text(figure.after)),
      element('td', change(figure)));
    body.append(row);
  }
  const top = element('thead');
  top.append(head);
  table.replaceChildren(top, body);
  list.replaceChildren(...Object.entries(rules).map(([name, count]) => {
    const item = element('li');
    item.append(element('code', name), ` × ${count}`);
    return item;
  }));
  const meanings = 'The critical path is a lower bound of any Plan\'s time: operators that need one another cannot overlap, however fast ' +
    'each is alone. The sum is that of all operators one after another, none cut.';
  note.textContent = Object.keys(rules).length > 0
    ? `Rules used, and how often. Why this graph was kept: ${reason}. Outputs are those of the graph as given, up to rounding. ${meanings}`
    : `No rule was used; the graph is as it was given, and is drawn once: ${reason}.`;
}

function tableNote(data, model) {
  const {label} = model.runs[model.reference];
  const name = model.rewritten ? `“${label}”` : label;
  const ratios = `Ratios are the row's time over that of ${name}: above 1, ${name} is faster.`;
  if (data.simulated)
    return `Simulated: no GPU took part. Times are the median over ${model.runs[0].samples} perturbed models of the device, with ` +
      `their 10th to 90th percentile. ${ratios} A difference that fewer than nine of ten of these models see, or one below 5 %, ` +
      'is called a tie. “Critical path” is the share of the timeline that its steps fill; the rest of it waits.';
  return `Measured: 20th percentile of ${model.runs[0].samples} single inferences each, with the 10th and 50th; the schedulers took ` +
    `turns, so that a machine that drifts drifts for all. ${ratios} The interval is a 95 % bootstrap; if it holds 1, the row is a ` +
    `tie. ${model.runs[0].samples < 10 ? 'These are too few runs to tell: --iterations and --duration ask for more. ' : ''}` +
    '“Critical path” is the share of the timeline that its steps fill; the rest of it waits.';
}
