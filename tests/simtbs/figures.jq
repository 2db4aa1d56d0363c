# The figures of simtbs's own report, as numbers: the report as raw text in, one object out.
def number: capture("(?<n>-?[0-9.]+)").n | tonumber;
[splits("\n")] as $lines
| reduce $lines[] as $line ({types: {}, util: []};
    if $line | startswith("simulation end") then .end = ($line | number)
    elif $line | startswith("SM utilization") then .util = [$line | scan("[0-9.]+(?=%)") | tonumber]
    elif $line | startswith("ANTT") then
      .antt = ($line | number) | .antt_q = ($line | capture(", (?<n>[0-9.]+)").n | tonumber)
    elif $line | startswith("STP") then
      .stp = ($line | number) | .kernels = ($line | capture("\\((?<n>[0-9]+)").n | tonumber)
    elif $line | startswith("Kernel Type") then .type = ($line | capture("(?<n>[0-9]+)$").n)
    elif $line | startswith(" ANTT") then
      .types[.type] = {antt: ($line | number), stp: ($line | capture("STP: (?<n>[0-9.]+)").n | tonumber)}
    elif $line | startswith("Mem:") then .mem = ($line | number)
    elif $line | startswith("TB throughput") then .tb = ($line | number)
    else . end)
| del(.type)
