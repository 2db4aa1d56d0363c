'use strict';
/* The page of a folder of results. It shows one scenario at a time, with all its policies. */

const CHOICES = [['cluster', 'turnaround_mean_ns'], ['cluster', 'gpu_allocation_mean_ratio'], ['process', 'turnaround_ns'], ['host', 'stp_ratio'], ['host', 'kernels_per_s'], ['cluster', 'placed_count']];
const subjectWords = { host: 'the host', vm: 'VMs', resource: 'resources', kernel: 'kernels', process: 'processes', device: 'devices', cluster: 'the cluster', class: 'classes' };

const fileOf = { host: 'hosts', vm: 'vms', resource: 'resources', kernel: 'kernels', process: 'processes', device: 'devices', cluster: 'cluster', class: 'classes' };

const tableOf = (scenario, subject) => scenario.tables[subject] || { metrics: [], rows: [] };
/* The name of the row that covers a whole subject; null if the row has no name. */
const wholeOf = subject => ({ process: 'all', device: 'all', cluster: 'cluster' }[subject] || null);

/* A mean with its interval, and its change over the first policy. maximum: how many jobs or pods a percentile is the maximum of. */
function cellOf(scenario, subject, policy, name, metric) {
  const table = tableOf(scenario, subject), m = table.metrics.indexOf(metric);
  const row = table.rows.find(r => r[0] === policy && r[1] === name);
  return row && m >= 0 ? { mean: row[2][m], ci: row[3][m], change: row[4][m], changeCi: row[5][m], maximum: row[6][m], sure: isSure(scenario, subject, policy, name, metric, row[4][m], row[5][m]) }
    : { mean: null, ci: null, change: null, changeCi: null, maximum: null, sure: null };
}

/* The comparisons that have a p-value. If all replications agree, there is none. */
const familyOf = scenario => scenario.comparisons.filter(c => isNumber(c[4]));

/* Whether a change is significant after Holm's correction; null if it is not in the family of comparisons. */
function holdsOf(scenario, subject, policy, name, metric) {
  if (!scenario.family) scenario.family = new Map(familyOf(scenario).map(c => [c.slice(0, 4).join('\n'), c[4]]));
  const p = scenario.family.get([policy, subject, name || subject, metric].join('\n'));
  return isNumber(p) ? p < 0.05 : null;
}

/* Whether a change counts. In exact results every change does. Otherwise it must hold in the family of comparisons, or its interval must exclude 0. */
function isSure(scenario, subject, policy, name, metric, change, ci) {
  if (scenario.exact) return isNumber(change) ? change !== 0 : null;
  const holds = holdsOf(scenario, subject, policy, name, metric);
  if (holds !== null) return holds;
  return isNumber(ci) && scenario.replications > 1 ? Math.abs(change) > ci : null;
}

/* All [subject, metric, name] by which the policies of a scenario can be ranked; the one that the scenario asks for comes first. */
function questionsOf(scenario) {
  const list = [], asked = scenario.answer ? [scenario.answer.subject, scenario.answer.metric, nameOf(scenario.answer.subject, scenario.answer.name)] : null;
  const add = (subject, metric, name) => {
    if (!list.some(q => q[0] === subject && q[1] === metric && q[2] === name) && scenario.policies.some((_, p) => isNumber(cellOf(scenario, subject, p, name, metric).mean))) list.push([subject, metric, name]);
  };
  if (asked) add(...asked);
  for (const subject of ['class', 'cluster', 'host', 'process'])
    for (const metric of tableOf(scenario, subject).metrics)
      for (const name of subject === 'class' ? new Set(tableOf(scenario, subject).rows.map(r => r[1])) : [wholeOf(subject)])
        if (betterOf(subject, metric) !== 0) add(subject, metric, name);
  return list;
}

/* The name of a row as tables have it: null for the host. */
const nameOf = (subject, name) => (subject === 'host' ? null : name);
const ofWhat = (subject, name) => (name === wholeOf(subject) ? subjectWords[subject] : `${subject} ${name}`);
/* Whether more (1) or less (-1) is better; the scenario may say so itself. */
function directionOf(scenario, subject, metric) {
  const asked = scenario.answer;
  return asked && asked.subject === subject && asked.metric === metric ? (asked.better === 'lower' ? -1 : 1) : betterOf(subject, metric) || 1;
}

function firstQuestion(scenario) {
  const list = questionsOf(scenario);
  const find = pair => list.find(q => q[1] === pair[1] && (pair[0] === null || q[0] === pair[0]) && (pair[2] === undefined || q[2] === pair[2]));
  const asked = scenario.answer, wanted = (asked ? [[asked.subject, asked.metric, nameOf(asked.subject, asked.name)]] : []).concat(CHOICES);
  return wanted.map(find).find(Boolean) || list[0] || ['host', 'kernels_per_s', null];
}

function boundOf(scenario, subject, metric) {
  const bound = subject === 'host' && scenario.bounds ? scenario.bounds[metric] : null;
  return bound ? { ...bound, reach: isNumber(bound.run) ? bound.run : null } : null;
}

/* Whether the best policy is told apart: from the first, or, if it is that, from all others; null where nothing was tested. */
function sureOf(all) {
  const told = all[0].p !== 0 ? [all[0].sure] : all.filter(c => c.p !== 0 && c.mean !== all[0].mean).map(c => c.sure);
  return told.includes(false) ? false : told.length && told.every(sure => sure === true) ? true : null;
}

/* The policies in order, best first, with the best one's ties and whether it is told apart. */
function verdict(scenario, subject, metric, name) {
  const better = directionOf(scenario, subject, metric);
  const all = scenario.policies.map((label, p) => ({ label, p, ...cellOf(scenario, subject, p, name, metric) })).filter(c => isNumber(c.mean));
  all.sort((a, b) => better * (b.mean - a.mean) || a.p - b.p);
  const best = all[0], equal = all.filter(c => best && c.mean === best.mean);
  const few = scenario.exact ? [] : all.map(c => c.maximum).filter(isNumber);
  return { all, best, equal, better, maximum: few.length ? Math.min(...few) : null, sure: best ? sureOf(all) : null };
}

function headline(scenario, v, metric) {
  if (!v.best) return 'No policy has a value of this metric.';
  if (v.all.length === 1) return `${v.best.label}: ${measure(metric, v.best.mean)}`;
  if (v.equal.length === v.all.length) return `All ${v.all.length} policies are equal: ${measure(metric, v.best.mean)}`;
  const names = v.equal.map(c => c.label).join(' and ');
  if (v.maximum) return `No verdict: ${wordsOf(metric)} is the maximum of as few as ${plural(v.maximum, 'value')}; the ${v.better > 0 ? 'highest' : 'lowest'} is ${measure(metric, v.best.mean)} under ${names}`;
  const many = v.equal.length > 1;
  const over = v.sure && v.best.p !== 0 && v.all.length > 2 ? `better than ${scenario.policies[0]} by more than chance` : 'best';
  const how = v.sure === false ? `${many ? 'seem' : 'seems'} best, but that may be chance` : `${many ? 'do' : 'does'} ${over}`;
  return `${names} ${how}: ${measure(metric, v.best.mean)}`;
}

const fact = (name, value, more) => el('div', {}, el('dt', {}, name), el('dd', {}, value, el('small', {}, more)));

function changeFact(scenario, v) {
  const first = scenario.policies[0], n = scenario.replications;
  if (v.all.length < 2) return null;
  const shown = v.best.p === 0 ? v.all[1] : v.best;
  const interval = isNumber(shown.changeCi) && n > 1 ? `95 % interval ${percent(shown.change - shown.changeCi, true)} to ${percent(shown.change + shown.changeCi, true)}, of ${n} paired replications`
    : noInterval(n, scenario.exact, v.maximum);
  return fact(v.best.p === 0 ? `runner-up ${shown.label} over ${first}` : `change over ${first}`, percent(shown.change, true), interval);
}

function boundFact(scenario, subject, metric, v) {
  const bound = boundOf(scenario, subject, metric);
  if (!bound || !isNumber(bound.reach)) return null;
  const binds = bound.binds.filter(b => b.share_ratio > 0.05).map(b => b.name).join(', ');
  return fact('below what any policy could reach in this run', percent(bound.gap_ratio[v.best.label]), `bound: ${show(metric, bound.reach)}${binds ? ', set by ' + binds : ''}`);
}

function surelyBetter(scenario, v) {
  const sure = v.all.filter(c => c.p > 0 && c.sure && v.better * c.change > 0);
  if (scenario.replications < 2 || scenario.policies.length < 3 || v.maximum) return null;
  return el('p', {}, sure.length ? `Better than ${scenario.policies[0]} by more than chance: ${sure.map(c => c.label).join(', ')}.` : `No policy is better than ${scenario.policies[0]} by more than chance.`);
}

function comparisons(scenario, subject) {
  const others = scenario.policies.length - 1, names = new Set(tableOf(scenario, subject).rows.map(r => r[1])).size;
  return others > 0 && scenario.replications > 1 ? `Each of ${plural(others, 'policy', 'policies')} is compared with ${scenario.policies[0]}, metric by metric. Of twenty 95 % intervals one is expected to miss by chance; this metric alone has ${plural(others * names, 'comparison')}.${familyOf(scenario).length ? ` A policy is called better if that holds after Holm's correction among the comparisons of its metric (at 5 %, where smsched compare gives a p), and for other metrics by its own interval.` : ''}` : '';
}

/* The run's warnings, and choices that it made. They affect how far the answer can be trusted. */
function warningsOf(scenario) {
  const until = scenario.until, list = [];
  if (until) list.push(`Replications continued until ${until.metric} of ${until.name || until.subject} is known to ± ${percent(until.precision_ratio)}: ${until.met ? 'reached' : 'not reached'}${isNumber(until.reached_ratio) ? `, ± ${percent(until.reached_ratio)}` : ''} after ${plural(scenario.replications, 'replication')}.`);
  if (isNumber(scenario.warmup_ns)) list.push(`The warm-up was found from the results: ${show('t_ns', scenario.warmup_ns)}.`);
  for (const warning of scenario.warnings || []) list.push(`Warning: ${warning}.`);
  if (scenario.exact) list.push('Exact: nothing is random, so every seed gives the same results.');
  for (const note of scenario.notes || []) list.push(`Note: ${note}.`);
  const t = tableOf(scenario, 'cluster'), of = (row, metric) => t.metrics.includes(metric) ? row[2][t.metrics.indexOf(metric)] : null;
  const failed = t.rows.filter(row => of(row, 'failed_count') > 0);
  if (failed.length) list.push(`Pods that failed, on average of ${plain(of(failed[0], 'pods_count'))}: ${failed.map(row => `${scenario.policies[row[0]]} ${plain(of(row, 'failed_count'))}`).join(', ')}. Turnarounds count only pods that ended without failing.`);
  return list.length ? el('ul', { class: 'warnings' }, list.map(text => el('li', {}, text))) : null;
}

function answerOf(state) {
  const { scenario, subject, metric, name } = state, v = verdict(scenario, subject, metric, name), asked = scenario.answer;
  const isAsked = asked && asked.subject === subject && asked.metric === metric && nameOf(subject, asked.name) === name;
  const choose = choice('Measured by', questionsOf(scenario).map(q => [q.join('/'), `${wordsOf(q[1])} (${ofWhat(q[0], q[2])}, ${directionOf(scenario, q[0], q[1]) > 0 ? 'more' : 'less'} is better)`]),
    [subject, metric, name].join('/'), value => { const [s, m, ...n] = value.split('/'); remember('by', value); state.set({ subject: s, metric: m, name: n.join('/') || null }); });
  return el('div', { class: 'answer ' + (v.best ? colorClass(v.best.p) : '') }, el('h2', { id: 'answer' }, isAsked && asked.text ? asked.text.replace(/^(no|all|modes) /, word => word[0].toUpperCase() + word.slice(1)) : headline(scenario, v, metric)),
    el('p', { class: 'muted' }, `${scenario.scenario}${isAsked && asked.declared ? ' asks for' : ':'} ${wordsOf(metric)} of ${ofWhat(subject, name)} (${metric}): ${formulaOf(subject, metric)}.`),
    isAsked && asked.measured ? el('p', { class: 'muted' }, `Measured: ${asked.measured}.`) : null,
    valuesOf(state, v), v.best ? el('dl', { class: 'facts' }, changeFact(scenario, v), name === wholeOf(subject) ? boundFact(scenario, subject, metric, v) : null) : null,
    surelyBetter(scenario, v), el('div', { class: 'controls' }, choose), warningsOf(scenario));
}

/* ---- gains ---- */

function gainRows(state) {
  const scenario = state.scenario, list = [];
  const add = (subject, name, group) => scenario.policies.forEach((label, p) => {
    const c = cellOf(scenario, subject, p, name, state.metric);
    if (p > 0 && isNumber(c.change))
      list.push({ subject, name, group, label, color: p, value: c.change, low: isNumber(c.changeCi) ? c.change - c.changeCi : null, high: isNumber(c.changeCi) ? c.change + c.changeCi : null,
        ci: c.changeCi, said: percent(c.change, true) + (isNumber(c.changeCi) ? ' ± ' + percent(c.changeCi) : '') });
  });
  add(state.subject, wholeOf(state.subject), state.subject === 'process' ? 'all processes' : subjectWords[state.subject] || state.subject);
  const parts = state.subject === 'host' ? 'vm' : state.subject;
  const names = [...new Set(tableOf(scenario, parts).rows.map(r => r[1]))].filter(name => name !== wholeOf(parts));
  names.slice(0, 12).forEach(name => add(parts, name, name));
  return { list, more: names.length - 12 };
}

function gainsOf(state) {
  const { list, more } = gainRows(state), scenario = state.scenario;
  if (scenario.policies.length < 2) return el('p', { class: 'muted' }, 'One policy was run: there is nothing to compare.');
  if (!list.length) return el('p', { class: 'muted' }, 'This metric has no change over the first policy: it is 0 there.');
  const rows = () => [['scenario', 'policy', 'over', 'subject', 'name', 'metric', 'change_ratio', 'ci95_change_ratio']].concat(
    list.map(r => [scenario.scenario, r.label, scenario.policies[0], r.subject, r.name || r.subject, state.metric, r.value, r.ci]));
  const way = directionOf(scenario, state.subject, state.metric) > 0 ? 'right of' : 'left of';
  return [figure('gains', `Change of ${wordsOf(state.metric)} over ${scenario.policies[0]}, the first policy; ${way} 0 is better. ${scenario.replications > 1 ? `Whiskers: Student's 95 % intervals over ${plural(scenario.replications, 'paired replication')}.` : 'One replication, so no intervals.'}${more > 0 ? ` The first 12 of ${more + 12} names.` : ''}`,
    [dots(list, `change over ${scenario.policies[0]}`, v => percent(v, true))], rows), el('p', { class: 'muted' }, comparisons(scenario, state.subject))];
}

/* ---- what is not known: a tornado plot ---- */

function unknownsSection({ scenario }) {
  const u = scenario.unknowns, all = u && u.over ? u.parameters.filter(p => isNumber(p.rank_correlation)) : [];
  if (!all.length) return null;
  const beyond = p => isNumber(p.p_holm) && p.p_holm < 0.05, format = v => plain(v, 2), best = scenario.policies.indexOf(u.of);
  const rows = all.slice().sort((a, b) => Math.abs(b.rank_correlation) - Math.abs(a.rank_correlation)).slice(0, 20);
  const won = u.policies.find(p => p.policy === u.of);
  return figure('unknowns', `How far each parameter that is not known moves the lead of ${u.of} over ${u.over} in ${plural(u.draws, 'draw')}: its rank correlation with the lead${all.length > rows.length ? `, the first ${rows.length} of ${all.length}` : ''}. ${u.of} is best in ${won.best_count + won.shared_count} of them. "Beyond chance" holds after Holm's correction.`,
    [bars(rows.map(p => ({ label: p.parameter, color: best, value: p.rank_correlation, said: `${p.rank_correlation > 0 ? '+' : ''}${format(p.rank_correlation)}${beyond(p) ? ', beyond chance' : ''}` })), null, 'rank correlation with the lead', format, '')],
    () => [['scenario', 'policy', 'over', 'parameter', 'rank_correlation', 'p_holm', 'spread_ratio']].concat(all.map(p => [scenario.scenario, u.of, u.over, p.parameter, p.rank_correlation, p.p_holm, p.spread_ratio])));
}

/* ---- values and the bound: the figure of the answer ---- */

function valuesOf(state, v) {
  const { scenario, metric, subject, name } = state, bound = name === wholeOf(subject) ? boundOf(scenario, subject, metric) : null;
  if (!v.all.length) return null;
  const unit = unitOf(metric, Math.max(...v.all.map(c => Math.abs(c.mean)), 0)), reach = bound && isNumber(bound.reach) ? bound.reach : null;
  const rows = v.all.map(c => ({ label: c.label, color: c.p, value: c.mean / unit.size, ci: isNumber(c.ci) ? c.ci / unit.size : null,
    said: showWith(metric, c.mean, scenario.replications > 1 ? c.ci : null).join('') + (reach ? `, ${percent(bound.gap_ratio[c.label])} below` : '') }));
  const why = bound && !reach ? ` There is no bound: ${bound.no_bound_because || 'it is infinite'}.` : '';
  return figure('values', `${wordsOf(metric)} of ${ofWhat(subject, name)}, best first${scenario.replications > 1 && !scenario.exact ? ', with 95 % intervals' : ''}${reach ? ', and the bound that no policy can exceed' : ''}.${why}`,
    [bars(rows, reach ? reach / unit.size : null, withUnit(wordsOf(metric), unit), plain, reach ? `bound ${show(metric, reach)}` : '')],
    () => [['scenario', 'policy', 'subject', metric, 'ci95_' + metric, 'bound', 'gap_ratio']].concat(
      v.all.map(c => [scenario.scenario, c.label, name || subject, c.mean, c.ci, reach, bound ? bound.gap_ratio[c.label] : null])));
}

/* ---- one metric against another ---- */

function tradeOf(state) {
  const { scenario } = state, list = questionsOf(scenario);
  if (list.length < 2 || scenario.policies.length < 2) return null;
  return tradeSection(list.map(q => ({ key: q.join('/'), metric: q[1], label: `${wordsOf(q[1])} (${ofWhat(q[0], q[2])})`, better: directionOf(scenario, q[0], q[1]),
    value: p => cellOf(scenario, q[0], p, q[2], q[1]) })), [state.subject, state.metric, state.name].join('/'), scenario.policies);
}

/* ---- the table ---- */

function tableSection(state) {
  const box = el('div'), scenario = state.scenario, subjects = Object.keys(scenario.tables);
  let subject = recall('rows', state.subject === 'host' && scenario.tables.vm ? 'vm' : state.subject);
  if (!subjects.includes(subject)) subject = subjects[0];
  const show1 = () => {
    const t = tableOf(scenario, subject), order = t.metrics.slice().sort((a, b) => (b === state.metric) - (a === state.metric));
    const columns = [{ name: 'policy', text: true, frozen: true }, { name: subject, text: true }].concat(order.flatMap(metric => [
      { name: metric, title: formulaOf(subject, metric), cell: (row, i) => withInterval(metric, row[i], row.ci[metric]) },
      { name: 'change', title: `${metric}, over ${scenario.policies[0]}`, cell: (row, i) => changeCell(subject, metric, row[i], row.changeCi[metric], row.holds[metric]) }].slice(0, betterOf(subject, metric) && scenario.policies.length > 1 ? 2 : 1)));
    const rows = t.rows.map(r => {
      const values = [scenario.policies[r[0]], r[1] || subject];
      order.forEach(metric => {
        const m = t.metrics.indexOf(metric);
        values.push(r[2][m]);
        if (betterOf(subject, metric) && scenario.policies.length > 1) values.push(r[0] ? r[4][m] : null);
      });
      values.ci = Object.fromEntries(t.metrics.map((metric, m) => [metric, r[3][m]]));
      values.changeCi = Object.fromEntries(t.metrics.map((metric, m) => [metric, r[0] ? r[5][m] : null]));
      values.holds = Object.fromEntries(t.metrics.map(metric => [metric, holdsOf(scenario, subject, r[0], r[1], metric)]));
      return values;
    });
    const csvRows = () => [['scenario', 'policy', subject].concat(t.metrics.flatMap(metric => [metric, 'ci95_' + metric]))].concat(
      t.rows.map(r => [scenario.scenario, scenario.policies[r[0]], r[1] || subject].concat(t.metrics.flatMap((_, m) => [r[2][m], r[3][m]]))));
    refill(box, el('div', { class: 'controls' }, choice('Rows', subjects.map(s => [s, subjectWords[s]]), subject, value => { subject = value; remember('rows', value); show1(); })),
      table(`Metrics of ${subjectWords[subject]}, scenario ${scenario.scenario}; ± half of a 95 % interval; change: over ${scenario.policies[0]}, in colour where it holds after Holm's correction.`, columns, rows), under(fileOf[subject], csvRows));
  };
  if (subjects.length) show1();
  return box;
}

/* ---- pictures ---- */

const ofScenario = (list, scenario) => (list || []).filter(item => item.scenario === scenario.scenario);
const colorOf = (scenario, policy) => Math.max(0, scenario.policies.indexOf(policy));

function heatSection(state) {
  const maps = ofScenario(data.heat, state.scenario), box = el('div');
  if (!maps.length) return null;
  const rows = () => [['scenario', 'policy', 'device', 'sm', 'sms', 'time_ns', 'width_ns', 'occupancy_ratio']].concat(maps.flatMap(map =>
    map.rows.flatMap((row, r) => row.map((value, c) => [map.scenario, map.policy, 0, r * map.sms, map.sms, Number((c * map.width_ns).toFixed(3)), map.width_ns, value === null ? null : value / 1e4]))));
  box.append(figure('heat', 'Occupancy of the SMs of the first device over time: resident threads divided by their maximum. First replication.',
    [el('div', { class: 'panels' }, maps.map(map => el('div', {}, el('h3', {}, map.policy), occupancy(map)))), ramp(sequential, 0, 1, v => percent(v))], rows));
  return box;
}

function allocationSection(state) {
  const all = ofScenario(data.allocation, state.scenario).filter(s => s.values.length);
  if (!all.length) return null;
  const columns = [['arrived', 0], ['allocated', 1], ['fragments', 2]];
  const series = all.map(s => ({ label: s.policy, color: colorOf(state.scenario, s.policy), points: s.values.reduce((list, _, i) => (i % 3 ? list : list.concat([[s.values[i], s.values[i + 1]]])), []) }));
  return figure('allocation', 'GPUs allocated against GPUs that pods have requested so far, both as shares of all GPUs. Means over the replications.',
    [legend(state.scenario.policies, true), lines(series, { numbers: [0, 1], format: v => percent(v), label: 'requested / GPUs', zero: true, said: `Allocation of ${series.map(s => `${s.label}: ${percent(s.points[s.points.length - 1][1])} at the end`).join('; ')}` })],
    () => [['scenario', 'policy'].concat(columns.map(c => c[0] + '_ratio'))].concat(all.flatMap(s => s.values.reduce((list, _, i) => (i % 3 ? list : list.concat([[s.scenario, s.policy, s.values[i], s.values[i + 1], s.values[i + 2]]])), []))));
}

const KINDS = { blocks: { row: 'sm', color: 'vm', last: 'blocks', label: 'blocks on SMs', said: 'Blocks on SMs of the first device', step: 8 },
  processes: { row: 'process', color: 'state', palette: 'state', last: 'blocks', label: 'states of processes', said: 'States of processes', step: 40 },
  pods: { row: 'gpu', color: 'ended', palette: 'ending', last: 'pod', label: 'pods on GPUs', said: 'Pods on GPUs, coloured by how they ended, and waiting pods that were placed later,', step: 40 } };

function pieceRows(chart, panels) {
  const { row, color, last } = KINDS[chart.kind], list = [['scenario', 'policy', row, color, 'start_ns', 'end_ns', last, 'exact']];
  for (const panel of panels)
    for (let i = 0; i < panel.pieces.length; i += 5) {
      const name = chart.rows[panel.pieces[i]];
      list.push([chart.scenario, panel.policy, chart.kind === 'blocks' ? name.replace(/^SM /, '') : name, chart.colors[panel.pieces[i + 1]], panel.pieces[i + 2], panel.pieces[i + 3],
        chart.kind === 'pods' ? panel.names[i / 5] || null : panel.pieces[i + 4], Number(!(isNumber(panel.exact_ns) && panel.pieces[i + 2] >= panel.exact_ns))]);
    }
  return list;
}

/* What blocks of the tenant waited for in launches that overlap the times: a line, then one for each reason that took at least a hundredth of the longest. */
function waitLines(scenario, policy, tenant, start, end) {
  const found = new Map();
  let from = Infinity, to = 0;
  for (const of of (data.waits || { of: [] }).of) {
    if (of.scenario !== scenario || of.policy !== policy || !(tenant === of.vm || tenant.startsWith(of.vm + '/'))) continue;
    for (let i = 0; i < of.values.length; i += 6) {
      const [reason, a, b, waited, sms] = of.values.slice(i, i + 5);
      if (a > end || b < start) continue;
      const seen = found.get(reason) || [0, 0];
      found.set(reason, [seen[0] + waited, Math.max(seen[1], sms)]);
      from = Math.min(from, a);
      to = Math.max(to, b);
    }
  }
  const sorted = [...found].sort((a, b) => b[1][0] - a[1][0]), most = sorted.length ? sorted[0][1][0] : 0;
  const lines = sorted.filter(entry => entry[1][0] >= most / 100).slice(0, 3).map(([reason, [waited, sms]]) => `${show('t_ns', waited)}: ${data.waits.reasons[reason]}${sms ? `, on up to ${plural(sms, 'SM')}` : ''}`);
  return lines.length ? [`Blocks of ${tenant} waited, ${show('t_ns', from)} to ${show('t_ns', to)}:`, ...lines] : [];
}

/* `smsched explain` prints the decisions of a span of time. */
function explainCommand(scenario, policy, start, end) {
  const entry = data.run && (data.run.scenarios || []).find(s => s.scenario === scenario), ns = t => `${Math.max(0, t).toFixed(0)} ns`;
  return entry && entry.file ? `Why: smsched explain ${shellWord(entry.file)} --policy '${policy}' --from '${ns(start)}' --to '${ns(end)}'` : null;
}

/* What is not exact or not there, in words. */
function missingOf(chart, panels) {
  const cut = panels.find(p => isNumber(p.exact_ns)), dropped = panels.reduce((sum, p) => sum + p.dropped, 0);
  const [key, what] = { pods: ['placements_cut', 'placements'], blocks: ['timeline_cut', 'stays of blocks'], processes: ['spans_cut', 'spans'] }[chart.kind];
  const tellCut = (name, tell) => {
    const beyond = ((data.run || {})[name] || []).filter(c => c.scenario === chart.scenario), rows = c => group(String(c.rows));
    return beyond.length ? tell(beyond.map(c => c.policy).join(', '), `the first ${rows(beyond[0])} of ${group(String(beyond[0].rows + beyond[0].left_out))}`) : '';
  };
  return [cut ? ` There are up to ${group(String(Math.max(...panels.map(p => p.all))))} pieces a policy, too many for a page: from ${show('t_ns', Math.min(...panels.filter(p => isNumber(p.exact_ns)).map(p => p.exact_ns)))} on they are shares of intervals.` : '',
    dropped ? ` ${group(String(dropped))} are in rows beyond the first 400, which are left out.` : '',
    tellCut(key, (policies, rows) => ` The timeline ends before the run: of ${policies}, only ${rows} ${what} are in the folder.`),
    chart.kind === 'pods' ? '' : tellCut('waits_cut', (policies, rows) => ` Cards do not tell of all waits: of ${policies}, only ${rows} are in the folder.`)].join('');
}

/* The parts of the rows that can be chosen: all on one line, some at a time, or all. */
function rowParts(chart) {
  const { step } = KINDS[chart.kind], n = chart.rows.length, name = i => chart.rows[Math.min(i, n - 1)];
  if (n === 1) return [];
  const parts = n > step ? Array.from({ length: Math.ceil(n / step) }, (_, i) => [String(i * step), `${name(i * step)} to ${name(i * step + step - 1)}`]) : [];
  return [['together', 'all on one line'], ...parts, ['all', 'all']];
}

function lanesSection(state, charts) {
  const box = el('div'), hidden = new Set(recall('off', '').split(',').filter(Boolean));
  const tenants = ['process', 'vm'].flatMap(s => tableOf(state.scenario, s).rows.map(r => r[1])).filter((name, i, all) => name !== 'all' && all.indexOf(name) === i);
  let kind = recall('kind', charts[0].kind), part = recall('part', null);
  const draw = () => {
    const chart = charts.find(c => c.kind === kind) || charts[0], n = chart.rows.length, { step, said } = KINDS[chart.kind], parts = rowParts(chart);
    const names = tenants.length ? tenants : chart.colors, looks = chart.colors.map(name => paletteLook(name, names.includes(name) ? names : chart.colors, KINDS[chart.kind].palette));
    const chosen = parts.some(p => p[0] === part) ? part : n <= step ? 'all' : chart.kind === 'blocks' ? parts[1][0] : 'together', first = Number(chosen) || 0;
    const shown = chosen === 'together' ? { first: 0, rows: n, together: true } : chosen === 'all' ? { first: 0, rows: n } : { first, rows: Math.min(step, n - first) };
    const order = state.scenario.policies.map(policy => chart.panels.find(p => p.policy === policy)).filter(Boolean);
    refill(box, el('div', { class: 'controls' }, charts.length > 1 ? choice('Of', charts.map(c => [c.kind, KINDS[c.kind].label]), chart.kind, value => { kind = value; part = null; remember('kind', value); remember('part', null); draw(); }) : null,
      parts.length ? choice('Rows', parts, chosen, value => { part = value; remember('part', value); draw(); }) : null),
    figure('timeline', `${said} under all policies, on one time axis; first replication.${missingOf(chart, chart.panels)} Drag to move; click and turn the wheel, or press + and −, to zoom; a click keeps the card.`,
      timeline(chart, order, shown, hidden, looks, (panel, tenant, start, end) => [...(tenant === null ? [] : waitLines(chart.scenario, panel.policy, tenant, start, end)),
        ...(chart.kind === 'blocks' ? chart.colors : []).filter(name => name !== tenant && !hidden.has(name)).slice(0, 3).flatMap(name => waitLines(chart.scenario, panel.policy, name, start, end).slice(0, 2)),
        explainCommand(chart.scenario, panel.policy, start, end)].filter(Boolean)), () => pieceRows(chart, order)));
  };
  draw();
  return box;
}

function placementsSection(state) {
  const all = ofScenario(data.placements, state.scenario).filter(s => s.values.length);
  if (!all.length) return null;
  const take = k => all.map(s => ({ label: s.policy, color: colorOf(state.scenario, s.policy), points: s.values.reduce((list, _, i) => (i % 3 ? list : list.concat([[s.values[i], k === 1 ? s.values[i + 1] / 1e9 : s.values[i + k]]])), []) }));
  const box = el('div');
  let what = 2;
  const draw = () => refill(box, el('div', { class: 'controls' }, choice('Shown', [[2, 'share of the GPUs allocated'], [1, 'wait of the pod placed (s)']], what, value => { what = Number(value); draw(); })),
    figure('timeline', `At each placement of a pod: ${what === 2 ? 'the share of the GPUs that is allocated then' : 'how long it had waited, in seconds'}. First replication. Each line keeps its value until the next placement. Drag to move; click and turn the wheel, or press + and −, to zoom.`,
      [legend(state.scenario.policies, true), ...zoomableSteps(take(what), 'Placements of pods')],
      () => [['scenario', 'policy', 'time_ns', 'wait_ns', 'allocated_ratio']].concat(all.flatMap(s => s.values.reduce((list, _, i) => (i % 3 ? list : list.concat([[s.scenario, s.policy, s.values[i], s.values[i + 1], s.values[i + 2]]])), [])))));
  draw();
  return box;
}

function timelineSection(state) {
  const pictures = ofScenario(data.timelines, state.scenario);
  const sections = [['pods on GPUs', () => (pictures.length ? lanesSection(state, pictures) : null)], ['GPUs allocated, waits', () => placementsSection(state)]];
  if (!pictures.length || !sections[1][1]()) return sections[0][1]() || sections[1][1]() || el('p', { class: 'muted' }, 'This folder has no timeline of the scenario. run --out without --brief writes one; --trace writes one for Perfetto.');
  const box = el('div');
  let at = Number(recall('of', 0)) ? 1 : 0;
  const draw = () => refill(box, el('div', { class: 'controls' }, choice('Timeline of', sections.map((s, i) => [i, s[0]]), at, value => { at = Number(value); remember('of', at || null); draw(); })), sections[at][1]());
  draw();
  return box;
}

/* ---- what was run ---- */

/* The first scenario of a file has the file's text. */
function manifestSection() {
  const scenarios = data.run.scenarios || [];
  const text = s => (s.text === undefined ? `The text is that of ${scenarios.find(o => o.sha256 === s.sha256).scenario}.` : s.text || 'The text is in manifest.json.');
  return scenarios.map(s => el('details', {}, el('summary', {}, `${s.scenario} (${s.file})`),
    el('p', { class: 'muted' }, `Seed ${s.seed}, ${plural(s.replications, 'replication')}, SHA-256 ${s.sha256}`), el('pre', { tabindex: '0', 'aria-label': 'Text of the scenario' }, text(s))));
}

/* A table with a row for each scenario, if there are several. */
function overviewSection(state) {
  const [subject, metric] = [state.subject, state.metric];
  const rows = data.scenarios.map(s => {
    const v = verdict(s, subject, metric, state.name), bound = boundOf(s, subject, metric), c = v.best || {};
    const row = [s.scenario, c.label || null, isNumber(c.mean) ? c.mean : null, c.p > 0 && isNumber(c.change) ? c.change : null, bound && c.label && isNumber(bound.reach) ? bound.gap_ratio[c.label] : null];
    row.ci = c.changeCi;
    row.holds = v.best ? holdsOf(s, subject, c.p, state.name, metric) : null;
    row.meanCi = c.ci;
    return row;
  });
  const columns = [{ name: 'scenario', text: true }, { name: 'best policy', text: true }, { name: metric, cell: (r, i) => withInterval(metric, r[i], r.meanCi) },
    { name: 'change over first', cell: (r, i) => changeCell(subject, metric, r[i], r.ci, r.holds) }, { name: 'below the bound', cell: (r, i) => percent(r[i]) }];
  return [el('p', { class: 'muted' }, `The best policy of each scenario by ${wordsOf(metric)}${state.name && state.name !== state.subject ? ` of ${state.name}; a scenario without ${state.name} has none` : ''}. Each change is a separate comparison: ${plural(rows.length, 'scenario')}.`),
    table(`Best policy of each scenario by ${metric}; a change is in colour where it holds after Holm's correction.`, columns, rows),
    under('scenarios', () => [['scenario', 'best_policy', metric, 'change_ratio', 'ci95_change_ratio', 'gap_ratio']].concat(rows.map(r => [r[0], r[1], r[2], r[3], r.ci, r[4]])))];
}

function runSections(state) {
  const several = data.scenarios.length > 1;
  const chooser = several ? el('div', { class: 'controls' }, choice('Scenario', data.scenarios.map((s, i) => [i, s.scenario]), data.scenarios.indexOf(state.scenario), i => state.setScenario(data.scenarios[Number(i)]))) : null;
  return [[null, 'answer', [several ? [chooser, state.scenario.question ? el('p', {}, el('strong', {}, state.scenario.question)) : null] : null, answerOf(state)]],
    several ? ['All scenarios', 'overview', overviewSection(state)] : null,
    ['Timeline', 'timeline', timelineSection(state)], ['Gains and their certainty', 'gains', gainsOf(state)], ['What is not known', 'unknowns', unknownsSection(state)], ['One metric against another', 'trade', tradeOf(state)], ['All numbers', 'table', tableSection(state)],
    ['Occupancy of the SMs', 'heat', heatSection(state)], ['Allocation of the cluster', 'allocation', allocationSection(state)],
    ['What was run', 'manifest', [commandLine(), manifestSection()]]];
}
