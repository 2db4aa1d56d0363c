'use strict';
/* The page of a sweep. It shows one metric of one subject at a time, over all points, along each axis and over pairs of axes. */

const viewOf = state => data.subjects[state.subject];
const whose = (view, n) => (view.subject === view.names[n] ? 'the ' + view.subject : `${view.subject} ${view.names[n]}`);
/* What the sweep says of a varied field: [path, words, whether its scale is logarithmic]. Fields that change together are one axis. */
const fieldsOf = axis => axis.name.split(', ').map(path => data.fields.find(field => field[0] === path) || [path, path, 0]);
const axisName = axis => fieldsOf(axis).map(field => field[1]).join(', ');
const axisWords = axis => axisName(axis) + (axis.unit ? ` (${axis.unit})` : '');
const axisIsLog = axis => fieldsOf(axis).some(field => field[2]);
/* The deadline of the name that is shown, where its latency is; null without one. */
function deadlineOf(view, state) {
  const known = view.subject === 'vm' && /^job_latency_/.test(state.metric) && data.deadlines.find(row => row[0] === view.names[state.name]);
  return known ? known[1] : null;
}

/* The columns of an `overall` row after name, policy and points. */
const OVERALL = ['mean', 'change', 'ci', 'least', 'most', 'better', 'best', 'shared', 'equal', 'won', 'lost', 'tested'];

function overallOf(view, name, policy, m) {
  const row = view.overall.find(r => r[0] === name && r[1] === policy);
  return row ? { points: row[2], ...Object.fromEntries(OVERALL.map((key, i) => [key, row[3 + i][m]])) } : {};
}

/* Policies by the number of points at which no other is better beyond chance, then by that at which they are best alone. */
function sweepVerdict(state) {
  const view = viewOf(state), m = view.metrics.indexOf(state.metric);
  const all = view.policies.map((label, p) => ({ label, p, ...overallOf(view, state.name, p, m) })).filter(c => c.points);
  return all.map(c => ({ ...c, among: c.best + c.shared })).sort((a, b) => b.among - a.among || b.best - a.best || a.p - b.p);
}

const namesOf = list => list.map(c => c.label).join(', ').replace(/, ([^,]*)$/, ' and $1');

/* The headline: which policies are among the best at how many points, and at how many alone. */
function sweepTitle(state, ranks, better) {
  const best = ranks[0], at = n => `${group(String(n))} of ${plural(best.points, 'point')}`;
  if (!best) return 'No point has a value of this metric.';
  if (ranks.length === 1) return `${best.label}: ${measure(state.metric, best.mean)} on average`;
  if (!better) return 'Neither more nor less of this metric is better';
  if (best.equal === best.points) return `All ${ranks.length} policies are equal at ${at(best.points)}`;
  const first = ranks.filter(c => c.among === best.among && c.best === best.best), others = ranks.slice(first.length).filter(c => c.among);
  const tested = ranks.some(c => c.tested > 0), who = `${namesOf(first)} ${first.length > 1 ? 'are each' : 'is'}`;
  if (!tested || !best.shared) return `${who} best ${tested ? 'beyond chance ' : ''}at ${at(best.among)}`;
  const alone = c => (c.best ? `, alone at ${group(String(c.best))}` : '');
  const other = c => (c.shared ? `; ${c.label} at ${group(String(c.among))}${alone(c)}` : `; ${c.label} alone at ${group(String(c.best))}`);
  return `${who} among the best at ${at(best.among)}${alone(best)}${others.slice(0, 3).map(other).join('')}`;
}

/* The figure of the answer: at how many points each policy is better than the first one, by the interval of its change if there are replications. */
function sweepCounts(state, ranks) {
  const view = viewOf(state), first = view.policies[0], others = ranks.filter(c => c.p > 0), tested = others.some(c => c.tested > 0);
  if (!others.length) return null;
  const rows = others.map(c => { const won = tested ? c.won : c.better, all = tested ? c.tested : c.points, lost = tested ? c.lost : null; return { label: c.label, color: c.p, parts: tested ? [won, all - won - lost, lost] : [won, all - won], all }; });
  const parts = tested ? ['wins', 'ties', 'losses'] : ['better', 'equal or worse'];
  return figure('counts', `Points at which a policy ${tested ? `beats ${first}, ties or loses, beyond chance: replications are paired, and corrected for the number of policies` : `is better than ${first}; one replication, so no test is made`}.`,
    [outcomes(rows, parts)], () => [['policy', 'over', 'metric', ...parts, 'best_alone', 'best_shared']].concat(others.map((c, i) => [c.label, first, state.metric, ...rows[i].parts, c.best, c.shared])));
}

/* At how many points each policy is best, alone or tied. */
function sweepBest(ranks) {
  const counts = (list, key) => list.map(c => `${c.label} ${group(String(c[key]))}`).join(', ');
  const shared = ranks.filter(c => c.shared > 0);
  return el('p', {}, shared.length ? 'Best alone at: ' : 'Best at: ', counts(ranks, 'best'), '.',
    shared.length ? ` No significant difference from the best at: ${counts(shared, 'shared')}.` : null, shared.length && ranks[0].equal ? ` All are equal at ${group(String(ranks[0].equal))}.` : null);
}

/* Every metric of every name. The name that covers the whole subject comes first. */
function sweepQuestions() {
  return data.subjects.flatMap((view, s) => view.names.flatMap((name, n) => view.metrics.map(metric => [s, n, metric, `${wordsOf(metric)} of ${whose(view, n)}`])));
}

/* What a policy gains for tenants that run alone, which is no gain of sharing. */
function ownGains(state, c) {
  const told = data.gains_alone.rows.filter(r => r[0] === c.p && Math.abs(r[2]) > 0.005), of = n => (n < c.points ? ` at ${group(String(n))} of ${plural(c.points, 'point')}` : '');
  if (!told.some(r => r[2] > 0)) return '';
  const left = viewOf(state).subject === 'host' && state.metric === 'stp_ratio' ? data.gains_alone.left.find(r => r[0] === c.p) : null;
  const words = told.slice(0, 3).map(([, name, gain, points], i) => `${name}${i ? '' : ' is'} ${percent(Math.abs(gain))} ${gain > 0 ? 'faster' : 'slower'}${of(points)}`).join(', ');
  return `; alone, ${words}${told.length > 3 ? ` (${told.length - 3} more not shown)` : ''}${left ? `, which is no effect of sharing; without it ${percent(left[1], true)}` : ''}`;
}

function sweepAnswer(state) {
  const view = viewOf(state), ranks = sweepVerdict(state), best = ranks[0], first = view.policies[0], better = betterOf(view.subject, state.metric);
  const choose = choice('Measured by', sweepQuestions().map(q => [q.slice(0, 3).join('/'), q[3]]), [state.subject, state.name, state.metric].join('/'), value => {
    const [subject, name, ...metric] = value.split('/');
    remember('by', value);
    state.set({ subject: Number(subject), name: Number(name), metric: metric.join('/') });
  });
  const changes = ranks.filter(c => c.p > 0 && isNumber(c.change)).sort((a, b) => better * (b.change - a.change));
  return el('div', { class: 'answer ' + (best ? colorClass(best.p) : '') }, el('h2', { id: 'answer' }, sweepTitle(state, ranks, better)),
    el('p', { class: 'muted' }, `${wordsOf(state.metric)} of ${whose(view, state.name)} (${state.metric}): ${formulaOf(view.subject, state.metric)}; ${better > 0 ? 'more is better' : better < 0 ? 'less is better' : 'neither way is better'}.`),
    ranks.length > 1 && better ? [sweepBest(ranks), sweepCounts(state, ranks)] : null,
    el('dl', { class: 'facts' }, changes.slice(0, 3).map(c => fact(`${c.label} over ${first}, on average`, percent(c.change, true),
      `${isNumber(c.ci) ? `95 % interval ± ${percent(c.ci)} by replications; ` : 'one replication, so no interval; '}from ${percent(c.least, true)} to ${percent(c.most, true)} by point; ${c.tested ? `better beyond chance at ${group(String(c.won))} of ${group(String(c.tested))}, worse at ${group(String(c.lost))}` : `better at ${group(String(c.better))} of ${group(String(c.points))}`}${ownGains(state, c)}`)), best ? gapFact(state, best.label) : null),
    el('div', { class: 'controls' }, choose), data.caveats.length ? el('ul', { class: 'warnings' }, data.caveats.map(([text]) => el('li', {}, `${text[0].toUpperCase()}${text.slice(1)}.`))) : null);
}

function sweepGains(state) {
  const view = viewOf(state), m = view.metrics.indexOf(state.metric), list = [];
  const names = [state.name].concat(view.names.map((_, n) => n).filter(n => n !== state.name));
  for (const name of names)
    view.policies.forEach((label, p) => {
      const c = overallOf(view, name, p, m);
      if (p > 0 && isNumber(c.change))
        list.push({ group: whose(view, name), name: view.names[name], label, color: p, value: c.change, low: isNumber(c.ci) ? c.change - c.ci : null, high: isNumber(c.ci) ? c.change + c.ci : null, ...c,
          said: percent(c.change, true) + (isNumber(c.ci) ? ' ± ' + percent(c.ci) : '') });
    });
  if (!list.length) return el('p', { class: 'muted' }, 'There is no change over a first policy to show.');
  return [figure('gains', `Change of ${wordsOf(state.metric)} over ${view.policies[0]}, the first policy. Dot: mean over the points. Whiskers: its 95 % interval, each replication being one sample. Thin line: smallest to largest change of a point.`,
    [dots(list, `change over ${view.policies[0]}`, v => percent(v, true))],
    () => [['policy', 'over', 'subject', 'name', 'metric', 'points', 'change_ratio', 'ci95_change_ratio', 'least_ratio', 'greatest_ratio', 'better_points', 'best_alone_points', 'best_shared_points']].concat(
      list.map(r => [r.label, view.policies[0], view.subject, r.name, state.metric, r.points, r.change, r.ci, r.least, r.most, r.better, r.best, r.shared]))),
  el('p', { class: 'muted' }, `${plural(list.length, 'comparison')} of this metric: of twenty 95 % intervals, one is expected to miss by chance.`)];
}

/* ---- means of groups of points ---- */

/* The smallest group that has all these axes. */
function groupFor(view, axes) {
  const fits = view.groups.filter(g => axes.every(a => g.axes.includes(a)));
  return fits.sort((a, b) => a.rows.length - b.rows.length)[0] || null;
}

/* Means of a metric, or of its change, for each combination of values of the axes `by`. Other axes have the values in `fixed`. */
function meansBy(state, by, fixed, change) {
  const view = viewOf(state), m = view.metrics.indexOf(state.metric), fixedAxes = Object.keys(fixed).map(Number);
  const found = groupFor(view, by.concat(fixedAxes)), sums = new Map();
  if (!found) return null;
  const place = axis => found.axes.indexOf(axis), k = found.axes.length;
  for (const row of found.rows) {
    if (row[k] !== state.name || fixedAxes.some(axis => row[place(axis)] !== fixed[axis])) continue;
    const value = row[k + (change ? 5 : 4)][m], key = by.map(axis => row[place(axis)]).concat(row[k + 1]).join('/');
    if (!isNumber(value)) continue;
    const sum = sums.get(key) || { sum: 0, n: 0, first: row[k + 3], at: by.map(axis => row[place(axis)]), policy: row[k + 1] };
    sum.sum += value * row[k + 2];
    sum.n += row[k + 2];
    sum.first = Math.min(sum.first, row[k + 3]);
    sums.set(key, sum);
  }
  return [...sums.values()].map(s => ({ at: s.at, policy: s.policy, mean: s.sum / s.n, points: s.n, first: s.first }));
}

function fixedChoices(state, without, redraw) {
  const view = viewOf(state);
  return data.axes.map((axis, a) => data.axes.length < 2 || without.includes(a) || !groupFor(view, without.concat(a)) ? null
    : choice(axisWords(axis), [['', 'all, averaged']].concat(axis.values.map((value, i) => [i, value])), state.fixed[a] === undefined ? '' : state.fixed[a], value => {
      if (!groupFor(view, without.concat(Object.keys(state.fixed).map(Number), a))) state.fixed = {};
      if (value === '') delete state.fixed[a]; else state.fixed[a] = Number(value);
      remember('fix', Object.entries(state.fixed).map(e => e.join(':')).join(','));
      redraw();
    }));
}

function fixedWithout(state, without) {
  return Object.fromEntries(Object.entries(state.fixed).filter(([a]) => !without.includes(Number(a))));
}

/* Along an axis that moves the speed alone, metrics that divide by it move even if nothing does in company. */
function aloneWords(state, axis) {
  const view = viewOf(state), name = view.names[state.name], names = axis.name.split(', ');
  const rows = data.alone.rows.filter(r => names.includes(r[0]) && (view.subject === 'host' || r[1] === name));
  if (!rows.length || !data.alone.metrics.some(m => m[0] === view.subject && m[1] === state.metric)) return '';
  const whole = ratio => `${ratio > 0.005 ? '+' : ''}${Math.round(100 * ratio) || 0}`;
  return `. The speed alone, which ${wordsOf(state.metric)} divides by, moves along this axis: ${rows.slice(0, 3).map(r => `${r[1]} by ${whole(r[2])} to ${whole(r[3])} %`).join(', ')}${rows.length > 3 ? ` and ${rows.length - 3} more` : ''}; ${wordsOf(view.subject === 'host' ? 'kernels_per_s' : 'jobs_per_s')} does not divide by it`;
}

const apartWords = axis => axis.with.length ? `. Not all else is equal: ${axis.with.map(b => axisName(data.axes[b])).join(', ')} ${axis.with.length > 1 ? 'differ' : 'differs'} too, so there are no lines` : '';

function curve(state, a) {
  const axis = data.axes[a], view = viewOf(state), means = meansBy(state, [a], fixedWithout(state, [a]), state.change) || [];
  const unit = state.change ? { size: 1, name: '' } : unitOf(state.metric, Math.max(...means.map(c => Math.abs(c.mean)), 0));
  const format = state.change ? v => percent(v, true) : plain, ci = Object.keys(fixedWithout(state, [a])).length ? null : view.intervals.find(i => i.axis === a), m = view.metrics.indexOf(state.metric);
  const ciOf = c => { const row = ci && ci.rows.find(r => r[0] === c.at[0] && r[1] === state.name && r[2] === c.policy); return row && isNumber(row[state.change ? 4 : 3][m]) ? row[state.change ? 4 : 3][m] / unit.size : null; };
  const series = view.policies.map((label, p) => ({ label, color: p, points: means.filter(c => c.policy === p).sort((x, y) => x.at[0] - y.at[0]).map(c => [axis.numbers ? axis.numbers[c.at[0]] : c.at[0], c.mean / unit.size, c.at[0], ciOf(c)]) })).filter(s => s.points.length && !(state.change && s.color === 0));
  const what = state.change ? `change of ${wordsOf(state.metric)} over ${view.policies[0]}` : withUnit(wordsOf(state.metric), unit);
  const said = `${what} along ${axisWords(axis)}: ` + series.map(s => `${s.label} from ${format(s.points[0][1])} to ${format(s.points[s.points.length - 1][1])}`).join('; ');
  const name = 'curve-' + (a + 1), deadline = state.change ? null : deadlineOf(view, state), level = isNumber(deadline) ? { at: deadline / unit.size, said: `deadline ${show(state.metric, deadline)}` } : null;
  const all = means.map(c => c.mean), near = level && isNear(deadline, Math.min(...all), Math.max(...all));
  return el('figure', { id: 'figure-' + name }, el('h3', {}, axisWords(axis)), el('figcaption', {}, `${what}${axis.binned ? '; means of intervals' : ''}${ci ? '; bands are 95 % intervals over the replications' : ''}${apartWords(axis)}${level && !near ? `; ${level.said}, far above` : ''}${aloneWords(state, axis)}`),
    lines(series, { hidden: hiddenPolicies, numbers: axis.numbers, log: axisIsLog(axis), level: near ? level : null, apart: axis.with.length > 0, own: !axis.binned, values: axis.values, label: axisWords(axis), format, zero: state.change, said: said + (level ? `; ${level.said}` : ''), height: 220 }),
    under(name, () => [[axis.name, 'policy', 'subject', 'name', state.change ? state.metric + '_change_ratio' : state.metric, 'ci95', 'points']].concat(
      means.map(c => [axis.values[c.at[0]], view.policies[c.policy], view.subject, view.names[state.name], c.mean, isNumber(ciOf(c)) ? ciOf(c) * unit.size : null, c.points]))));
}

/* Means cover only the points that are done. If some are missing, each value of an axis averages over different points. */
function unevenNote() {
  const points = Number(data.plan.points), lacking = points - Number(data.plan.done);
  return lacking > 0 && data.axes.length > 1 ? el('p', {}, `${group(String(lacking))} of ${plural(points, 'point')} failed or are missing: means are over the others, which need not be the same for each value. Choose values of the other axes to compare like with like.`) : null;
}

function curvesSection(state) {
  const box = el('div');
  const draw = () => refill(box, el('div', { class: 'controls' },
    choice('Shown', [['value', 'the metric'], ['change', 'its change over the first policy']], state.change ? 'change' : 'value', value => { state.change = value === 'change'; remember('change', state.change ? '1' : null); draw(); }), fixedChoices(state, [], draw)),
  policyLegend(viewOf(state).policies, draw), el('div', { class: 'panels' }, data.axes.map((axis, a) => (groupFor(viewOf(state), [a].concat(Object.keys(fixedWithout(state, [a])).map(Number))) ? curve(state, a) : null))));
  if (data.axes.length) draw(); else box.append(el('p', { class: 'muted' }, 'Nothing varies: there are no curves.'));
  return [unevenNote(), box];
}

/* What a cell of the map stands for: the values of all policies, and how to get the timeline of its point. */
function cellCard(state, pair, at) {
  const view = viewOf(state), means = (meansBy(state, pair, fixedWithout(state, pair), false) || []).filter(c => c.at[0] === at[0] && c.at[1] === at[1]), better = betterOf(view.subject, state.metric) || 1;
  if (!means.length) return null;
  const points = means[0].points, first = means[0].first;
  return el('div', { class: 'opened', role: 'status' }, el('strong', {}, pair.map((a, i) => `${axisWords(data.axes[a])} ${data.axes[a].values[at[i]]}`).join(', ') + (points > 1 ? `: means over ${plural(points, 'point')}` : `: point ${first}`)),
    bars(means.slice().sort((x, y) => better * (y.mean - x.mean)).map(c => ({ label: view.policies[c.policy], color: c.policy, value: c.mean / unitOf(state.metric, Math.abs(means[0].mean)).size, said: show(state.metric, c.mean) })), null,
      withUnit(wordsOf(state.metric), unitOf(state.metric, Math.abs(means[0].mean))), plain, ''),
    el('p', { class: 'muted' }, 'Timeline', points > 1 ? ` of its first point, ${first}` : '', ': ', el('code', {}, `smsched run PLAN --point ${first} --out DIR`), ', then ', el('code', {}, 'smsched report DIR')));
}

function mapSection(state) {
  const view = viewOf(state), box = el('div'), several = view.policies.length > 1, better = betterOf(view.subject, state.metric);
  const able = data.axes.flatMap((_, a) => data.axes.map((_2, b) => [a, b])).filter(([a, b]) => a < b && groupFor(view, [a, b]));
  if (!able.length) return null;
  const kinds = [several && better ? ['winner', 'the best policy'] : null, several ? ['change', 'change over the first policy'] : null, ['value', 'the metric']].filter(Boolean);
  let pair = able[Number(recall('axes', 0))] || able[0], what = (kinds.find(k => k[0] === recall('map', '')) || kinds[0])[0];
  let policy = view.policies[recall('policy', null)] ? Number(recall('policy')) : several ? Math.max(1, (sweepVerdict(state)[0] || {}).p || 1) : 0, at = null;
  const draw = () => {
    const [a, b] = pair, all = meansBy(state, pair, fixedWithout(state, pair), what === 'change') || [], means = what === 'winner' ? bestOf(all, better) : all.filter(c => c.policy === policy);
    const unit = unitOf(state.metric, Math.max(...means.map(c => Math.abs(c.mean)), 0)), format = what === 'change' ? v => percent(v, true) : v => plain(v / unit.size, 3) + (unit.name === '1/s' ? '' : unit.name ? ' ' + unit.name : '');
    const title = what === 'winner' ? `policy with the best ${wordsOf(state.metric)}` : `${what === 'change' ? `change over ${view.policies[0]} of ` : ''}${wordsOf(state.metric)} under ${view.policies[policy]}`;
    const open = cell => { at = cell; card.replaceChildren(...[cellCard(state, pair, at)].filter(Boolean)); }, card = el('div');
    const cells = means.map(c => [c.at[0], c.at[1], c.mean, what === 'winner' ? c : null]), names = { x: axisWords(data.axes[a]), y: axisWords(data.axes[b]) };
    const said = `${title} by ${axisName(data.axes[a])} and ${axisName(data.axes[b])}: ` + (!means.length ? 'no values' : what === 'winner' ? view.policies.map((label, p) => `${label} in ${plural(means.filter(c => c.policy === p && !c.tied).length, 'cell')}`).join(', ') : `from ${format(Math.min(...means.map(c => c.mean)))} to ${format(Math.max(...means.map(c => c.mean)))}`);
    refill(box, el('div', { class: 'controls' }, choice('Axes', able.map((p, i) => [i, p.map(k => axisName(data.axes[k])).join(' × ')]), able.indexOf(pair), i => { pair = able[Number(i)]; at = null; remember('axes', i); draw(); }),
      choice('Shown', kinds, what, value => { what = value; remember('map', value); if (what === 'change' && policy === 0) policy = 1; draw(); }),
      what === 'winner' ? null : choice('Policy', view.policies.map((label, p) => [p, label]), policy, value => { policy = Number(value); remember('policy', value); if (policy === 0 && what === 'change') what = 'value'; draw(); }), fixedChoices(state, pair, draw)),
    figure('map', `${title}; means over all other axes, unless chosen above.${what === 'winner' ? ' A grey cell has several best policies.' : ''} A cell opens its point.`,
      [what === 'winner' ? legend(view.policies) : null, grid(data.axes[a].values, data.axes[b].values, cells, { winner: what === 'winner' ? c => (c.tied ? null : c.policy) : null, open, diverging: what === 'change', format, ...names, said }), card],
      () => [[data.axes[a].name, data.axes[b].name, 'policy', what === 'change' ? state.metric + '_change_ratio' : state.metric, 'points', 'first_point']].concat(
        means.map(c => [data.axes[a].values[c.at[0]], data.axes[b].values[c.at[1]], c.tied ? 'several' : view.policies[c.policy], c.mean, c.points, c.first]))));
    if (at) open(at);
  };
  draw();
  return box;
}

/* The best policy of each cell. */
function bestOf(means, better) {
  const cells = new Map();
  for (const c of means) {
    const key = c.at.join(), best = cells.get(key);
    if (!best || better * (c.mean - best.mean) > 0) cells.set(key, { ...c, tied: false });
    else if (c.mean === best.mean) best.tied = true;
  }
  return [...cells.values()];
}

/* One metric against another: policies, and the points of the sweep. */
function sweepTrade(state) {
  const view = viewOf(state), ranks = view.policies, full = view.groups.slice().sort((x, y) => y.axes.length - x.axes.length)[0], k = full ? full.axes.length : 0;
  const list = view.metrics.map((metric, m) => ({ key: metric, metric, m, label: wordsOf(metric), better: betterOf(view.subject, metric), value: p => ({ mean: overallOf(view, state.name, p, m).mean, ci: null }) })).filter(q => q.better);
  if (list.length < 2) return null;
  const cloud = (p, x, y) => (full ? full.rows.filter(r => r[k] === state.name && r[k + 1] === p).map(r => [r[k + 4][x.m], r[k + 4][y.m], `${plural(r[k + 2], 'point')}, the first ${r[k + 3]}`]) : []);
  return tradeSection(list, state.metric, ranks, cloud);
}

/* The rows of the group with the most axes. Without axes, the rows of all points. */
function pointsTable(state) {
  const view = viewOf(state), full = view.groups.slice().sort((a, b) => b.axes.length - a.axes.length)[0], k = full ? full.axes.length : 0;
  const order = view.metrics.map((_, m) => m).sort((a, b) => (view.metrics[b] === state.metric) - (view.metrics[a] === state.metric));
  const rows = full ? full.rows.filter(r => r[k] === state.name).map(r => full.axes.map((a, i) => data.axes[a].numbers ? data.axes[a].numbers[r[i]] : data.axes[a].values[r[i]]).concat(view.policies[r[k + 1]], r[k + 2],
    order.flatMap(m => [r[k + 4][m], r[k + 1] ? r[k + 5][m] : null]))) : view.overall.filter(r => r[0] === state.name).map(r => [view.policies[r[1]], r[2]].concat(order.flatMap(m => [r[3][m], r[1] ? r[4][m] : null])));
  const columns = (full ? full.axes.map(a => ({ name: axisWords(data.axes[a]), text: !data.axes[a].numbers, cell: (r, i) => isNumber(r[i]) ? plain(r[i], 5) : r[i] })) : []).concat({ name: 'policy', text: true }, { name: 'points' },
    order.map(m => view.metrics[m]).flatMap(metric => [{ name: metric, title: formulaOf(view.subject, metric), cell: (r, i) => show(metric, r[i]) }, { name: 'change', title: `${metric}, over ${view.policies[0]}`, cell: (r, i) => changeCell(view.subject, metric, r[i], null) }]));
  const header = columns.map(c => c.name);
  return [table(`Means of ${whose(view, state.name)}; change: over ${view.policies[0]}, paired by replication; no test is made here, so there are no colours.`, columns, rows), under('points', () => [header.map((name, i) => (name === 'change' ? header[i - 1] + '_change_ratio' : name))].concat(rows))];
}

function failuresSection() {
  if (!data.failures.length) return null;
  return [el('p', {}, `${data.plan.failed} points failed.`), table('Failed points, the first 20.', [{ name: 'point' }, { name: 'message', text: true }], data.failures)];
}

function warnedSection() {
  if (!data.warnings.length) return null;
  return table('Points with warnings, the first 20; points.csv has all.', [{ name: 'point' }, { name: 'message', text: true }], data.warnings);
}

function sweepSections(state) {
  const nothing = data.plan.done > 0 ? `${plural(Number(data.plan.done), 'point')} ${Number(data.plan.done) === 1 ? 'is' : 'are'} done, but there is nothing to compare. No kept metric with a better direction differs between points or policies.` : 'No point of this sweep is done.';
  if (!data.subjects.length) return [['Nothing to show', 'answer', el('p', {}, nothing)], ['Failed points', 'failures', failuresSection()]];
  return [[null, 'answer', sweepAnswer(state)], ['What was searched for', 'found', foundSection()], ['Gains and their certainty', 'gains', sweepGains(state)], ['Distance from the upper bound', 'gaps', gapsSection(state)], ['Along each axis', 'curves', curvesSection(state)], ['Over two axes', 'map', mapSection(state)], ['One metric against another', 'trade', sweepTrade(state)],
    ['All numbers', 'table', pointsTable(state)], ['Timeline', 'timeline', el('p', { class: 'muted' }, 'A sweep keeps no timelines. ', el('code', {}, 'smsched run PLAN --point N --out DIR'), ' runs one point again, and ', el('code', {}, 'smsched report DIR'), ' shows its timeline. points.csv lists the points.')],
    ['Failed points', 'failures', failuresSection()], ['Warnings', 'warnings', warnedSection()],
    ['What was run', 'manifest', [commandLine(),
      el('details', {}, el('summary', {}, 'The plan'), el('pre', { tabindex: '0', 'aria-label': 'Text of the plan' }, data.plan.text || 'The text is in manifest.json.'))]]];
}
