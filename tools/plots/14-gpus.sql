-- Of advice on several GPUs: which programs are on each, in which way, and the work that it does.
-- @needs answers
-- @table packed
SELECT g.key + 1 AS place, json_extract(g.value, '$.gpu') || ', ' || json_extract(g.value, '$.way') || ': ' || (SELECT group_concat(name, ' + ') FROM (SELECT json_extract(p.value, '$.program') || CASE WHEN json_extract(p.value, '$.copies') > 1 THEN ' x ' || json_extract(p.value, '$.copies') ELSE '' END AS name FROM json_each(g.value, '$.programs') p)) AS label,
    json_extract(g.value, '$.meets_targets') AS meets, json_extract(g.value, '$.worst_work_ratio') AS work, json_extract(g.value, '$.work_ratio.mean') AS most, json_extract(g.value, '$.work_ratio.ci95') AS ci95
FROM answers, json_each(text, '$.gpus') g WHERE json_type(text) = 'object' AND json_extract(g.value, '$.works');
-- @figures gpus
SELECT 'gpus' AS name, 'The programs of each GPU' || printf(': %d of %d copies have a place', json_extract(text, '$.placed'), json_extract(text, '$.copies')) AS title FROM answers WHERE EXISTS (SELECT 1 FROM packed);
-- @draw bars
-- @set
SELECT 1 AS subs, 1 AS shared, 1 AS each_x, wrap(title, 54) AS title, CASE WHEN EXISTS (SELECT 1 FROM packed WHERE most > 1.005 * work) THEN 12 ELSE 6 END AS label_letters_of FROM figure;
-- @array panel
SELECT '' AS title, 'Work, in dedicated GPUs' AS xlabel, max(work + ifnull(ci95, 0)) AS top, 0 AS low, NULL AS bound, '' AS bound_name, 1 AS start,
    0 AS first, count(*) - 1 AS last FROM packed;
-- @array row
SELECT 1 AS panel, wrap(label, 34) AS label FROM packed ORDER BY place;
-- @array name
SELECT DISTINCT CASE WHEN meets THEN 'meets the targets' ELSE 'misses one, or may' END AS label, CASE WHEN meets THEN 0x0072B2 ELSE 0xBBBBBB END AS rgb FROM packed WHERE (SELECT count(DISTINCT meets) FROM packed) > 1 ORDER BY meets DESC;
-- @data
SELECT 1 AS panel, place AS row, 0 AS sub, CASE WHEN meets THEN 0x0072B2 ELSE 0xBBBBBB END AS rgb, work AS value, ci95, CASE WHEN most > 1.005 * work THEN printf('%.2f to %.2f', work, most) ELSE printf('%.2f', work) END AS label, label AS gpu FROM packed ORDER BY place;
