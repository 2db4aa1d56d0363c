-- Who may use which SMs when: a panel for each policy, a row as high as its SMs for each device, pale where a process may be and full where it runs kernels.
-- @needs spans parts
-- @check parts.csv: a time is missing or out of range
SELECT rowid + 1 FROM parts WHERE NOT ifnull(at_ns BETWEEN 0 AND 1e18, 0) LIMIT 1;
-- @check parts.csv: ranges of SMs are malformed
SELECT rowid + 1 FROM parts WHERE ranges GLOB '*[^0-9 -]*' OR ranges GLOB '*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]*' LIMIT 1;
-- A range of SMs each.
-- @table part_range
WITH RECURSIVE cut(number, word, rest) AS (SELECT rowid, '', ranges || ' ' FROM parts
    UNION ALL SELECT number, substr(rest, 1, instr(rest, ' ') - 1), substr(rest, instr(rest, ' ') + 1) FROM cut WHERE rest <> '')
SELECT number, CAST(word AS INT) AS low, CAST(substr(word, instr(word, '-') + 1) AS INT) + 1 AS high FROM cut WHERE word <> '';
-- @check parts.csv: ranges of SMs are malformed
SELECT number + 1 FROM part_range WHERE high <= low OR low < 0 LIMIT 1;
-- @figures sms-
SELECT 'sms-' || scenario AS name, scenario, CASE WHEN (SELECT count(DISTINCT scenario) FROM spans) > 1 THEN scenario ELSE '' END AS title FROM parts GROUP BY scenario ORDER BY min(rowid);
-- @each panel
SELECT policy, row_number() OVER (ORDER BY min(rowid)) AS panel FROM spans WHERE scenario = (SELECT scenario FROM figure) GROUP BY policy;
-- No policy has more spans than this until then.
-- @each crowded
SELECT ifnull(min(start_ns), 1e300) AS start FROM (SELECT start_ns, row_number() OVER (PARTITION BY policy ORDER BY start_ns) AS n FROM spans WHERE device <> '' AND scenario = (SELECT scenario FROM figure)) WHERE n = 1500;
-- @each span
SELECT policy, process, device, CAST(sms AS INT) AS sms, state, start_ns, end_ns FROM spans, crowded WHERE scenario = (SELECT scenario FROM figure) AND device <> '' AND start_ns < start;
-- @each part
SELECT *, lead(at_ns, 1, 1e300) OVER (PARTITION BY policy, process ORDER BY at_ns, number) AS until_ns FROM (SELECT parts.*, parts.rowid AS number FROM parts, crowded WHERE scenario = (SELECT scenario FROM figure) AND at_ns < start);
-- @each range
SELECT policy, process, device, at_ns, until_ns, low, high FROM part JOIN part_range USING (number) WHERE until_ns > at_ns;
-- Labels of devices have room, however few SMs one has.
-- @each board
SELECT device, sms, ifnull(sum(sms + gap) OVER (ORDER BY device COLLATE natural_order ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS top FROM
    (SELECT device, max(sms) AS sms, max(1, max(sms) * 0.06, max(max(sms)) OVER () * 0.12 - max(sms)) AS gap FROM (SELECT device, sms FROM span UNION ALL SELECT device, high FROM range) GROUP BY device);
-- @each box
SELECT s.policy, s.process, s.device, state, max(start_ns, at_ns) AS start_ns, min(end_ns, until_ns) AS end_ns, low, high FROM span s JOIN range r ON r.policy = s.policy AND r.process = s.process AND r.device = s.device AND start_ns < until_ns AND end_ns > at_ns
UNION ALL SELECT policy, process, device, state, start_ns, end_ns, 0, sms FROM span s WHERE NOT EXISTS (SELECT 1 FROM part p WHERE p.policy = s.policy AND p.process = s.process);
-- Ranges are cut where others begin or end. Processes that may use the same SMs at once lie beside each other there.
-- @each segment
SELECT policy, device, at AS low, lead(at) OVER (PARTITION BY policy, device ORDER BY at) AS high FROM (SELECT policy, device, low AS at FROM box UNION SELECT policy, device, high FROM box);
-- @each piece
SELECT b.policy, process, b.device, state, start_ns, end_ns, s.low, s.high FROM box b JOIN segment s ON s.policy = b.policy AND s.device = b.device AND s.low >= b.low AND s.high <= b.high;
-- @each shared
SELECT policy, device, low, max(lane) > 0 AS yes FROM (SELECT policy, device, low, lane(start_ns, end_ns) OVER (PARTITION BY policy, device, low ORDER BY start_ns, rowid ROWS UNBOUNDED PRECEDING) AS lane FROM piece) GROUP BY policy, device, low;
-- @each lane
SELECT policy, device, low, process, CASE WHEN yes THEN n - 1.0 ELSE 0 END / CASE WHEN yes THEN lanes ELSE 1 END AS lane, 1.0 / CASE WHEN yes THEN lanes ELSE 1 END AS height FROM
    (SELECT policy, device, low, process, row_number() OVER (PARTITION BY policy, device, low ORDER BY min(place)) AS n, count(*) OVER (PARTITION BY policy, device, low) AS lanes FROM piece JOIN process_colour USING (process) GROUP BY policy, device, low, process) JOIN shared USING (policy, device, low);
-- @each window
SELECT left, right, u.name AS unit, u.size FROM (SELECT min(start_ns) AS left, min(max(end_ns), (SELECT start FROM crowded)) AS right FROM box)
JOIN unit u ON u.kind = 'time' AND u.size = (SELECT max(size) FROM unit WHERE kind = 'time' AND (size <= right OR size = 1)) WHERE right > left;
-- @each tenant
SELECT process, rgb, stripes, place FROM process_colour WHERE process IN (SELECT process FROM spans WHERE scenario = (SELECT scenario FROM figure));
-- @draw spans
-- @set
SELECT title, 'Time (' || unit || ')' || ifnull((SELECT words FROM run_end WHERE scenario = (SELECT scenario FROM figure) AND stop > 1.01 * right), '') AS xlabel, left / size AS left, right / size AS right, 'SM' AS ylabel, high, max(1.0 / high, ifnull(0.11 / apart, 0)) AS row_h
FROM figure, window, (SELECT max(top + sms) AS high, min(middle - before) AS apart FROM (SELECT top, sms, top + sms / 2.0 AS middle, lag(top + sms / 2.0) OVER (ORDER BY top) AS before FROM board));
-- @array panel
SELECT wrap(policy, 48) AS title, policy IN (SELECT policy FROM box) AS drawn, 'not recorded' AS note FROM panel ORDER BY panel;
-- @array row
SELECT CASE WHEN (SELECT count(*) FROM board) > 1 THEN CASE WHEN device GLOB '*:*#*' THEN substr(device, instr(device, ':') + 1) || CASE WHEN (SELECT count(DISTINCT CAST(device AS INT)) FROM board) > 1 THEN ' of device ' || CAST(device AS INT) ELSE '' END WHEN device GLOB '[0-9]*' THEN 'device ' || device ELSE device END
    ELSE printf('0-%d', sms - 1) END AS label, top + sms / 2.0 AS y FROM board ORDER BY top;
-- @array name
SELECT label, rgb, stripes FROM (SELECT process AS label, rgb, stripes, place FROM tenant WHERE (SELECT count(*) FROM tenant) BETWEEN 2 AND 40
    UNION ALL SELECT 'pale: no kernel', 0xDDDDDD, 0, 1e9 WHERE EXISTS (SELECT 1 FROM piece WHERE state <> 'kernel')) ORDER BY place;
-- @data
SELECT panel, max(start_ns, left) / size AS start, min(end_ns, right) / size AS end, top + low + (high - low) * lane AS y0, top + low + (high - low) * (lane + height) AS y1,
    CASE WHEN state = 'kernel' THEN rgb ELSE (((rgb >> 16) & 255) + 765) / 4 * 65536 + (((rgb >> 8) & 255) + 765) / 4 * 256 + ((rgb & 255) + 765) / 4 END AS rgb, stripes, policy, process, device, state
FROM piece JOIN lane USING (policy, device, low, process) JOIN board USING (device) JOIN panel USING (policy) JOIN tenant USING (process), window WHERE start_ns < right AND end_ns > left ORDER BY panel, state = 'kernel', start_ns, y0;
