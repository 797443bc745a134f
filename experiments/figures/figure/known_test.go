package figure

import (
	"strings"
	"testing"
)

const knownHead = "measurement,quantity,value,half_width,unit,conditions\n"

// A deviation names the measurement that explains it; what no stored measurement explains
// fails.
func TestExpectWantsAMeasurement(t *testing.T) {
	fails := Judge("x", false, true, "y")
	if f := fails.Expect(Cause{}); f.Outcome != Fails || f.Known != "" {
		t.Errorf("without a cause: %+v", f)
	}
	if f := fails.Expect(Cause{Why: "because", Measurement: "m"}); f.Outcome != Fails {
		t.Errorf("without a measurement: %+v", f)
	}
	c := Known(knownHead+"m,packets,12.5,0.25,packets,7 runs\nother,x,1,,,never\n", "m", "Because.")
	f := fails.Expect(c)
	if want := `Because. Stored measurement "m": packets: 12.5 ± 0.25 packets (7 runs)`; f.Outcome != Deviates ||
		f.Known != want {
		t.Errorf("%s, %q, want %q", f.Outcome, f.Known, want)
	}
	if f := Judge("x", true, false, "y").Expect(c); f.Outcome != Holds || f.Known != "" {
		t.Errorf("what holds needs no cause: %+v", f)
	}
	for name, text := range map[string]string{"no such line": knownHead + "other,x,1,,,never\n",
		"no number": knownHead + "m,x,y,,,never\n", "no headings": "a,b\n"} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(toText(r), "known.csv") {
					t.Errorf("%s: %v, want a panic that names the file", name, r)
				}
			}()
			Known(text, "m", "Because.")
		}()
	}
}

func toText(r any) string {
	if err, ok := r.(error); ok {
		return err.Error()
	}
	s, _ := r.(string)
	return s
}
