'use strict';
/* Timelines that zoom: with the wheel once they have the focus, by dragging, with two fingers, with keys and with buttons. */

const PIECES_SEEN = 1500, BINS_SEEN = 240;

/* A time axis that zooms. `paint(root, x, from, to)` draws what is between two times. Returns [controls, box]. */
function zoomable(options) {
  const said = el('span', { role: 'status', class: 'muted', id: 'zoom-status' });
  const box = el('div', { class: 'zoom', tabindex: '0', role: 'group', 'aria-label': `${options.label}. Arrow keys move, plus and minus zoom, 0 shows all.` });
  const zoom = d3.zoom().scaleExtent([1, 1e5]).filter(() => !d3.event.button && (d3.event.type !== 'wheel' || d3.event.ctrlKey || box.contains(document.activeElement)));
  const span = options.to - options.from, unit = unitOf('time_ns', options.to);
  let width = 0, root = null, state = d3.zoomIdentity;
  const show = () => {
    const x0 = d3.scaleLinear().domain([options.from, options.to]).range([options.left, width - 10]);
    const x = state.rescaleX(x0), [from, to] = x.domain();
    root.replaceChildren();
    const axis = svg('g', { class: 'axis', transform: `translate(0,${options.height})` });
    const shown = unitOf('time_ns', Math.max(Math.abs(to), 1)), inUnit = d3.scaleLinear().domain([from / shown.size, to / shown.size]).range(x.range());
    d3.select(axis).call(d3.axisBottom(inUnit).ticks(Math.max(2, Math.floor(width / 120))).tickSizeOuter(0));
    const clip = svg('svg', { x: options.left, y: 0, width: width - 10 - options.left, height: options.height, viewBox: `${options.left} 0 ${width - 10 - options.left} ${options.height}` });
    const what = options.paint(clip, x, from, to);
    root.append(clip, axis, svg('text', { class: 'soft', x: (options.left + width) / 2, y: options.height + 38, 'text-anchor': 'middle' }, `time (${shown.name})`));
    options.side(root);
    root.setAttribute('data-from', from);
    root.setAttribute('data-to', to);
    said.textContent = `${plain(from / unit.size)} to ${plain(to / unit.size)} ${unit.name}${what ? '; ' + what : ''}`;
  };
  zoom.on('zoom', () => { state = d3.event.transform; show(); });
  const to = transform => root && d3.select(root).call(zoom.transform, transform);
  const by = factor => root && d3.select(root).call(zoom.scaleBy, factor);
  const move = part => root && d3.select(root).call(zoom.translateBy, part * (width - options.left) / state.k, 0);
  const keys = { '+': () => by(2), '=': () => by(2), '-': () => by(0.5), '0': () => to(d3.zoomIdentity), Home: () => to(d3.zoomIdentity), ArrowLeft: () => move(0.25), ArrowRight: () => move(-0.25) };
  box.addEventListener('keydown', event => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  box.addEventListener('pointerdown', () => box.focus({ preventScroll: true }));
  new ResizeObserver(entries => {
    const now = Math.floor(entries[0].contentRect.width);
    if (now === width || now === 0) return;
    width = now;
    root = svg('svg', { width, height: options.height + 44, role: 'img', 'aria-label': options.said });
    box.replaceChildren(root);
    zoom.extent([[options.left, 0], [width - 10, options.height]]).translateExtent([[options.left, 0], [width - 10, options.height]]);
    d3.select(root).call(zoom).on('dblclick.zoom', null);
    root.__zoom = state;
    if (span > 0) show();
  }).observe(box);
  const button = (text, label, act) => el('button', { type: 'button', 'aria-label': label, onclick: act }, text);
  const controls = el('div', { class: 'controls' }, button('+', 'Zoom in', () => by(2)), button('−', 'Zoom out', () => by(0.5)),
    button('←', 'Earlier', () => move(0.25)), button('→', 'Later', () => move(-0.25)), button('All', 'Show all', () => to(d3.zoomIdentity)), said);
  return [controls, box];
}

/* Assigns lanes to spans [row, colour, start, end, count]. Each takes `count` adjacent free lanes of its row, in order of start. */
function lanesOf(pieces, names, rows) {
  const list = [], busy = rows.map(() => []), at = new Map(rows.map((row, i) => [row, i]));
  for (let i = 0; i < pieces.length; i += 5) {
    const row = at.get(pieces[i]);
    if (row === undefined) continue;
    const lanes = busy[row], count = Math.min(pieces[i + 4], 64);
    let lane = 0;
    for (let k = 0; k < count; k++)
      if (lanes[lane + k] > pieces[i + 2]) { lane += k + 1; k = -1; }
    for (let k = 0; k < count; k++) lanes[lane + k] = pieces[i + 3];
    list.push({ row, color: pieces[i + 1], start: pieces[i + 2], end: pieces[i + 3], lane, count, blocks: pieces[i + 4], name: names[i / 5] });
  }
  return { list, lanes: busy.map(lanes => Math.max(1, lanes.length)) };
}

/* The colour that lasted longest in each row and interval. Adjacent equal ones are merged. */
function binned(list, rows, from, to) {
  const width = (to - from) / BINS_SEEN, result = [];
  const time = rows.map(() => Array.from({ length: BINS_SEEN }, () => new Map()));
  for (const piece of list)
    for (let b = Math.max(0, Math.floor((piece.start - from) / width)); b < BINS_SEEN && from + b * width < piece.end; b++) {
      const part = Math.min(piece.end, from + (b + 1) * width) - Math.max(piece.start, from + b * width), map = time[piece.row][b];
      map.set(piece.color, (map.get(piece.color) || 0) + part * piece.count);
    }
  time.forEach((bins, row) => {
    let open = null;
    bins.forEach((map, b) => {
      const color = [...map.entries()].reduce((best, entry) => (!best || entry[1] > best[1] ? entry : best), null);
      if (open && color && open.color === color[0]) open.end = from + (b + 1) * width;
      else if (color) result.push(open = { row, color: color[0], start: from + b * width, end: from + (b + 1) * width });
      if (!color) open = null;
    });
  });
  return result;
}

/* A timeline. rows: indices of the rows that are drawn; names and colours are by index. */
function timeline(picture, rows, rowNames, colorNames) {
  const { list, lanes } = lanesOf(picture.pieces, picture.names || [], rows);
  const used = [...new Set(list.map(p => p.color))].sort((a, b) => a - b);
  const colorOfPiece = color => (picture.kind === 'pods' ? color : used.indexOf(color)); /* 'failed' is always the same */
  const known = isNumber(picture.to_ns) ? picture.to_ns : Infinity;
  const from = Math.min(...list.map(p => p.start)), to = Math.min(known, Math.max(...list.map(p => p.end)));
  const each = Math.max(rows.length <= 40 ? 14 : 8, Math.min(48, Math.floor(420 / rows.length))), left = Math.min(150, 12 + 7 * Math.max(...rows.map(r => rowNames(r).length)));
  const paint = (clip, x, start, end) => {
    const seen = list.filter(p => p.end > start && p.start < end), few = seen.length <= PIECES_SEEN;
    for (const p of few ? seen : binned(seen, rows, start, end)) {
      const high = few ? (each - 2) / lanes[p.row] : each - 2;
      const a = Math.max(x(p.start), x(start) - 5), wide = Math.max(0.5, Math.min(x(p.end), x(end) + 5) - a);
      const y = p.row * each + (few ? p.lane * high : 0), height = few ? high * p.count : high;
      clip.append(svg('rect', { class: 'piece ' + tenantClass(colorOfPiece(p.color)), x: a.toFixed(1), y: y.toFixed(1), width: wide.toFixed(1), height: Math.max(1, height).toFixed(1) },
        few && seen.length < 400 ? svg('title', {}, `${rowNames(rows[p.row])}: ${p.name ? p.name + ', ' : ''}${colorNames[p.color]}${p.blocks > 1 ? ' × ' + p.blocks : ''}, ${show('t_ns', p.start)} to ${show('t_ns', p.end)}`) : null));
      const label = p.name || colorNames[p.color];
      if (height >= 12 && wide > 7 * label.length + 6)
        clip.append(svg('text', { class: 'inpiece', x: (a + 3).toFixed(1), y: (y + height / 2 + 4).toFixed(1) }, label));
    }
    return few ? plural(seen.length, 'piece') : `${plural(seen.length, 'piece')}, so what lasted longest is drawn; zoom in to see each`;
  };
  const side = root => rows.forEach((r, i) => (rows.length <= 40 || i % 10 === 0) &&
    root.append(svg('text', { x: left - 6, y: i * each + each / 2 + 4, 'text-anchor': 'end' }, words(rowNames(r), Math.floor(left / 7)))));
  const said = `Timeline of ${plural(rows.length, 'row')} under ${picture.policy}, ${show('t_ns', from)} to ${show('t_ns', to)}: ` +
    used.map(c => `${colorNames[c]} ${plural(list.filter(p => p.color === c).length, 'piece')}`).join(', ');
  return [swatches(used.map(c => colorNames[c]), used.map(colorOfPiece)), ...zoomable({ label: `Timeline under ${picture.policy}`, said, from, to, left, height: rows.length * each, paint, side })];
}

/* A step chart that zooms. points: [time, value]; a value holds until the next. */
function zoomableSteps(series, label) {
  const all = series.flatMap(s => s.points), to = Math.max(...all.map(p => p[0])), height = 240;
  const y = d3.scaleLinear().domain([0, Math.max(...all.map(p => p[1]), 1e-9)]).nice().range([height - 4, 8]);
  const paint = (clip, x, start, end) => {
    for (const s of series) {
      const near = s.points.filter((p, i) => (s.points[i + 1] || p)[0] >= start && (s.points[i - 1] || p)[0] <= end);
      clip.append(svg('path', { class: 'stroke ' + colorClass(s.color), 'stroke-dasharray': dashes[s.color % 8] || null,
        d: near.map((p, i) => (i ? `H${x(p[0]).toFixed(1)}V` : `M${x(p[0]).toFixed(1)},`) + y(p[1]).toFixed(1)).join('') || null }));
    }
    return '';
  };
  const side = root => root.append(...axisLeft(y, 56, 0, 5, plain));
  const said = `${label} from 0 to ${show('t_ns', to)}: ` + series.map(s => `${s.label} ${plural(s.points.length, 'placement')}, the last at ${show('t_ns', s.points[s.points.length - 1][0])}`).join('; ');
  return zoomable({ label, said, from: 0, to, left: 56, height, paint, side });
}
