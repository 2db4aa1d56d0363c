-- Of advice: the work that one GPU does under each way to share it, and the latencies that have a target, or else the p99 of all.
-- @needs answers
-- @table way
SELECT w.key + 1 AS place, json_extract(w.value, '$.way') AS label, json_extract(w.value, '$.meets_targets') AS meets, json_extract(w.value, '$.worst_work_ratio') AS work, json_extract(w.value, '$.work_ratio.mean') AS most, json_extract(w.value, '$.work_ratio.ci95') AS ci95, w.value AS text
FROM answers, json_each(text, '$.ways') w WHERE json_type(text) = 'object' AND json_extract(w.value, '$.works');
-- @table aim
SELECT p.key AS number, json_extract(p.value, '$.name') AS name, json_extract(p.value, '$.target_ns') AS ns, ifnull(substr(json_extract(p.value, '$.target'), 13, instr(substr(json_extract(p.value, '$.target'), 13), '_') - 1), 'p99') AS word
FROM answers, json_each(text, '$.programs') p WHERE EXISTS (SELECT 1 FROM way);
-- @table aimed
SELECT * FROM aim WHERE ns IS NOT NULL OR (SELECT count(ns) FROM aim) = 0;
-- @table late
SELECT number, place, coalesce(json_extract(p.value, '$.aimed_latency_ns.mean'), json_extract(p.value, '$.job_latency_p99_ns.mean')) AS ns, coalesce(json_extract(p.value, '$.aimed_latency_ns.ci95'), json_extract(p.value, '$.job_latency_p99_ns.ci95')) AS ci95
FROM way, json_each(way.text, '$.programs') p JOIN aimed ON p.key = number;
-- @figures ways
SELECT 'ways' AS name, (SELECT group_concat(name, ', ') FROM aim) || ' on ' || (SELECT json_extract(text, '$.device') FROM answers) || ': the ways to share it' AS title WHERE EXISTS (SELECT 1 FROM way);
-- @each panel
SELECT row_number() OVER (ORDER BY a.number) + 1 AS panel, a.*, (SELECT max(l.ns + ifnull(l.ci95, 0)) FROM late l WHERE l.number = a.number) AS most, u.name AS unit, u.size
FROM aimed a JOIN unit u ON u.kind = 'time' AND u.size = (SELECT max(size) FROM unit WHERE kind = 'time' AND size <= (SELECT max(l.ns) FROM late l WHERE l.number = a.number));
-- @each datum
SELECT panel, row_number() OVER (ORDER BY panel, place) AS row, 0 AS sub, CASE WHEN meets THEN 0x0072B2 ELSE 0xBBBBBB END AS rgb, value, ci95, label, way
FROM (SELECT 1 AS panel, place, meets, work AS value, ci95, CASE WHEN most > 1.005 * work THEN printf('%.2f to %.2f', work, most) ELSE printf('%.2f', work) END AS label, label AS way FROM way
    UNION ALL SELECT panel, place, meets, l.ns / size, CASE WHEN l.ns + l.ci95 > 3 * panel.ns THEN NULL ELSE l.ci95 / size END, printf('%.4g', l.ns / size), way.label FROM late l JOIN panel USING (number) JOIN way USING (place)) ORDER BY panel, place;
-- @draw bars
-- @set
SELECT 1 AS subs, 1 AS shared, 1 AS each_x, wrap(title, 54) AS title, CASE WHEN EXISTS (SELECT 1 FROM way WHERE most > 1.005 * work) THEN 12 ELSE 6 END AS label_letters_of FROM figure;
-- The bar of a latency of more than three targets has a gap and ends there, as bars.gp draws it: its number is beside it.
-- @array panel
SELECT p.*, (SELECT min(row) - 1 FROM datum WHERE panel = number) AS first, (SELECT max(row) - 1 FROM datum WHERE panel = number) AS last FROM
(SELECT 1 AS number, 'Work of one GPU' AS title, '' AS xlabel, (SELECT max(work + ifnull(ci95, 0)) FROM way) AS top, 0 AS low, NULL AS bound, '' AS bound_name, 1 AS start
UNION ALL SELECT * FROM (SELECT panel, wrap(word || ' of ' || name || ' (' || unit || ')', 18), '', CASE WHEN ns IS NULL THEN most ELSE min(max(most, ns), 3 * ns) END / size, 0, ns / size, 'target', NULL FROM panel ORDER BY panel)) p ORDER BY number;
-- @array row
SELECT panel, wrap(label, 26) AS label FROM (SELECT 1 AS panel UNION ALL SELECT panel FROM panel), way ORDER BY panel, place;
-- @array name
SELECT DISTINCT CASE WHEN meets THEN 'meets the targets' ELSE 'misses one, or may' END AS label, CASE WHEN meets THEN 0x0072B2 ELSE 0xBBBBBB END AS rgb FROM way WHERE (SELECT count(ns) FROM aim) > 0 ORDER BY meets DESC;
-- @data
SELECT * FROM datum ORDER BY row;
