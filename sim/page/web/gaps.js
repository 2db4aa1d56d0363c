'use strict';
/* Gaps between a sweep's policies and the upper bound, over all points and along each axis. */

/* Whether the chosen metric has a bound. */
const isBounded = state => Boolean(data.bounds) && viewOf(state).subject === 'host' && Boolean(data.bounds.metrics[state.metric]?.overall.length);

const withPoints = list => list.map(([text, points]) => `${text} (${plural(points, 'point')})`).join(', ');

function gapFact(state, label) {
  const row = isBounded(state) && data.bounds.metrics[state.metric].overall.find(r => data.bounds.policies[r[0]] === label);
  return row ? fact(`${label} below the upper bound, on average`, percent(row[2]), `from ${percent(row[3])} at point ${row[4]} to ${percent(row[5])} at point ${row[6]}`) : null;
}

function gapCurve(metric, a) {
  const axis = data.axes[a], rows = data.bounds.metrics[metric].axes[a], policies = data.bounds.policies;
  if (!rows) return null;
  const series = policies.map((label, p) => ({ label, color: p, points: rows.filter(r => r[1] === p).map(r => [axis.numbers ? axis.numbers[r[0]] : r[0], r[3], r[0]]) })).filter(s => s.points.length);
  const format = v => percent(v), name = 'gap-' + (a + 1);
  const said = `mean gap to the bound of ${wordsOf(metric)} along ${axisWords(axis)}: ` + series.map(s => `${s.label} from ${format(s.points[0][1])} to ${format(s.points[s.points.length - 1][1])}`).join('; ');
  return el('figure', { id: 'figure-' + name }, el('h3', {}, axisWords(axis)), el('figcaption', {}, `mean over the points${axis.binned ? ' of each interval' : ''}${apartWords(axis)}`),
    lines(series, { numbers: axis.numbers, log: axisIsLog(axis), apart: axis.with.length > 0, own: !axis.binned, values: axis.values, label: axisWords(axis), format, zero: true, said, height: 220 }),
    under(name, () => [[axis.name, 'policy', 'metric', 'points', 'mean_gap_ratio', 'least_gap_ratio', 'greatest_gap_ratio']].concat(
      rows.map(r => [axis.values[r[0]], policies[r[1]], metric, r[2], r[3], r[4], r[5]]))));
}

function gapsSection(state) {
  if (!data.bounds) return el('p', { class: 'muted' }, 'This sweep has no bounds. Either its plan does not keep them (keep: [host, bound] does), or an older version made it.');
  const metric = isBounded(state) ? state.metric : 'kernels_per_s', bound = data.bounds.metrics[metric], policies = data.bounds.policies;
  if (!bound.overall.length) return el('p', { class: 'muted' }, `No point has a bound for ${wordsOf(metric)}: ${withPoints(bound.no_bound_because) || 'the host has no values of it'}.`);
  const list = bound.overall.map(([p, points, mean, least, leastPoint, most, mostPoint]) => ({ group: '', label: policies[p], color: p, value: mean, low: null, high: null, least, most, points, leastPoint, mostPoint, said: `${percent(mean)}, ${percent(least)} to ${percent(most)}` }));
  const curves = data.axes.map((_, a) => gapCurve(metric, a)).filter(Boolean);
  return [figure('gaps', `Gap between the ${wordsOf(metric)} of the host and the upper bound that no policy can exceed. Each point has its own bound. Dot: mean over the points. Thin line: smallest to largest gap of a point.${isBounded(state) ? '' : ` There is no bound for ${wordsOf(state.metric)} of ${whose(viewOf(state), state.name)}.`}`,
    [dots(list, `gap to the bound of ${wordsOf(metric)}`, v => percent(v))],
    () => [['policy', 'metric', 'points', 'mean_gap_ratio', 'least_gap_ratio', 'least_point', 'greatest_gap_ratio', 'greatest_point']].concat(
      list.map(r => [r.label, metric, r.points, r.value, r.least, r.leastPoint, r.most, r.mostPoint]))),
  el('p', {}, bound.binds.length ? `Tightest constraint: ${withPoints(bound.binds)}.` : null, bound.no_bound_because.length ? ` No bound: ${withPoints(bound.no_bound_because)}.` : null),
  curves.length ? [legend(policies, true), el('div', { class: 'panels' }, curves)] : null];
}
