-- Blocks on the first SMs of the first device, a panel for each policy. An SM is a stack of lanes, of which each holds one block.
-- @needs timeline vms
-- @check timeline.csv: a number is missing or out of range
SELECT rowid + 1 FROM timeline WHERE NOT ifnull(sm BETWEEN 0 AND 100000 AND start_ns BETWEEN 0 AND 1e18 AND end_ns BETWEEN 0 AND 1e18 AND blocks BETWEEN 1 AND 4096, 0) LIMIT 1;
-- @figures timeline-
SELECT 'timeline-' || scenario AS name, scenario, (SELECT count(DISTINCT scenario) FROM vms) > 1 AS several FROM vms WHERE NOT (SELECT yes FROM is_pairs) GROUP BY scenario ORDER BY min(rowid);
-- @each lane
SELECT policy, number, sm, vm, start_ns, end_ns, lane(start_ns, end_ns) OVER (PARTITION BY policy, sm ORDER BY start_ns, number, n ROWS UNBOUNDED PRECEDING) AS lane
FROM (SELECT t.*, t.rowid AS number FROM timeline t WHERE t.scenario = (SELECT scenario FROM figure) AND device = '0' AND sm < 8) CROSS JOIN num ON num.rowid <= blocks;
-- The file is sorted by end and may be cut, so it lacks blocks that were running at its last end. It has all that began at least
-- the longest duration earlier. A typical duration weighs blocks by their duration.
-- @each known
SELECT policy, max(max(end_ns) - max(end_ns - start_ns), max(end_ns) / 4) AS stop, sum((end_ns - start_ns) * (end_ns - start_ns)) / max(sum(end_ns - start_ns), 1) AS step, min(start_ns) AS begin,
    (SELECT max(b) FROM (SELECT min(start_ns) AS b FROM lane m WHERE m.policy = l.policy GROUP BY vm)) AS begun FROM lane l GROUP BY policy;
-- @each sms
SELECT min(max(4, 72 / (SELECT max(lane) + 1 FROM lane)), 1 + (SELECT max(sm) FROM lane)) AS sms, (SELECT max(lane) + 1.5 FROM lane) AS stack;
-- @each crowded
SELECT min(start_ns) AS start FROM (SELECT start_ns, row_number() OVER (PARTITION BY policy ORDER BY start_ns) AS n FROM lane WHERE sm < (SELECT sms FROM sms)) WHERE n = 1500;
-- @each window
SELECT left, max(right, left + step) AS right, u.name AS unit, u.size FROM (SELECT min(begin) AS left, max(step) AS step,
    min(min(stop), ifnull((SELECT start FROM crowded), 1e300), max(max(begun), min(begin)) + 4 * max(step)) AS right FROM known)
JOIN unit u ON u.kind = 'time' AND u.size = (SELECT max(size) FROM unit WHERE kind = 'time' AND (size <= max(right, left + step) OR size = 1));
-- @each panel
SELECT policy, row_number() OVER (ORDER BY min(rowid)) AS panel FROM vms WHERE scenario = (SELECT scenario FROM figure) GROUP BY policy;
-- The place of a name among all tenants gives its colour, as in the bars.
-- @each tenant
SELECT vm, (SELECT rgb FROM tenant_colour c WHERE c.place = t.place % 16) AS rgb, place / 16 % 3 AS stripes, place
FROM (SELECT vm, row_number() OVER (ORDER BY min(rowid)) - 1 AS place FROM vms GROUP BY vm) t WHERE vm IN (SELECT vm FROM lane);
-- @draw spans
-- @set
SELECT CASE WHEN several THEN scenario ELSE '' END AS title, 'Time (' || unit || ')' || ifnull((SELECT words FROM run_end WHERE scenario = (SELECT scenario FROM figure) AND stop > 1.01 * right), '') AS xlabel, left / size AS left, right / size AS right, 'SM' AS ylabel, sms * stack AS high,
    max(0.8, min(1.6, sms * stack * 0.022)) / (sms * stack) AS row_h FROM figure, window, sms;
-- @array panel
SELECT wrap(policy, 48) AS title, EXISTS (SELECT 1 FROM lane l, window, sms WHERE l.policy = panel.policy AND sm < sms AND start_ns < right) AS drawn,
    ifnull((SELECT printf('no block until %.4g %s', at / u.size, u.name) FROM (SELECT min(start_ns) AS at FROM lane l WHERE l.policy = panel.policy)
    JOIN unit u ON u.kind = 'time' AND u.size <= max(at, 1) ORDER BY u.size DESC LIMIT 1), 'not recorded') AS note FROM panel ORDER BY panel;
-- @array row
SELECT CAST(n - 1 AS TEXT) AS label, (n - 0.5) * stack AS y FROM num, sms WHERE n <= sms ORDER BY n;
-- @array name
SELECT vm AS label, rgb, stripes FROM tenant WHERE (SELECT count(*) FROM tenant) BETWEEN 2 AND 40 ORDER BY place;
-- @data
SELECT panel, max(start_ns, left) / size AS start, (min(end_ns, right) - (right - left) * 0.0015) / size AS end, sm * stack + lane + 0.07 AS y0, sm * stack + lane + 0.93 AS y1, rgb, stripes, policy, vm, sm
FROM lane JOIN panel USING (policy) JOIN tenant USING (vm), window, sms WHERE sm < sms AND start_ns < right ORDER BY panel, start_ns, sm, lane;
