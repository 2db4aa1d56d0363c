-- Curves of a sweep: what the plan asks for over each axis, a line for each policy, which may have another parameter at each point, a panel for each scenario. Other axes have the values of their first point.
-- @needs point answer line alone divides
-- @table sweep_axis
SELECT name AS axis, cid AS place, ifnull((SELECT words FROM field WHERE path = name), name) AS axis_words, ifnull((SELECT log FROM field WHERE path = name), 0) AS axis_log FROM pragma_table_info('point') WHERE name NOT IN ('point', 'scenario', 'state', 'message');

-- @table sweep_asked
SELECT subject, name, metric FROM answer GROUP BY subject, name, metric ORDER BY count(*) DESC LIMIT 1;
-- @figures curve-
SELECT 'curve-' || axis AS name, axis, axis_words, axis_log, subject, metric, words, kind, s.name AS of, (SELECT count(*) FROM sweep_axis) AS axes,
    ifnull((SELECT group_concat(printf('quote(p."%w") = quote(f."%w")', o.axis, o.axis), ' AND ') FROM sweep_axis o WHERE o.axis <> a.axis), '1') AS others,
    ifnull((SELECT group_concat(printf('%Q || p."%w"', o.axis_words || ' = ', o.axis), ' || '', '' || ') FROM sweep_axis o WHERE o.axis <> a.axis), '''''') AS other_text
FROM sweep_axis a, sweep_asked s JOIN metric_words USING (metric) WHERE (SELECT count(*) FROM sweep_axis) <= 6;
-- @each first
SELECT * FROM point WHERE point IN (SELECT min(point) FROM point WHERE state = 'done' GROUP BY scenario);
-- @each taken
SELECT p.point, p.scenario, p.{axis} AS value, trim(ltrim(p.{axis}, '0123456789.+-')) AS unit, {=other_text} AS fixed FROM point p JOIN first f ON f.scenario = p.scenario WHERE p.state = 'done' AND {=others};
-- Quantities of one unit are numbers: '2 ms' is 2. Other values are names, in the order of the plan.
-- @each x_unit
SELECT min(unit) AS x_unit FROM taken WHERE unit <> '' HAVING count(DISTINCT unit) = 1 AND count(*) = (SELECT count(*) FROM taken) AND min(CAST(value AS TEXT) GLOB '[0-9]*');
-- @each chosen
SELECT point, scenario, CASE WHEN (SELECT x_unit FROM x_unit) IS NULL THEN value ELSE CAST(value AS REAL) END AS value, fixed FROM taken;
-- @each axis_value
SELECT value, row_number() OVER (ORDER BY min(point)) AS rank, (SELECT min(typeof(value) IN ('integer', 'real')) FROM chosen) AS is_number FROM chosen GROUP BY value;
-- @each value
SELECT c.scenario, l.line AS policy, a.position, CASE WHEN v.is_number THEN v.value ELSE v.rank END AS x, avg(a.value) AS y, max(a.ci95) AS ci95 FROM chosen c JOIN axis_value v ON v.value IS c.value JOIN answer a ON a.point = c.point JOIN figure f ON f.subject = a.subject AND f.of = a.name AND f.metric = a.metric
JOIN main.line l ON l.scenario = c.scenario AND l.position = a.position AND l.policy = a.policy WHERE a.value IS NOT NULL GROUP BY c.scenario, l.line, a.position, x;
-- A deadline is a level of latencies. It is drawn where it is not far above them, since it would squeeze their curves.
-- @each target
SELECT scenario, deadline_ns AS target FROM aim WHERE name = (SELECT of FROM figure) AND (SELECT metric FROM figure) GLOB 'job_latency_*' AND deadline_ns <= (SELECT CASE WHEN min(y) > 0 AND max(y) >= 50 * min(y) THEN 10 ELSE 2 END * max(y) FROM value v WHERE v.scenario = aim.scenario);
-- @each curve_panel
SELECT scenario, row_number() OVER (ORDER BY first) AS panel, min(low, ifnull(target, low)) AS low, max(high, ifnull(target, high)) AS high, min(least, ifnull(target, least)) AS least, target, least > 0 AND high / least >= 50 AS log FROM (SELECT scenario, min(point) AS first, (SELECT min(y - ifnull(ci95, 0)) FROM value v WHERE v.scenario = c.scenario) AS low, (SELECT min(y) FROM value v WHERE v.scenario = c.scenario) AS least, (SELECT max(y + ifnull(ci95, 0)) FROM value v WHERE v.scenario = c.scenario) AS high
    FROM chosen c WHERE scenario IN (SELECT scenario FROM value) GROUP BY scenario) LEFT JOIN target USING (scenario);
-- @each line
SELECT policy, row_number() OVER (ORDER BY position, policy) AS line FROM (SELECT policy, min(position) AS position FROM value GROUP BY policy);
-- @each look
SELECT is_number, is_number AND low > 0 AND ((SELECT axis_log FROM figure) OR high / low >= 30 OR (SELECT count(*) >= 3 AND max(x / before) <= 1.05 * min(x / before) FROM (SELECT value AS x, lag(value) OVER (ORDER BY value) AS before FROM axis_value) WHERE before > 0)) AS log_x, low, high, (SELECT kind FROM figure) AS kind, (SELECT max(high) FROM curve_panel) AS top
FROM (SELECT min(is_number) AS is_number, min(CASE WHEN is_number THEN value ELSE rank END) AS low, max(CASE WHEN is_number THEN value ELSE rank END) AS high FROM axis_value);
-- What the metric divides by may move along the axis, too.
-- @each moved
SELECT CASE WHEN count(*) = 0 THEN '' ELSE CASE WHEN axes > 1 THEN '. ' ELSE '' END || upper(substr(f.words, 1, 1)) || substr(f.words, 2) || ', unlike ' || CASE f.subject WHEN 'host' THEN 'kernels per second' ELSE 'jobs per second' END || ', divides by the speed alone, which moves, too: ' || CASE WHEN count(*) > 3 THEN printf('%d tenants by %s%g to %s%g %%', count(*), CASE WHEN min(a.least_ratio) >= 0.005 THEN '+' ELSE '' END, round(100 * min(a.least_ratio)) + 0.0, CASE WHEN max(a.most_ratio) >= 0.005 THEN '+' ELSE '' END, round(100 * max(a.most_ratio)) + 0.0) ELSE group_concat(printf('%s by %s%g to %s%g %%', a.name, CASE WHEN a.least_ratio >= 0.005 THEN '+' ELSE '' END, round(100 * a.least_ratio) + 0.0, CASE WHEN a.most_ratio >= 0.005 THEN '+' ELSE '' END, round(100 * a.most_ratio) + 0.0), ', ') END END AS note
FROM figure f JOIN divides d ON d.subject = f.subject AND d.metric = f.metric JOIN alone a ON a.axis = f.axis AND (f.subject = 'host' OR a.name = f.of);
-- @each size
SELECT u.name AS unit, u.size FROM unit u, look WHERE u.kind = look.kind AND (u.size <= top OR u.size = 1) ORDER BY u.size DESC LIMIT 1;
-- @draw lines
-- @set
SELECT log_x, 0 AS each_x, 1 AS marked, '' AS target_name, wrap(CASE WHEN axes > 1 THEN (SELECT fixed FROM chosen) ELSE '' END || (SELECT note FROM moved), 50) AS title FROM look, figure;
-- @array line
SELECT line_rgb AS rgb, 1 + (line - 1) / 16 % 3 AS dash FROM line JOIN tenant_colour c ON c.place = (line - 1) % 16 ORDER BY line;
-- @array xname
SELECT CAST(value AS TEXT) AS label, rank AS at FROM axis_value, look WHERE NOT look.is_number ORDER BY rank;
-- @array panel
SELECT scenario AS title, words || CASE WHEN subject IN ('host', 'cluster') THEN '' ELSE ' of ' || of END || CASE WHEN unit <> '' THEN ' (' || unit || ')' ELSE '' END AS ylabel, axis_words || ifnull((SELECT ' (' || x_unit || ')' FROM x_unit), '') AS xlabel,
    CASE WHEN NOT is_number THEN 0.5 WHEN log_x THEN l.low / 1.1 ELSE l.low - (l.high - l.low) * 0.04 - (l.high = l.low) END AS left, CASE WHEN NOT is_number THEN l.high + 0.5 WHEN log_x THEN l.high * 1.1 ELSE l.high + (l.high - l.low) * 0.04 + (l.high = l.low) END AS right,
    CASE WHEN p.log THEN least / 1.3 WHEN p.low > 0.5 * p.high THEN p.low - 0.1 * (p.high - p.low) ELSE min(p.low, 0) END / size AS low, CASE WHEN p.log THEN p.high * 1.3 ELSE p.high + 0.06 * (p.high - p.low) + (p.high = p.low) END / size AS high, p.log, target / size AS target FROM curve_panel p, look l, figure, size ORDER BY panel;
-- @array label
SELECT panel, wrap(policy, 22) AS text, line_rgb AS rgb, y / size AS y FROM (SELECT *, max(x) AS last FROM value GROUP BY scenario, policy) JOIN curve_panel USING (scenario) JOIN line USING (policy) JOIN tenant_colour c ON c.place = (line - 1) % 16, size
UNION ALL SELECT panel, 'deadline', 0, target / size FROM curve_panel, size WHERE target IS NOT NULL ORDER BY panel, y;
-- @data
SELECT panel, line, 0 AS rgb, 1 AS dash, x, y / size AS y, CASE WHEN p.log THEN max(y - ci95, least / 1.3) ELSE y - ci95 END / size AS low, (y + ci95) / size AS high, scenario, policy FROM value JOIN curve_panel p USING (scenario) JOIN line USING (policy), size ORDER BY panel, line, x;
