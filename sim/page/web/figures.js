'use strict';
/* Dots with intervals, bars with a bound, and lines. All are SVG, with a description in words for screen readers. */

function axisBottom(scale, y, height, ticks, format) {
  const group = d3.select(svg('g', { class: 'axis', transform: `translate(0,${y})` }));
  const axis = d3.axisBottom(scale).tickSizeOuter(0);
  if (ticks) axis.ticks(ticks);
  if (format) axis.tickFormat(v => format(v));
  group.call(axis);
  const grid = d3.select(svg('g', { class: 'grid', transform: `translate(0,${y})`, 'aria-hidden': 'true' }));
  grid.call(d3.axisBottom(scale).ticks(ticks || 5).tickSize(-height).tickFormat('').tickSizeOuter(0));
  return [grid.node(), group.node()];
}

/* Round numbers of an axis; where it is logarithmic, 1, 2 and 5 times powers of ten, of many powers only these, as in figures. */
function roundTicks(scale, count) {
  if (!scale.base) return scale.ticks(count);
  const [low, high] = scale.domain(), steps = high < 300 * low ? [1, 2, 5] : [1];
  return d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))).flatMap(power => steps.map(step => step * 10 ** power)).filter(v => v >= low && v <= high);
}

function axisLeft(scale, x, width, ticks, format) {
  const group = d3.select(svg('g', { class: 'axis', transform: `translate(${x},0)` })), at = roundTicks(scale, ticks || 5);
  group.call(d3.axisLeft(scale).tickValues(at).tickFormat(v => (format || plain)(v)).tickSizeOuter(0)); /* d3 would add the tick's number, which `plain` takes for digits */
  const grid = d3.select(svg('g', { class: 'grid', transform: `translate(${x},0)`, 'aria-hidden': 'true' }));
  grid.call(d3.axisLeft(scale).tickValues(at).tickSize(-width).tickFormat('').tickSizeOuter(0));
  return [grid.node(), group.node()];
}

/* The range of the numbers, slightly widened. It includes 0 if `zero`. */
function extent(numbers, zero) {
  const all = numbers.filter(isNumber).concat(zero ? [0] : []);
  if (!all.length) return [0, 1];
  const low = Math.min(...all), high = Math.max(...all), pad = (high - low || Math.abs(high) || 1) * 0.06;
  return [low >= 0 ? Math.max(0, low - pad) : low - pad, zero && high === 0 ? 0 : high + pad];
}


/* A dot plot around 0. rows: {group, label, color, value, low, high, least, most, said}. */
function dots(rows, label, format) {
  return drawn((box, width) => {
    const wide = width >= 640, left = wide ? Math.min(320, width * 0.34) : 26, right = wide ? 170 : 26;
    const each = wide ? 26 : 40, top = 6, groups = new Set(rows.map(row => row.group)).size;
    const height = top + rows.length * each + (groups > 1 ? groups * 22 : 0);
    const x = d3.scaleLinear().domain(extent(rows.flatMap(r => [r.value, r.low, r.high, r.least, r.most]), true)).nice().range([left, width - right]);
    const root = svg('svg', { width, height: height + 40, role: 'img', 'aria-label': `${label}: ` + rows.map(r => `${r.group ? r.group + ', ' : ''}${r.label} ${r.said}`).join('; ') });
    root.append(...axisBottom(x, height, height - top, wide ? 6 : 4, format));
    if (wide) root.append(svg('line', { class: 'zero', x1: x(0), x2: x(0), y1: top, y2: height }));
    let y = top, last;
    for (const row of rows) {
      if (groups > 1 && row.group !== last) {
        root.append(svg('text', { class: 'strong halo', x: 4, y: y + 15 }, words(row.group, wide ? 60 : 38)));
        y += 22;
        last = row.group;
      }
      const middle = y + (wide ? each / 2 : each - 11);
      root.append(svg('text', { class: 'halo', x: wide ? (groups > 1 ? 16 : 4) : 8, y: wide ? middle + 4 : y + 14 }, words(row.label, wide ? Math.floor(left / 6.6) : 26)));
      root.append(svg('text', { class: 'soft halo', x: width - 4, y: wide ? middle + 4 : y + 14, 'text-anchor': 'end' }, row.said));
      if (!wide) root.append(svg('line', { class: 'zero', x1: x(0), x2: x(0), y1: middle - 8, y2: middle + 8 })); /* does not cross the words */
      if (isNumber(row.least)) root.append(svg('line', { class: 'thin ' + colorClass(row.color), x1: x(row.least), x2: x(row.most), y1: middle, y2: middle }));
      if (isNumber(row.low)) root.append(whisker(x(row.low), x(row.high), middle, row.color));
      if (isNumber(row.value)) root.append(mark(row.color, x(row.value), middle, 5));
      y += each;
    }
    root.append(svg('text', { class: 'soft', x: (left + width - right) / 2, y: height + 36, 'text-anchor': 'middle' }, label));
    box.replaceChildren(root);
  });
}

const whisker = (from, to, y, color) => svg('path', { class: 'stroke ' + colorClass(color), d: `M${from},${y}H${to}M${from},${y - 5}v10M${to},${y - 5}v10` });

/* A bar chart, with a line at the bound. rows: {label, color, value, ci, said}. */
function bars(rows, bound, label, format, boundSaid) {
  return drawn((box, width) => {
    const longest = Math.max(...rows.map(r => r.said.length)), wide = width >= 640, left = wide ? Math.min(280, width * 0.3) : 8, right = wide ? Math.min(width * 0.36, 24 + 6.6 * longest) : 26, each = wide ? 30 : 46, top = bound ? 22 : 6;
    const height = top + rows.length * each;
    const most = Math.max(...rows.flatMap(r => [r.value + (r.ci || 0)]).filter(isNumber), bound || 0, 0);
    const least = Math.min(0, ...rows.map(r => r.value).filter(isNumber));
    const x = d3.scaleLinear().domain([least, most || 1]).nice().range([left, width - right]);
    const root = svg('svg', { width, height: height + 40, role: 'img', 'aria-label': `${label}: ` + rows.map(r => `${r.label} ${r.said}`).join('; ') + (bound ? `; ${boundSaid}` : '') });
    root.append(...axisBottom(x, height, height - top, wide ? 6 : 4, format));
    if (bound) { /* below the words, which it would cross */
      root.append(svg('line', { class: 'bound', x1: x(bound), x2: x(bound), y1: 16, y2: height }));
      root.append(svg('text', { x: Math.min(x(bound) + 4, width - 4), y: 12, 'text-anchor': 'end' }, boundSaid));
    }
    rows.forEach((row, i) => {
      const y = top + i * each + (wide ? 6 : 22);
      root.append(svg('text', { class: 'halo', x: wide ? 4 : 8, y: wide ? y + 15 : y - 6 }, words(row.label, wide ? Math.floor(left / 6.6) : 26)));
      root.append(svg('text', { class: 'soft halo', x: width - 4, y: wide ? y + 15 : y - 6, 'text-anchor': 'end' }, row.said));
      if (!isNumber(row.value)) return;
      root.append(svg('rect', { class: 'fill ' + colorClass(row.color), x: Math.min(x(0), x(row.value)), y, width: Math.max(1, Math.abs(x(row.value) - x(0))), height: 20, rx: 2 }));
      if (isNumber(row.ci) && row.ci > 0)
        root.append(svg('path', { class: 'error', d: `M${x(row.value - row.ci)},${y + 10}H${x(row.value + row.ci)}M${x(row.value - row.ci)},${y + 5}v10M${x(row.value + row.ci)},${y + 5}v10` }));
    });
    root.append(svg('text', { class: 'soft', x: (left + width - right) / 2, y: height + 36, 'text-anchor': 'middle' }, label));
    box.replaceChildren(root);
  });
}

/* Ticks of an axis of words, which are at 0, 1, ...; as many as fit, each as long as fits. */
function wordAxis(values, scale, width) {
  const step = Math.max(1, Math.ceil(values.length * 52 / width));
  const short = withoutCommon(values);
  return { ticks: values.map((_, i) => i).filter(i => i % step === 0), format: i => words(short[i], Math.max(9, Math.floor(width * step / values.length / 7))) };
}

/* Ticks of an axis of numbers: the values themselves if they are few, otherwise round numbers, whole if all values are. */
function numberTicks(scale, numbers, own, count) {
  const whole = numbers.every(Number.isInteger), all = own && numbers.length <= 12 ? numbers.slice().sort((a, b) => a - b) : scale.ticks(count).filter(v => !(own && whole) || Number.isInteger(v));
  const list = [];
  for (const v of all) if (!list.length || scale(v) - scale(list[list.length - 1]) >= 44) list.push(v);
  return list;
}

/* A mark. Where another mark is already, it is larger and hollow, so that equal policies all stay visible. */
function markAround(taken, color, x, y) {
  const key = `${Math.round(x)},${Math.round(y)}`, under = taken.get(key) || 0;
  taken.set(key, under + 1);
  const dot = mark(color, x, y, 4 + 3.5 * under);
  if (under) dot.setAttribute('class', 'stroke ' + colorClass(color));
  return dot;
}

/* The interval of a point of a line: y and half of it, or its ends; null for none. */
const spanOf = p => p[4] || (isNumber(p[3]) ? [p[1] - p[3], p[1] + p[3]] : null);

/* A line chart. series: {label, color, points: [[x, y, index, half, ends]]}; x: numbers, or indices of `values`. */
function lines(series, options) {
  return drawn((box, width) => {
    const left = 58, right = 16, top = 10, height = options.height || 240;
    const xs = series.flatMap(s => s.points.map(p => p[0])), values = series.flatMap(s => s.points.map(p => p[1])).filter(isNumber), ends = series.flatMap(s => s.points.flatMap(p => spanOf(p) || [p[1]]));
    const numbers = options.numbers, log = numbers && (isLog(numbers) || (options.log && Math.min(...numbers) > 0));
    if (options.level) for (const list of [values, ends]) list.push(options.level.at);
    const low = Math.min(...values) / 1.3, high = Math.max(...ends.filter(isNumber)), steep = !options.zero && low > 0 && high >= 50 * 1.3 * low; /* as in figures */
    const x = (log ? d3.scaleLog() : d3.scaleLinear()).domain(!numbers ? [-0.5, options.values.length - 0.5] : xs.length ? [Math.min(...xs), Math.max(...xs)] : [0, 1]).range([left, width - right]);
    const y = steep ? d3.scaleLog().domain([low, 1.3 * high]).range([height, top]) : d3.scaleLinear().domain(extent(ends, options.zero)).nice().range([height, top]);
    const span = p => spanOf(p).map(v => y(steep ? Math.max(v, low) : v).toFixed(1));
    const root = svg('svg', { width, height: height + 44, role: 'img', 'aria-label': options.said });
    root.append(...axisLeft(y, left, width - left - right, 5, options.format));
    const axis = d3.axisBottom(x).tickSizeOuter(0), group = svg('g', { class: 'axis', transform: `translate(0,${height})` });
    if (!numbers) {
      const named = wordAxis(options.values, x, width - left - right);
      axis.tickValues(named.ticks).tickFormat(named.format);
    } else axis.tickValues(numberTicks(x, numbers, options.own, log ? 4 : Math.max(2, Math.floor(width / 90)))).tickFormat(v => plain(v));
    d3.select(group).call(axis);
    root.append(group);
    if (options.zero && y.domain()[0] < 0) root.append(svg('line', { class: 'zero', x1: left, x2: width - right, y1: y(0), y2: y(0) }));
    if (options.level) root.append(svg('line', { class: 'bound', x1: left, x2: width - right, y1: y(options.level.at), y2: y(options.level.at) }),
      svg('text', { class: 'halo', x: left + 4, y: y(options.level.at) - 4 }, options.level.said));
    const apart = numbers ? 0 : Math.min(8, (width - left - right) / (options.values.length + 1) / series.length); /* side by side */
    const taken = new Map();
    series.filter(s => !(options.hidden && options.hidden.has(s.label))).forEach((s, i) => {
      const aside = apart * (i - (series.length - 1) / 2), points = s.points.filter(p => isNumber(p[1]));
      if (!points.length) return;
      const known = points.filter(spanOf);
      if (numbers && !options.apart && known.length > 1)
        root.append(svg('path', { class: 'band ' + colorClass(s.color), d: 'M' + known.map(p => `${x(p[0]).toFixed(1)},${span(p)[1]}`).concat(known.slice().reverse().map(p => `${x(p[0]).toFixed(1)},${span(p)[0]}`)).join('L') + 'Z' }));
      else for (const p of known) root.append(svg('path', { class: 'error', d: `M${(x(p[0]) + aside).toFixed(1)},${span(p)[0]}V${span(p)[1]}` }));
      if (numbers && !options.apart) /* words have no order that a line could follow */
        root.append(svg('path', { class: 'stroke ' + colorClass(s.color), 'stroke-dasharray': dashes[s.color % 8] || null, d: 'M' + points.map(p => `${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join('L') }));
      if (points.length <= 40 || !numbers)
        for (const p of points) {
          const dot = markAround(taken, s.color, x(p[0]) + aside, y(p[1]));
          dot.append(svg('title', {}, `${s.label}: ${options.label} ${options.values ? options.values[p[2]] : plain(p[0])}, ${options.format(p[1])}`));
          root.append(dot);
        }
    });
    root.append(svg('text', { class: 'soft', x: (left + width) / 2, y: height + 38, 'text-anchor': 'middle' }, words(options.label, Math.floor(width / 7))));
    box.replaceChildren(root);
  });
}

/* Policies that are hidden in curves. */
const hiddenPolicies = new Set(recall('without', '').split('\n').filter(Boolean));
/* A legend of policies with their marks, whose entries hide curves. */
const policyLegend = (names, change) => el('ul', { class: 'legend filter' }, names.map((name, i) => el('li', {}, el('button', { type: 'button', 'aria-pressed': String(!hiddenPolicies.has(name)), title: 'Show or hide', onclick: () => {
  if (!hiddenPolicies.delete(name)) hiddenPolicies.add(name);
  remember('without', [...hiddenPolicies].join('\n'));
  change();
} }, svg('svg', { width: 34, height: 14, 'aria-hidden': 'true' }, svg('path', { class: 'stroke ' + colorClass(i), d: 'M0,7H34', 'stroke-dasharray': dashes[i % 8] || null }), mark(i, 17, 7)), name))));

/* Wins, ties and losses as one bar a policy. rows: {label, color, parts, all}. */
function outcomes(rows, names) {
  return drawn((box, width) => {
    const wide = width >= 640, left = wide ? Math.min(320, width * 0.34) : 8, each = wide ? 30 : 46, inner = width - left - 12;
    const root = svg('svg', { width, height: rows.length * each + 4, role: 'img', 'aria-label': rows.map(r => `${r.label}: ${names.map((name, i) => `${name} ${r.parts[i]}`).join(', ')}`).join('; ') });
    rows.forEach((row, i) => {
      const y = i * each + (wide ? 4 : 20);
      let x = left;
      root.append(svg('text', { class: 'halo', x: wide ? 4 : 8, y: wide ? y + 15 : y - 5 }, words(row.label, wide ? Math.floor(left / 6.6) : 40)));
      row.parts.forEach((part, k) => {
        const w = row.all ? inner * part / row.all : 0, text = `${names[k]} ${plain(part)}`;
        if (w <= 0) return;
        root.append(svg('rect', { class: ['fill ' + colorClass(row.color), 'tie', 'loss'][row.parts.length === 2 && k ? 2 : k], x, y, width: Math.max(1, w - 1), height: 22 }, svg('title', {}, `${row.label}: ${text} of ${plain(row.all)}`)));
        if (w > text.length * 6.8 + 8) root.append(svg('text', { class: k ? '' : 'onfill', x: x + 5, y: y + 15 }, text));
        x += w;
      });
    });
    box.replaceChildren(root);
  });
}

/* A scatter of policies by two metrics, with the front of those that no other is better than in both.
 * list: {key, metric, label, better, value(policy) -> {mean, ci}}; cloud(policy, x, y) -> [[x, y, title]], small dots, may be missing. */
function tradeSection(list, first, policies, cloud) {
  const box = el('div'), find = (key, other) => list.find(q => q.key === key) || list.find(q => q !== other);
  const varies = q => new Set(policies.map((_, p) => q.value(p).mean)).size > 1;
  let x = find(recall('x', first), null), y = list.find(q => q.key === recall('y', null)) || list.find(q => q.metric !== x.metric && varies(q)) || list[list[0] === x ? 1 : 0];
  const options = list.map(q => [q.key, q.label]);
  const draw = () => {
    const points = policies.map((label, p) => ({ label, p, x: x.value(p).mean, y: y.value(p).mean, xCi: x.value(p).ci, yCi: y.value(p).ci })).filter(q => isNumber(q.x) && isNumber(q.y));
    const front = paretoFront(points.map(q => [q.x, q.y, q.label]), x.better, y.better), best = [...new Set(front.map(q => q[2]))];
    refill(box, el('div', { class: 'controls' }, choice('Across', options, x.key, key => { x = find(key); remember('x', key); draw(); }), choice('Up', options, y.key, key => { y = find(key); remember('y', key); draw(); })),
      figure('trade', `${y.label} against ${x.label}; ${x.better > 0 ? 'right' : 'left'} and ${y.better > 0 ? 'up' : 'down'} is better. No ${data.kind === 'advice' ? 'way' : 'policy'} is better than ${best.map(name => (name.includes(', ') ? `"${name}"` : name)).join(', ') || 'none'} in both${front.length > 1 ? ': the line joins these' : ''}.${cloud ? ' Small dots: points of the sweep.' : ''}`,
        [legend(policies), scatter(points, front, cloud && points.flatMap(q => cloud(q.p, x, y).map(c => [q.p, ...c])), x, y)],
        () => [['policy', x.key, 'ci95_' + x.key, y.key, 'ci95_' + y.key, 'on_front']].concat(points.map(q => [q.label, q.x, q.xCi, q.y, q.yCi, Number(best.includes(q.label))]))));
  };
  draw();
  return box;
}

function scatter(points, front, cloud, xq, yq) {
  const dotsOf = (cloud || []).filter(c => isNumber(c[1]) && isNumber(c[2])).slice(0, 3000);
  const xs = points.map(q => q.x).concat(dotsOf.map(c => c[1])), ys = points.map(q => q.y).concat(dotsOf.map(c => c[2]));
  const xu = unitOf(xq.metric, Math.max(...xs.map(Math.abs), 0)), yu = unitOf(yq.metric, Math.max(...ys.map(Math.abs), 0));
  return drawn((box, width) => {
    const left = Math.max(50, 16 + 7.2 * Math.max(...ys.map(v => plain(v / yu.size, 3).length), 0)), right = 16, top = 18, height = 280;
    const x = d3.scaleLinear().domain(extent(points.flatMap(q => [q.x - (q.xCi || 0), q.x + (q.xCi || 0)]).concat(dotsOf.map(c => c[1])))).nice().range([left, width - right]);
    const y = d3.scaleLinear().domain(extent(points.flatMap(q => [q.y - (q.yCi || 0), q.y + (q.yCi || 0)]).concat(dotsOf.map(c => c[2])))).nice().range([height, top]);
    const said = `${yq.label} against ${xq.label}: ` + points.map(q => `${q.label} ${show(xq.metric, q.x)}, ${show(yq.metric, q.y)}`).join('; ');
    const root = svg('svg', { width, height: height + 44, role: 'img', 'aria-label': said });
    root.append(...axisLeft(y, left, width - left - right, 5, v => plain(v / yu.size)), ...axisBottom(x, height, height - top, width < 500 ? 3 : 6, v => plain(v / xu.size)));
    for (const [p, a, b, title] of dotsOf) root.append(svg('circle', { class: 'small ' + colorClass(p), cx: x(a).toFixed(1), cy: y(b).toFixed(1), r: 2.2 }, svg('title', {}, `${points.find(q => q.p === p).label}: ${title}`)));
    if (front.length > 1) root.append(svg('path', { class: 'front', d: 'M' + front.map(q => `${x(q[0]).toFixed(1)},${y(q[1]).toFixed(1)}`).join('L') }));
    for (const q of points) {
      if (q.xCi) root.append(svg('path', { class: 'stroke ' + colorClass(q.p), d: `M${x(q.x - q.xCi)},${y(q.y)}H${x(q.x + q.xCi)}` }));
      if (q.yCi) root.append(svg('path', { class: 'stroke ' + colorClass(q.p), d: `M${x(q.x)},${y(q.y - q.yCi)}V${y(q.y + q.yCi)}` }));
      const dot = mark(q.p, x(q.x), y(q.y), 6);
      dot.append(svg('title', {}, `${q.label}: ${show(xq.metric, q.x)}, ${show(yq.metric, q.y)}`));
      root.append(dot);
    }
    root.append(svg('text', { class: 'soft', x: (left + width) / 2, y: height + 38, 'text-anchor': 'middle' }, words(withUnit(xq.label, xu), Math.floor(width / 7.5))),
      svg('text', { class: 'soft halo', x: 4, y: 10 }, words(withUnit(yq.label, yu), Math.floor(width / 7.5))));
    box.replaceChildren(root);
  });
}
