// Package random checks random scenarios as a whole: any network, workload, job, transport, congestion control,
// telemetry, monitor, buffer and recording, with links that lose packets, break and are repaired, and hosts that
// stop sending. It checks that
//
//   - the run ends, and every flow has finished or is reported as failed, unreachable,
//     stalled or unfinished, each for a reason in the scenario;
//   - every packet that was created was delivered, dropped or lost, unless it waits
//     forever for a host or switch that has stopped;
//   - a network that can neither lose nor drop a packet does neither, and every flow
//     in it finishes, none faster than alone;
//   - no link carries more than its rate allows, in time series, links of jobs and reports of
//     monitors; no flow is faster than alone on the fastest of its paths; the busiest link of a job
//     and the counters of ports agree with the run's;
//   - the same scenario has the same result again, with time series and captured packets,
//     and on several engines: flow records, counters, series, packets and tables of monitors.
//
// A campaign also stores each run, and with Options.Consumers it checks that all output from the directory
// agrees with the records and contains no NaN:
//
//   - the files of the run, in every format, read back;
//   - jobs, tasks and links against the flows and the captured packets;
//   - the capture against the counters of ports, and its INT against the monitor that collected it;
//   - the time series, the trace and the page of the view against the samples of ports and flows;
//   - the report and the drawings against the flows.
//
// Draw builds a scenario from the choices of a Chooser. In a campaign they follow from its seed and the
// number of the scenario (pintlab validate random). In the test, rapid makes them, minimises failures and
// stores them in testdata/rapid. With the build tag invariants all internal checks are also active.
package random
