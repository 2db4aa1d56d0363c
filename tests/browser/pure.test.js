'use strict';
/* What the scripts of a page compute without a document. Usage: node --test pure.test.js */
const test = require('node:test'), assert = require('node:assert');
const { plain, percent, unitOf, show, showWith, tablesOf, sortRows, csv, isLog, isNear, paretoFront, lanesOf, sharesOf, readHash, writeHash, words, noInterval, shellWord } = require('../../sim/page/web/pure.js');

test('numbers have about four digits, and a sign that is one', () => {
  assert.strictEqual(plain(12345.678), '12\u202f346');
  assert.strictEqual(plain(-0.00123456), '−0.001235');
  assert.strictEqual(plain(1e20), '1.00e+20');
  assert.strictEqual(plain(NaN), '–');
  assert.strictEqual(percent(0.0937, true), '+9.4\u202f%');
  assert.strictEqual(percent(-0.00001, true), '0.0\u202f%');
  assert.strictEqual(percent(12.5), '1\u202f250\u202f%');
});

test('a long name loses its middle', () => {
  assert.strictEqual(words('process-of-somebody-1', 11), 'proce…ody-1');
  assert.strictEqual(words('short', 5), 'short');
});

test('why there is no interval', () => {
  assert.match(noInterval(1, false, null), /^one replication, so no interval: run with --replications 5$/);
  assert.match(noInterval(3, false, 15), /maxima of as few as 15 values/);
  assert.match(noInterval(2, true, 30), /^nothing is random/);
  assert.match(noInterval(3, false, null), /same in most of 3 replications/);
});

test('a unit is the largest that leaves a number of 1 or more', () => {
  assert.deepStrictEqual(unitOf('turnaround_ns', 2.5e6), { size: 1e6, name: 'ms' });
  assert.strictEqual(show('turnaround_ns', 2.5e9), '2.5\u202fs');
  assert.strictEqual(show('kernels_per_s', 1500), '1\u202f500/s');
});

test('a value and its half-width have one unit, and as many digits as the half-width means', () => {
  assert.strictEqual(showWith('job_latency_ns', 841234, 140512).join(''), '841 ± 141\u202fµs');
  assert.strictEqual(showWith('stp_ratio', 2.76139, 0.003609).join(''), '2.761 ± 0.004');
  assert.strictEqual(showWith('kernels_per_s', 2073.4, 472.3).join(''), '2\u202f073 ± 472/s');
  assert.strictEqual(showWith('a_ratio', 3, 0).join(''), '3');
  assert.strictEqual(showWith('a_ratio', 3, null).join(''), '3');
});

test('tables have the means, the changes and their intervals, without metrics that nothing has', () => {
  const scenario = { runs: [{ host: { name: 'host', a: 2, ci95: { a: 0.5 } } }, { host: { name: 'host', a: 3, b: null, maximum_of: { a: 17 } } }], ratios: [{ host: { a: 1 } }, { host: { a: 1.5, ci95: { a: 0.1 } } }] };
  assert.deepStrictEqual(tablesOf(scenario, () => ['a', 'b']), { host: { metrics: ['a'], rows: [[0, 'host', [2], [0.5], [0], [null], [null]], [1, 'host', [3], [null], [0.5], [0.1], [17]]] } });
});

test('rows without a value stay last, whichever way they are sorted', () => {
  const rows = [[1], [null], [3], [2]];
  assert.deepStrictEqual(sortRows(rows, 0, true), [[1], [2], [3], [null]]);
  assert.deepStrictEqual(sortRows(rows, 0, false), [[3], [2], [1], [null]]);
});

test('CSV quotes what needs it', () => assert.strictEqual(csv([['a,b', 'c"d', null, 1]]), '"a,b","c""d",,1\n'));

test('only numbers far apart and in growing steps have a log axis', () => {
  assert.ok(isLog([1, 2, 4, 8, 32]));
  assert.ok(!isLog([1, 11, 21, 31]));
  assert.ok(!isLog([0, 1, 100]));
  assert.ok(!isLog([1, 100]));
});

test('a deadline is drawn among values up to twice as large, on a log axis up to ten times', () => {
  assert.deepStrictEqual([0.01, 30, 40, 41].map(deadline => isNear(deadline, 5, 20)), [true, true, true, false]);
  assert.deepStrictEqual([41, 200, 201].map(deadline => isNear(deadline, 0.4, 20)), [true, true, false]);
});

test('the Pareto front has what no other is better than in both', () => {
  const points = [[1, 5, 'a'], [2, 4, 'b'], [1.5, 3, 'c'], [3, 1, 'd'], [2, 4, 'b2']];
  assert.deepStrictEqual(paretoFront(points, 1, 1).map(p => p[2]), ['a', 'b', 'b2', 'd']);
  assert.deepStrictEqual(paretoFront(points, -1, 1).map(p => p[2]), ['a']);
  assert.deepStrictEqual(paretoFront(points, -1, -1).map(p => p[2]), ['a', 'c', 'd']);
});

test('pieces that overlap have lanes of their own, blocks as many as they are', () => {
  const { pieces, lanes } = lanesOf([0, 0, 0, 10, 2, 0, 1, 5, 15, 1, 0, 0, 10, 20, 2], [], 1);
  assert.deepStrictEqual(pieces.map(p => p.lane), [0, 2, 0]);
  assert.deepStrictEqual(lanes, [3]);
});

test('shares have no lanes', () => {
  const { pieces, lanes } = lanesOf([0, 0, 0, 10, 1, 0, 0, 10, 20, 0.5], [], 1, 10);
  assert.deepStrictEqual(pieces.map(p => p.share), [false, true]);
  assert.deepStrictEqual(lanes, [1]);
});

test('two that run side by side have half each, however short their pieces', () => {
  const numbers = [];
  for (let t = 0; t < 1000; t++) numbers.push(0, 0, t, t + 1, 1, 0, 1, t, t + 1, 1);
  const bins = sharesOf(lanesOf(numbers, [], 1).pieces, 2, 0, 1000, 7).get(0);
  assert.strictEqual(bins.length, 7);
  for (const shares of bins) for (const share of shares) assert.ok(Math.abs(share - 1) < 1e-9, String(share));
});

test('two that alternate have half of the time each', () => {
  const numbers = [];
  for (let t = 0; t < 1000; t++) numbers.push(0, t % 2, t, t + 1, 1);
  for (const shares of sharesOf(lanesOf(numbers, [], 1).pieces, 2, 0, 1000, 5).get(0)) for (const share of shares) assert.ok(Math.abs(share - 0.5) < 1e-9, String(share));
});

test('a state goes into the address and back, whatever its names', () => {
  const state = { by: 'process/turnaround_ns/a&b=#</script>', off: 'é,x', t: '0,5000000' };
  assert.deepStrictEqual(readHash(writeHash(state)), state);
  assert.strictEqual(writeHash({ t: null, off: '' }), '');
});

test('names in commands are words of a shell', () => {
  assert.strictEqual(shellWord('scenarios/02-a-server.yaml'), 'scenarios/02-a-server.yaml');
  assert.strictEqual(shellWord("my server's.yaml"), "'my server'\\''s.yaml'");
});
