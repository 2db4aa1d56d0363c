'use strict';
/* The page of a folder of results. It shows one scenario at a time, with all its policies. */

const CHOICES = [['cluster', 'turnaround_mean_ns'], ['cluster', 'gpu_allocation_mean_ratio'], ['process', 'turnaround_ns'], ['host', 'stp_ratio'], ['host', 'kernels_per_s'], ['cluster', 'placed_count']];
const subjectWords = { host: 'the host', vm: 'VMs', resource: 'resources', kernel: 'kernels', process: 'processes', device: 'devices', cluster: 'the cluster' };

const fileOf = { host: 'hosts', vm: 'vms', resource: 'resources', kernel: 'kernels', process: 'processes', device: 'devices', cluster: 'cluster' };

const tableOf = (scenario, subject) => scenario.tables[subject] || { metrics: [], rows: [] };
/* The name of the row that covers a whole subject; null if the row has no name. */
const wholeOf = subject => ({ process: 'all', device: 'all', cluster: 'cluster' }[subject] || null);

/* A mean with its interval, and its change over the first policy. */
function cellOf(scenario, subject, policy, name, metric) {
  const table = tableOf(scenario, subject), m = table.metrics.indexOf(metric);
  const row = table.rows.find(r => r[0] === policy && r[1] === name);
  return row && m >= 0 ? { mean: row[2][m], ci: row[3][m], change: row[4][m], changeCi: row[5][m], sure: isSure(scenario, subject, policy, name, metric, row[4][m], row[5][m]) }
    : { mean: null, ci: null, change: null, changeCi: null, sure: null };
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

/* All pairs [subject, metric] by which the policies of a scenario can be ranked. */
function questionsOf(scenario) {
  const list = [];
  for (const subject of ['cluster', 'host', 'process'])
    for (const metric of tableOf(scenario, subject).metrics)
      if (betterOf(subject, metric) !== 0 && scenario.policies.some((_, p) => isNumber(cellOf(scenario, subject, p, wholeOf(subject), metric).mean)))
        list.push([subject, metric]);
  return list;
}

function firstQuestion(scenario) {
  const list = questionsOf(scenario);
  const find = pair => list.find(q => q[1] === pair[1] && (pair[0] === null || q[0] === pair[0]));
  const wanted = (data.metric ? [[null, data.metric]] : scenario.answer ? [[scenario.answer.subject, scenario.answer.metric]] : []).concat(CHOICES);
  return wanted.map(find).find(Boolean) || list[0] || ['host', 'kernels_per_s'];
}

function boundOf(scenario, subject, metric) {
  const bound = subject === 'host' && scenario.bounds ? scenario.bounds[metric] : null;
  return bound ? { ...bound, reach: isNumber(bound.run) ? bound.run : null } : null;
}

/* The policies in order, best first, with the best one's ties and whether its change counts. */
function verdict(scenario, subject, metric) {
  const better = betterOf(subject, metric) || 1, name = wholeOf(subject);
  const all = scenario.policies.map((label, p) => ({ label, p, ...cellOf(scenario, subject, p, name, metric) })).filter(c => isNumber(c.mean));
  all.sort((a, b) => better * (b.mean - a.mean) || a.p - b.p);
  const best = all[0], equal = all.filter(c => best && c.mean === best.mean);
  return { all, best, equal, better, sure: best && best.p !== 0 ? best.sure : null };
}

function headline(scenario, v, metric) {
  if (!v.best) return 'No policy has a value of this metric.';
  if (v.all.length === 1) return `${v.best.label}: ${measure(metric, v.best.mean)}`;
  if (v.equal.length === v.all.length) return `All ${v.all.length} policies are equal: ${measure(metric, v.best.mean)}`;
  const names = v.equal.map(c => c.label).join(' and ');
  const many = v.equal.length > 1;
  const how = v.sure === false ? `${many ? 'seem' : 'seems'} best, but that may be chance` : many ? 'do best' : 'does best';
  return `${names} ${how}: ${measure(metric, v.best.mean)}`;
}

const fact = (name, value, more) => el('div', {}, el('dt', {}, name), el('dd', {}, value, el('small', {}, more)));

function changeFact(scenario, v) {
  const first = scenario.policies[0], n = scenario.replications;
  if (v.all.length < 2) return null;
  const shown = v.best.p === 0 ? v.all[1] : v.best;
  const interval = isNumber(shown.changeCi) && n > 1 ? `95 % interval ${percent(shown.change - shown.changeCi, true)} to ${percent(shown.change + shown.changeCi, true)}, of ${n} paired replications`
    : 'one replication, so no interval: run with --replications 5';
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
  if (scenario.replications < 2 || scenario.policies.length < 3) return null;
  return el('p', {}, sure.length ? `Better than ${scenario.policies[0]} by more than chance: ${sure.map(c => c.label).join(', ')}.` : `No policy is better than ${scenario.policies[0]} by more than chance.`);
}

function comparisons(scenario, subject) {
  const others = scenario.policies.length - 1, names = new Set(tableOf(scenario, subject).rows.map(r => r[1])).size;
  return others > 0 ? `Each of ${plural(others, 'policy', 'policies')} is compared with ${scenario.policies[0]}, metric by metric. Of twenty 95 % intervals one is expected to miss by chance; this metric alone has ${plural(others * names, 'comparison')}.${familyOf(scenario).length ? ` A policy is called better if that holds after Holm's correction among the comparisons of its metric (at 5 %, where smsched compare gives a p), and for other metrics by its own interval.` : ''}` : '';
}

/* The run's warnings, and choices that it made. They affect how far the answer can be trusted. */
function warningsOf(scenario) {
  const until = scenario.until, list = [];
  if (until) list.push(`Replications continued until ${until.metric} of ${until.name || until.subject} is known to ± ${percent(until.precision_ratio)}: ${until.met ? 'reached' : 'not reached'}${isNumber(until.reached_ratio) ? `, ± ${percent(until.reached_ratio)}` : ''} after ${plural(scenario.replications, 'replication')}.`);
  if (isNumber(scenario.warmup_ns)) list.push(`The warm-up was found from the results: ${show('t_ns', scenario.warmup_ns)}.`);
  for (const warning of scenario.warnings || []) list.push(`Warning: ${warning}.`);
  if (scenario.exact) list.push('Exact: nothing is random, so every seed gives the same results.');
  for (const note of scenario.notes || []) list.push(`Note: ${note}.`);
  for (const line of scenario.trust || []) list.push(`Held against measurements: ${line}.`);
  const t = tableOf(scenario, 'cluster'), of = (row, metric) => t.metrics.includes(metric) ? row[2][t.metrics.indexOf(metric)] : null;
  for (const [metric, said] of [['failed_count', 'failed'], ['lost_count', 'were lost']]) {
    const rows = t.rows.filter(row => of(row, metric) > 0);
    if (rows.length) list.push(`Pods that ${said}, on average of ${plain(of(rows[0], 'pods_count'))}: ${rows.map(row => `${scenario.policies[row[0]]} ${plain(of(row, metric))}`).join(', ')}. Turnarounds count only pods that ended without failing.`);
  }
  return list.length ? el('ul', { class: 'warnings' }, list.map(text => el('li', {}, text))) : null;
}

function answerOf(state) {
  const scenario = state.scenario, v = verdict(scenario, state.subject, state.metric);
  const choose = choice('Measured by', questionsOf(scenario).map(q => [q.join('/'), `${wordsOf(q[1])} (${subjectWords[q[0]]}, ${betterOf(...q) > 0 ? 'more' : 'less'} is better)`]),
    `${state.subject}/${state.metric}`, value => state.set({ subject: value.split('/')[0], metric: value.split('/')[1], chosen: true }));
  const asked = !data.metric && !state.chosen && scenario.answer && scenario.answer.text ? scenario.answer : null;
  const ofTenant = asked && asked.subject !== state.subject; // what follows would be about something else
  const best = ofTenant ? scenario.policies.indexOf(asked.best) : v.best ? v.best.p : -1;
  return el('div', { class: 'answer ' + (best >= 0 ? colorClass(best) : '') }, el('h2', { id: 'answer' }, asked ? asked.text : headline(scenario, v, state.metric)),
    asked ? el('p', { class: 'muted' }, `${scenario.scenario} asks for ${wordsOf(asked.metric)} of ${asked.name} (${asked.metric}): ${formulaOf(asked.subject, asked.metric)}.`)
      : el('p', { class: 'muted' }, `${scenario.scenario}: ${wordsOf(state.metric)} of ${subjectWords[state.subject]} (${state.metric}): ${formulaOf(state.subject, state.metric)}.`),
    v.best && !ofTenant ? el('dl', { class: 'facts' }, changeFact(scenario, v), boundFact(scenario, state.subject, state.metric, v)) : null,
    ofTenant ? null : surelyBetter(scenario, v), warningsOf(scenario), el('div', { class: 'controls' }, choose));
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
  add(state.subject, wholeOf(state.subject), subjectWords[state.subject] === undefined ? state.subject : state.subject === 'process' ? 'all processes' : subjectWords[state.subject]);
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
  const way = betterOf(state.subject, state.metric) > 0 ? 'right of' : 'left of';
  return [figure('gains', `Change of ${wordsOf(state.metric)} over ${scenario.policies[0]}, the first policy; ${way} 0 is better. Whiskers: Student's 95 % intervals over ${plural(scenario.replications, 'paired replication')}.${more > 0 ? ` The first 12 of ${more + 12} names.` : ''}`,
    [dots(list, `change over ${scenario.policies[0]}`, v => percent(v, true))], rows), el('p', { class: 'muted' }, comparisons(scenario, state.subject))];
}

/* ---- values and the bound ---- */

function valuesOf(state) {
  const scenario = state.scenario, metric = state.metric, bound = boundOf(scenario, state.subject, metric);
  const cells = scenario.policies.map((label, p) => ({ label, color: p, ...cellOf(scenario, state.subject, p, wholeOf(state.subject), metric) }));
  const unit = unitOf(metric, Math.max(...cells.map(c => Math.abs(c.mean || 0)), 0)), reach = bound && isNumber(bound.reach) ? bound.reach : null;
  const rows = cells.map(c => ({ label: c.label, color: c.color, value: isNumber(c.mean) ? c.mean / unit.size : null, ci: isNumber(c.ci) ? c.ci / unit.size : null,
    said: show(metric, c.mean) + (reach ? `, ${percent(bound.gap_ratio[c.label])} below` : '') }));
  const why = bound && !reach ? ` There is no bound: ${bound.no_bound_because || 'it is infinite'}.` : !bound ? ' Only kernels, blocks and jobs per second of the host have a bound.' : '';
  return figure('values', `${wordsOf(metric)} of ${subjectWords[state.subject]} by policy, with 95 % intervals${reach ? ', and the throughput that no policy can exceed' : ''}.${why}`,
    [bars(rows, reach ? reach / unit.size : null, wordsOf(metric) + (unit.name ? ` (${unit.name})` : ''), plain, reach ? `bound ${show(metric, reach)}` : '')],
    () => [['scenario', 'policy', 'subject', metric, 'ci95_' + metric, 'bound', 'gap_ratio']].concat(
      cells.map(c => [scenario.scenario, c.label, state.subject, c.mean, c.ci, reach, bound ? bound.gap_ratio[c.label] : null])));
}

/* ---- the table ---- */

function tableSection(state) {
  const box = el('div'), scenario = state.scenario, subjects = Object.keys(scenario.tables);
  let subject = state.subject === 'host' && scenario.tables.vm ? 'vm' : state.subject;
  const show1 = () => {
    const t = tableOf(scenario, subject);
    const columns = [{ name: 'policy', text: true }, { name: subject, text: true }].concat(t.metrics.flatMap(metric => [
      { name: metric, title: formulaOf(subject, metric), cell: (row, i) => withInterval(metric, row[i], row.ci[metric]) },
      { name: 'change', title: `${metric}, over ${scenario.policies[0]}`, cell: (row, i) => changeCell(subject, metric, row[i], row.changeCi[metric], row.holds[metric]) }].slice(0, betterOf(subject, metric) && scenario.policies.length > 1 ? 2 : 1)));
    const rows = t.rows.map(r => {
      const values = [scenario.policies[r[0]], r[1] || subject];
      t.metrics.forEach((metric, m) => {
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
    refill(box, el('div', { class: 'controls' }, choice('Rows', subjects.map(s => [s, subjectWords[s]]), subject, value => { subject = value; show1(); })),
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
  const columns = 2, rows = () => [['scenario', 'policy', 'device', 'sm', 'sms', 'time_ns', 'width_ns', 'occupancy_ratio']].concat(maps.flatMap(map =>
    map.rows.flatMap((row, r) => row.map((value, c) => [map.scenario, map.policy, 0, r * map.sms, map.sms, Number((c * map.width_ns).toFixed(3)), map.width_ns, value === null ? null : value / 1e4]))));
  box.append(figure('heat', 'Occupancy of the SMs of the first device over time: resident threads divided by their maximum. First replication.',
    [el('div', { class: columns ? 'panels' : null }, maps.map(map => el('div', {}, el('h3', {}, map.policy), occupancy(map)))), ramp(sequential, 0, 1, v => percent(v))], rows, state.command));
  return box;
}

function allocationSection(state) {
  const all = ofScenario(data.allocation, state.scenario).filter(s => s.values.length);
  if (!all.length) return null;
  const columns = [['arrived', 0], ['allocated', 1], ['fragments', 2]];
  const series = all.map(s => ({ label: s.policy, color: colorOf(state.scenario, s.policy), points: s.values.reduce((list, _, i) => (i % 3 ? list : list.concat([[s.values[i], s.values[i + 1]]])), []) }));
  return figure('allocation', 'GPUs allocated against GPUs that pods have requested so far, both as shares of all GPUs. Means over the replications.',
    [legend(state.scenario.policies, true), lines(series, { numbers: [0, 1], format: v => percent(v), label: 'requested / GPUs', zero: true, said: `Allocation of ${series.map(s => `${s.label}: ${percent(s.points[s.points.length - 1][1])} at the end`).join('; ')}` })],
    () => [['scenario', 'policy'].concat(columns.map(c => c[0] + '_ratio'))].concat(all.flatMap(s => s.values.reduce((list, _, i) => (i % 3 ? list : list.concat([[s.scenario, s.policy, s.values[i], s.values[i + 1], s.values[i + 2]]])), []))), state.command);
}

function pieceRows(picture, rowNames, colors) {
  const [row, color, last] = { blocks: ['sm', 'vm', 'blocks'], processes: ['process', 'state', 'blocks'], pods: ['gpu', 'ended', 'pod'] }[picture.kind];
  const list = [['scenario', 'policy', row, color, 'start_ns', 'end_ns', last]];
  for (let i = 0; i < picture.pieces.length; i += 5)
    list.push([picture.scenario, picture.policy, rowNames(picture.pieces[i]), colors[picture.pieces[i + 1]], picture.pieces[i + 2], picture.pieces[i + 3],
      picture.kind === 'pods' ? picture.names[i / 5] || null : picture.pieces[i + 4]]);
  return list;
}

const saidOf = { blocks: 'Blocks on SMs of the first device', processes: 'States of processes', pods: 'Pods on GPUs, coloured by how they ended, and waiting pods that were placed later,' };

function lanesSection(state, pictures) {
  const box = el('div'), kinds = [...new Set(pictures.map(p => p.kind))];
  let kind = kinds[0], policy = pictures[0].policy, from = 0;
  const draw = () => {
    const picture = pictures.find(p => p.kind === kind && p.policy === policy) || pictures.find(p => p.kind === kind);
    const isBlocks = kind === 'blocks', rowNames = r => (isBlocks ? `SM ${r}` : picture.rows ? picture.rows[r] : data.processes[r]);
    const colors = isBlocks ? data.vms : kind === 'pods' ? data.endings : data.states;
    const present = [...new Set(picture.pieces.filter((_, i) => i % 5 === 0))].sort((a, b) => a - b), step = isBlocks ? 8 : 40;
    const rows = from < 0 ? present : present.slice(from, from + step);
    const parts = present.length > step ? present.map((_, i) => i).filter(i => i % step === 0).map(i => [i, `${rowNames(present[i])} to ${rowNames(present[Math.min(i + step, present.length) - 1])}`]).concat([[-1, 'all']]) : null;
    const cut = picture.bin_ns ? ` ${kind === 'pods' ? plural(picture.all, 'stay or wait', 'stays and waits') : plural(picture.all, 'span')} are grouped into intervals of ${show('t_ns', picture.bin_ns)}. Each shows what lasted longest.`
      : picture.pieces.length / 5 < picture.all ? ` The first ${group(String(picture.pieces.length / 5))} of ${group(String(picture.all))} ${state.command ? 'that are kept' : 'in the folder'}.` : '';
    const missing = ((kind === 'pods' && data.run && data.run.placements_cut) || []).find(c => c.scenario === picture.scenario && c.policy === picture.policy);
    const beyond = missing ? ` Only the first ${group(String(missing.rows))} of ${group(String(missing.rows + missing.left_out))} placements are ${state.command ? 'kept' : 'in the folder'}.` : '';
    const rest = picture.dropped ? ` ${group(String(picture.dropped))} are in rows that are left out.` : '';
    refill(box, el('div', { class: 'controls' }, kinds.length > 1 ? choice('Of', kinds.map(k => [k, k]), kind, value => { kind = value; from = 0; draw(); }) : null,
      choice('Policy', pictures.filter(p => p.kind === kind).map(p => [p.policy, p.policy]), picture.policy, value => { policy = value; draw(); }),
      parts ? choice('Rows', parts, from, value => { from = Number(value); draw(); }) : null),
    figure('timeline', `${saidOf[kind]} over time, first replication.${cut}${rest}${beyond} Drag to move; click and turn the wheel, or press + and −, to zoom.`,
      timeline(picture, rows, rowNames, colors), () => pieceRows(picture, r => (isBlocks ? r : rowNames(r)), colors), state.command));
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
      () => [['scenario', 'policy', 'time_ns', 'wait_ns', 'allocated_ratio']].concat(all.flatMap(s => s.values.reduce((list, _, i) => (i % 3 ? list : list.concat([[s.scenario, s.policy, s.values[i], s.values[i + 1], s.values[i + 2]]])), []))), state.command));
  draw();
  return box;
}

function timelineSection(state) {
  const pictures = ofScenario(data.timelines, state.scenario).filter(p => p.pieces.length);
  const sections = [['pods on GPUs', () => (pictures.length ? lanesSection(state, pictures) : null)], ['GPUs allocated, waits', () => placementsSection(state)]];
  if (!pictures.length || !sections[1][1]()) return sections[0][1]() || sections[1][1]() || el('p', { class: 'muted' }, 'This folder has no timeline of the scenario. run --out without --brief writes one; --trace writes one for Perfetto.');
  const box = el('div');
  let at = 0;
  const draw = () => refill(box, el('div', { class: 'controls' }, choice('Timeline of', sections.map((s, i) => [i, s[0]]), at, value => { at = Number(value); draw(); })), sections[at][1]());
  draw();
  return box;
}

/* ---- what was run ---- */

function manifestSection() {
  return (data.run.scenarios || []).map(s => el('details', {}, el('summary', {}, `${s.scenario} (${s.file})`),
    el('p', { class: 'muted' }, `Seed ${s.seed}, ${plural(s.replications, 'replication')}, SHA-256 ${s.sha256}`), el('pre', { tabindex: '0', 'aria-label': 'Text of the scenario' }, s.text || 'The text is in manifest.json.')));
}

/* A table with a row for each scenario, if there are several. */
function overviewSection(state) {
  const [subject, metric] = [state.subject, state.metric];
  const rows = data.scenarios.map(s => {
    const v = verdict(s, subject, metric), bound = boundOf(s, subject, metric), c = v.best || {};
    const row = [s.scenario, c.label || null, isNumber(c.mean) ? c.mean : null, c.p > 0 && isNumber(c.change) ? c.change : null, bound && c.label && isNumber(bound.reach) ? bound.gap_ratio[c.label] : null];
    row.ci = c.changeCi;
    row.holds = v.best ? holdsOf(s, subject, c.p, wholeOf(subject), metric) : null;
    row.meanCi = c.ci;
    return row;
  });
  const columns = [{ name: 'scenario', text: true }, { name: 'best policy', text: true }, { name: metric, cell: (r, i) => withInterval(metric, r[i], r.meanCi) },
    { name: 'change over first', cell: (r, i) => changeCell(subject, metric, r[i], r.ci, r.holds) }, { name: 'below the bound', cell: (r, i) => percent(r[i]) }];
  return [el('p', { class: 'muted' }, `The best policy of each scenario by ${wordsOf(metric)}. Each change is a separate comparison: ${plural(rows.length, 'scenario')}.`),
    table(`Best policy of each scenario by ${metric}; a change is in colour where it holds after Holm's correction.`, columns, rows),
    under('scenarios', () => [['scenario', 'best_policy', metric, 'change_ratio', 'ci95_change_ratio', 'gap_ratio']].concat(rows.map(r => [r[0], r[1], r[2], r[3], r.ci, r[4]])))];
}

function runSections(state) {
  const several = data.scenarios.length > 1;
  const chooser = several ? el('div', { class: 'controls' }, choice('Scenario', data.scenarios.map((s, i) => [i, s.scenario]), data.scenarios.indexOf(state.scenario), i => state.setScenario(data.scenarios[Number(i)]))) : null;
  return [[null, 'answer', [several ? [chooser, state.scenario.question ? el('p', {}, el('strong', {}, state.scenario.question)) : null] : null, answerOf(state)]],
    several ? ['All scenarios', 'overview', overviewSection(state)] : null,
    ['Gains and their certainty', 'gains', gainsOf(state)], [boundOf(state.scenario, state.subject, state.metric) ? 'Distance from the upper bound' : 'Values by policy', 'values', valuesOf(state)], ['All numbers', 'table', tableSection(state)],
    ['Occupancy of the SMs', 'heat', heatSection(state)], ['Allocation of the cluster', 'allocation', allocationSection(state)], ['Timeline', 'timeline', timelineSection(state)],
    ['What was run', 'manifest', [commandLine(), manifestSection()]]];
}
