-- Advice: each way to share one GPU is a policy, and each program a class. Those without a target are counted by jobs per second.
-- @needs answers
-- @table class_value
SELECT CAST(json_extract(w.value, '$.rank') AS INT) AS number, 'advice' AS scenario, json_extract(w.value, '$.way') AS policy, 0 AS step, json_extract(p.value, '$.program') AS class, m.column1 AS metric,
    json_extract(p.value, '$.' || m.column1 || '.mean') AS value, json_extract(p.value, '$.' || m.column1 || '.ci95') AS ci95, NULL AS over
FROM answers, json_each(text, '$.ways') w, json_each(w.value, '$.programs') p, (VALUES ('jobs_in_time_per_s'), ('job_latency_p99_ns'), ('jobs_per_s')) m WHERE json_type(text) = 'object' AND json_extract(w.value, '$.works') AND json_extract(w.value, '$.shares');
-- @include pareto
