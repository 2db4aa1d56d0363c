'use strict';
/* Heat maps: a grid of labelled cells, and pictures of very many cells on a canvas. */

/* Colour scales, the same in the light and the dark theme. */
const sequential = d3.scaleLinear().domain([0, 0.25, 0.5, 0.75, 1]).range(['#f3f0ff', '#a9c8e8', '#4f9bc7', '#1f6391', '#0b2f4f']).clamp(true);
const diverging = d3.scaleLinear().domain([-1, -0.5, 0, 0.5, 1]).range(['#8a3200', '#eba063', '#f4f4f4', '#7fb2dc', '#0b4a86']).clamp(true);

function inkOn(color) {
  const c = d3.rgb(color);
  const part = v => { const s = v / 255; return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; };
  return 0.2126 * part(c.r) + 0.7152 * part(c.g) + 0.0722 * part(c.b) > 0.3 ? '#111' : '#fff';
}

/* The colour of a policy as it is now; grey for several. */
const winnerColor = p => getComputedStyle(document.documentElement).getPropertyValue(p === null ? '--c6' : '--c' + p % 8).trim();

function ramp(color, from, to, format) {
  const canvas = el('canvas', { width: 64, height: 1, 'aria-hidden': 'true' }), pen = canvas.getContext('2d');
  for (let i = 0; i < 64; i++) {
    pen.fillStyle = color(from + (to - from) * i / 63);
    pen.fillRect(i, 0, 1, 1);
  }
  return el('p', { class: 'scale' }, format(from), canvas, format(to));
}

/* A grid of labelled cells, which are opened by a click or a key. cells: [column, row, value, item]; with `winner`, a cell has the colour of the policy winner(item). */
function grid(columns, rows, cells, options) {
  const above = withoutCommon(columns), beside = withoutCommon(rows);
  const most = Math.max(...cells.map(c => Math.abs(c[2])).filter(isNumber), 1e-9);
  const low = Math.min(...cells.map(c => c[2]).filter(isNumber)), high = Math.max(...cells.map(c => c[2]).filter(isNumber));
  const color = options.diverging ? v => diverging(v / most) : v => sequential(high > low ? (v - low) / (high - low) : 0.5);
  const box = drawn((target, width) => {
    const left = Math.min(110, width * 0.24), top = 4, cell = (width - left - 4) / columns.length, height = Math.max(24, Math.min(44, cell));
    const root = svg('svg', { width, height: top + rows.length * height + 46, role: 'img', 'aria-label': options.said });
    for (const [c, r, value, item] of cells) {
      if (!isNumber(value)) continue;
      const tone = options.winner ? winnerColor(options.winner(item)) : color(value), text = options.format(value);
      root.append(svg('rect', { ...(options.open ? { tabindex: '0', role: 'button', class: 'cell', 'aria-label': `${options.x} ${columns[c]}, ${options.y} ${rows[r]}: ${text}` } : {}), x: left + c * cell, y: top + r * height, width: Math.max(1, cell - 1), height: height - 1, fill: tone },
        svg('title', {}, `${options.x} ${columns[c]}, ${options.y} ${rows[r]}: ${text}`)));
      if (cell > text.length * 6.6 + 4) {
        const label = svg('text', { x: left + (c + 0.5) * cell, y: top + (r + 0.5) * height + 4, 'text-anchor': 'middle', 'pointer-events': 'none' }, text);
        label.style.fill = inkOn(tone);
        root.append(label);
      }
    }
    beside.forEach((name, r) => root.append(svg('text', { x: left - 6, y: top + (r + 0.5) * height + 4, 'text-anchor': 'end' }, words(name, Math.floor(left / 7.6)))));
    const step = Math.max(1, Math.ceil(46 / cell)), room = Math.min(40, Math.floor(((width - left) / 6.8 - 10) / 2));
    above.forEach((name, c) => c % step === 0 && root.append(svg('text', { x: left + (c + 0.5) * cell, y: top + rows.length * height + 16, 'text-anchor': 'middle' }, words(name, 9))));
    root.append(svg('text', { class: 'soft', x: (left + width) / 2, y: top + rows.length * height + 38, 'text-anchor': 'middle' }, `${words(options.x, room)} →, rows: ${words(options.y, room)}`));
    if (options.open) /* a group of buttons, which a picture may not hold */
      root.setAttribute('role', 'group');
    root.addEventListener('click', event => options.open && event.target.closest('.cell') && options.open(cells[[...root.querySelectorAll('.cell')].indexOf(event.target.closest('.cell'))]));
    root.addEventListener('keydown', event => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); event.target.dispatchEvent(new MouseEvent('click', { bubbles: true })); } });
    target.replaceChildren(root);
  });
  if (options.winner) return cells.every(c => options.winner(c[3]) === null) ? [box, el('p', { class: 'scale' }, 'No difference anywhere.')] : [box];
  if (options.diverging && low === 0 && high === 0) return [box, el('p', { class: 'scale' }, 'No difference anywhere.')];
  return [box, ramp(color, options.diverging ? -most : low, options.diverging ? most : high, options.format)];
}

/* A map of occupancy in ten thousandths, with a row for each group of SMs. */
function occupancy(map) {
  const columns = Math.max(...map.rows.map(row => row.length)), end = columns * map.width_ns, unit = unitOf('time_ns', end);
  const all = map.rows.flat().filter(isNumber), mean = all.reduce((a, b) => a + b, 0) / (all.length || 1) / 1e4;
  return drawn((box, width) => {
    const left = 46, right = 12, top = 8, height = Math.max(120, Math.min(360, map.rows.length * 5)), inner = width - left - right;
    const canvas = el('canvas', { width: columns, height: map.rows.length, 'aria-hidden': 'true' }), pen = canvas.getContext('2d');
    map.rows.forEach((row, r) => row.forEach((value, c) => {
      if (!isNumber(value)) return;
      pen.fillStyle = sequential(value / 1e4);
      pen.fillRect(c, r, 1, 1);
    }));
    Object.assign(canvas.style, { left: left + 'px', top: top + 'px', width: inner + 'px', height: height + 'px' });
    const x = d3.scaleLinear().domain([0, end / unit.size]).range([left, width - right]);
    const y = d3.scaleLinear().domain([0, map.rows.length * map.sms]).range([top, top + height]);
    const root = svg('svg', { width, height: top + height + 44, role: 'img', 'aria-label': `Occupancy of ${map.rows.length * map.sms} SMs over ${plain(end / unit.size)} ${unit.name} under ${map.policy}: ${percent(mean)} on average` });
    const bottom = svg('g', { class: 'axis', transform: `translate(0,${top + height})` }), side = svg('g', { class: 'axis', transform: `translate(${left},0)` });
    d3.select(bottom).call(d3.axisBottom(x).ticks(Math.max(3, Math.floor(width / 90))).tickFormat(v => plain(v)).tickSizeOuter(0));
    d3.select(side).call(d3.axisLeft(y).ticks(5).tickFormat(v => plain(v)).tickSizeOuter(0));
    root.append(bottom, side, svg('text', { class: 'soft', x: (left + width) / 2, y: top + height + 38, 'text-anchor': 'middle' }, `time (${unit.name})`),
      svg('text', { class: 'soft', x: 2, y: 10 }, 'SM'));
    box.replaceChildren(canvas, root);
  });
}
