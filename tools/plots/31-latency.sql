-- How the latencies of jobs are distributed: a panel for each tenant, a line for each policy, marks at percentiles of enough jobs.
-- @needs latencies
-- @check latencies.csv: a number is missing or out of range
SELECT rowid + 1 FROM latencies WHERE NOT ifnull(latency_ns BETWEEN 0 AND 1e18 AND share_ratio BETWEEN 0 AND 1 AND jobs_count >= 0 AND ifnull(deadline_ns, 0) BETWEEN 0 AND 1e18, 0) LIMIT 1;
-- A tenant whose jobs are few has no distribution.
-- @table latent
SELECT scenario, vm, min(rowid) AS number FROM latencies GROUP BY scenario, vm HAVING max(jobs_count) >= 10;
-- @figures latency-
SELECT 'latency-' || scenario AS name, scenario, CASE WHEN (SELECT count(DISTINCT scenario) FROM latent) > 1 THEN scenario ELSE '' END AS title FROM latent
WHERE NOT (SELECT yes FROM is_pairs) GROUP BY scenario HAVING count(*) <= 12 ORDER BY min(number);
-- @each point
SELECT l.rowid AS number, vm, policy, max(latency_ns, 1) AS ns, share_ratio AS share, jobs_count AS jobs, deadline_ns FROM latencies l JOIN latent t USING (scenario, vm) WHERE scenario = (SELECT scenario FROM figure);
-- @each line
SELECT policy, row_number() OVER (ORDER BY number) AS line, line_rgb AS rgb FROM (SELECT policy, min(number) AS number, row_number() OVER (ORDER BY min(number)) - 1 AS place FROM point GROUP BY policy) p
JOIN tenant_colour c ON c.place = p.place % 16;
-- @each extent
SELECT vm, row_number() OVER (ORDER BY min(number)) AS panel, min(min(ns), ifnull(min(max(deadline_ns, 1)), 1e300)) AS least, max(max(ns), ifnull(max(deadline_ns), 0)) AS most, max(deadline_ns) AS deadline_ns FROM point GROUP BY vm;
-- @each panel
SELECT e.*, u.name AS unit, u.size, EXISTS (SELECT 1 FROM extent WHERE most >= 20 * least) AS log FROM extent e JOIN unit u ON u.kind = 'time' AND u.size = (SELECT max(size) FROM unit WHERE kind = 'time' AND (size <= sqrt(least * most) OR size = 1));
-- @each range
SELECT vm, CASE WHEN log THEN least / 1.2 ELSE max(least - 0.05 * (most - least) - 0.01 * most, 0) END AS left, CASE WHEN log THEN most * 1.2 ELSE most + 0.05 * (most - least) + 0.01 * most END AS right FROM panel;
-- @each mark
SELECT vm, policy, name, share, min(ns) AS ns FROM (SELECT p.vm, p.policy, m.column1 AS name, m.column2 AS share, p.ns, p.share AS reached, m.column3 AS least_jobs FROM point p, (VALUES ('p50', 0.5, 2), ('p95', 0.95, 20), ('p99', 0.99, 100)) m) o
WHERE reached >= share - 1e-9 GROUP BY vm, policy, name HAVING least_jobs <= (SELECT max(jobs) FROM point q WHERE q.vm = o.vm AND q.policy = o.policy);
-- @draw lines
-- @set
SELECT 0 AS xnames, log AS log_x, 1 AS each_x, 0 AS marked, 1 AS steps, title, 'deadline' AS target_name FROM figure, panel LIMIT 1;
-- @array line
SELECT rgb, 1 + (line - 1) / 16 % 3 AS dash FROM line ORDER BY line;
-- @array name
SELECT CASE WHEN length(policy) > 50 THEN substr(policy, 1, 49) || '…' ELSE policy END || CASE (line - 1) / 16 % 3 WHEN 0 THEN '' WHEN 1 THEN ' (dashed)' ELSE ' (dotted)' END AS label, rgb FROM line ORDER BY line;
-- @array panel
SELECT vm AS title, 'Share of jobs' AS ylabel, 'Latency' || CASE WHEN (SELECT count(*) FROM panel) = 1 THEN ' of ' || vm ELSE '' END || ' (' || unit || ')' AS xlabel, left / size AS left, right / size AS right, 0 AS low, 1.03 AS high, 0 AS log, deadline_ns / size AS target FROM panel JOIN range USING (vm) ORDER BY panel;
-- @array label
SELECT DISTINCT panel, name AS text, 0x555555 AS rgb, share AS y FROM mark JOIN panel USING (vm) ORDER BY panel, share;
-- Marks are lines of their own, after the others.
-- @data
SELECT panel, line, rgb, 1 AS dash, x, share AS y, NULL AS low, NULL AS high, policy, vm AS name, jobs FROM (
    SELECT panel, line, rgb, ns / size AS x, share, policy, vm, jobs FROM point JOIN panel USING (vm) JOIN line USING (policy)
    UNION ALL SELECT panel, line, rgb, right / size, 1, policy, vm, (SELECT max(jobs) FROM point q WHERE q.vm = p.vm AND q.policy = line.policy) FROM panel p JOIN range USING (vm), line WHERE EXISTS (SELECT 1 FROM point q WHERE q.vm = p.vm AND q.policy = line.policy)
    UNION ALL SELECT panel, line + (SELECT count(*) FROM line), rgb, ns / size, share, policy, vm, NULL FROM mark JOIN panel USING (vm) JOIN line USING (policy)) ORDER BY panel, line, x, y;
