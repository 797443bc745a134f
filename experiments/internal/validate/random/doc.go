// Package random checks random scenarios as a whole: any network, workload, job, transport, congestion control,
// telemetry, monitor, buffer and recording, with links that lose packets, break and are repaired, and hosts that
// stop sending. It checks that
//
//   - the run ends, and every flow has finished or is reported as failed, unreachable,
//     stalled or unfinished, each for a reason in the scenario;
//   - every packet that was created was delivered, dropped or lost, unless it waits
//     forever for a host or switch that has stopped;
//   - a network that can neither lose nor drop a packet does neither, and every flow in it finishes, and none is
//     faster than it would be alone in the network;
//   - no link carries more than its rate allows, in time series, links of jobs and reports of monitors; no flow is
//     faster than it would be alone on the fastest of its paths; the busiest link of a job and the counters of ports
//     agree with those of the run;
//   - a scenario has the same result in every run, whether or not it records time series and packets, and on several
//     engines: flow records, counters, series, packets and tables of monitors.
//
// A campaign also stores each run in a directory. With Options.Consumers it checks that all output that is made from
// this directory agrees with the records and contains no NaN:
//
//   - the files of the run, which are read again in every format;
//   - jobs, tasks and links against the flows and the captured packets;
//   - the capture against the counters of ports, and its INT against the monitor that collected it;
//   - the time series, the trace and the page of the view against the samples of ports and flows;
//   - the report and the drawings against the flows.
//
// Draw builds a scenario from the choices of a Chooser. In a campaign (pintlab validate random) the choices follow
// from the seed of the campaign and the number of the scenario. In the test, rapid makes the choices, minimises those
// that fail and stores them in testdata/rapid. With the build tag invariants all internal checks are also active.
package random
