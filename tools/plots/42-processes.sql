-- What processes do over time: a panel for each policy, a row for each process, a colour for each state.
-- @needs spans
-- @check spans.csv: a time is missing or out of range
SELECT rowid + 1 FROM spans WHERE NOT ifnull(start_ns BETWEEN 0 AND 1e18 AND end_ns BETWEEN 0 AND 1e18, 0) LIMIT 1;
-- @table span_process
SELECT *, row_number() OVER (PARTITION BY scenario ORDER BY ifnull(number, 1e9), first) AS row FROM
    (SELECT scenario, process, min(s.rowid) AS first, (SELECT min(p.rowid) FROM processes p WHERE p.process = s.process AND p.scenario = s.scenario) AS number FROM spans s GROUP BY scenario, process);
-- A process has one colour in the figures of devices and of SMs, by its place in the scenarios, so that these need this file, too.
-- @table process_colour
SELECT process, place, (SELECT rgb FROM tenant_colour c WHERE c.place = t.place % 16) AS rgb, place / 16 % 3 AS stripes FROM (SELECT process, row_number() OVER (ORDER BY min(number)) - 1 AS place
    FROM (SELECT process, rowid AS number FROM processes WHERE process <> 'all' UNION ALL SELECT process, rowid + 1e9 FROM spans) GROUP BY process) t;
-- @figures processes- devices- sms-
SELECT 'processes-' || scenario AS name, scenario, CASE WHEN (SELECT count(DISTINCT scenario) FROM spans) > 1 THEN scenario ELSE '' END ||
    CASE WHEN max(row) > 40 THEN printf('%she first 40 of %d processes', CASE WHEN (SELECT count(DISTINCT scenario) FROM spans) > 1 THEN ': t' ELSE 'T' END, max(row)) ELSE '' END AS title FROM span_process GROUP BY scenario ORDER BY min(first);
-- @each panel
SELECT policy, row_number() OVER (ORDER BY min(rowid)) AS panel FROM spans WHERE scenario = (SELECT scenario FROM figure) GROUP BY policy;
-- @each span
SELECT panel, row, start_ns, end_ns, state, ifnull(c.rgb, 0) AS rgb, 0 AS stripes, ifnull(c.rowid, 99) AS place, 0 AS lane, 1 AS tall, 1 AS lanes, policy, process AS row_name
FROM spans s JOIN span_process USING (scenario, process) JOIN panel USING (policy) LEFT JOIN palette c ON c.kind = 'state' AND c.name = state WHERE s.scenario = (SELECT scenario FROM figure) AND row <= 40;
-- @include spans
