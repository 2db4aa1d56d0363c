-- The latency of jobs by percentile, as far as the results have them: a panel for each tenant, a line for each policy.
-- @needs vms
-- @figures
SELECT 'latency-' || scenario AS name, scenario, CASE WHEN (SELECT count(DISTINCT scenario) FROM vms) > 1 THEN scenario ELSE '' END AS title FROM vms
WHERE job_latency_p99_ns > 0 AND NOT (SELECT yes FROM is_pairs) GROUP BY scenario HAVING count(DISTINCT vm) <= 12 ORDER BY min(rowid);
-- @each point
SELECT vm, policy, number, column1 AS x, CASE column1 WHEN 1 THEN p50 WHEN 2 THEN p95 WHEN 3 THEN p99 ELSE most END AS ns, CASE column1 WHEN 1 THEN c50 WHEN 2 THEN c95 WHEN 3 THEN c99 ELSE cmost END AS ci95
FROM (SELECT rowid AS number, vm, policy, job_latency_p50_ns AS p50, job_latency_p95_ns AS p95, job_latency_p99_ns AS p99, job_latency_max_ns AS most, ci95_job_latency_p50_ns AS c50, ci95_job_latency_p95_ns AS c95,
    ci95_job_latency_p99_ns AS c99, ci95_job_latency_max_ns AS cmost FROM vms WHERE scenario = (SELECT scenario FROM figure)), (VALUES (1), (2), (3), (4)) WHERE ns > 0;
-- @each panel
SELECT *, row_number() OVER (ORDER BY number) AS panel FROM (SELECT vm, min(number) AS number, min(ns) AS low, max(ns + ifnull(ci95, 0)) AS high FROM point GROUP BY vm);
-- @each size
SELECT name AS unit, size FROM unit WHERE kind = 'time' AND (size <= (SELECT max(low) FROM panel) OR size = 1) ORDER BY size DESC LIMIT 1;
-- @each line
SELECT policy, row_number() OVER (ORDER BY min(number)) AS line, line_rgb AS rgb FROM (SELECT policy, min(number) AS number FROM point GROUP BY policy) p
JOIN tenant_colour c ON c.place = (SELECT count(DISTINCT policy) FROM point q WHERE q.number < p.number AND q.policy <> p.policy) % 16 GROUP BY policy;
-- @draw lines
-- @set
SELECT 0 AS log_x, 0 AS each_x, 1 AS marked, title FROM figure;
-- @array line
SELECT rgb, 1 AS dash FROM line ORDER BY line;
-- @array xname
SELECT column2 AS label, column1 AS at FROM (VALUES (1, '50'), (2, '95'), (3, '99'), (4, '100'));
-- @array panel
SELECT vm AS title, 'Latency (' || unit || ')' AS ylabel, '% of jobs that take no longer' AS xlabel, 0.8 AS left, 4.1 AS right, CASE WHEN high > 20 * low THEN low / size / 1.3 ELSE 0 END AS low, high / size * CASE WHEN high > 20 * low THEN 1.5 ELSE 1.08 END AS high, high > 20 * low AS log FROM panel, size ORDER BY panel;
-- @array label
SELECT panel, wrap(policy, 22) AS text, rgb, ns / size AS y FROM point JOIN panel USING (vm) JOIN line USING (policy), size WHERE x = 4 ORDER BY panel, ns;
-- @data
SELECT panel, line, rgb, 1 AS dash, x, ns / size AS y, max(ns - ci95, ns / 100) / size AS low, (ns + ci95) / size AS high, policy, vm AS name FROM point JOIN panel USING (vm) JOIN line USING (policy), size ORDER BY panel, line, x;
