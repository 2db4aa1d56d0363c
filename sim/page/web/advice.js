'use strict';
/* The page of advice: the answer, the ways to share with the best first, and what one program gets against what another one does. */

/* What is said below the answer, which stands in the title; of several GPUs, what binds each. */
const adviceNotes = advice => (advice.lines ? advice.lines.slice(1) : advice.gpus.map(gpu => `${gpu.gpu}: ${gpu.binds}${gpu.draws ? `; the answer holds in ${gpu.held} of ${plural(gpu.draws, 'draw')} of uncertain inputs` : ''}`));

/* What a program gets under a way: a number, and half of its interval. */
const got = (way, program, metric) => { const of = way.programs.find(p => p.program === program) || {}, value = of[metric]; return value && typeof value === 'object' ? { mean: value.mean, ci: value.ci95 } : { mean: isNumber(value) ? value : null, ci: null }; };

function waysTable(ways) {
  const measures = [['slowdown_ratio', 'slowdown', v => plain(v, 3)], ['jobs_per_s', 'jobs/s', v => plain(v)], ['jobs_in_time_per_s', 'in time/s', v => plain(v)], ['job_latency_p50_ns', 'p50', v => show('p50_ns', v)],
    ['job_latency_p99_ns', 'p99', v => show('p99_ns', v)], ['deadline_miss_ratio', 'missed', v => percent(v)], ['memory_bytes', 'memory', v => show('memory_bytes', v)]]
    .filter(([metric]) => ways.some(way => way.programs.some(p => got(way, p.program, metric).mean > 0)));
  const head = [[ways[0].gpu ? 'GPU' : 'rank', way => way.gpu || way.rank], ['way', way => way.way], ['program', (way, p) => p.program], ['copies', (way, p) => p.copies]].filter(([name, of]) => name !== 'copies' || ways.some(way => way.programs.some(p => of(way, p) > 1)));
  const rows = ways.flatMap(way => way.programs.map(p => [...head.map(([, of]) => of(way, p)), way.work_ratio.mean, ...measures.map(([metric]) => got(way, p.program, metric).mean)]));
  const columns = [...head.map(([name]) => ({ name, text: true })), { name: 'work', title: 'dedicated GPUs that would do the same work', cell: (row, i) => plain(row[i], 3) },
    ...measures.map(([, name, format]) => ({ name, cell: (row, i) => isNumber(row[i]) ? format(row[i]) : '–' }))];
  const csvRows = () => [columns.map(c => c.name)].concat(rows);
  return [table(`${ways[0].gpu ? 'What' : 'Ways that work, the best first, and what'} each program gets: work counts dedicated GPUs; of copies, jobs are of all, and latencies of the slowest.`, columns, rows), under('ways', csvRows)];
}

/* Each program by what it gets in ways that share one GPU, one with a target by jobs in time. */
function adviceTrade(advice, all) {
  const ways = all.filter(way => way.shares);
  if (ways.length < 2) return null;
  const measures = [['jobs_in_time_per_s', 1, 'jobs in time/s'], ['jobs_per_s', 1, 'jobs/s'], ['job_latency_p99_ns', -1, 'p99']];
  const list = advice.programs.flatMap(({ name, target }) => measures.filter(([metric]) => target || metric !== 'jobs_in_time_per_s').map(([metric, better, words]) =>
    ({ key: `${name}/${metric}`, metric, label: `${words} of ${name}`, better, value: w => got(ways[w], name, metric) })));
  const work = { key: 'work', metric: 'work_ratio', label: 'work', better: 1, value: w => ({ mean: ways[w].work_ratio.mean, ci: ways[w].work_ratio.ci95 }) };
  const rest = advice.programs.find(p => !p.target), aimed = advice.programs.find(p => p.target) || advice.programs[advice.programs.length - 1];
  const across = rest && rest !== aimed ? `${rest.name}/jobs_per_s` : 'work', up = `${aimed.name}/${aimed.target ? 'jobs_in_time_per_s' : 'job_latency_p99_ns'}`;
  return tradeSection([...list.filter(q => q.key === up), ...list.filter(q => q.key !== up), work], across, ways.map(way => way.way));
}

function beginAdvice() {
  const advice = data.advice, all = advice.ways || advice.gpus, ways = all.filter(way => way.works), refused = all.filter(way => !way.works);
  document.getElementById('subtitle').textContent = advice.ways ? `${plural(advice.programs.length, 'program')} on ${advice.device}: ${plural(all.length, 'way')} to share` : `${plural(advice.placed, 'program')} of ${advice.copies} placed on ${plural(all.length, 'GPU')}; no packing does the work of more than ${plain(advice.bound_work_ratio, 3)} dedicated GPUs, this one that of ${plain(advice.work_ratio, 3)}`;
  document.getElementById('colophon').textContent = versionOf();
  render([['How sure is that?', 'notes-of-advice', adviceNotes(advice).length ? el('ul', {}, adviceNotes(advice).map(line => el('li', {}, line))) : null],
    [advice.ways ? 'Ways to share' : 'Which programs share which GPU', 'table', ways.length ? waysTable(ways) : null], ['One program against another', 'trade', advice.ways ? adviceTrade(advice, ways) : null],
    ['Does not work', 'refused', refused.length ? el('ul', {}, refused.map(way => el('li', {}, `${way.way}: ${way.why}`))) : null],
    ['Found no place', 'unplaced', (advice.unplaced || []).map(p => el('p', {}, `${p.copies} of ${p.program}: ${p.why}`))],
    ['What was run', 'manifest', commandLine()]]);
}
