package scenario

import "testing"

// The error for each mistake in run.capture has its place and the accepted values.
func TestCaptureErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"{ring: 1MB}", `f:2:19: run.capture.ring: "1MB": has no effect (only with run.capture.enabled = true)`},
		{"{enabled: true, ports: [0-1], nodes: [all]}",
			`f:2:49: run.capture.nodes: has no effect (only with run.capture.enabled = true and run.capture.ports = ` +
				`[all])`},
		{"{enabled: true, ports: [3]}",
			`f:2:35: run.capture.ports: [3]: "3": want the numbers of two nodes, such as 16-3 for the port of node ` +
				`16 towards node 3, or all`},
		{"{enabled: true, times: [2ms-1ms]}",
			`f:2:35: run.capture.times: [2ms-1ms]: "2ms-1ms": want two times, the earlier first, such as 0s-1ms, or ` +
				`all`},
		{"{enabled: true, times: [0s]}",
			`f:2:35: run.capture.times: [0s]: "0s": want two times, the earlier first, such as 0s-1ms, or all`},
		{"{enabled: true, times: [20s-30s]}",
			`f:2:35: run.capture.times: [20s-30s]: "20s-30s" has no effect: ` +
				`the run ends earlier, at run.until = 10s, or all`},
		{"{enabled: true, times: [all, 0s-1s]}", `f:2:35: run.capture.times: [all, 0s-1s]: all stands alone`},
		{"{enabled: true, flows: [2-1]}",
			`f:2:35: run.capture.flows: [2-1]: "2-1": want a number (3) or a range (16-19), or all`},
		{"{enabled: true, snap: 1B}", `f:2:34: run.capture.snap: 1B: want >= 64B and <= 65535B`},
	} {
		_, err := Parse([]byte("run:\n  capture: "+tt.text+"\n"), "f")
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}
