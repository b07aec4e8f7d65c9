const byId = (id) => document.getElementById(id);

/** The page: which model, which window of time, what is chosen; draws on the next frame whatever changed. */
class Page {
  constructor(data) {
    this.data = data;
    this.state = {colours: theme(), critical: true, searching: false, chosen: null, cursorNs: null, range: null};
    this.matchAt = -1;
    this.frame = 0;
    this.showHeader();
    this.showModel(data.models[0]);
    this.listen();
  }

  // --- what is shown ---

  showHeader() {
    const {data} = this;
    byId('device').textContent = `on ${data.device}`;
    byId('badge').textContent = data.simulated ? 'simulated' : 'measured';
    byId('badge').classList.toggle('simulated', data.simulated);
    const facts = [['Device', `${data.hardware}${data.simulated ? ' — simulated, not measured' : ''}`],
      ['Command', data.command], ['Braid', data.braid]];
    for (const [name, text] of facts) {
      const value = element('dd');
      value.append(name === 'Command' ? element('code', text) : text);
      byId('facts').append(element('dt', name), value);
    }
    if (data.models.length < 2) return;
    byId('model-choice').hidden = false;
    data.models.forEach((model, i) => byId('models').append(new Option(model.model, i)));
  }

  showModel(model) {
    this.model = model;
    model.streamWord = this.data.simulated ? 'stream' : 'lane';
    byId('model-name').textContent = model.model;
    fillTable(byId('table'), this.data, model);
    byId('table-note').textContent = tableNote(this.data, model);
    byId('rewriting').hidden = !model.optimised;
    byId('figures').hidden = !model.rewritten;
    if (model.optimised) fillRewriting(byId('figures'), byId('rules'), byId('rules-note'), model.optimised);
    byId('plots-note').textContent = (this.data.simulated
      ? 'Timelines: the nominal model of the device; each bar is a kernel. '
      : 'Timelines: one measured run of each Plan, the median of several traced ones; each bar is an operator or a part of it. ') +
      'The red line marks the critical path: from the last step back to the one, of those it had to wait for, that ended last. ' +
      'Memory is what the arena holds that is still needed; the dashed line is its size.';
    this.showLegend();
    this.plots = model.runs.map((run) => this.makePlot(run));
    byId('plots').replaceChildren(...this.plots.map((plot) => plot.canvas.parentElement));
    this.state.chosen = null;
    this.view = {begin: 0, end: model.endNs};
    this.search(byId('search').value);
  }

  makePlot(run) {
    const figure = element('figure');
    const caption = element('figcaption');
    caption.append(element('h3', run.label),
      element('span', `${timeText(run.end_us * 1e3)}${this.data.simulated ? ' simulated' : ''} on ${run.streams} ` +
        `${this.model.streamWord}${run.streams === 1 ? '' : 's'}, ${run.waits} waits`));
    if (run.plan_by !== run.scheduler.split(':')[0]) caption.append(element('span', `Plan by ${run.plan_by}`));
    if (run.kept) caption.append(element('span', run.kept));
    const canvas = element('canvas');
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'application');
    canvas.setAttribute('aria-label', `Timeline of ${run.label}; arrow keys go from operator to operator`);
    figure.append(caption, canvas);
    const plot = new Plot(this.model, run, canvas);
    this.listenTo(plot);
    return plot;
  }

  showLegend() {
    colourBy(this.model, byId('colour').value);
    byId('legend').replaceChildren(...this.model.legend.map(({kind, share, colour}) => {
      const item = element('li');
      const button = element('button');
      const swatch = element('span', '', 'swatch');
      swatch.style.background = colour || 'var(--rest)';
      button.type = 'button';
      button.append(swatch, element('span', kind === null ? 'others' : kind), element('span', percent(share), 'share'));
      if (kind === null) button.disabled = true;
      else button.addEventListener('click', () => this.search(byId('search').value === kind ? '' : kind, true));
      item.append(button);
      return item;
    }));
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    drawAxis(byId('axis'), this.view, this.state);
    for (const plot of this.plots) plot.draw(this.view, this.state);
    const {begin, end} = this.view;
    byId('window').textContent = `${timeText(begin)} to ${timeText(end)} of ${timeText(this.model.endNs)}`;
  }

  // --- the window of time ---

  setView(begin, end) {
    const most = this.model.endNs;
    const length = Math.min(Math.max(end - begin, Math.min(50, most)), most);
    const from = Math.min(Math.max(begin, 0), most - length);
    this.view = {begin: from, end: from + length};
    this.draw();
  }

  zoom(factor, around) {
    const {begin, end} = this.view;
    const middle = around === undefined ? (begin + end) / 2 : around;
    this.setView(middle - (middle - begin) * factor, middle + (end - middle) * factor);
  }

  move(share) {
    const by = (this.view.end - this.view.begin) * share;
    this.setView(this.view.begin + by, this.view.end + by);
  }

  fit() { this.setView(0, this.model.endNs); }

  /** Fills a good part of the window with the span. */
  zoomTo(plot, span) {
    const length = Math.max(plot.run.end[span] - plot.run.begin[span], 100);
    this.setView(plot.run.begin[span] - length, plot.run.end[span] + length);
  }

  reveal(plot, span) {
    const {begin, end} = this.view;
    if (plot.run.begin[span] >= begin && plot.run.end[span] <= end) return;
    const length = Math.max(end - begin, plot.run.end[span] - plot.run.begin[span]);
    const middle = (plot.run.begin[span] + plot.run.end[span]) / 2;
    this.setView(middle - length / 2, middle + length / 2);
  }

  // --- finding ---

  search(text, intoBox) {
    if (intoBox) byId('search').value = text;
    const wanted = text.trim().toLowerCase();
    this.state.searching = wanted !== '';
    this.matchAt = -1;
    const hits = new Map();
    for (const {run} of this.plots)
      if (!hits.has(run.graph)) hits.set(run.graph, run.graph.text.map((words) => wanted !== '' && words.includes(wanted)));
    const nodes = hits.get(this.model.runs[this.model.reference].graph).filter((found) => found).length;
    const spans = this.plots.map(({run}) => {
      const hit = hits.get(run.graph);
      const kernels = run.kernelText.map((words) => wanted !== '' && words.includes(wanted));
      let count = 0;
      for (let i = 0; i < run.count; ++i) {
        run.isMatch[i] = hit[run.spans.node[i]] || (run.spans.kernel[i] >= 0 && kernels[run.spans.kernel[i]]) ? 1 : 0;
        count += run.isMatch[i];
      }
      return count;
    });
    this.found = {nodes, spans};
    byId('found').textContent = wanted === '' ? '' : `${nodes} nodes, ${spans[this.model.reference]} bars`;
    this.draw();
  }

  nextMatch(direction) {
    const plot = this.plots[this.model.reference];
    const {run} = plot;
    const order = [...run.isMatch.keys()].filter((i) => run.isMatch[i]).sort((a, b) => run.begin[a] - run.begin[b]);
    if (order.length === 0) return;
    this.matchAt = (this.matchAt + direction + order.length) % order.length;
    this.choose(plot, order[this.matchAt]);
    this.reveal(plot, order[this.matchAt]);
  }

  // --- choosing an operator ---

  describe(plot, span) {
    const {run} = plot;
    const {nodes} = run;
    const node = run.spans.node[span];
    const first = run.rows[run.spans.stream[span]].first;
    const idle = run.begin[span] - (span > first ? run.end[span - 1] : 0);
    const held = heldBy(run, span);
    const waits = (run.waitsOf.get(span) || []).map((other) => nodes.name[run.spans.node[other]]);
    const rows = [['node', nodes.name[node]], [run.spans.kernel[span] >= 0 ? 'kernel' : 'implementation', kernelOf(run, span)]];
    if (run.spans.parts[span] > 1) rows.push(['part', `${run.spans.part[span] + 1} of ${run.spans.parts[span]}`]);
    rows.push([this.model.streamWord, String(run.spans.stream[span])], ['start', timeText(run.begin[span])],
      ['duration', timeText(run.end[span] - run.begin[span])], ['idle before', timeText(Math.max(0, idle))]);
    if (waits.length > 0)
      rows.push(['waits for', waits.length > 4 ? `${waits.slice(0, 4).join(', ')} and ${waits.length - 4} more` : waits.join(', ')]);
    if (held >= 0) rows.push(['held by', nodes.name[run.spans.node[held]]]);
    if (run.isCritical[span]) rows.push(['critical path', 'yes']);
    return {title: nodes.op[node], rows};
  }

  choose(plot, span, x, y) {
    const {chosen} = this.state;
    const same = chosen && chosen.plot === plot && chosen.span === span;
    this.state.chosen = span < 0 ? null : {plot, span};
    const tip = byId('tip');
    tip.hidden = span < 0;
    if (span >= 0) {
      if (!same) {
        const {title, rows} = this.describe(plot, span);
        const list = element('dl');
        for (const [name, text] of rows) list.append(element('dt', name), element('dd', text));
        tip.replaceChildren(element('b', title), list);
        if (x === undefined) byId('spoken').textContent = `${title}, ${rows.map((row) => row.join(' ')).join(', ')}`;
      }
      this.placeTip(plot, span, x, y);
    }
    this.draw();
  }

  placeTip(plot, span, x, y) {
    const tip = byId('tip');
    const box = plot.canvas.getBoundingClientRect();
    const share = (plot.run.begin[span] - this.view.begin) / (this.view.end - this.view.begin);
    const left = x === undefined ? box.left + GUTTER + Math.min(Math.max(share, 0), 1) * (box.width - GUTTER - MARGIN) : x;
    const top = y === undefined ? box.top + plot.rowTop(plot.run.spans.stream[span]) + plot.rowHeight : y;
    const over = top + 18 + tip.offsetHeight > window.innerHeight;
    tip.style.left = `${Math.max(4, Math.min(left + 14, window.innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, over ? top - tip.offsetHeight - 10 : top + 14)}px`;
  }

  /** Goes from the chosen operator to the next or the one before on its stream, or to the nearest of another. */
  step(plot, along, across) {
    const {run} = plot;
    const {chosen} = this.state;
    if (!chosen || chosen.plot !== plot) {
      const row = run.rows.find(({first, last}) => last > first);
      if (row) this.choose(plot, Math.min(firstAfter(run, row, this.view.begin), row.last - 1));
      return;
    }
    let stream = run.spans.stream[chosen.span];
    let span = chosen.span + along;
    if (across !== 0) {
      do stream += across; while (stream >= 0 && stream < run.streams && run.rows[stream].last === 0);
      if (stream < 0 || stream >= run.streams) return;
      span = Math.min(firstAfter(run, run.rows[stream], run.begin[chosen.span]), run.rows[stream].last - 1);
    }
    if (span < run.rows[stream].first || span >= run.rows[stream].last) return;
    this.reveal(plot, span);
    this.choose(plot, span);
  }
}
