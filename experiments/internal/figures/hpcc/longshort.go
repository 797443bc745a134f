package hpcc

import (
	"pintlab/netsim/unit"
)

const (
	shortJoins = unit.Millisecond // when the short flow begins
	longEnd    = 4 * unit.Millisecond
	// The long flow has recovered when its goodput is at least rateShare times its previous goodput in every later
	// interval of length `within`.
	rateShare = 0.9
	within    = 20 * unit.Microsecond

	recovery = "time until the long flow has its rate back"
	shortFCT = "completion time of the short flow"
)

var long, short = From("long flow", 0), From("short flow", 1)

// LongShort shows how a long flow regains its rate after a short one has ended (§5.2, Fig. 9a and 9b).
var LongShort = spec{
	name: "hpcc/long-short",
	benchmarks: []benchmark{{
		name: "1 MB beside a long flow",
		set: []string{
			"name=hpcc-long-short", "topology={kind: star, hosts: 3, host_rate: 25Gbps}",
			"workload=[{kind: list, flows: [{src: 0, dst: 2, size: 1GB}, {src: 1, dst: 2, size: 1MB, start: 1ms}]}]",
		},
		port: "3-2", end: longEnd, period: 5 * unit.Microsecond, looks: 16,
		groups:  []Group{long, short},
		caption: []any{100 * rateShare, longEnd},
		measure: []quantity{
			{recovery, "rate back after", "us", recovers},
			{shortFCT, "short flow", "us", func(t *Trial) float64 { return (t.Over(short) - shortJoins).Seconds() }},
			{longest, "longest queue", "KB", func(t *Trial) float64 { return t.Queue(shortJoins, longEnd, 1) }},
			{"goodput of the long flow", "long flow", "Gb/s",
				func(t *Trial) float64 { return t.Goodput(long, shortJoins, longEnd) }},
		},
	}},
}.figure()

// recovers returns the time, in seconds, from the end of the short flow until the long flow has recovered
// permanently. If the long flow never recovers, the time extends to the end of the run. The previous goodput is
// measured in the half millisecond before the short flow joins.
func recovers(t *Trial) float64 {
	over := t.Over(short)
	rate, back := rateShare*t.Goodput(long, shortJoins/2, shortJoins), over
	for at := over; at+within <= longEnd; at += within {
		if t.Goodput(long, at, at+within) < rate {
			back = at + within
		}
	}
	return (back - over).Seconds()
}
