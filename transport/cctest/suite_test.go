package cctest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"pintlab/netsim/unit"
	"pintlab/transport"
)

// faulty is a controller that breaks one law.
type faulty struct {
	Puppet
	law  string
	made []byte
}

// faults maps each law that faulty can break to the test of Suite that must fail.
var faults = map[string]string{
	"a loss halves the window, without a floor":         "KeepsItsBounds",
	"a timeout takes a tenth of the window":             "KeepsItsBounds",
	"a mark takes a tenth of the window":                "KeepsItsBounds",
	"a round trip divides the rate, and one is missing": "KeepsItsBounds",
	"the window grows, and OnAck reports no change":     "KeepsItsBounds",
	"the window of the flow before remains":             "ForgetsTheFlowBefore",
	"an ACK allocates":                                  "AllocatesNothing",
}

func (f *faulty) Start(now unit.Time, info transport.FlowInfo) {
	w := f.W
	f.Puppet = Puppet{Info: info, W: info.PathRate.In(info.BaseRTT), R: info.LineRate}
	if f.law == "the window of the flow before remains" && w > 0 {
		f.W = w + 1
	}
}

func (f *faulty) OnAck(_ unit.Time, a *transport.Ack) bool {
	switch f.law {
	case "a mark takes a tenth of the window":
		if a.Congested {
			f.W -= max(f.W/10, 1)
			return true
		}
	case "a round trip divides the rate, and one is missing":
		if f.R = 0; a.RTT > 0 {
			f.R = f.Info.LineRate
		}
		return true
	case "the window grows, and OnAck reports no change":
		f.W++
	case "an ACK allocates":
		f.made = make([]byte, 1)
	}
	return false
}

func (f *faulty) OnLoss(_ unit.Time, l transport.Loss) {
	switch {
	case f.law == "a loss halves the window, without a floor":
		f.W /= 2
	case f.law == "a timeout takes a tenth of the window" && l.Kind == transport.Timeout:
		f.W -= max(f.W/10, 1)
	}
}

func (f *faulty) Window() unit.Bytes { return f.W }
func (f *faulty) Rate() unit.Rate    { return f.R }

// The suite fails a controller that breaks a law. A separate process runs the suite, because a test cannot undo a
// failure.
func TestSuiteNoticesFaults(t *testing.T) {
	const env = "PINTLAB_CCTEST_FAULT"
	if law := os.Getenv(env); law != "" {
		Suite(t, func() transport.Controller { return &faulty{law: law} })
		return
	}
	for law, test := range faults {
		t.Run(law, func(t *testing.T) {
			cmd := exec.Command(os.Args[0],
				"-test.run=^TestSuiteNoticesFaults$", "-test.v", "-rapid.nofailfile", "-rapid.shrinktime=0s")
			cmd.Env = append(os.Environ(), env+"="+law)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestSuiteNoticesFaults/"+test) {
				t.Errorf("%v: want %s to fail:\n%s", err, test, out)
			}
		})
	}
}
