package pintlab

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/measure/sketch"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/sim"
)

// An error quotes the input, which may be a word or a line of megabytes. The message must still be readable.
func TestErrorsAreShort(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, filler := range []string{strings.Repeat("x", 1<<19), strings.Repeat("xy ", 1<<18)} {
		for _, tt := range []struct{ file, text, line string }{
			{"s.yaml", "name: @\n", "run s.yaml"},
			{"s.yaml", "@: 1\n", "run s.yaml"},
			{"s.yaml", "cc: {kind: \"@\"}\n", "run s.yaml"},
			{"c.yaml", "name: a\nbase: two-flows\nvary: {seed: @}\n", "sweep c.yaml"},
			{"q.yaml", "queries: [@]\n", "pint plan q.yaml"},
			{"n.gml", "graph [ node [ id @ ] ]\n", "topology show n.gml"},
			{"n.graphml", "<graphml><graph><node id=\"@\"/><edge source=\"@\" target=\"1\"/></graph></graphml>",
				"topology show n.graphml"},
			{"n.txt", "@ 1 1\n", "topology show n.txt"},
			{"n.topo", "Nodes @\n", "topology show n.topo"},
			{"f.txt", "1\n0 1 3 100 @ 0\n", "workload show f.txt"},
			{"f.cm", "Nodes @\n", "workload show f.cm"},
			{"d.cdf", "@ 0\n", "workload sizes d.cdf"},
			{"p.p4", "header @ {}\n", "p4 lint p.p4"},
			{"t.stf", "@\n", "p4 test towersketch t.stf"},
			{"k.txt", "@\n", "p4 test towersketch t.stf --commands k.txt"},
			{"net.yaml", "switches: [{name: s, program: \"@\"}]\n", "p4 run net.yaml --dump -"},
			{"rows.csv", "@\n1\n", "plot rows.csv --figure fig7"},
			{"config.txt", "@ 1\n", "run --config config.txt"},
		} {
			if err := os.WriteFile(tt.file, []byte(strings.ReplaceAll(tt.text, "@", filler)), 0o666); err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			if code := invoke(strings.Fields(tt.line), &bytes.Buffer{}, &stderr); code != exitUsage {
				t.Errorf("%s with %.20q: exit code %d", tt.line, tt.text, code)
			}
			if n := stderr.Len(); n == 0 || n > 3*longestLine {
				t.Errorf("%s with %.20q: a message of %d bytes: %.300s", tt.line, tt.text, n, &stderr)
			}
		}
	}
	if got, want := shorten("f: "+strings.Repeat("é", 4000)+" is long"),
		"f: "+strings.Repeat("é", 30)+"… is long"; got != want {
		t.Errorf("%.200q, want %.200q", got, want)
	}
}

// Invalid input causes exit code 2. Valid input whose run fails, or for which there is no answer, causes exit code 1.
func TestExitCodes(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"empty.yaml": "",
		"c.yaml":     "name: a\nbase: two-flows\nvary: {cc.eta: [0.9, 0.95]}\n",
		"twice.yaml": "name: a\nbase: two-flows\nvary: {cc.eta: [0.9, 0.9]}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]int{
		"run empty.yaml":                                                  exitUsage,
		"run two-flows --set cc.eta=2":                                    exitUsage,
		"run two-flows --set run.until=1us":                               exitFailed,
		"run two-flows --set run.wall_limit=1ns":                          exitFailed,
		"sweep twice.yaml":                                                exitUsage,
		"sweep c.yaml --set run.until=1us":                                exitFailed,
		"sweep c.yaml --set run.until=1us --accept-losses":                exitFine,
		"compare two-flows --cc hpcc":                                     exitUsage,
		"compare two-flows --cc hpcc,dctcp --seeds 1 --set run.until=1us": exitFailed,
		"compare two-flows --cc hpcc,dctcp --seeds 1 --set run.until=1us --accept-losses": exitFine,
		"pint trace fattree8 --methods linear --hops 0":                                   exitUsage,
		"sketch query cardinality empty.yaml":                                             exitUsage,
	} {
		var stderr bytes.Buffer
		if code := invoke(append(strings.Fields(line), "--quiet"), &bytes.Buffer{}, &stderr); code != want {
			t.Errorf("%s: exit code %d, want %d: %s", line, code, want, &stderr)
		}
	}
	for _, err := range []error{pint.ErrUnknown, sketch.ErrTooFull, study.ErrBarren, sim.ErrStalled} {
		if code := exitCode(fmt.Errorf("a.dat: %w", err)); code != exitFailed {
			t.Errorf("%v: exit code %d", err, code)
		}
	}
}
