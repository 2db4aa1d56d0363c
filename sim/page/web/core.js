'use strict';
/* Helpers that all parts of the page use, for elements, colours and the state in the address. Names in the data are inserted as text, never as HTML. */
const data = JSON.parse(document.getElementById('data').textContent);

function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? '' : value);
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
  return element;
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
  return element;
}

/* Removes the folders that all names share. */
function withoutCommon(names) {
  const folder = String(names[0]).replace(/[^/]*$/, '');
  return folder && names.every(name => String(name).startsWith(folder)) ? names.map(name => String(name).slice(folder.length)) : names;
}

/* A metric in words, without its unit: 'job_latency_p99_ns' is 'p99 latency'. Metrics of one name have the same. */
const wordsOf = metric => (Object.values(data.metrics).map(of => of[metric]).find(Boolean) || { words: metric }).words;
/* A metric with its value, such as "13 966 kernels per second" or "turnaround 252.8 ms". */
const measure = (metric, value) => metric.endsWith('_per_s') ? `${plain(value)} ${wordsOf(metric)}` : `${wordsOf(metric)} ${show(metric, value)}`;

/* Words with their unit, unless they say it, as "kernels per second" does. */
const withUnit = (text, unit) => text + (unit.name && unit.name !== '1/s' ? ` (${unit.name})` : '');

const betterOf = (subject, metric) => ((data.metrics[subject] || {})[metric] || { better: 0 }).better;
const formulaOf = (subject, metric) => ((data.metrics[subject] || {})[metric] || { formula: '' }).formula;

/* ---- colours: a policy has the same colour and mark in all figures ---- */

const colorClass = i => 'k' + i % 8;
const palette = kind => data.palette.filter(entry => entry[0] === kind);
/* A state or an ending (`kind`) has its own colour everywhere; unknown ones, and tenants, take the colours of tenants in turn. A colour that is used again has
 * a stripe, then two. `place`: in a legend. */
function paletteLook(name, tenants, kind) {
  const place = palette(kind).findIndex(entry => entry[1] === name), turn = palette('tenant'), i = Math.max(0, tenants.indexOf(name));
  return place >= 0 ? { color: palette(kind)[place][2], stripes: 0, place } : { color: turn[i % turn.length][2], stripes: Math.floor(i / turn.length) % 3, place: data.palette.length + i };
}
/* The stripes along a box of a look, from y on, as figures have them: [y, height, colour] of each. */
const stripesOf = (look, y, height) => Array.from({ length: look.stripes }, (_, k) => [y + height * ((k + 1) / (look.stripes + 1) - 0.09), height * 0.18, inkOn(look.color)]);
const dashes = ['', '7 3', '2 3', '9 3 2 3', '4 2', '12 4', '1 2', '6 2 1 2'];
const shapes = [
  r => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0`, r => `M${-r},${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  r => `M0,${-1.2 * r}L${1.2 * r},${r}L${-1.2 * r},${r}z`, r => `M0,${-1.3 * r}L${1.3 * r},0L0,${1.3 * r}L${-1.3 * r},0z`,
  r => `M0,${1.2 * r}L${1.2 * r},${-r}L${-1.2 * r},${-r}z`,
  r => `M${-r},${-r / 3}h${2 * r / 3}v${-2 * r / 3}h${2 * r / 3}v${2 * r / 3}h${2 * r / 3}v${2 * r / 3}h${-2 * r / 3}v${2 * r / 3}h${-2 * r / 3}v${-2 * r / 3}h${-2 * r / 3}z`];
const mark = (i, x, y, r = 5) => svg('path', { class: 'mark ' + colorClass(i), d: shapes[i % shapes.length](r), transform: `translate(${x},${y})` });

function legend(names, lines) {
  return el('ul', { class: 'legend' }, names.map((name, i) => el('li', {}, svg('svg', { width: lines ? 34 : 14, height: 14, 'aria-hidden': 'true' },
    lines ? svg('path', { class: 'stroke ' + colorClass(i), d: 'M0,7H34', 'stroke-dasharray': dashes[i % 8] || null }) : null,
    mark(i, lines ? 17 : 7, 7)), name)));
}

/* A legend whose entries are buttons that hide what they name. entries: {name, color, stripes}; `hidden`: set of names; `change`: called after. */
function filterLegend(entries, hidden, change) {
  const button = entry => el('button', { type: 'button', 'aria-pressed': String(!hidden.has(entry.name)), title: 'Show or hide', onclick: event => {
    if (!hidden.delete(entry.name)) hidden.add(entry.name);
    event.currentTarget.setAttribute('aria-pressed', String(!hidden.has(entry.name)));
    change();
  } }, svg('svg', { width: 14, height: 14, 'aria-hidden': 'true' }, svg('rect', { fill: entry.color, width: 14, height: 14, class: 'swatch' }), stripesOf(entry, 0, 14).map(([y, height, fill]) => svg('rect', { y, width: 14, height, fill }))), entry.name);
  return el('ul', { class: 'legend filter', 'aria-label': 'Legend; each entry shows or hides what it names' }, entries.map(entry => el('li', {}, button(entry))));
}

/* ---- the state of the page, kept in its address so that it can be passed on and survives a reload ---- */

const address = readHash(location.hash);
const recall = (key, otherwise) => (Object.prototype.hasOwnProperty.call(address, key) ? address[key] : otherwise);
function remember(key, value) {
  address[key] = value;
  history.replaceState(null, '', writeHash(address) || location.pathname + location.search);
}

/* ---- figures, with their data and the command that made them ---- */

function csvLink(name, rows) {
  const link = el('a', { download: name + '.csv', href: '#' }, 'Data (CSV)', el('span', { class: 'muted' }, ` ${name}.csv`));
  const fill = () => { if (!link.href.startsWith('blob:')) link.href = URL.createObjectURL(new Blob([csv(rows())], { type: 'text/csv' })); };
  for (const when of ['click', 'focus', 'pointerenter', 'contextmenu']) link.addEventListener(when, fill);
  return link;
}

const madeBy = () => data.run || data.plan || {};
/* The command that made the results; null if unknown. */
const commandOf = () => madeBy().command || null;
const originOf = () => data.kind === 'run' ? 'From a folder of smsched run' : data.kind === 'advice' ? 'From a folder of smsched advise' : `From a sweep of the plan ${madeBy().plan || 'without a name'}`;
const versionOf = () => `Simulated by smsched ${madeBy().version}${madeBy().sources ? ` (sources ${madeBy().sources})` : ''}. All times are simulated.`;

function commandBox() {
  const command = commandOf();
  if (!command) return el('span', { class: 'muted origin' }, originOf());
  const said = el('span', { role: 'status', class: 'muted' });
  const copy = () => {
    const done = () => { said.textContent = 'copied'; }, failed = () => { said.textContent = 'copying failed; select the text'; };
    if (navigator.clipboard) navigator.clipboard.writeText(command).then(done, failed); else failed();
  };
  return el('details', {}, el('summary', {}, 'Command that made this'),
    el('div', { class: 'command' }, el('code', {}, command), el('button', { type: 'button', onclick: copy }, 'Copy'), said));
}

const commandLine = () => el('p', {}, commandOf() ? ['The command: ', el('code', {}, commandOf())] : originOf() + '.');

/* The links below a figure. */
const under = (name, rows) => el('div', { class: 'under' }, csvLink(name, rows), commandBox());

/* A box that `draw(box, width)` fills again whenever its width changes. */
function drawn(draw) {
  const box = el('div', { class: 'picture' });
  let width = 0;
  new ResizeObserver(entries => {
    const now = Math.floor(entries[0].contentRect.width);
    if (now === width || now === 0) return;
    width = now;
    draw(box, width);
  }).observe(box);
  return box;
}

const figure = (name, caption, parts, rows) => el('figure', { id: 'figure-' + name }, el('figcaption', {}, caption), parts, under(name, rows));

/* Replaces what is in a box. A focused choice keeps the focus. */
function refill(box, ...children) {
  const at = [...box.querySelectorAll('select')].indexOf(document.activeElement);
  box.replaceChildren(...children.flat(Infinity).filter(Boolean));
  const again = box.querySelectorAll('select')[at];
  if (again) again.focus();
}

function choice(label, options, value, change) {
  const select = el('select', { onchange: () => change(select.value) },
    options.map(option => el('option', { value: option[0], selected: String(option[0]) === String(value) }, option[1])));
  return el('label', {}, label, select);
}
