'use strict';
/* Builds the page, and rebuilds it when another metric or scenario is chosen. */

function section(title, id, content) {
  if (!content || (Array.isArray(content) && !content.flat(Infinity).filter(Boolean).length)) return null;
  return el('section', { id: 'section-' + id, 'aria-labelledby': id === 'answer' && !title ? 'answer' : 'title-' + id }, title ? el('h2', { id: 'title-' + id }, title) : null, content);
}

function notesSection() {
  return data.notes.length ? el('ul', { class: 'notes' }, data.notes.map(note => el('li', {}, note))) : null;
}

function render(sections) {
  refill(document.getElementById('main'), sections.filter(Boolean).concat([['Left out or averaged', 'notes', notesSection()]]).map(s => section(...s)));
}

/* Makes what the page asks of a scenario from its runs. */
function prepare(scenario) {
  scenario.policies = scenario.runs.map(run => run.policy);
  scenario.tables = tablesOf(scenario, subject => Object.keys(data.metrics[subject]));
  scenario.comparisons = scenario.comparisons.map(([policy, ...rest]) => [scenario.policies.indexOf(policy), ...rest]);
}

function beginRun() {
  data.scenarios.forEach(prepare);
  const state = { scenario: data.scenarios[0] };
  state.scenario = data.scenarios.find(s => s.scenario === recall('scenario', '')) || data.scenarios[0];
  [state.subject, state.metric, state.name] = questionsOf(state.scenario).find(q => q.join('/') === recall('by', '')) || firstQuestion(state.scenario);
  state.set = change => { Object.assign(state, change); render(runSections(state)); };
  state.setScenario = scenario => {
    const keep = questionsOf(scenario).some(q => q[0] === state.subject && q[1] === state.metric && q[2] === state.name);
    const [subject, metric, name] = keep ? [state.subject, state.metric, state.name] : firstQuestion(scenario);
    remember('scenario', scenario.scenario);
    state.set({ scenario, subject, metric, name });
  };
  const s = state.scenario, several = data.scenarios.length > 1;
  document.getElementById('subtitle').textContent = several ? `${plural(data.scenarios.length, 'scenario')}: ${words(data.scenarios.map(x => x.scenario).join(', '), 200)}`
    : `Scenario ${s.scenario}: ${plural(s.policies.length, 'policy', 'policies')}, ${plural(s.replications, 'replication')}, seed ${s.seed}${s.contention ? `, contention ${s.contention}` : ''}`;
  document.getElementById('colophon').textContent = versionOf();
  state.set({});
}

function beginSweep() {
  const state = { subject: 0, name: 0, fixed: {}, change: false }, views = data.subjects;
  const find = (metric, subject) => views.findIndex(v => v.metrics.includes(metric) && (!subject || v.subject === subject));
  const asked = data.answer;
  if (asked) Object.assign((data.metrics[asked.subject] || {})[asked.metric] || {}, { better: asked.better });
  const wanted = (asked ? [[asked.subject, asked.metric]] : []).concat(CHOICES).find(([subject, metric]) => find(metric, subject) >= 0);
  if (wanted) Object.assign(state, { subject: find(wanted[1], wanted[0]), metric: wanted[1] });
  else if (views.length) state.metric = views[0].metrics[0];
  if (views.length && views[state.subject].names.includes('all')) state.name = views[state.subject].names.indexOf('all');
  if (asked && views.length && views[state.subject].subject === asked.subject) state.name = Math.max(0, views[state.subject].names.indexOf(asked.name));
  const kept = sweepQuestions().find(q => q.slice(0, 3).join('/') === recall('by', ''));
  if (kept) [state.subject, state.name, state.metric] = kept;
  state.change = recall('change', '') === '1';
  for (const [axis, value] of recall('fix', '').split(',').filter(Boolean).map(pair => pair.split(':').map(Number)))
    if (data.axes[axis] && data.axes[axis].values[value] !== undefined) state.fixed[axis] = value;
  state.set = change => { Object.assign(state, change); render(sweepSections(state)); };
  const plan = data.plan;
  document.getElementById('subtitle').textContent = `Sweep ${plan.plan}: ${group(plan.points)} points, ${group(plan.done)} done, ${group(plan.failed)} failed; ${plural(data.axes.length, 'axis', 'axes')}: ${words(data.axes.map(axisName).join(', '), 200)}`;
  document.getElementById('colophon').textContent = versionOf();
  state.set({});
}

/* Kept alive, because its listener must not be collected. */
const systemTheme = matchMedia('(prefers-color-scheme: dark)');

function beginTheme() {
  const button = document.getElementById('theme'), root = document.documentElement;
  const set = theme => {
    root.dataset.theme = theme;
    dispatchEvent(new Event('theme'));
    button.textContent = theme === 'dark' ? 'Light' : 'Dark';
    button.setAttribute('aria-label', theme === 'dark' ? 'Light colours' : 'Dark colours');
  };
  set(systemTheme.matches ? 'dark' : 'light');
  systemTheme.addEventListener('change', () => set(systemTheme.matches ? 'dark' : 'light'));
  button.addEventListener('click', () => set(root.dataset.theme === 'dark' ? 'light' : 'dark'));
}

beginTheme();
addEventListener('hashchange', () => location.reload());
({ run: beginRun, sweep: beginSweep, advice: beginAdvice }[data.kind])();
