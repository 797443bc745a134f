// Package fig2 is Figure 2 of PINT (§2): the average goodput of TCP Reno's flows above
// 10 MB under 28 to 108 B of telemetry on each packet, over that without.
//
// The PINT paper: at about 70 % load, 48 B cost 10 % and 108 B cost 20 %; in theory
// goodput is proportional to the residual capacity, which gives 7.5 % and 16.8 %.
//
// Ours has the order of the PINT paper and about two thirds of its effect at 70 % load. The effect grows with the length of the runs:
// arrivals for 400 ms cost nearly what the paper says. Buffers of 100 KB to 4 MB at each port and timeouts of at least 1 to
// 200 ms change little. The goodput of a flow is its size over its completion time, and each long flow counts alike.
//
// See why for what the difference comes from.
package fig2

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/overhead"
)

// Figure is Fig. 2.
var Figure = overhead.Goodput.Figure(figure.Of[overhead.Scale, overhead.Row]{
	Name:   "pint/fig2",
	Title:  "Goodput of long flows under telemetry overhead",
	Source: "PINT §2, Fig. 2",
	Claim:  "The goodput of flows above 10 MB shrinks with the bytes of telemetry on each packet, about in proportion to the residual capacity, and so by more than the bytes themselves at high load.",
	Why:    why,
}, published()...)

var why = []string{
	"The published values at 70 % load are within our intervals, which are wide: about 200 flows above 10 MB in each seed, three seeds. Our means are smaller.",
	"The effect grows with the length of the runs: 108 B cost 8.6, 10.4 and 12.9 % with arrivals for 50, 100 and 200 ms, and 17.0 % in one run with 400 ms, where the PINT paper's model has 16.8 %. Each run starts with an empty network, in which bytes cost no more than their share; the PINT paper does not say how long its runs are.",
	"At 30 % load 108 B cost 11.8 %, more than the 3.1 % of the model. The model knows only the capacity that is left; TCP also loses packets there (24 in a thousand), and a sender that counts its window in packets sends 7.4 % less payload with each packet. We have not separated the two.",
	"Buffers of 100 KB to 4 MB at each port and timeouts of at least 1 to 200 ms move the effect of 108 B between 9 and 12 % in runs of 100 ms.",
}

// published is what §2 prints: goodput "degrades by 10%" at 48 B, "20% degradation"
// at 108 B. The rest of Fig. 2 is a plot. The model is the PINT paper's own.
func published() []overhead.Row {
	return append([]overhead.Row{overhead.Published(70, 48, 0.90), overhead.Published(70, 108, 0.80)}, overhead.Model()...)
}
