-- Pods on GPUs over time: a row for each GPU, with pods that share it one above the other, and one for pods that wait.
-- @needs placements cluster
-- @check placements.csv: a time is missing or out of range
SELECT rowid + 1 FROM placements WHERE NOT ifnull(time_ns BETWEEN 0 AND 1e18 AND wait_ns BETWEEN 0 AND 1e18 AND end_ns BETWEEN 0 AND 1e18 AND allocated_ratio >= 0, 0) LIMIT 1;
-- @check placements.csv: no pod ends so
SELECT rowid + 1 FROM placements WHERE ended NOT IN (SELECT name FROM palette WHERE kind = 'ending' AND name <> 'waiting') LIMIT 1;
-- @check placements.csv: a list of GPUs is malformed
SELECT rowid + 1 FROM placements WHERE gpus GLOB '*[^0-9 ]*' AND gpus NOT GLOB '[0-9]:?*@[0-7]-[0-7]' AND gpus NOT GLOB '1[0-9]:?*@[0-7]-[0-7]' LIMIT 1; -- 3:2g.10gb@4-5 is an instance
-- @table placed
SELECT p.rowid AS number, scenario, policy, pod, node, CAST(g.value AS INT) AS gpu, time_ns, wait_ns, end_ns, ended
FROM placements p, json_each('["' || replace(substr(gpus, 1, instr(gpus || ':', ':') - 1), ' ', '","') || '"]') g WHERE gpus <> '';
-- @check placements.csv: a list of GPUs is malformed
SELECT number + 1 FROM placed WHERE gpu >= 64 LIMIT 1;
-- @table pod_row
SELECT scenario, node, gpu, 1 + row_number() OVER (PARTITION BY scenario ORDER BY node COLLATE natural_order, gpu) AS row FROM (SELECT DISTINCT scenario, node, gpu FROM placed);
-- @figures pods-
SELECT 'pods-' || scenario AS name, scenario, CASE WHEN (SELECT count(DISTINCT scenario) FROM placed) > 1 THEN scenario || ': p' ELSE 'P' END || 'ods on GPUs' ||
    CASE WHEN max(row) > 41 THEN printf(' (first 40 of %d)', max(row) - 1) ELSE '' END AS title FROM pod_row GROUP BY scenario ORDER BY (SELECT min(number) FROM placed p WHERE p.scenario = pod_row.scenario);
-- Pods that still wait when the run ends have no row, so the title of the panel counts them.
-- @each panel
SELECT p.policy AS of, p.policy || CASE WHEN waiting_count > 0 THEN printf(' (%.4g still waiting at the end)', waiting_count) ELSE '' END AS policy, row_number() OVER (ORDER BY min(p.rowid)) AS panel
FROM placements p LEFT JOIN cluster c ON c.scenario = p.scenario AND c.policy = p.policy WHERE p.scenario = (SELECT scenario FROM figure) GROUP BY p.policy;
-- @each one
SELECT number, policy, row, node || '/' || gpu AS row_name, time_ns AS start_ns, end_ns, ended AS state FROM placed JOIN pod_row USING (scenario, node, gpu) WHERE scenario = (SELECT scenario FROM figure) AND row <= 41
UNION ALL SELECT rowid, policy, 1, 'waiting', time_ns - wait_ns, time_ns, 'waiting' FROM placements WHERE scenario = (SELECT scenario FROM figure) AND wait_ns > 0 AND wait_ns <= time_ns;
-- @each lane
SELECT *, lane(start_ns, end_ns) OVER (PARTITION BY policy, row ORDER BY start_ns, number ROWS UNBOUNDED PRECEDING) AS lane FROM one;
-- @each span
SELECT panel, row - NOT EXISTS (SELECT 1 FROM lane WHERE row = 1) AS row, start_ns, end_ns, state, c.rgb, 0 AS stripes, c.rowid AS place, lane, 1 AS tall, max(lane) OVER (PARTITION BY row, panel) + 1 AS lanes, lane.policy, row_name
FROM lane JOIN panel ON panel.of = lane.policy JOIN palette c ON c.kind = 'ending' AND c.name = state;
-- @include spans
