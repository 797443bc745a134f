package sim

import (
	"context"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Tracing acknowledgements does not change a run.
func TestTraceChangesNothing(t *testing.T) {
	sc, err := scenario.Open("incast16")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Run(context.Background(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	acks := 0
	traced, err := Run(context.Background(), sc, Options{Trace: func(unit.Time, *transport.Step) { acks++ }})
	if err != nil {
		t.Fatal(err)
	}
	if acks == 0 {
		t.Error("nothing was traced")
	}
	if plain.Summary.Fingerprint != traced.Summary.Fingerprint {
		t.Errorf("fingerprint %s with a trace, %s without", traced.Summary.Fingerprint, plain.Summary.Fingerprint)
	}
	sc.Run.Workers = 2
	_, err = Run(context.Background(), sc, Options{Trace: func(unit.Time, *transport.Step) {}})
	if err == nil || !strings.Contains(err.Error(), "run.workers = 2: a trace of acknowledgements needs 1") {
		t.Errorf("error %v", err)
	}
}
