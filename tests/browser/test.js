'use strict';
/* Reports as a reader meets them. Usage: node test.js WORK [PART OF A NAME], where run.sh has put pages and what they are about. */
const assert = require('assert'), fs = require('fs'), path = require('path');
const { withBrowser } = require('./launch');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const work = path.resolve(process.argv[2]);
const tests = [];
const test = (name, body) => tests.push([name, body]);

/* ---- what is asked of a page ---- */

const viewport = { width: 1280, height: 900 };

/* The one tab of a context, as if new: a tab, with its process and its compiled scripts, costs as much as the checks of a page. */
async function tab(context) {
  const page = context.pages()[0] || await context.newPage(), isNew = !page.problems;
  page.problems = [];
  if (isNew) listen(page);
  await page.mouse.move(0, 0);
  await page.emulateMedia({ media: null, colorScheme: 'light', reducedMotion: null });
  await page.setViewportSize(viewport);
  return page;
}

/* Complains of anything on the console and of any request but for itself. */
function listen(page) {
  page.on('console', message => page.problems.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', error => page.problems.push(String(error)));
  page.on('requestfailed', request => page.problems.push(`failed: ${request.url()}`));
  page.on('request', request => { if (!/^(file|blob):/.test(request.url())) page.problems.push(`asked for ${request.url()}`); });
}

async function open(context, name) {
  const page = await tab(context);
  await page.goto('file://' + path.join(work, name + '.html'));
  await page.waitForSelector('main section');
  await page.waitForTimeout(250);
  return page;
}

async function check(context, name, body) {
  const page = await open(context, name);
  await body(page);
  assert.deepStrictEqual(page.problems, [], name);
}

function parseCsv(text) {
  const rows = [[]];
  let field = '', quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted && c === '"' && text[i + 1] === '"') { field += '"'; i++; } else if (c === '"') quoted = !quoted;
    else if (quoted || !',\n'.includes(c)) field += c;
    else { rows[rows.length - 1].push(field); field = ''; if (c === '\n') rows.push([]); }
  }
  rows.pop();
  return rows;
}

/* The rows that a figure's link gives, as objects. */
async function download(page, id) {
  /* The page draws again some time after its width has changed, and a link that is replaced during a click gives nothing. */
  const once = timeout => Promise.all([page.waitForEvent('download', { timeout }), page.click(`${id} a[download]`)]);
  const [file] = await once(5000).catch(() => once(30000));
  const [head, ...rows] = parseCsv(fs.readFileSync(await file.path(), 'utf8'));
  return rows.map(row => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}

const readCsv = file => { const [head, ...rows] = parseCsv(fs.readFileSync(path.join(work, file), 'utf8')); return rows.map(row => Object.fromEntries(head.map((name, i) => [name, row[i]]))); };
const near = (a, b, what) => assert.ok(Math.abs(Number(a) - Number(b)) <= 1e-9 * Math.max(1, Math.abs(Number(b))), `${what}: ${a} instead of ${b}`);
const column = (page, i) => page.$$eval('#section-table tbody tr', (rows, k) => rows.map(row => row.cells[k].textContent), i);
const window_ = page => page.$eval('#figure-timeline svg[data-from]', svg => [Number(svg.dataset.from), Number(svg.dataset.to)]);
const settle = page => page.waitForTimeout(120);

/* ---- each page ---- */

const pages = { run: ['gains', 'values', 'trade', 'heat', 'timeline'], processes: ['gains', 'values', 'trade', 'timeline'], cluster: ['gains', 'values', 'trade', 'allocation', 'timeline'],
  several: ['gains', 'values', 'heat', 'timeline'], sweep: ['counts', 'gains', 'gaps', 'gap-1', 'gap-2', 'gap-3', 'curve-1', 'curve-2', 'map', 'trade'], hostile: ['gains', 'gaps', 'curve-1'],
  loads: ['gains', 'curve-1', 'curve-2', 'map'], unknown: ['gains', 'values', 'unknowns'], 'many-processes': ['gains'], 'many-cluster': ['gains'], unbounded: ['gains', 'curve-1'],
  equal: ['gains', 'gaps', 'gap-1', 'curve-1', 'curve-2', 'curve-3', 'map'], warned: ['gains', 'values'],
  searched: ['found', 'gains'], raced: ['found', 'curve-1'], steep: ['gains', 'curve-1'], tenants: ['values', 'timeline'], advice: ['trade'] };

test('advice: the answer, the ways in order, and what one program gets against another', context => check(context, 'advice', async page => {
  const advice = JSON.parse(fs.readFileSync(path.join(work, 'advice/advice.json'), 'utf8')), works = advice.ways.filter(way => way.works);
  assert.strictEqual(await page.$eval('h1', h => h.textContent), advice.lines[0]);
  assert.deepStrictEqual(await page.$$eval('#section-notes-of-advice li', list => list.map(li => li.textContent)), advice.lines.slice(1));
  assert.deepStrictEqual(await column(page, 1), works.flatMap(way => way.programs.map(() => way.way)));
  const serve = way => way.programs.find(p => p.program === 'serve');
  for (const row of await download(page, '#figure-trade')) {
    const way = works.find(w => w.way === row.policy);
    assert.ok(way.shares, `${row.policy} shares one GPU`);
    near(row['serve/jobs_in_time_per_s'], serve(way).jobs_in_time_per_s.mean, row.policy);
  }
  assert.match(await page.textContent('#figure-trade figcaption'), /No way is better than .*"mps, serve first"/, 'a name with a comma is in quotes');
  assert.ok((await page.$$eval('#figure-trade svg text', list => list.map(text => text.textContent))).includes('jobs/s of train'), 'a rate says its unit once');
}));
test('packing: which programs share which GPU', context => check(context, 'packing', async page => {
  const packing = JSON.parse(fs.readFileSync(path.join(work, 'packing/advice.json'), 'utf8'));
  assert.deepStrictEqual(await column(page, 0), packing.gpus.flatMap(gpu => gpu.programs.map(() => gpu.gpu)));
}));

for (const [name, figures] of Object.entries(pages))
  test(`${name}: every figure is drawn, has a text, data and a command`, context => check(context, name, async page => {
    for (const figure of figures) {
      const marks = await page.$$eval(`#figure-${figure} :is(svg[role=img], svg[role=group])`, list => list.map(svg => ({ said: svg.getAttribute('aria-label'), parts: svg.querySelectorAll('path, rect, line').length, canvas: Boolean(svg.parentElement.querySelector('canvas')) })));
      assert.ok(marks.length > 0, `${figure} is there`);
      for (const m of marks) {
        assert.ok(m.said && m.said.length > 20, `${figure} has a text`);
        assert.ok(m.parts > 3, `${figure} has ${m.parts} marks`);
      }
      assert.ok((await download(page, `#figure-${figure}`)).length > 0, `${figure} has data`);
      const made = await page.$eval(`#figure-${figure} .under`, box => (box.querySelector('.command code') || box.querySelector('.origin')).textContent);
      assert.match(made, ['sweep', 'hostile', 'equal', 'unbounded', 'loads', 'many-processes', 'many-cluster', 'searched', 'raced', 'steep'].includes(name) ? /^(smsched sweep |From a sweep of the plan )/ : name === 'advice' ? /^smsched advise / : /^smsched run /);
    }
    assert.ok(!/NaN|undefined|\[object/.test(await page.evaluate(() => document.body.innerText + [...document.querySelectorAll('[d],[x],[transform],[aria-label]')].map(e => [...e.attributes].map(a => a.value).join(' ')).join(' '))), 'a value is missing');
  }));

/* Colour is all that a theme changes, and what a width leaves alone: the elements are the same. So axe looks for all that is wrong once,
 * at the other width for all but colours, and in the other theme for colours, which take it most of its time. */
const ofColor = ['color-contrast', 'link-in-text-block'];
const onlyColor = { runOnly: { type: 'rule', values: ofColor } }, butColor = { rules: Object.fromEntries(ofColor.map(rule => [rule, { enabled: false }])) };

for (const name of Object.keys(pages))
  for (const [width, themes] of [[1280, [['light', {}], ['dark', onlyColor]]], [390, [['dark', butColor], ['light', null]]]])
    test(`${name}: nothing is wider than ${width} pixels, axe finds nothing, light and dark`, context => check(context, name, async page => {
      const elements = [];
      await page.evaluate(axe);
      await page.setViewportSize({ width, height: 900 });
      for (const [scheme, rules] of themes) {
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
        await settle(page);
        await page.waitForFunction(wanted => document.documentElement.dataset.theme === wanted, scheme);
        await page.evaluate(() => document.querySelectorAll('details').forEach(details => { details.open = true; }));
        await settle(page);
        const wide = await page.evaluate(() => [...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll, svg svg, pre') && e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 120)));
        assert.deepStrictEqual(wide, [], scheme);
        assert.strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), width, scheme);
        if (rules) {
          const result = await page.evaluate(options => axe.run(document, { resultTypes: ['violations'], ...options }), rules);
          assert.deepStrictEqual(result.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 160) + ' ' + n.failureSummary).slice(0, 3)]), [], scheme);
        }
        elements.push(await page.$eval('main', main => main.outerHTML));
      }
      assert.strictEqual(elements[0], elements[1], 'light and dark differ in elements');
    }));

/* ---- tables ---- */

test('a table sorts by number and by text, both ways, with a key, and says so', context => check(context, 'run', async page => {
  const rows = readCsv('run/vms.csv'), heading = i => `#section-table thead th:nth-child(${i + 1})`;
  const sorted = await page.$$eval('#section-table thead th', heads => heads.map(th => th.textContent));
  const metric = sorted.indexOf('blocks_per_s'), expected = rows.map(r => Number(r.blocks_per_s)).sort((a, b) => a - b);
  const number = text => Number(text.split(' ±')[0].replace(/[\u202f/s]/g, ''));
  await page.click(`${heading(metric)} button`);
  assert.strictEqual(await page.getAttribute(heading(metric), 'aria-sort'), 'descending');
  const down = (await column(page, metric)).map(number);
  down.forEach((value, i) => assert.ok(Math.abs(value / expected[expected.length - 1 - i] - 1) < 1e-3, `${value} at ${i}`));
  await page.focus(`${heading(metric)} button`);
  await page.keyboard.press('Enter');
  assert.strictEqual(await page.getAttribute(heading(metric), 'aria-sort'), 'ascending');
  assert.deepStrictEqual((await column(page, metric)).map(number), down.reverse());
  await page.click(`${heading(0)} button`);
  assert.strictEqual(await page.getAttribute(heading(metric), 'aria-sort'), 'none');
  const names = rows.map(r => r.policy).sort();
  assert.deepStrictEqual(await column(page, 0), names);
  await page.click(`${heading(0)} button`);
  assert.deepStrictEqual(await column(page, 0), names.slice().reverse());
}));

test('the table gives what the folder holds', context => check(context, 'run', async page => {
  for (const [subject, file] of [['vm', 'vms'], ['host', 'hosts'], ['resource', 'resources'], ['kernel', 'kernels']]) {
    await page.selectOption('#section-table select', subject);
    const got = await download(page, '#section-table'), wanted = readCsv(`run/${file}.csv`);
    assert.strictEqual(got.length, wanted.length, file);
    got.forEach((row, i) => Object.keys(row).forEach(key => (row[key] === '' || isNaN(row[key]) ? assert.strictEqual(row[key], wanted[i][key], `${file} ${key}`) : near(row[key], wanted[i][key], `${file} ${key}`))));
  }
}));

/* ---- figures ---- */

test('gains and gaps are those of compare', context => check(context, 'run', async page => {
  const comparison = JSON.parse(fs.readFileSync(path.join(work, 'run/comparison.json'), 'utf8')), host = p => comparison.runs.find(run => run.policy === p).host;
  assert.strictEqual(await page.textContent('#answer'), comparison.answer.text); // the answer to what is asked comes first
  assert.strictEqual(comparison.answer.metric, 'stp_ratio');
  for (const gain of (await download(page, '#figure-gains')).filter(r => r.subject === 'host'))
    near(1 + Number(gain.change_ratio), host(gain.policy).stp_ratio, gain.policy);
  await page.selectOption('#section-answer select', 'host/kernels_per_s/');
  const gains = (await download(page, '#figure-gains')).filter(r => r.subject === 'host');
  assert.strictEqual(gains.length, comparison.runs.length - 1);
  for (const gain of gains) {
    near(1 + Number(gain.change_ratio), host(gain.policy).kernels_per_s, gain.policy);
    near(gain.ci95_change_ratio, host(gain.policy).ci95.kernels_per_s, gain.policy);
  }
  for (const value of await download(page, '#figure-values')) {
    near(value.gap_ratio, comparison.bounds.kernels_per_s.gap_ratio[value.policy], value.policy);
    near(value.bound, comparison.bounds.kernels_per_s.run, 'bound');
  }
  const best = comparison.runs.map(run => [run.host.kernels_per_s, run.policy]).sort((a, b) => b[0] - a[0])[0][1];
  assert.ok((await page.textContent('#answer')).startsWith(best + ' '));
}));

test('another metric gives another answer', context => check(context, 'run', async page => {
  await page.focus('#section-answer select');
  await page.selectOption('#section-answer select', 'host/antt_ratio/');
  assert.match(await page.textContent('#section-answer'), /antt_ratio/);
  assert.strictEqual(await page.evaluate(() => document.activeElement.tagName), 'SELECT');
  assert.ok((await download(page, '#figure-gains')).every(r => r.metric === 'antt_ratio'));
}));

test('heat maps hold the cells of heatmap.csv', context => check(context, 'run', async page => {
  const wanted = new Map(readCsv('run/heatmap.csv').filter(r => r.device === '0').map(r => [[r.policy, Number(r.sm), Number(r.time_ns)].join(), r.occupancy_ratio]));
  const got = await download(page, '#figure-heat');
  assert.strictEqual(got.length, wanted.size);
  for (const cell of got) near(cell.occupancy_ratio, wanted.get([cell.policy, Number(cell.sm), Number(cell.time_ns)].join()), `SM ${cell.sm} at ${cell.time_ns}`);
}));

test('the timeline holds the blocks of timeline.csv, exact at first, then as shares of intervals that are as long in sum', context => check(context, 'run', async page => {
  const key = r => [r.policy, r.sm, r.vm, Number(r.start_ns), r.blocks].join(), all = readCsv('run/timeline.csv').filter(r => r.device === '0');
  const wanted = new Set(all.map(key)), got = await download(page, '#figure-timeline'), exact = got.filter(r => r.exact === '1'), sum = (list, policy) => list.filter(r => r.policy === policy).reduce((s, r) => s + (r.end_ns - r.start_ns) * r.blocks, 0);
  assert.ok(exact.length > 100 && exact.length < got.length);
  for (const piece of exact) assert.ok(wanted.has(key(piece)), key(piece));
  assert.match(await page.textContent('#figure-timeline figcaption'), /The timeline ends before the run: of .*, only the first 20.000 of [0-9\s]+ stays of blocks are in the folder\./);
  for (const policy of new Set(all.map(r => r.policy))) assert.ok(Math.abs(sum(got, policy) / sum(all, policy) - 1) < 0.01, policy);
}));

for (const [name, endings] of [['cluster', ['done']], ['gpushare', ['done', 'timed_out']]])
  test(`${name}: the timeline holds the stays of placements.csv on each GPU, and the waits before them`, context => check(context, name, async page => {
    const key = r => [r.policy, r.gpu, r.ended, Math.round(r.start_ns / 1e6), Math.round(r.end_ns / 1e6), r.pod].join();
    const got = await download(page, '#figure-timeline'), wanted = [];
    for (const r of readCsv(`${name}/placements.csv`)) {
      const { policy } = r;
      r.gpus.split(' ').filter(gpu => gpu !== '').forEach(gpu => wanted.push(key({ policy, gpu: `${r.node}/${gpu}`, ended: r.ended, start_ns: r.time_ns, end_ns: r.end_ns, pod: r.pod })));
      if (Number(r.wait_ns) > 0) wanted.push(key({ policy, gpu: 'waiting', ended: 'waiting', start_ns: r.time_ns - r.wait_ns, end_ns: r.time_ns, pod: r.pod }));
    }
    assert.deepStrictEqual(got.map(key).sort(), wanted.sort());
    endings.forEach(ending => assert.ok(got.some(r => r.ended === ending), ending));
    const legend = await page.$$eval('#figure-timeline .legend li', items => items.map(item => item.textContent));
    endings.forEach(ending => assert.ok(legend.includes(ending), `${ending} in ${legend}`));
    const order = await page.evaluate(() => data.palette.filter(entry => entry[0] === 'ending').map(entry => entry[1]));
    assert.deepStrictEqual(legend, order.filter(ending => legend.includes(ending)), 'endings are in the order of figures');
    await page.selectOption('#section-timeline select', '1');
    assert.match(await page.textContent('#figure-timeline'), /At each placement of a pod/);
  }));

for (const name of ['run', 'processes', 'cluster'])
  test(`${name}: the timeline zooms by wheel, buttons, keys and dragging, and comes back`, context => check(context, name, async page => {
    const whole = await window_(page), span = w => w[1] - w[0];
    const press = async (label, act) => { await act(); await settle(page); return [label, await window_(page)]; };
    const button = label => () => page.click(`#figure-timeline button[aria-label="${label}"]`);
    let [, now] = await press('+', button('Zoom in'));
    assert.ok(Math.abs(span(now) / span(whole) - 0.5) < 0.01, `zoomed by ${span(now) / span(whole)}`);
    const before = now;
    [, now] = await press('later', button('Later'));
    assert.ok(now[0] > before[0] && Math.abs(span(now) / span(before) - 1) < 1e-6, 'moves later');
    [, now] = await press('earlier', button('Earlier'));
    assert.ok(Math.abs(now[0] - before[0]) < span(whole) * 1e-6, 'moves back');
    [, now] = await press('all', button('Show all'));
    assert.deepStrictEqual(now, whole);
    const area = await page.$('#figure-timeline .zoom');
    await area.scrollIntoViewIfNeeded();
    const box = await area.boundingBox(), middle = [box.x + box.width / 2, box.y + 60];
    await page.mouse.move(...middle);
    await page.evaluate(() => document.activeElement.blur());
    [, now] = await press('wheel without focus', () => page.mouse.wheel(0, 5));
    assert.deepStrictEqual(now, whole, 'a page that scrolls past zooms nothing');
    await area.scrollIntoViewIfNeeded();
    await area.focus();
    const again = await area.boundingBox();
    await page.mouse.move(again.x + again.width / 2, again.y + 60);
    [, now] = await press('wheel', () => page.mouse.wheel(0, -300));
    assert.ok(span(now) < span(whole) * 0.9, 'the wheel zooms');
    const zoomed = now;
    await page.mouse.down();
    await page.mouse.move(again.x + again.width / 2 - 80, again.y + 60, { steps: 4 });
    [, now] = await press('drag', () => page.mouse.up());
    assert.ok(now[0] > zoomed[0] && Math.abs(span(now) / span(zoomed) - 1) < 1e-6, 'dragging moves');
    await area.focus();
    [, now] = await press('key 0', () => page.keyboard.press('0'));
    assert.deepStrictEqual(now, whole);
    [, now] = await press('key +', () => page.keyboard.press('+'));
    assert.ok(span(now) < span(whole), 'a key zooms');
    const there = now;
    [, now] = await press('key right', () => page.keyboard.press('ArrowRight'));
    assert.ok(now[0] > there[0], 'a key moves');
    [, now] = await press('key -', () => page.keyboard.press('-'));
    assert.ok(Math.abs(span(now) / span(whole) - 1) < 1e-6);
  }));

/* ---- what a pointer, a legend and the address do ---- */

for (const width of [1280, 390])
  test(`a card says what is under the pointer, and a click keeps it, at ${width} pixels`, context => check(context, 'processes', async page => {
    await page.setViewportSize({ width, height: 900 });
    await settle(page);
    const area = await page.$('#figure-timeline .zoom'), card = () => page.$eval('#figure-timeline .card', e => (e.hidden ? null : e.textContent));
    await area.scrollIntoViewIfNeeded();
    const box = await area.boundingBox();
    assert.strictEqual(await card(), null);
    let at = 0.2;
    for (; at < 0.9 && await card() === null; at += 0.01) await page.mouse.move(box.x + box.width * (at + 0.01), box.y + 28);
    await settle(page);
    const text = await card(), policy = readCsv('processes/spans.csv')[0].policy;
    assert.match(text, /^train1: (host|copy_in|kernel|copy_out|waiting)/);
    assert.ok(text.includes(policy) && /Why: smsched explain .*processes\.yaml --policy 'exclusive' --from '\d+ ns' --to '\d+ ns'/.test(text), text);
    assert.ok(await page.$eval('#figure-timeline .card', e => e.getBoundingClientRect().right <= innerWidth), 'the card is in the page');
    await page.mouse.click(box.x + box.width * at, box.y + 28);
    await page.mouse.move(box.x + box.width * 0.9, box.y + 60);
    assert.strictEqual(await card(), text, 'a kept card stays');
    await page.keyboard.press('Escape');
    assert.strictEqual(await card(), null);
    await page.keyboard.press('n');
    assert.match(await card(), /^\w+: \w+/, 'a key goes to the first piece');
  }));

test('a card says what blocks waited for, in the words of explain', context => check(context, 'run', async page => {
  const area = await page.$('#figure-timeline .zoom'), card = () => page.$eval('#figure-timeline .card', e => (e.hidden ? '' : [...e.children].map(line => line.textContent).join('\n')));
  const reason = /\nBlocks of (single|double) waited, .*:\n[\d.]+\s\S+: (.+), on up to 80 SMs\n/;
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  for (let y = 0.1; y < 0.9 && !reason.test(await card()); y += 0.02) await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * y);
  const hovered = reason.exec(await card());
  const both = () => ['single', 'double'].every(name => text.includes(`Blocks of ${name} waited, `));
  let text = '';
  for (let i = 0; i < 400 && !both(); i++) {
    await page.mouse.move(box.x + box.width * (0.1 + 0.04 * (i % 20)), box.y + box.height * (0.1 + 0.04 * Math.floor(i / 20)));
    text = await card();
  }
  assert.ok(both(), 'whoever is under the pointer, the card has the waits of all tenants');
  assert.ok(hovered, 'a pointer shows the reason');
  assert.ok(fs.readFileSync(path.join(work, 'explained'), 'utf8').includes(`waits: ${hovered[2]} on up to 80 SMs`), hovered[2]);
  await page.mouse.move(0, 0);
  await area.focus();
  await page.keyboard.press('n');
  /* The page presses the others itself, because each that comes from outside costs five milliseconds. */
  const pressed = await page.evaluate(source => {
    const card = document.querySelector('#figure-timeline .card'), shows = () => new RegExp(source).test([...card.children].map(line => line.textContent).join('\n'));
    let i = 0;
    for (; i < 2000 && (card.hidden || !shows()); i++) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true, cancelable: true }));
    return i;
  }, reason.source);
  assert.match(await card(), reason, `keys show it, too (${pressed})`);
}));

/* Whether the canvas of the timeline has a pixel of this colour. */
const hasColor = (page, rgb) => page.$eval('#figure-timeline canvas', (canvas, wanted) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - wanted[0]) + Math.abs(data[i + 1] - wanted[1]) + Math.abs(data[i + 2] - wanted[2]) < 6) return true;
  return false;
}, rgb);

test('the legend hides what it names, in the colour of the palette, and the address keeps it', context => check(context, 'processes', async page => {
  const entry = (await page.evaluate(() => JSON.parse(document.getElementById('data').textContent).palette)).find(e => e[1] === 'kernel'), rgb = [1, 3, 5].map(i => parseInt(entry[2].slice(i, i + 2), 16));
  const button = '#figure-timeline .filter button:has-text("kernel")';
  assert.ok(await hasColor(page, rgb), 'kernels are drawn');
  await page.click(button);
  assert.strictEqual(await page.getAttribute(button, 'aria-pressed'), 'false');
  assert.ok(!await hasColor(page, rgb), 'kernels are hidden');
  assert.match(page.url(), /off=kernel/);
  await page.reload();
  await page.waitForSelector('#figure-timeline canvas');
  await settle(page);
  assert.strictEqual(await page.getAttribute(button, 'aria-pressed'), 'false');
  assert.ok(!await hasColor(page, rgb), 'kernels stay hidden');
}));

test('the colour of a tenant is used again with a stripe, then two', context => check(context, 'tenants', async page => {
  assert.deepStrictEqual(await page.$$eval('#figure-timeline .filter svg', list => list.map(swatch => swatch.querySelectorAll('rect').length)), Array.from({ length: 33 }, (_, i) => 1 + Math.floor(i / 16)));
  assert.ok(await hasColor(page, [255, 255, 255]), 'stripes on dark colours are white');
  for (const button of (await page.$$('#figure-timeline .filter button')).slice(16)) await button.click();
  await settle(page);
  assert.ok(!await hasColor(page, [255, 255, 255]), 'no other box has a stripe');
}));

test('the address keeps the metric, the window, the rows and the order of the table', async context => {
  await check(context, 'run', async page => {
    await page.selectOption('#section-answer select', 'host/kernels_per_s/');
    await page.click('#figure-timeline button[aria-label="Zoom in"]');
    await settle(page);
    await page.selectOption('#section-table select', 'host');
    await page.click('#section-table thead th:nth-child(1) button');
    const before = await window_(page), url = page.url();
    const other = await context.newPage();
    await other.goto(url);
    await other.waitForSelector('#figure-timeline canvas');
    await settle(other);
    (await window_(other)).forEach((t, i) => assert.ok(Math.abs(t - before[i]) < 1e-5 * before[1], `${t} instead of ${before[i]}`));
    assert.strictEqual(await other.$eval('#section-answer select', select => select.value), 'host/kernels_per_s/');
    assert.strictEqual(await other.$eval('#section-table select', select => select.value), 'host');
    assert.strictEqual(await other.getAttribute('#section-table thead th:nth-child(1)', 'aria-sort'), 'ascending');
    await other.close();
  });
  await check(context, 'sweep', async page => {
    await page.selectOption('#section-curves label:has-text("queue") select', { label: 'fifo' });
    await page.selectOption('#section-map label:has-text("Shown") select', 'value');
    const url = page.url(), other = await context.newPage();
    await other.goto(url);
    await other.waitForSelector('#section-map');
    assert.strictEqual(await other.$eval('#section-curves label:has-text("queue") select', select => select.selectedOptions[0].textContent), 'fifo');
    assert.strictEqual(await other.$eval('#section-map label:has-text("Shown") select', select => select.value), 'value');
    await other.close();
  });
});

test('an address that makes no sense does no harm', async context => {
  for (const name of ['run', 'sweep', 'cluster']) {
    const page = await open(context, name);
    await page.goto(page.url() + '#by=x/y/z&t=NaN,7&kind=none&part=999&rows=none&sort=,&off=%3C/script%3E&axes=99&map=x&policy=77&fix=9:9&x=q&y=q&scenario=none&constructor=1'); // the page loads again by itself
    await page.waitForTimeout(800);
    await page.waitForSelector('main section');
    await settle(page);
    assert.deepStrictEqual(page.problems, [], name);
    assert.ok((await page.textContent('#answer')).length > 10);
  }
});

test('in print, tables keep their headings on each page, and nothing is cut', context => check(context, 'run', async page => {
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 760, height: 1000 });
  await settle(page);
  assert.strictEqual(await page.$eval('#section-table thead', e => getComputedStyle(e).display), 'table-header-group');
  assert.ok(await page.$$eval('#section-table thead button', list => list.every(b => b.getBoundingClientRect().width > 0)), 'headings are printed');
  assert.strictEqual(await page.$eval('#section-table .scroll', e => getComputedStyle(e).overflowX), 'visible');
  assert.ok(await page.$$eval('#section-timeline .controls', list => list.every(e => getComputedStyle(e).display === 'none')));
  assert.ok(await page.$$eval('#figure-timeline .filter li', list => list.length > 0 && list.every(e => e.getBoundingClientRect().width > 0)), 'the legend is printed');
}));

test('the first column stays while a table is scrolled, and the metric of the page comes first', context => check(context, 'run', async page => {
  await page.setViewportSize({ width: 390, height: 900 });
  await page.selectOption('#section-table select', 'host');
  const heads = await page.$$eval('#section-table thead th', list => list.map(th => th.textContent));
  assert.deepStrictEqual(heads.slice(0, 3), ['policy', 'host', 'stp_ratio']);
  const left = () => page.$eval('#section-table tbody tr :first-child', e => e.getBoundingClientRect().left), before = await left();
  await page.$eval('#section-table .scroll', e => { e.scrollLeft = 300; });
  await settle(page);
  assert.ok(Math.abs(await left() - before) < 2);
}));

test('bars of the answer are in its order, best first', context => check(context, 'run', async page => {
  const values = (await download(page, '#figure-values')).map(r => Number(r.stp_ratio));
  assert.deepStrictEqual(values, values.slice().sort((a, b) => b - a));
  assert.ok(await page.$('.answer #figure-values'), 'they are in the card');
}));

test('a cell of the map of winners opens its point', context => check(context, 'sweep', async page => {
  await page.selectOption('#section-map label:has-text("start of a (us)") select', { label: '7 us' });
  const cell = '#figure-map .cell[aria-label^="slope of contention 3, queue interleave"]';
  await page.focus(cell);
  await page.keyboard.press('Enter');
  assert.match(await page.textContent('#figure-map .opened'), /point 13.*smsched run PLAN --point 13/s);
  await page.click('#figure-map .cell[aria-label^="slope of contention 1, queue fifo"]');
  assert.match(await page.textContent('#figure-map .opened'), /point 4.*smsched run PLAN --point 4/s);
}));

test('a curve says where the speed alone moves by which its metric divides, and only there', context => check(context, 'sweep', async page => {
  const caption = n => page.textContent(`#figure-curve-${n} figcaption`), said = /The speed alone, which .* divides by, moves along this axis: a by -\d+ to 0 %, b by -\d+ to 0 %; .* does not divide by it/;
  assert.doesNotMatch(await caption(1), /speed alone/);
  const choose = page.getByLabel('Measured by'), values = await choose.evaluate(select => [...select.options].map(option => option.value));
  await choose.selectOption(values.find(value => value.endsWith('/stp_ratio')));
  assert.match(await caption(1), said);
  assert.doesNotMatch(await caption(2), /speed alone/);
}));

test('hidden policies have no curve', context => check(context, 'sweep', async page => {
  const lines_ = () => page.$$eval('#figure-curve-1 svg > path.stroke', list => list.filter(p => !p.querySelector('title')).length), before = await lines_();
  await page.click('#section-curves .filter button:has-text("leftover")');
  await settle(page);
  await settle(page);
  assert.strictEqual(await lines_(), before - 1);
}));

test('who chooses with keys stays where they were', async context => {
  for (const [name, select] of [['run', '#section-answer select'], ['run', '#section-table select'], ['run', '#section-timeline select'], ['sweep', '#section-curves select'], ['sweep', '#section-map select']])
    await check(context, name, async page => {
      await page.focus(select);
      await page.keyboard.press('ArrowDown');
      await settle(page);
      assert.ok(await page.evaluate(wanted => document.activeElement === document.querySelector(wanted), select), select);
    });
});

test('a scenario is chosen among several', context => check(context, 'several', async page => {
  const first = await page.textContent('#section-answer p strong');
  await page.selectOption('#section-answer select', '1');
  assert.notStrictEqual(await page.textContent('#section-answer p strong'), first);
  assert.strictEqual((await page.$$('#section-overview tbody tr')).length, 2);
  assert.deepStrictEqual(await page.$$eval('#figure-timeline .legend.filter button', list => list.map(b => b.textContent)), ['server', 'trainer'], 'tenants are in the order of the scenario, whoever runs first');
}));

/* ---- sweeps ---- */

const metric = 'kernels_per_s';
const mean = list => list.reduce((a, b) => a + b, 0) / list.length;

/* Means from the rows of the sweep's CSV, and changes, the plain way: of a point, the ratio of means over its replications. */
function means(rows, by) {
  const groups = new Map(), first = new Map(rows.filter(r => r.policy === rows[0].policy).map(r => [[r.point, r.replication].join(), Number(r[metric])]));
  for (const r of rows) {
    const key = by.map(name => r[name]).concat(r.policy).join();
    if (!groups.has(key)) groups.set(key, { values: [], changes: [] });
    groups.get(key).values.push(Number(r[metric]));
    const of = groups.get(key).points ||= new Map(), sums = of.get(r.point) || [0, 0];
    of.set(r.point, [sums[0] + Number(r[metric]), sums[1] + first.get([r.point, r.replication].join())]);
  }
  for (const group of groups.values()) group.changes = [...group.points.values()].map(([sum, base]) => sum / base - 1);
  return groups;
}

test('curves, maps and gains of a sweep are means of its rows', context => check(context, 'sweep', async page => {
  const rows = readCsv('small.sweep/results/hosts.csv'), axes = await page.$$eval('#section-curves figure h3', list => list.map(h => h.textContent));
  assert.deepStrictEqual(axes, ['slope of contention', 'queue', 'start of a (us)']);
  assert.deepStrictEqual(await page.$$eval('#figure-curve-2 svg .axis:last-of-type .tick text', list => list.map(t => t.textContent)), ['interleave', 'fifo'], 'names have the room that there is');
  for (const [i, name] of ['contention.slope', 'queue', 'vms.a.start'].entries()) {
    const wanted = means(rows, [name]), got = await download(page, `#figure-curve-${i + 1}`);
    assert.strictEqual(got.length, wanted.size);
    for (const r of got) near(r[metric], mean(wanted.get([r[name], r.policy].join()).values), `${name} ${r[name]}`);
  }
  const map = await download(page, '#figure-map'), pairs = means(rows, ['contention.slope', 'queue']);
  assert.strictEqual(map.length, 6);
  for (const r of map) {
    const cell = [...pairs].filter(([key]) => key.startsWith([r['contention.slope'], r.queue].join() + ',')).map(([key, group]) => [key.split(',').slice(2).join(), mean(group.values)]).sort((a, b) => b[1] - a[1]);
    assert.strictEqual(r.policy, cell[0][1] === cell[1][1] ? 'several' : cell[0][0], 'the winner of a cell');
    near(r[metric], cell[0][1], 'the winner');
  }
  await page.selectOption('#section-map label:has-text("Shown") select', 'change');
  for (const r of await download(page, '#figure-map')) near(r[metric + '_change_ratio'], mean(pairs.get([r['contention.slope'], r.queue, r.policy].join()).changes), 'map');
  const all = means(rows, []);
  for (const r of (await download(page, '#figure-gains')).filter(g => g.subject === 'host')) near(r.change_ratio, mean(all.get(r.policy).changes), r.policy);
}));

/* The ticks of axes whose labels are numbers: [label, position] in order of position. */
const ticksOf = page => page.$$eval('main figure .axis', axes => axes.map(axis => [...axis.querySelectorAll('.tick')].map(tick => {
  const [x, y] = tick.getAttribute('transform').match(/-?[0-9.e-]+/g).map(Number);
  return [tick.querySelector('text').textContent, x || y];
}).sort((a, b) => a[1] - b[1])));
const numberOf = label => Number(label.replace(/[\u202f\s]/g, '').replace('−', '-').replace(/[%a-zµ/]+$/i, ''));

test('a load is in words on a logarithmic axis, and the deadline is a level among latencies', context => check(context, 'loads', async page => {
  const texts = id => page.$$eval(`${id} svg text`, list => list.map(text => text.textContent));
  assert.ok((await texts('#figure-curve-1')).includes('mean time between arrivals of a (us)'));
  assert.ok((await texts('#figure-curve-2')).includes('press of kernels'));
  const [, ticks] = await page.$$eval('#figure-curve-1 .axis', axes => axes.map(axis => [...axis.querySelectorAll('.tick')].map(tick => [tick.textContent, Number(tick.getAttribute('transform').match(/[0-9.]+/)[0])])));
  assert.deepStrictEqual(ticks.map(tick => tick[0]), ['200', '400', '800']);
  assert.ok(Math.abs((ticks[1][1] - ticks[0][1]) / (ticks[2][1] - ticks[1][1]) - 1) < 0.02, 'equal ratios are equally far apart');
  assert.ok((await texts('#figure-curve-1')).includes('deadline 350\u202fµs'));
  await page.getByLabel('Measured by').selectOption({ label: 'kernels per second of vm a' });
  await settle(page);
  assert.ok(!(await texts('#figure-curve-1')).some(text => text.startsWith('deadline')), 'no deadline among rates');
}));

test('latencies that span a factor of 50 have a logarithmic axis', context => check(context, 'steep', async page => {
  const ticks = (await page.$$eval('#figure-curve-1 .axis', axes => [...axes[0].querySelectorAll('.tick')].map(tick => [Number(tick.textContent), Number(tick.getAttribute('transform').match(/,([0-9.]+)/)[1])])));
  assert.ok(ticks.length > 1 && ticks.every(([value]) => [0.001, 0.01, 0.1, 1, 10, 100].includes(value)), String(ticks));
  assert.ok((await page.$$eval('#figure-curve-1 svg text', list => list.map(text => text.textContent))).includes('deadline 350\u202fµs'));
}));

test('a search shows its answers along another axis, and a race all that took part', async context => {
  for (const [name, axis, first] of [['searched', 'contention.slope', 'holds'], ['raced', 'contention.slope', 'mean']])
    await check(context, name, async page => {
      const given = readCsv(`${name}.sweep/results/found.csv`), rows = await download(page, '#figure-found');
      assert.strictEqual(rows.length, given.length);
      rows.forEach((row, i) => { for (const key of [axis, 'policy', 'state', 'replications', first]) assert.strictEqual(String(row[key]), String(given[i][key]), `${name} ${i} ${key}`); });
      const marks = await page.$$eval('#figure-found svg[role=img] title', list => list.map(title => title.textContent));
      assert.strictEqual(marks.length, given.filter(row => row[first]).length);
      assert.match(await page.textContent('#figure-found figcaption'), name === 'raced' ? /may be the best by system throughput \(STP\)/ : /^sms of v100: the least value with mean latency of a < 200 us/);
    });
});

test('what is not known is sorted by how far it moves the lead, as comparison.json has it', context => check(context, 'unknown', async page => {
  const { unknowns } = JSON.parse(fs.readFileSync(path.join(work, 'unknown/comparison.json'), 'utf8')), size = p => Math.abs(p.rank_correlation);
  const wanted = unknowns.parameters.slice().sort((a, b) => size(b) - size(a)), texts = await page.$$eval('#figure-unknowns svg text.halo:not(.soft)', list => list.map(text => text.textContent));
  assert.ok(wanted.length > 2 && unknowns.draws === 20);
  assert.deepStrictEqual(texts, wanted.map(p => p.parameter));
  for (const row of await download(page, '#figure-unknowns')) near(row.rank_correlation, wanted.find(p => p.parameter === row.parameter).rank_correlation, row.parameter);
  const beyond = await page.$$eval('#figure-unknowns svg text.soft.halo', list => list.filter(text => text.textContent.endsWith('beyond chance')).length);
  assert.strictEqual(beyond, wanted.filter(p => p.p_holm < 0.05).length);
}));

test('the ticks of an axis have different labels, in equal steps where they are equally far apart', async context => {
  let seen = 0;
  for (const name of ['sweep', 'equal', 'limit'])
    await check(context, name, async page => {
      const choose = page.getByLabel('Measured by'), metrics = await choose.evaluate(select => [...select.options].map(option => option.value));
      for (const metric of metrics.slice(0, 12)) {
        await choose.selectOption(metric);
        await settle(page);
        for (const ticks of await ticksOf(page)) {
          const labels = ticks.map(tick => tick[0]), numbers = labels.map(numberOf), steps = ticks.slice(1).map((tick, i) => tick[1] - ticks[i][1]);
          if (ticks.length < 3 || labels.some(label => !label) || !numbers.every(Number.isFinite) || Math.max(...steps) > Math.min(...steps) + 0.2) continue;
          const changes = numbers.slice(1).map((number, i) => number - numbers[i]), step = Math.max(...changes.map(Math.abs));
          assert.ok(new Set(labels).size === labels.length && changes.every(change => Math.abs(change - changes[0]) < 0.02 * step), `${name}, ${metric}: ticks ${labels.join(' | ')}`);
          seen++;
        }
      }
    });
  assert.ok(seen > 20, `${seen} axes were read`);
});

test('a sweep begins with what its plan asks', context => check(context, 'asked', async page => {
  const rows = readCsv('asked.sweep/results/vms.csv').filter(r => r.vm === 'b'), points = [...new Set(rows.map(r => r.point))], policies = [...new Set(rows.map(r => r.policy))];
  const value = (point, policy) => mean(rows.filter(r => r.point === point && r.policy === policy).map(r => Number(r.kernels_per_s)));
  const least = points.map(point => Math.min(...policies.map(policy => value(point, policy))));
  const counts = policies.map(policy => points.filter((point, i) => value(point, policy) === least[i]).length), most = Math.max(...counts);
  assert.match(await page.textContent('#section-answer .muted'), /of vm b \(kernels_per_s\): .*; less is better\./);
  const answer = await page.textContent('#answer'), [, policy, at] = /^(\S+) is among the best at \d+ of \d+ points, alone at (\d+)/.exec(answer) || [];
  assert.ok(answer.includes(` of ${points.length} points`) && Number(at) <= counts[policies.indexOf(policy)] && most > 0, answer);
}));

test('gaps of a sweep are those of its rows', context => check(context, 'sweep', async page => {
  const rows = readCsv('small.sweep/results/hosts.csv'), bounds = readCsv('small.sweep/results/bounds.csv').filter(b => b.metric === metric);
  const gapsOf_ = wanted => bounds.map(b => [b, rows.filter(r => r.point === b.point && wanted(r)).map(r => Number(r[metric]))]).filter(([, list]) => list.length)
    .map(([b, list]) => [b, 1 - mean(list) / Number(b.run_per_s)]);
  const got = await download(page, '#figure-gaps');
  assert.deepStrictEqual(got.map(r => r.policy), [...new Set(rows.map(r => r.policy))]);
  for (const r of got) {
    const gaps = gapsOf_(row => row.policy === r.policy), list = gaps.map(g => g[1]), at = point => gaps.find(g => g[0].point === point)[1];
    assert.strictEqual(Number(r.points), 18);
    near(r.mean_gap_ratio, mean(list), r.policy);
    near(r.least_gap_ratio, Math.min(...list), r.policy);
    near(r.greatest_gap_ratio, Math.max(...list), r.policy);
    near(at(r.least_point), r.least_gap_ratio, 'where it is least');
    near(at(r.greatest_point), r.greatest_gap_ratio, 'where it is greatest');
  }
  for (const r of await download(page, '#figure-gap-2')) near(r.mean_gap_ratio, mean(gapsOf_(row => row.policy === r.policy && row.queue === r.queue).map(g => g[1])), r.queue);
  assert.match(await page.textContent('#section-gaps'), /Tightest constraint: .* \(18 points\)/);
  const best = (await page.textContent('#answer')).split(' ')[0], fact = await page.textContent('#section-answer .facts');
  assert.ok(fact.includes(`${best} below the upper bound, on average`), fact);
  const other = await page.$$eval('#section-answer select option', list => list.find(o => o.textContent.endsWith(' of vm a')).value);
  await page.selectOption('#section-answer select', other);
  assert.match(await page.textContent('#figure-gaps'), /There is no bound for .* of vm a/);
}));

test('sweeps without bounds say why', async context => {
  for (const [name, said] of [['unbounded', /its plan does not keep them/], ['many-processes', /No point has a bound for kernels per second: it is not known for processes that share devices \(2 points\)/], ['many-cluster', /This sweep has no bounds|No point has a bound/]])
    await check(context, name, async page => assert.match(await page.textContent('#section-gaps'), said));
});

test('a sweep says how to get the timeline of a point', context => check(context, 'sweep', async page =>
  assert.match(await page.textContent('#section-timeline'), /smsched run PLAN --point N/)));

test('the other axes of a curve can be chosen', context => check(context, 'sweep', async page => {
  const rows = readCsv('small.sweep/results/hosts.csv').filter(r => r.queue === 'fifo'), wanted = means(rows, ['contention.slope']);
  await page.selectOption('#section-curves label:has-text("queue") select', { label: 'fifo' });
  for (const r of await download(page, '#figure-curve-1')) near(r[metric], mean(wanted.get([r['contention.slope'], r.policy].join()).values), r.policy);
}));

test('equal policies are said to be equal, and both are seen', context => check(context, 'equal', async page => {
  assert.match(await page.textContent('#answer'), /^All 2 policies are equal at 102 of 102 points$/);
  const marks = await page.$$eval('#figure-curve-2 svg path', list => list.filter(p => p.querySelector('title')).map(p => p.getAttribute('class')));
  assert.deepStrictEqual(marks, ['mark k0', 'mark k0', 'mark k0', 'stroke k1', 'stroke k1', 'stroke k1']);
  assert.match(await page.textContent('#figure-map'), /No difference anywhere/);
}));

test('fields that change together are one axis, and drawn ones have no lines', context => check(context, 'equal', async page => {
  const names = await page.$$eval('#section-curves figure h3', list => list.map(h => h.textContent));
  assert.deepStrictEqual(names, ['repeat of a, sms of device 0', 'slope of contention', 'start of a (us)', 'jitter of k of one (%)']);
  assert.match(await page.textContent('#figure-curve-3 figcaption'), /jitter of k of one differs too, so there are no lines/);
  assert.doesNotMatch(await page.textContent('#figure-curve-2 figcaption'), /differ/);
  const lines_ = i => page.$$eval(`#figure-curve-${i} svg > path.stroke`, list => list.filter(p => !p.querySelector('title')).length);
  assert.deepStrictEqual([await lines_(1), await lines_(2), await lines_(3)], [0, 2, 0]);
  assert.deepStrictEqual(await page.$$eval('#figure-curve-2 svg .axis:last-of-type .tick text', list => list.map(t => t.textContent).filter(t => t.includes('.'))), []);
}));

test('a sweep that kept nothing to compare says so', context => check(context, 'busy', async page => {
  assert.match(await page.textContent('#section-answer'), /2 points are done, but there is nothing to compare\. No kept metric/);
}));

test('warnings of the run stand by its answer', context => check(context, 'warned', async page => {
  assert.match(await page.textContent('#section-answer .warnings'), /not reached.*Warning: .*not 0\.001 %/s);
}));

test('rows that are not in the folder are told of', context => check(context, 'warned', async page => {
  const text = await page.textContent('#figure-timeline');
  for (const words of ['of round_robin, only the first 20 000 of 21 234 stays of blocks are in the folder', 'Cards do not tell of all waits: of round_robin, only the first 20 000 of 21 234 are in the folder'])
    assert.ok(text.replace(/[\u00a0\u202f\u2009]/g, ' ').includes(words), `${words}: ${text.slice(-600)}`);
}));

test('pods that failed are named by the answer', context => check(context, 'gpushare', async page => {
  const run = JSON.parse(fs.readFileSync(path.join(work, 'gpushare/comparison.json'), 'utf8')).runs[0].policy, wanted = readCsv('gpushare/cluster.csv').find(r => r.policy === run).failed_count;
  const text = await page.textContent('#section-answer .warnings');
  assert.ok(Number(wanted) > 0 && text.includes('Pods that failed, on average of ') && text.includes(`${run} ${Number(Number(wanted).toPrecision(4))}`), text);
}));

test('only what holds after the correction has colour', context => check(context, 'run', async page => {
  const comparison = JSON.parse(fs.readFileSync(path.join(work, 'run/comparison.json'), 'utf8'));
  await page.selectOption('#section-table select', 'host');
  const heads = await page.$$eval('#section-table thead th', list => list.map(th => th.textContent));
  const cells = await page.$$eval('#section-table tbody tr', rows => rows.map(row => [...row.cells].map(td => [td.textContent, Boolean(td.querySelector('.good, .bad'))])));
  let coloured = 0;
  for (const row of cells)
    heads.forEach((head, i) => {
      if (head !== 'change') return;
      const entry = comparison.comparisons.find(c => c.subject === 'host' && c.policy === row[0][0] && c.metric === heads[i - 1]);
      coloured += row[i][1];
      assert.ok(!row[i][1] || (entry && (entry.p_holm === null ? entry.verdict === 'same in all replications' : entry.p_holm < 0.05)), `${row[0][0]} ${heads[i - 1]}`);
    });
  assert.ok(coloured > 0);
  assert.match(await page.textContent('#section-gains'), /Holm's correction among the comparisons of its metric/);
}));

test('a percentile of few jobs is a maximum, and has no colour and no verdict', context => check(context, 'several', async page => {
  const comparison = JSON.parse(fs.readFileSync(path.join(work, 'several/comparison.json'), 'utf8')).find(c => c.scenario === 'a-server');
  const few = comparison.comparisons.filter(c => c.verdict === 'no verdict');
  assert.ok(few.some(c => c.metric === 'job_latency_p99_ns' && c.p_holm < 0.05), 'one that would have colour by its p');
  await page.locator('#section-answer select').first().selectOption({ label: 'a-server' });
  await page.selectOption('#section-table select', 'vm');
  const heads = await page.$$eval('#section-table thead th', list => list.map(th => th.textContent)), at = heads.indexOf('job_latency_p99_ns') + 1;
  const cells = await page.$$eval('#section-table tbody tr', (rows, i) => rows.map(row => Boolean(row.cells[i].querySelector('.good, .bad'))), at);
  assert.ok(heads[at] === 'change' && cells.length > 2 && !cells.includes(true));
}));

test('failed points are listed', context => check(context, 'hostile', async page => {
  assert.match(await page.textContent('#section-failures'), /1 points? failed/);
  assert.match(await page.textContent('#section-curves'), /^Along each axis1 of 6 points failed or are missing: means are over the others/);
}));

test('policies that are not told apart from the best are told of together', context => check(context, 'ties', async page => {
  assert.match(await page.textContent('#answer'), /^leftover is among the best at 17 of 18 points, alone at 1; round_robin at 17; fine_grained\(limit=90%\) at 17$/);
}));

test('means of uneven points are told of only where there are some', context => check(context, 'sweep', async page => {
  assert.doesNotMatch(await page.textContent('#section-curves'), /failed or are missing/);
}));

/* ---- what must not happen ---- */

test('names are text, whatever they are', context => check(context, 'hostile', async page => {
  assert.strictEqual(await page.evaluate(() => typeof window.broken), 'undefined');
  assert.strictEqual(await page.title(), '</script><script>window.broken = 1</script>" \u2028 & <img src=x onerror="window.broken=2">');
  assert.strictEqual(await page.textContent('h1'), await page.title());
  assert.ok((await page.textContent('#section-curves')).includes('<b>"</b>'), 'a value of an axis is shown as it is');
  assert.strictEqual((await page.$$('main img, main script, main b')).length, 0);
  const rows = await download(page, '#figure-curve-1');
  assert.ok(rows.some(r => Object.values(r).some(v => v.includes('<b>"</b>'))));
}));

test('no script that is put in runs, and nothing is fetched', async context => {
  const page = await open(context, 'run');
  const blocked = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'window.broken = 3';
    document.body.append(script);
    const fetched = await fetch('https://example.invalid/').then(() => true, () => false);
    return [typeof window.broken, fetched];
  });
  assert.deepStrictEqual(blocked, ['undefined', false]);
  assert.ok(page.problems.some(text => /Content Security Policy/.test(text)));
});

test('the button changes light for dark', context => check(context, 'run', async page => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.click('#theme');
  assert.notStrictEqual(await paper(), light);
  await page.click('#theme');
  assert.strictEqual(await paper(), light);
}));

test('printed, nothing is cut off by a box that scrolls', context => check(context, 'run', async page => {
  await page.emulateMedia({ media: 'print' });
  assert.strictEqual(await page.$eval('.scroll', box => getComputedStyle(box).overflow), 'visible');
  assert.strictEqual(await page.$eval('.controls', box => getComputedStyle(box).display), 'none');
}));

/* ---- run them ---- */

/* A page's words, so that languages can be compared. */
async function wordsIn(browser, locale) {
  const context = await browser.newContext({ locale, timezoneId: 'Asia/Kolkata', viewport }), page = await open(context, 'run');
  const text = await page.evaluate(() => document.body.innerText + [...document.querySelectorAll('svg text')].map(t => t.textContent).join(' '));
  assert.deepStrictEqual(page.problems, []);
  await context.close();
  return text;
}

test('the page says the same in every language', async context => {
  const english = await wordsIn(context.browser(), 'en-US');
  for (const locale of ['de-DE', 'ar-EG', 'hi-IN']) assert.strictEqual(await wordsIn(context.browser(), locale), english, locale);
});

async function main() {
  let failed = 0;
  await withBrowser({ viewport }, async context => {
    for (const [name, body] of tests)
      try {
        await body(context);
      } catch (error) {
        failed++;
        console.log(`FAILED ${name}: ${error.message}`);
        for (const page of context.pages()) await page.close(); // the next test gets a new one
      }
  });
  console.log(`${tests.length - failed} passed, ${failed} failed`);
  return failed ? 1 : 0;
}

if (process.argv[3]) tests.splice(0, tests.length, ...tests.filter(t => t[0].includes(process.argv[3])));
main().then(code => process.exit(code), error => { console.log(error); process.exit(1); });
