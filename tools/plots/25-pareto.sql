-- Classes of a folder of results.
-- @needs classes
-- @table class_value
SELECT c.rowid AS number, scenario, policy, 0 AS step, class, m.column1 AS metric, CASE m.column1 WHEN 'jobs_in_time_per_s' THEN jobs_in_time_per_s WHEN 'job_latency_p99_ns' THEN job_latency_p99_ns WHEN 'jobs_per_s' THEN jobs_per_s ELSE stp_ratio END AS value,
    CASE m.column1 WHEN 'jobs_in_time_per_s' THEN ci95_jobs_in_time_per_s WHEN 'job_latency_p99_ns' THEN ci95_job_latency_p99_ns WHEN 'jobs_per_s' THEN ci95_jobs_per_s ELSE ci95_stp_ratio END AS ci95, NULL AS over
FROM classes c, (VALUES ('jobs_in_time_per_s'), ('job_latency_p99_ns'), ('jobs_per_s'), ('stp_ratio')) m;
-- @include pareto
