// Package campaign runs many scenarios in parallel and keeps each result in its run
// directory.
//
// A run is known by the hash of its scenario (scenario.Hash). A run whose directory
// is there already is not run again: an interrupted campaign goes on where it was,
// and figures share the runs that they have in common. What another build of the
// program has left is not taken over unless that is asked for, because another
// build may simulate differently.
//
// The results come back in the order of the specs, and nothing about them depends
// on the number of workers or on what was there before. Only manifests stay in
// memory; the flow records are read from disk when they are asked for.
package campaign
