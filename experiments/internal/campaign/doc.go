// Package campaign runs many scenarios in parallel and stores each result in a run directory.
//
// A run is identified by the hash of its scenario (scenario.Hash). A run whose directory exists is not repeated. So
// an interrupted campaign continues where it stopped, and figures share common runs. Results of another build of the
// program are accepted only on request, because another build may simulate differently.
//
// Results are in the order of the specs. They depend neither on the number of workers nor on existing runs. Only
// manifests are kept in memory; flow records are read from disk on demand.
//
// On a cluster, Jobs writes the jobs that carry out numbered tasks: job arrays of Slurm and Indexed Jobs of
// Kubernetes. A job calls a command, which defines the tasks; any scheduler that sets an index variable can run this
// command.
package campaign
