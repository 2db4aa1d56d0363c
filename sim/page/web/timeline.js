'use strict';
/* Timelines. All policies of a scenario lie on one time axis, on a canvas: pieces when they can be told apart, otherwise how much of each
 * interval each colour takes. They zoom with the wheel once they have the focus, by dragging, with two fingers, with keys and with buttons. */

const PIECES_SEEN = 1500, BIN_PIXELS = 3, CARD_SPANS = 6;

/* A time axis that zooms, the same for all that is drawn on it. options: {from, to, left, height, label, said, paint, side, hover, step, key}.
 * paint(pen, x, from, to) draws on the canvas and returns what it says of it. hover(px, py) returns the lines of a card, or null.
 * step(by, from, to) chooses the next piece for the keys n and p. Returns [controls, box, redraw]. */
function zoomable(options) {
  const said = el('span', { role: 'status', class: 'muted', id: 'zoom-status' }), card = el('div', { class: 'card', hidden: true, role: 'status' });
  const help = 'Arrow keys move, plus and minus zoom, 0 shows all, n and p go through the pieces';
  const box = el('div', { class: 'zoom', tabindex: '0', role: 'group', 'aria-label': `${options.label}. ${help}.` });
  const zoom = d3.zoom().scaleExtent([1, 1e5]).filter(() => !d3.event.button && (d3.event.type !== 'wheel' || d3.event.ctrlKey || box.contains(document.activeElement)));
  const unit = unitOf('time_ns', options.to);
  let width = 0, root = null, canvas = null, pinned = false, state = d3.zoomIdentity;
  const base = () => d3.scaleLinear().domain([options.from, options.to]).range([options.left, width - 10]);
  const redraw = () => {
    if (!root) return;
    const x = state.rescaleX(base()), [from, to] = x.domain(), dense = window.devicePixelRatio || 1, pen = canvas.getContext('2d');
    canvas.width = Math.round((width - 10 - options.left) * dense);
    canvas.height = Math.round(options.height * dense);
    pen.setTransform(dense, 0, 0, dense, -options.left * dense, 0);
    const what = options.paint(pen, x, from, to), shown = unitOf('time_ns', Math.max(Math.abs(to), 1));
    const inUnit = d3.scaleLinear().domain([from / shown.size, to / shown.size]).range(x.range());
    const axis = svg('g', { class: 'axis', transform: `translate(0,${options.height})` });
    d3.select(axis).call(d3.axisBottom(inUnit).ticks(Math.max(3, Math.floor(width / 120))).tickSizeOuter(0));
    root.replaceChildren(axis, svg('text', { class: 'soft', x: (options.left + width) / 2, y: options.height + 38, 'text-anchor': 'middle' }, `time (${shown.name})`));
    options.side(root, width);
    root.setAttribute('data-from', from);
    root.setAttribute('data-to', to);
    said.textContent = `${plain(from / unit.size)} to ${plain(to / unit.size)} ${unit.name}${what ? '; ' + what : ''}`;
  };
  const place = (lines, px, py) => {
    card.hidden = !lines;
    if (!lines) return;
    card.replaceChildren(...lines.map((line, i) => el(i ? 'div' : 'strong', {}, line)));
    const wide = Math.min(340, width - 16);
    card.style.setProperty('max-width', wide + 'px');
    card.style.setProperty('left', Math.max(4, Math.min(px + 14, width - card.offsetWidth - 4)) + 'px');
    card.style.setProperty('top', (py + 18) + 'px');
  };
  zoom.on('zoom', () => {
    state = d3.event.transform;
    const x = state.rescaleX(base()).domain();
    remember(options.key, state.k === 1 ? null : x.map(v => Number(v.toPrecision(9))).join(','));
    if (!pinned) place(null);
    redraw();
  });
  const to = transform => root && d3.select(root).call(zoom.transform, transform);
  const by = factor => root && d3.select(root).call(zoom.scaleBy, factor);
  const move = part => root && d3.select(root).call(zoom.translateBy, part * (width - options.left) / state.k, 0);
  /* Shows the times a to b. */
  const window_ = (a, b) => {
    const k = Math.max(1, Math.min(1e5, (options.to - options.from) / (b - a))), x = base();
    to(d3.zoomIdentity.translate(options.left - x(a) * k, 0).scale(k));
  };
  const step = by_ => {
    const found = options.step && root && options.step(by_);
    if (!found) return;
    const x = state.rescaleX(base()), [from, until] = x.domain();
    if (found.end < from || found.start > until) window_(Math.max(options.from, found.start - (until - from) / 2), Math.min(options.to, found.start + (until - from) / 2));
    place(found.lines, Math.max(options.left, Math.min(width - 20, state.rescaleX(base())(found.start))), found.y);
  };
  const keys = { '+': () => by(2), '=': () => by(2), '-': () => by(0.5), '0': () => to(d3.zoomIdentity), Home: () => to(d3.zoomIdentity),
    ArrowLeft: () => move(0.25), ArrowRight: () => move(-0.25), n: () => step(1), p: () => step(-1), Escape: () => { pinned = false; place(null); } };
  box.addEventListener('keydown', event => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  box.addEventListener('pointerdown', () => box.focus({ preventScroll: true }));
  const at = event => { const r = box.getBoundingClientRect(); return [event.clientX - r.left, event.clientY - r.top]; };
  const look = event => { const [px, py] = at(event); place(options.hover(px, py, state.rescaleX(base())), px, py); };
  box.addEventListener('pointermove', event => { if (!pinned && root && options.hover && event.buttons === 0 && !card.contains(event.target)) look(event); });
  box.addEventListener('pointerleave', () => { if (!pinned) place(null); });
  box.addEventListener('click', event => { /* keeps the card, so that its text can be copied */
    if (card.contains(event.target) || !options.hover) return;
    pinned = false;
    look(event);
    pinned = !card.hidden;
  });
  addEventListener('theme', () => { if (box.isConnected) redraw(); });
  new ResizeObserver(entries => {
    const now = Math.floor(entries[0].contentRect.width);
    if (now === width || now === 0) return;
    const first = !root;
    width = now;
    canvas = el('canvas', { 'aria-hidden': 'true' });
    root = svg('svg', { width, height: options.height + 44, role: 'img', 'aria-label': options.said });
    for (const [name, value] of [['left', options.left + 'px'], ['width', width - 10 - options.left + 'px'], ['height', options.height + 'px']]) canvas.style.setProperty(name, value);
    box.replaceChildren(canvas, root, card);
    zoom.extent([[options.left, 0], [width - 10, options.height]]).translateExtent([[options.left, 0], [width - 10, options.height]]);
    d3.select(root).call(zoom).on('dblclick.zoom', null);
    root.__zoom = state;
    const kept = first && recall(options.key) ? recall(options.key).split(',').map(Number) : null;
    if (kept && kept.length === 2 && kept.every(isNumber) && kept[1] > kept[0]) window_(...kept);
    else if (options.to > options.from) redraw();
  }).observe(box);
  const button = (text, label, act) => el('button', { type: 'button', 'aria-label': label, onclick: act }, text);
  const controls = el('div', { class: 'controls' }, button('+', 'Zoom in', () => by(2)), button('−', 'Zoom out', () => by(0.5)),
    button('←', 'Earlier', () => move(0.25)), button('→', 'Later', () => move(-0.25)), button('All', 'Show all', () => to(d3.zoomIdentity)), said);
  return [controls, box, redraw];
}

function paintBox(pen, look, x, y, width, height) {
  for (const [top, high, color] of [[y, height, look.color], ...stripesOf(look, y, height)]) {
    pen.fillStyle = color;
    pen.fillRect(x, top, width, high);
  }
}

/* The stack of shares of one row. */
function paintShares(pen, bins, looks, hidden, x0, y, height, most) {
  bins.forEach((shares, b) => {
    let top = y + height;
    shares.forEach((share, c) => {
      const high = share * height / most;
      if (!high || hidden[c]) return;
      paintBox(pen, looks[c], x0 + b * BIN_PIXELS, top - high, BIN_PIXELS + 0.3, high);
      top -= high;
    });
  });
}

/* The VM or process that a piece is of; null if there is none. */
const tenantOf = (chart, row, color) => (chart.kind === 'blocks' ? chart.colors[color] : chart.kind === 'processes' && row !== null ? chart.rows[row] : null);

/* The timeline of all policies. chart: {kind, rows, colors, panels};
 * shown: {first, rows}, the part of the rows, all of them on one line if `together`; hidden: set of names of colours; looks: by index of colours; why(panel, tenant, start, end): the last lines of a card. */
function timeline(chart, panels, shown, hidden, looks, why) {
  const parts = panels.map(panel => {
    const all = lanesOf(panel.pieces, panel.names || [], chart.rows.length, isNumber(panel.exact_ns) ? panel.exact_ns : Infinity);
    const pieces = all.pieces.filter(p => p.row >= shown.first && p.row < shown.first + shown.rows);
    if (shown.together) pieces.forEach(p => { p.row = shown.first; p.share = true; });
    return { panel, pieces, lanes: all.lanes };
  });
  const list = parts.flatMap(p => p.pieces), known = Math.max(...panels.map(p => (isNumber(p.known_ns) ? p.known_ns : Infinity)));
  if (!list.length) return [el('p', { class: 'muted' }, 'Nothing was on these rows.')];
  const from = list.reduce((least, p) => Math.min(least, p.start), Infinity), to = Math.min(known, list.reduce((most, p) => Math.max(most, p.end), 0));
  const rows = shown.together ? 1 : shown.rows, each = shown.together ? 64 : Math.max(rows <= 40 ? 12 : 5, Math.min(40, Math.floor(240 / rows)));
  const head = 20, high = head + rows * each + 6, names = r => chart.rows[shown.first + r];
  const left = shown.together ? 12 : Math.min(130, 14 + 7 * Math.max(...Array.from({ length: rows }, (_, r) => names(r).length)));
  const top = (p, row) => p * high + head + (row - shown.first) * each;
  /* Shares are drawn relative to the most pieces that a row ever has at a time, under any policy. */
  const full = new Array(chart.rows.length).fill(1);
  parts.forEach(part => {
    const bins = sharesOf(part.pieces, chart.colors.length, from, to, 400);
    for (const [row, list_] of bins) full[row] = Math.max(full[row], shown.together ? 0 : part.lanes[row], ...list_.map(b => b.reduce((a, c) => a + c, 0)));
  });
  if (shown.together) full.fill(full[shown.first]);
  /* The pieces of a panel between two times, and the rows on which they cannot be told apart at so many pixels. */
  const seenOf = (part, start, end, pixels) => {
    const seen = part.pieces.filter(p => p.end > start && p.start < end && !hidden.has(chart.colors[p.color])), thin = new Map(), coarse = new Set();
    for (const p of seen) {
      const [n, narrow] = thin.get(p.row) || [0, 0];
      thin.set(p.row, [n + 1, narrow + ((p.end - p.start) / (end - start) * pixels < 1)]);
      if (p.share || seen.length > PIECES_SEEN) coarse.add(p.row);
    }
    for (const [row, [n, narrow]] of thin) if (narrow * 3 > n && n > 3) coarse.add(row);
    return { seen, coarse };
  };
  const paint = (pen, x, start, end) => {
    let count = 0, stacked = false;
    const off = chart.colors.map(name => hidden.has(name)), dark = document.documentElement.dataset.theme === 'dark';
    pen.font = '11px system-ui, sans-serif';
    parts.forEach((part, p) => {
      const x0 = x(start), width = x(end) - x0, { seen, coarse } = seenOf(part, start, end, width);
      count += seen.length;
      stacked = stacked || coarse.size > 0;
      pen.fillStyle = dark ? '#20252b' : '#f1f3f5';
      for (let r = 0; r < rows; r++) pen.fillRect(x0, p * high + head + r * each, width, each - 1);
      const bins = Math.max(1, Math.floor(width / BIN_PIXELS));
      for (const [row, list_] of sharesOf(seen.filter(q => coarse.has(q.row)), chart.colors.length, start, end, bins)) paintShares(pen, list_, looks, off, x0, top(p, row), each - 1, full[row]);
      for (const piece of seen) {
        if (coarse.has(piece.row)) continue;
        const lane = (each - 1) / full[piece.row], a = Math.max(x(piece.start), x0), wide = Math.max(0.6, Math.min(x(piece.end), x0 + width) - a);
        const y = top(p, piece.row) + piece.lane * lane, tall = Math.max(0.8, lane * piece.high - (lane > 4 ? 0.5 : 0)), label = piece.name || chart.colors[piece.color];
        const look = looks[piece.color], named = tall >= 11 && wide > 6.5 * label.length + 8; /* a name needs no stripes, which would cross it */
        paintBox(pen, named ? { ...look, stripes: 0 } : look, a, y, Math.max(0.5, wide - (wide > 4 ? 0.7 : 0)), tall);
        if (named) {
          pen.fillStyle = inkOn(look.color);
          pen.fillText(label, a + 3, y + tall / 2 + 4);
        }
      }
    });
    return plural(count, 'piece') + (stacked ? ', so shares of each interval are drawn; zoom in to see each' : '');
  };
  const side = (root, width) => parts.forEach((part, p) => {
    root.append(svg('text', { class: 'strong', x: 4, y: p * high + 14 }, words(part.panel.policy, Math.floor(width / 8))));
    if (!shown.together)
      for (let r = 0; r < rows; r++)
        if (each >= 11 || r % Math.ceil(11 / each) === 0) root.append(svg('text', { class: 'soft', x: left - 6, y: p * high + head + (r + 0.5) * each + 4, 'text-anchor': 'end' }, words(names(r), Math.floor(left / 7))));
  });
  const describe = (part, piece) => [`${chart.rows[piece.row]}: ${piece.name ? piece.name + ', ' : ''}${chart.colors[piece.color]}${piece.count > 1 ? ' × ' + plain(piece.count) : ''}`,
    `${show('t_ns', piece.start)} to ${show('t_ns', piece.end)}, ${show('t_ns', piece.end - piece.start)}`, part.panel.policy, ...why(part.panel, tenantOf(chart, piece.row, piece.color), piece.start, piece.end)];
  const hover = (px, py, x) => {
    const p = Math.floor(py / high), part = parts[p], row = shown.first + Math.floor((py - p * high - head) / each);
    if (!part || px < left || row < shown.first || row >= shown.first + rows) return null;
    const time = x.invert(px), [start, end] = x.domain(), { seen, coarse } = seenOf(part, start, end, x(end) - x(start)), exact = !coarse.has(row);
    const half = exact ? 0 : (end - start) / (x(end) - x(start)) * BIN_PIXELS / 2;
    if (!exact) {
      const shares = sharesOf(seen.filter(q => q.row === row), chart.colors.length, time - half, time + half, 1).get(row);
      const some = shares ? [...shares[0]].map((share, c) => [share, c]).filter(s => s[0] > 0.0005).sort((a, b) => b[0] - a[0]) : [];
      return some.length ? [`${shown.together ? 'All rows' : chart.rows[row]} at ${show('t_ns', time)}`, ...some.slice(0, CARD_SPANS).map(([share, c]) => `${chart.colors[c]}: ${plain(share, 3)} on average`), part.panel.policy, ...why(part.panel, tenantOf(chart, shown.together ? null : row, some[0][1]), time - half, time + half)] : null;
    }
    const lane = (py - top(p, row)) / ((each - 1) / full[row]), near = 2 * (end - start) / Math.max(1, x(end) - x(start));
    const hits = seen.filter(q => q.row === row && q.start - near <= time && q.end + near >= time), hit = hits.find(q => lane >= q.lane && lane < q.lane + q.high) || hits[0];
    return hit ? describe(part, hit) : null;
  };
  const order = parts.flatMap((part, p) => part.pieces.filter(q => !q.share).map(piece => ({ part, p, piece })));
  let at = -1;
  const step = by => {
    const visible = order.filter(o => !hidden.has(chart.colors[o.piece.color]));
    if (!visible.length) return null;
    at = (at + by + visible.length) % visible.length;
    const { part, p, piece } = visible[at];
    return { start: piece.start, end: piece.end, y: top(p, piece.row) + each / 2, lines: describe(part, piece) };
  };
  const said = `Timeline of ${plural(rows, 'row')} under ${plural(parts.length, 'policy', 'policies')}, ${show('t_ns', from)} to ${show('t_ns', to)}: ` +
    parts.map(part => `${part.panel.policy} ${plural(part.pieces.length, 'piece')}`).join(', ');
  const [controls, box, redraw] = zoomable({ label: 'Timeline of all policies', said, from, to, left, height: parts.length * high, paint, side, hover, step, key: 't' });
  const used = chart.colors.map((name, c) => ({ name, ...looks[c], c })).filter(entry => list.some(p => p.color === entry.c)).sort((a, b) => a.place - b.place);
  return [filterLegend(used, hidden, () => { remember('off', [...hidden].join(',')); redraw(); }), controls, box];
}

/* A step chart that zooms. points: [time, value]; a value holds until the next. */
function zoomableSteps(series, label) {
  const all = series.flatMap(s => s.points), to = Math.max(...all.map(p => p[0])), height = 240;
  const y = d3.scaleLinear().domain([0, Math.max(...all.map(p => p[1]), 1e-9)]).nice().range([height - 4, 8]);
  const paint = (pen, x, start, end) => {
    pen.lineWidth = 2;
    for (const s of series) {
      const near = s.points.filter((p, i) => (s.points[i + 1] || p)[0] >= start && (s.points[i - 1] || p)[0] <= end);
      pen.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--c' + s.color % 8).trim();
      pen.setLineDash(dashes[s.color % 8] ? dashes[s.color % 8].split(' ').map(Number) : []);
      pen.beginPath();
      near.forEach((p, i) => { if (i) { pen.lineTo(x(p[0]), y(near[i - 1][1])); pen.lineTo(x(p[0]), y(p[1])); } else pen.moveTo(x(p[0]), y(p[1])); });
      pen.stroke();
    }
    return '';
  };
  const side = root => root.append(...axisLeft(y, 56, 0, 5, plain));
  const hover = (px, py, x) => {
    const time = x.invert(px);
    return px < 56 ? null : [show('t_ns', time)].concat(series.map(s => { const before = s.points.filter(p => p[0] <= time).pop(); return `${s.label}: ${before ? plain(before[1]) : '–'}`; }));
  };
  const said = `${label} from 0 to ${show('t_ns', to)}: ` + series.map(s => `${s.label} ${plural(s.points.length, 'placement')}, the last at ${show('t_ns', s.points[s.points.length - 1][0])}`).join('; ');
  return zoomable({ label, said, from: 0, to, left: 56, height, paint, side, hover, key: 'tp' }).slice(0, 2);
}
