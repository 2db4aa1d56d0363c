-- Occupancy of the SMs of the first device over time, a panel for each policy.
-- @needs heatmap
-- @check heatmap.csv: a number is missing or out of range
SELECT rowid + 1 FROM heatmap WHERE NOT ifnull(sm BETWEEN 0 AND 100000 AND time_ns BETWEEN 0 AND 1e18 AND width_ns BETWEEN 0 AND 1e18 AND occupancy_ratio >= 0, 0) LIMIT 1;
-- @table heat_end
SELECT scenario, max(time_ns + width_ns) AS stop, max(sm) AS sms, min(rowid) AS number FROM heatmap WHERE device = '0' GROUP BY scenario;
-- @figures heatmap-
SELECT 'heatmap-' || scenario AS name, scenario, stop, sms, u.name AS unit, u.size, (SELECT count(DISTINCT scenario) FROM heatmap) > 1 AS several FROM heat_end
JOIN unit u ON u.kind = 'time' AND u.size = (SELECT max(size) FROM unit WHERE kind = 'time' AND (size <= stop OR size = 1)) WHERE stop > 0 AND NOT (SELECT yes FROM is_pairs) ORDER BY number;
-- @each panel
SELECT policy, row_number() OVER (ORDER BY min(rowid)) AS panel FROM heatmap WHERE scenario = (SELECT scenario FROM figure) GROUP BY policy;
-- @draw cells
-- @set
SELECT CASE WHEN several THEN scenario ELSE '' END AS title, 0 AS left, stop / size AS right, -0.5 AS low, sms + 0.5 AS high, 0.32 AS ratio, 1 AS stacked,
    'Time (' || unit || ')' AS xlabel, 'SM' AS ylabel, 'Occupancy (%)' AS value_label, 0 AS value_low, 100 AS value_high, '' AS gain_label, 1 AS gain, 0 AS xnames, 0 AS ynames, sms > 0 AND stop > 1.5 * (SELECT max(width_ns) FROM heatmap) AS as_image FROM figure;
-- @array panel
SELECT wrap(policy, 48) AS title, 0 AS is_gain FROM panel ORDER BY panel;
-- @data blocks
SELECT panel, (time_ns + width_ns / 2) / size AS x, sm AS y, width_ns / size AS width, 1 AS height, 100 * occupancy_ratio AS value, policy
FROM heatmap h JOIN panel USING (policy) JOIN figure f ON h.scenario = f.scenario WHERE device = '0' ORDER BY panel, h.rowid;
