'use strict';
/* The answers of a search: along another axis the ends of each, or the means of all that raced. */

/* "1527.9/s" as a number and its unit. */
const split = value => { const text = String(value ?? ''), number = parseFloat(text); return { number: Number.isNaN(number) ? null : number, unit: text.replace(/^[-+.\de]+ ?/i, '') }; };

/* The axis that is searched, and those along which answers can be told. A race is told along what it varies. */
function foundAxes() {
  const isVaried = axis => axis.name.split(', ').includes(data.plan.vary), all = data.axes.map((axis, a) => a);
  const varied = all.filter(a => isVaried(data.axes[a])), others = all.filter(a => !isVaried(data.axes[a]));
  return data.found.races ? { along: varied, fixed: others } : { along: others, fixed: others };
}

/* A row of the data with its coordinates: {policy, a, b, state, remark, replications, at}. */
function foundRows() {
  const cells = new Map(data.found.cells.map(([point, ...at]) => [point, at]));
  return data.found.rows.map(([policy, a, b, state, remark, replications, point]) => ({ policy, a: split(a), b: split(b), state, remark, replications, at: cells.get(point) || [] }));
}

/* The point of a figure: [x, y, index of the value, half, ends]. Without an axis the policies are side by side. */
function foundPoint(row, axis, a, size, p) {
  const index = axis ? row.at[a] : p, x = axis && axis.numbers ? axis.numbers[index] : index, y = row.a.number / size, other = row.b.number;
  return [x, y, index, data.found.races && other !== null ? other / size : null, data.found.races || other === null ? null : [Math.min(y, other), Math.max(y, other)]];
}

/* Lines of policies; in a race also what is told to be worse, which has its own mark. */
function foundSeries(rows, axis, a, size) {
  const policies = [...new Set(rows.map(r => r.policy))];
  const kinds = data.found.races ? [['', r => r.state !== 'worse'], [' (worse)', r => r.state === 'worse']] : [['', () => true]];
  return kinds.flatMap(([suffix, is], k) => policies.map((policy, p) => ({ label: policy + suffix, color: p + k * policies.length,
    points: rows.filter(r => r.policy === policy && is(r) && r.a.number !== null).map(r => foundPoint(r, axis, a, size, p)).sort((x, y) => x[0] - y[0]) })));
}

function foundFigure(rows, a) {
  const axis = data.axes[a], size = data.found.races ? unitOf(data.answer.metric, Math.max(...rows.map(r => Math.abs(r.a.number || 0)))) : { size: 1, name: (rows.map(r => r.a.number === null ? r.b.unit : r.a.unit)[0] || '') };
  const series = foundSeries(rows, axis, a, size.size), vary = data.fields.find(f => f[0] === data.plan.vary) || [data.plan.vary, data.plan.vary];
  const what = withUnit(data.found.races ? `${wordsOf(data.answer.metric)} of ${data.answer.name}` : vary[1], { name: size.name.trim() }), along = axis ? axisWords(axis) : 'policy';
  const told = r => (data.found.races ? `${r.policy} ${axis ? axis.values[r.at[a]] : ''} ${r.state}` : `${r.policy}${axis ? ` at ${axis.values[r.at[a]]}` : ''}: ${r.a.number === null ? 'nothing holds' : `${plain(r.a.number)} holds`}, ${r.b.number === null ? 'nothing fails' : `${plain(r.b.number)} fails`}`);
  /* The caption begins with the varied field and its unit. */
  const asks = data.plan.asks.replace(` ${data.plan.vary} `, ' value ').replace(/\w+_\w+/g, wordsOf);
  return figure('found', `${what}: ${asks}. ${data.found.races ? 'Whiskers: 95 % intervals.' : 'Marks: the last value that holds. Bands and whiskers: up to the first that does not; between the two the answer is open.'}`,
    [el('ul', { class: 'legend' }, series.map(s => (s.points.length ? el('li', {}, svg('svg', { width: 14, height: 14, 'aria-hidden': 'true' }, mark(s.color, 7, 7)), s.label) : null))),
      !series.some(s => s.points.length) ? null : lines(series.filter(s => s.points.length), { numbers: axis && axis.numbers, log: axis && axisIsLog(axis), own: true, apart: data.found.races, values: axis ? axis.values : [...new Set(rows.map(r => r.policy))], label: along, format: plain, said: `${what} along ${along}. ${rows.slice(0, 40).map(told).join('; ')}`, height: 260 })],
    () => [[...data.axes.map(x => x.name), 'policy', ...(data.found.races ? ['mean', 'ci95'] : ['holds', 'fails']), 'unit', 'state', 'replications']].concat(rows.map(r => [...data.axes.map((x, i) => (!data.found.races && x.name.split(', ').includes(data.plan.vary) ? '' : x.values[r.at[i]])), r.policy, r.a.number, r.b.number, data.found.races ? '' : size.name, r.state, r.replications])));
}

function foundSection() {
  if (!data.plan.asks || !data.found.rows || !data.found.rows.length) return null;
  const all = foundRows(), { along, fixed } = foundAxes(), box = el('div');
  let a = along.find(x => data.axes[x].numbers) ?? along[0];
  const chosen = {};
  const draw = () => {
    const others = fixed.filter(x => x !== a);
    const rows = all.filter(r => others.every(x => r.at[x] === (chosen[x] || 0)));
    refill(box, el('div', { class: 'controls' }, along.length > 1 ? choice('Along', along.map(x => [x, axisWords(data.axes[x])]), a, value => { a = Number(value); draw(); }) : null,
      others.map(x => choice(axisWords(data.axes[x]), data.axes[x].values.map((value, i) => [i, value]), chosen[x] || 0, value => { chosen[x] = Number(value); draw(); }))),
    foundFigure(rows, a));
  };
  draw();
  const usual = ['between', 'best', 'no significant difference', 'worse'], odd = all.filter(r => r.remark || !usual.includes(r.state));
  return [box, odd.length ? el('ul', { class: 'warnings' }, [...new Set(odd.map(r => `${r.policy}: ${r.state}${r.remark ? `; ${r.remark}` : ''}.`))].slice(0, 8).map(text => el('li', {}, text))) : null];
}
