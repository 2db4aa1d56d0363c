-- When runs end, in words: their makespan, or the end of the heat map where a duration is given.
-- @table run_end
SELECT NULL AS scenario, NULL AS stop, NULL AS words WHERE 0;
-- @needs hosts heatmap
-- @table run_end
SELECT scenario, stop, printf(CASE WHEN stop >= 1000 * size THEN '; runs go on to %.0f ' ELSE '; runs go on to %.3g ' END, stop / size) || u.name AS words FROM (SELECT scenario, max(stop) AS stop FROM
    (SELECT scenario, makespan_ns AS stop FROM hosts WHERE makespan_ns > 0 UNION ALL SELECT scenario, time_ns + width_ns FROM heatmap) GROUP BY scenario)
JOIN unit u ON u.kind = 'time' AND u.size = (SELECT max(size) FROM unit WHERE kind = 'time' AND (size <= stop OR size = 1));
