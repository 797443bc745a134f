package sim

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/results/store"
)

// If a control keeps only the latest signal, the records are the same as without pooling, for every kind of feedback.
func TestFeedbackOfOneAcknowledgement(t *testing.T) {
	const network = "topology: {kind: fattree, k: 4, host_rate: 100Gbps, fabric_rate: 100Gbps}\n" +
		"workload: [{kind: incast, senders: 8, size: 200KB}, {kind: permutation, size: 300KB}]\n"
	spray := []string{"transport.kind=irn", "transport.dup_acks=64", "network.balancing.kind=spray"}
	for name, set := range map[string][]string{
		"HPCC, INT":           {"cc.kind=hpcc", "telemetry.kind=int"},
		"HPCC, INT, sprayed":  append([]string{"cc.kind=hpcc", "cc.records=port", "telemetry.kind=int"}, spray...),
		"HPCC, PINT, sprayed": append([]string{"cc.kind=hpcc", "telemetry.kind=pint"}, spray...),
		"HPCC, CSIG, sprayed": append([]string{"cc.kind=hpcc", "telemetry.kind=csig"}, spray...),
		"Swift, sprayed":      append([]string{"cc.kind=swift", "telemetry.kind=none"}, spray...),
		"NSCC":                {"cc.kind=uet"},
	} {
		plain := monitored(t, network, set...)
		for _, of := range []string{"median", "minimum", "mean"} {
			one := monitored(t, network, append(set, "cc.feedback="+of, "cc.feedback_most=1")...)
			if diff := cmp.Diff(recordsOf(plain), recordsOf(one)); diff != "" ||
				one.Summary.Fingerprint != plain.Summary.Fingerprint {
				t.Errorf("%s, %s of one: fingerprint %s, want %s; flows\n%s", name, of, one.Summary.Fingerprint,
					plain.Summary.Fingerprint, diff)
			}
		}
		many := monitored(t, network, append(set, "cc.feedback=median")...)
		if many.Summary.Fingerprint == plain.Summary.Fingerprint {
			t.Errorf("%s: medians of four change nothing", name)
		}
	}
}

func recordsOf(r *Result) (list []store.FlowRecord) {
	for f := range r.Flows.All() {
		list = append(list, *f)
	}
	return list
}
