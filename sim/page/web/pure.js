'use strict';
/* What needs no document: numbers as text, sorting, lanes and shares of timelines, Pareto fronts, the state in the address.
 * tests/browser/pure.test.js tests it in Node. */

const isNumber = value => typeof value === 'number' && isFinite(value);

/* ---- numbers: formatted the same in every locale, so that pages can be compared ---- */

function group(digits) { return digits.replace(/\B(?=(\d{3})+$)/g, '\u202f'); }
const plural = (n, one, many) => `${group(String(n))} ${n === 1 ? one : many || one + 's'}`;

/* Formats a number with about four digits. */
function plain(value, digits = 4) {
  if (!isNumber(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-6) return value.toExponential(2).replace('-', '−');
  const decimals = Math.max(0, Math.min(9, digits - 1 - Math.floor(Math.log10(size))));
  const [whole, part] = size.toFixed(decimals).split('.');
  const rest = part ? part.replace(/0+$/, '') : '';
  return (value < 0 ? '−' : '') + group(whole) + (rest ? '.' + rest : '');
}

function percent(ratio, sign) {
  if (!isNumber(ratio)) return '–';
  const value = Math.abs(100 * ratio), decimals = value < 100 ? 1 : 0;
  const [whole, part] = value.toFixed(decimals).split('.');
  const zero = Number(value.toFixed(decimals)) === 0;
  return (ratio < 0 && !zero ? '−' : sign && !zero ? '+' : '') + group(whole) + (part ? '.' + part : '') + '\u202f%';
}

const times = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']], sizes = [[1, 'B'], [1024, 'KiB'], [1048576, 'MiB'], [1073741824, 'GiB']];
const largest = (units, most) => units.reduce((best, unit) => (most >= unit[0] ? unit : best), units[0]);

/* The unit {size, name} for a metric whose greatest value is `most`. */
function unitOf(metric, most = 0) {
  let unit = [1, ''];
  if (metric.endsWith('_ns')) unit = largest(times, most);
  else if (metric.endsWith('_bytes')) unit = largest(sizes, most);
  else if (metric.endsWith('_per_s')) unit = [1, '1/s'];
  else if (metric.endsWith('_j')) unit = [1, 'J'];
  return { size: unit[0], name: unit[1] };
}

function show(metric, value) {
  if (!isNumber(value)) return '–';
  const unit = unitOf(metric, Math.abs(value));
  return plain(value / unit.size) + (unit.name && unit.name !== '1/s' ? '\u202f' + unit.name : unit.name ? '/s' : '');
}

/* A mean and the half-width of its interval in one unit, with as many digits as the half-width means: [mean, ' ± half-width' and the unit]. */
function showWith(metric, mean, half) {
  if (!isNumber(mean) || !(half > 0)) return [show(metric, mean), ''];
  const unit = unitOf(metric, Math.abs(mean)), error = half / unit.size, first = -Math.floor(Math.log10(error));
  const decimals = Math.max(0, Math.min(7, first + (error * 10 ** first < 1.95 ? 1 : 0)));
  const fixed = value => { const [whole, part] = Math.abs(value).toFixed(decimals).split('.'); return (value < 0 ? '−' : '') + group(whole) + (part ? '.' + part : ''); };
  return [fixed(mean / unit.size), ` ± ${fixed(error)}${unit.name && unit.name !== '1/s' ? '\u202f' + unit.name : unit.name ? '/s' : ''}`];
}

/* ---- tables ---- */

const keyOf = { host: 'host', cluster: 'cluster', process: 'processes', vm: 'vms', class: 'classes', device: 'devices', resource: 'resources', kernel: 'kernels' };

/* The tables of a scenario by subject: {metrics, rows}. A row is [policy, name, means, half-widths, changes over the first policy, half-widths
 * of the changes, jobs that a percentile is the maximum of]; a ratio of 1.1 is a change of 0.1. Metrics without any value are left out. `known`: the names of a subject's metrics. */
function tablesOf(scenario, known) {
  const list = value => (Array.isArray(value) ? value : value ? [value] : []), tables = {};
  for (const [subject, key] of Object.entries(keyOf)) {
    const items = scenario.runs.map(run => list(run[key])), metrics = known(subject).filter(metric => items.some(of => of.some(item => isNumber(item[metric]))));
    const numbers = (item, less = 0) => metrics.map(metric => (item && isNumber(item[metric]) ? item[metric] - less : null));
    const rows = items.flatMap((of, p) => of.map((item, i) => {
      const ratio = list(((scenario.ratios || [])[p] || {})[key])[i] || {};
      return [p, typeof item.name === 'string' ? item.name : null, numbers(item), numbers(item.ci95), numbers(ratio, 1), numbers(ratio.ci95), numbers(item.maximum_of)];
    }));
    if (rows.length) tables[subject] = { metrics, rows };
  }
  return tables;
}

function compareCells(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const x = String(a), y = String(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/* Sorts rows by a column. Rows without a value stay at the end in either direction. */
function sortRows(rows, column, ascending) {
  const none = row => row[column] === null || row[column] === undefined;
  const full = rows.filter(row => !none(row)).sort((a, b) => (ascending ? 1 : -1) * compareCells(a[column], b[column]));
  return full.concat(rows.filter(none));
}

function csv(rows) {
  const field = value => value === null || value === undefined ? '' : /[",\n\r]/.test(String(value)) ? '"' + String(value).replace(/"/g, '""') + '"' : String(value);
  return rows.map(row => row.map(field).join(',')).join('\n') + '\n';
}

/* ---- axes ---- */

/* Whether numbers need a log axis: they span a factor of 20, and their steps are far from equal. */
function isLog(numbers) {
  const sorted = numbers.slice().sort((a, b) => a - b);
  if (sorted.length < 3 || sorted[0] <= 0 || sorted[sorted.length - 1] / sorted[0] < 20) return false;
  const steps = sorted.slice(1).map((n, i) => n - sorted[i]);
  return Math.max(...steps) > 4 * Math.min(...steps);
}

/* Whether a deadline is near enough to values to be drawn among them: farther above it would squeeze their curves. As in figures. */
const isNear = (deadline, least, most) => deadline <= (least > 0 && most >= 50 * least ? 10 : 2) * most;

/* The points [x, y] that no other is better than in both; signs: 1 where more is better, -1 where less is. In order of x. */
function paretoFront(points, xSign, ySign) {
  const better = (a, b) => xSign * (a[0] - b[0]) >= 0 && ySign * (a[1] - b[1]) >= 0 && (a[0] !== b[0] || a[1] !== b[1]);
  return points.filter(p => !points.some(other => better(other, p))).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

/* ---- timelines ---- */

/* Pieces [row, colour, start, end, count, ...] as objects, sorted by start as they are. Each takes `count` adjacent free lanes of
 * its row. Pieces from `exact` on are shares of intervals: they have no lanes. Returns the pieces and the number of lanes of each row. */
function lanesOf(numbers, names, rows, exact = Infinity) {
  const pieces = [], busy = Array.from({ length: rows }, () => []);
  for (let i = 0; i < numbers.length; i += 5) {
    const [row, color, start, end, count] = numbers.slice(i, i + 5), piece = { row, color, start, end, count, name: names[i / 5], share: start >= exact };
    pieces.push(piece);
    if (piece.share) continue;
    const lanes = busy[row], high = Math.min(count, 64);
    let lane = 0;
    for (let k = 0; k < high; k++)
      if (lanes[lane + k] > start) { lane += k + 1; k = -1; }
    for (let k = 0; k < high; k++) lanes[lane + k] = end;
    piece.lane = lane;
    piece.high = high;
  }
  return { pieces, lanes: busy.map(lanes => Math.max(1, lanes.length)) };
}

/* How many pieces of each colour a row has on average in each of `bins` equal intervals: a map of row -> [bin][colour]. */
function sharesOf(pieces, colors, from, to, bins) {
  const width = (to - from) / bins, rows = new Map();
  for (const p of pieces) {
    if (p.end <= from || p.start >= to) continue;
    if (!rows.has(p.row)) rows.set(p.row, Array.from({ length: bins }, () => new Float64Array(colors)));
    const row = rows.get(p.row);
    for (let b = Math.max(0, Math.floor((p.start - from) / width)); b < bins && from + b * width < p.end; b++)
      row[b][p.color] += p.count * Math.max(0, Math.min(p.end, from + (b + 1) * width) - Math.max(p.start, from + b * width)) / width;
  }
  return rows;
}

/* ---- the state of the page in its address, such as "#by=host%2Fkernels_per_s&t=0,5e6" ---- */

const readHash = hash => Object.fromEntries(new URLSearchParams(hash.replace(/^#/, '')));
const writeHash = state => { const text = new URLSearchParams(Object.entries(state).filter(e => e[1] !== null && e[1] !== undefined && e[1] !== '')).toString(); return text ? '#' + text : ''; };

/* ---- texts ---- */

/* Of a long name both ends are kept, since names of a list differ at either. */
const words = (text, most) => text.length > most ? text.slice(0, Math.ceil((most - 1) / 2)) + '…' + text.slice(text.length - Math.floor((most - 1) / 2)) : text;
/* A word as a shell reads it. */
const shellWord = text => (/^[\w./,:=@%+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);
const noInterval = (replications, exact, maximum) => exact ? 'nothing is random, so there is no interval' : replications < 2 ? 'one replication, so no interval: run with --replications 5'
  : maximum ? `no interval: these are maxima of as few as ${maximum} ${maximum === 1 ? 'value' : 'values'}` : `no interval: the change is the same in most of ${replications} replications`;

if (typeof module !== 'undefined') module.exports = { plain, percent, unitOf, show, showWith, tablesOf, sortRows, csv, isLog, isNear, paretoFront, lanesOf, sharesOf, readHash, writeHash, words, noInterval, shellWord };
