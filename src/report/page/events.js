/** How the page answers pointer, wheel and keys. */
Object.assign(Page.prototype, {
  timeAt(canvas, event) {
    const box = canvas.getBoundingClientRect();
    const share = (event.clientX - box.left - GUTTER) / (box.width - GUTTER - MARGIN);
    return this.view.begin + Math.min(Math.max(share, 0), 1) * (this.view.end - this.view.begin);
  },

  listen() {
    byId('models').addEventListener('change', (event) => this.showModel(this.data.models[event.target.value]));
    byId('search').addEventListener('input', (event) => this.search(event.target.value));
    byId('search').addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.nextMatch(event.shiftKey ? -1 : 1);
      if (event.key === 'Escape') this.search('', true);
    });
    byId('colour').addEventListener('change', () => {
      this.showLegend();
      this.draw();
    });
    byId('critical').addEventListener('change', () => this.setCritical(byId('critical').checked));
    byId('zoom-in').addEventListener('click', () => this.zoom(0.5));
    byId('zoom-out').addEventListener('click', () => this.zoom(2));
    byId('fit').addEventListener('click', () => this.fit());
    this.dragRange(byId('axis'), () => true);
    byId('axis').addEventListener('dblclick', () => this.fit());
    document.addEventListener('keydown', (event) => this.anyKey(event));
    const repaint = () => {
      this.state.colours = theme();
      this.drawNow();
    };
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
    for (const [moment, printing] of [['beforeprint', true], ['afterprint', false]])
      window.addEventListener(moment, () => {
        document.documentElement.classList.toggle('printing', printing);
        repaint();
      });
    new ResizeObserver(() => this.draw()).observe(byId('plots'));
  },

  setCritical(shown) {
    byId('critical').checked = shown;
    this.state.critical = shown;
    this.draw();
  },

  /** Dragging chooses a range of time, to which the window goes when the button is let go. */
  dragRange(canvas, starts) {
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || !starts(event)) return;
      canvas.setPointerCapture(event.pointerId);
      this.state.range = [this.timeAt(canvas, event), this.timeAt(canvas, event)];
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!this.state.range || !canvas.hasPointerCapture(event.pointerId)) return;
      this.state.range[1] = this.timeAt(canvas, event);
      this.state.cursorNs = this.state.range[1];
      this.draw();
    });
    const end = (event) => {
      const {range} = this.state;
      if (!range || !canvas.hasPointerCapture(event.pointerId)) return;
      this.state.range = null;
      const [begin, last] = [Math.min(...range), Math.max(...range)];
      if (event.type === 'pointerup' && last - begin > (this.view.end - this.view.begin) / 200) this.setView(begin, last);
      this.draw();
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
  },

  listenTo(plot) {
    const {canvas} = plot;
    let grip = null;
    this.dragRange(canvas, (event) => event.shiftKey);
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || event.shiftKey) return;
      canvas.setPointerCapture(event.pointerId);
      grip = {x: event.clientX, view: this.view};
    });
    canvas.addEventListener('pointermove', (event) => {
      if (grip) {
        const nsPerPixel = (grip.view.end - grip.view.begin) / (canvas.clientWidth - GUTTER - MARGIN);
        const by = (grip.x - event.clientX) * nsPerPixel;
        if (Math.abs(grip.x - event.clientX) > 3) canvas.classList.add('dragged');
        if (canvas.classList.contains('dragged')) this.setView(grip.view.begin + by, grip.view.end + by);
      }
      if (this.state.range) return;
      this.state.cursorNs = event.offsetX >= GUTTER ? this.timeAt(canvas, event) : null;
      this.choose(plot, plot.spanAt(event.offsetX, event.offsetY, this.view), event.clientX, event.clientY);
    });
    const letGo = () => {
      grip = null;
      canvas.classList.remove('dragged');
    };
    canvas.addEventListener('pointerup', letGo);
    canvas.addEventListener('pointercancel', letGo);
    canvas.addEventListener('pointerleave', () => {
      this.state.cursorNs = null;
      this.choose(plot, -1);
    });
    canvas.addEventListener('dblclick', (event) => {
      const span = plot.spanAt(event.offsetX, event.offsetY, this.view);
      if (span < 0) this.fit();
      else this.zoomTo(plot, span);
    });
    canvas.addEventListener('wheel', (event) => this.wheel(canvas, event), {passive: false});
    canvas.addEventListener('keydown', (event) => this.plotKey(plot, event));
    canvas.addEventListener('blur', () => this.choose(plot, -1));
  },

  /** With Ctrl, or in the timeline that has the focus, the wheel zooms; else it scrolls the page. */
  wheel(canvas, event) {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    const mine = event.ctrlKey || event.metaKey || document.activeElement === canvas || sideways;
    if (!mine) return;
    event.preventDefault();
    const delta = (event.deltaY || event.deltaX) * [1, 16, 400][event.deltaMode];
    if (sideways) this.move((event.deltaX || event.deltaY) / canvas.clientWidth);
    else this.zoom(Math.exp(Math.min(Math.max(delta, -300), 300) * 0.0022), this.timeAt(canvas, event));
  },

  plotKey(plot, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      ArrowLeft: () => this.step(plot, -1, 0), ArrowRight: () => this.step(plot, 1, 0),
      ArrowUp: () => this.step(plot, 0, -1), ArrowDown: () => this.step(plot, 0, 1),
      a: () => this.move(-0.25), d: () => this.move(0.25),
      w: () => this.zoom(0.5), s: () => this.zoom(2), '+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2),
      0: () => this.fit(), Home: () => this.fit(),
      Enter: () => this.state.chosen && this.zoomTo(plot, this.state.chosen.span),
      Escape: () => plot.canvas.blur(),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  },

  anyKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === '/') {
      event.preventDefault();
      byId('search').select();
    } else if (event.key.toLowerCase() === 'c') {
      this.setCritical(!this.state.critical);
    }
  },
});

window.braidReport = new Page(decode(JSON.parse(byId('data').textContent)));
