-- Who has which device or instance when: a row for each device, a colour for each process.
-- @needs spans devices
-- @table span_device
SELECT *, row_number() OVER (PARTITION BY scenario ORDER BY device COLLATE natural_order) AS row FROM (SELECT DISTINCT scenario, device FROM spans WHERE device <> '');
-- @figures devices-
SELECT 'devices-' || scenario AS name, scenario, CASE WHEN (SELECT count(DISTINCT scenario) FROM spans) > 1 THEN scenario || ': p' ELSE 'P' END || 'rocesses on devices' AS title
FROM span_device WHERE row <= 40 GROUP BY scenario ORDER BY (SELECT min(rowid) FROM spans s WHERE s.scenario = span_device.scenario);
-- @each panel
SELECT policy, row_number() OVER (ORDER BY min(rowid)) AS panel FROM spans WHERE scenario = (SELECT scenario FROM figure) GROUP BY policy;
-- Spans of a process that follow each other on a device are one.
-- @each stay
SELECT policy, device, process, min(start_ns) AS start_ns, max(end_ns) AS end_ns, min(number) AS number FROM (SELECT *, sum(begins) OVER (PARTITION BY policy, process ORDER BY start_ns, number ROWS UNBOUNDED PRECEDING) AS part
    FROM (SELECT rowid AS number, *, device <> ifnull(lag(device) OVER (PARTITION BY policy, process ORDER BY start_ns, rowid), '') AS begins FROM spans WHERE scenario = (SELECT scenario FROM figure)))
WHERE device <> '' AND end_ns > start_ns GROUP BY policy, process, part, device;
-- @each greedy
SELECT s.*, place, rgb, stripes, lane(start_ns, end_ns) OVER (PARTITION BY policy, device ORDER BY start_ns, place, number ROWS UNBOUNDED PRECEDING) AS first FROM stay s JOIN process_colour USING (process);
-- If all processes of a device need a lane at one time, each has its own, in the order of the scenario.
-- @each lane
SELECT g.*, CASE WHEN own THEN dense_rank() OVER (PARTITION BY policy, device ORDER BY place) - 1 ELSE first END AS lane
FROM greedy g JOIN (SELECT policy, device, max(first) + 1 = count(DISTINCT process) AS own FROM greedy GROUP BY policy, device) USING (policy, device);
-- @each span
SELECT panel, row, start_ns, end_ns, process AS state, rgb, stripes, place, lane, 1 AS tall, max(lane) OVER (PARTITION BY d.device) + 1 AS lanes, policy, 
    CASE WHEN d.device GLOB '*:*#*' THEN substr(d.device, instr(d.device, ':') + 1) || CASE WHEN (SELECT count(DISTINCT CAST(device AS INT)) FROM span_device WHERE scenario = (SELECT scenario FROM figure)) > 1 THEN ' of device ' || CAST(d.device AS INT) ELSE '' END WHEN d.device GLOB '[0-9]*' THEN 'device ' || d.device ELSE d.device END AS row_name
FROM lane JOIN panel USING (policy) JOIN span_device d ON d.device = lane.device AND d.scenario = (SELECT scenario FROM figure) WHERE row <= 40;
-- @include spans
