package approx_test

import (
	"testing"

	"pintlab/netsim/unit"
	"pintlab/pint"
	"pintlab/pint/approx"
)

var _ pint.Arithmetic = (*approx.Exact)(nil)

// For a port that is busy half of the time, the interface of the switch returns U = 0.5 and the code of 0.5.
func TestExactIsThePortsArithmetic(t *testing.T) {
	code, err := approx.New(approx.Utilization())
	if err != nil {
		t.Fatal(err)
	}
	exact, err := approx.NewExact(100*unit.Gbps, 13*unit.Microsecond, code)
	if err != nil {
		t.Fatal(err)
	}
	var port pint.Arithmetic = exact
	u := port.Update(0, unit.Never, 0, 1000)
	for range 2000 {
		u = port.Update(u, 160*unit.Nanosecond, 0, 1000)
	}
	if got := code.Decode(port.Encode(u, 1<<63)); got < 0.5/1.050625 || got > 0.5*1.050625 {
		t.Errorf("half load is read as %v", got)
	}
	if _, err := approx.NewExact(0, unit.Microsecond, code); err == nil {
		t.Error("a link without rate is accepted")
	}
	if n := testing.AllocsPerRun(100, func() { u = port.Update(u, 160_000, 0, 1000); port.Encode(u, 1) }); n != 0 {
		t.Errorf("%v allocations per packet", n)
	}
}
