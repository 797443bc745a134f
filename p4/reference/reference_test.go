package reference

import (
	"os/exec"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/p4/interp"
)

func TestExpressions(t *testing.T) {
	names := []string{"hdr.x.type", "I.r[3]"}
	for text, want := range map[string]string{
		"hdr.x.type/4":              "1.75",
		"-(I.r[3] - 0.5)*2":         "-5",
		"floor(-hdr.x.type/2)":      "-4",
		"round(hdr.x.type/2)":       "4",
		"max(I.r[3], hdr.x.type)":   "7",
		"min(I.r[3], 1e1)":          "3",
		"abs(I.r[3] - hdr.x.type)":  "4",
		"log2(8) + exp2(3)":         "11",
		"pow(I.r[3], 2) + sqrt(16)": "13",
	} {
		e, err := parse(text, names)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := e.eval(e.root, []uint64{7, 3}); got.Text('g', 10) != want {
			t.Errorf("%s = %s, want %s", text, got.Text('g', 10), want)
		}
	}
	for text, want := range map[string]string{
		"hdr.x.tpe":       "hdr.x.tpe is neither an input … I.r[3] … log2",
		"hdr.x.type ^ 2":  "operator ^ … *",
		"hdr.x.type +":    "not an expression",
		"min(I.r[3])":     "min has 1 argument, expected 2",
		`"a" + I.r[3]`:    "…",
		"I.r[3].log2":     "neither an input",
		"I.r[3](2)":       "numbers",
		"I.r[3] + log2":   "numbers",
		"log2(I.r[3], 2)": "log2 has 2",
	} {
		if _, err := parse(text, names); err == nil {
			t.Errorf("%s is accepted", text)
		} else {
			says(t, err, want)
		}
	}
	e, err := parse("1/(hdr.x.type - 7) + log2(I.r[3])", names)
	if err != nil || e.eval(e.root, []uint64{7, 3}) != nil || e.eval(e.root, []uint64{8, 0}) != nil {
		t.Errorf("a quotient by 0 or a logarithm of 0 is a number (%v)", err)
	}
}

func says(t *testing.T, err error, want string) {
	t.Helper()
	if !errtest.Says(err, "…"+want+"…") {
		t.Errorf("%v; want %s", err, want)
	}
}

func ewma(t *testing.T) *interp.Pipeline {
	prog, err := interp.Load("testdata/ewma.p4", interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := prog.NewPipeline(interp.Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return pipe
}

// The program computes a - floor(a/8) + floor(x/8). With floor the reference is exact. Without floor the error is
// largest if x/8 loses a fraction of 7/8 and a/8 is whole.
func TestJudge(t *testing.T) {
	q := Question{Result: "meta.mean", Inputs: []string{"hdr.ipv4.len=64..99", "average[0]=0..27"}, Absolute: true,
		Reference: "average[0] - floor(average[0]/8) + floor(hdr.ipv4.len/8)"}
	judge := func() *Answer {
		t.Helper()
		a, err := q.Judge(t.Context(), ewma(t), 2000, 1)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := judge(); a.Packets != 36*28 || !a.All || a.Max != 0 {
		t.Errorf("%+v; want all 1008 combinations without an error", a)
	}
	q.Reference = "average[0] + (hdr.ipv4.len - average[0])/8"
	a := judge()
	if a.Max != 0.875 || a.Worst.Error != -0.875 || a.Worst.Inputs[0] != "hdr.ipv4.len=71" ||
		a.Worst.Inputs[1] != "average[0]=0" || a.Worst.Packet[32:36] != "0047" {
		t.Errorf("%+v; want 7/8 lost of length 71", a)
	}
	q.Inputs = []string{"hdr.ipv4.len", "average[0]"}
	if b := judge(); b.Packets != 2000 || b.All || b.Max < 0.8 || b.Max > 0.875 {
		t.Errorf("%+v; want 2000 packets and nearly 7/8", b)
	}
	if _, err := exec.LookPath("python3"); err == nil {
		q.Inputs, q.Reference = []string{"hdr.ipv4.len=64..99", "average[0]=0..27"}, "testdata/ewma.py"
		if b := judge(); b.Worst.Packet != a.Worst.Packet || b.Mean != a.Mean {
			t.Errorf("%+v with Python, %+v with an expression", b, a)
		}
	}
}

func TestJudgeRefuses(t *testing.T) {
	good := Question{Result: "meta.mean", Inputs: []string{"hdr.ipv4.len"}, Reference: "1"}
	for want, change := range map[string]func(*Question){
		"--result FIELD and --input FIELD":        func(q *Question) { q.Inputs = nil },
		"meta.men: … \"men\": expected mean":      func(q *Question) { q.Result = "meta.men" },
		"register \"r\": expected I.average":      func(q *Question) { q.Result = "r[0]" },
		"average[4]: … 4 cells":                   func(q *Question) { q.Result = "average[4]" },
		"hdr.absent.src: … not valid":             func(q *Question) { q.Result = "hdr.absent.src" },
		"meta.mean: expected a field of a header": func(q *Question) { q.Inputs = []string{"meta.mean"} },
		"0 <= FROM <= TO <= 65535":                func(q *Question) { q.Inputs[0] += "=1..65536" },
		"hdr.ipv4.len is given twice":             func(q *Question) { q.Inputs = append(q.Inputs, q.Inputs...) },
		"hdr.absent.src: its header is not in":    func(q *Question) { q.Inputs = []string{"hdr.absent.src"} },
		"--packet: … odd":                         func(q *Question) { q.Packet = "abc" },
		"is no number for hdr.ipv4.len=0":         func(q *Question) { q.Reference = "1/hdr.ipv4.len" },
	} {
		q := good
		q.Inputs = []string{good.Inputs[0]}
		change(&q)
		_, err := q.Judge(t.Context(), ewma(t), 10, 1)
		if err == nil {
			t.Errorf("no error with %q", want)
			continue
		}
		says(t, err, want)
	}
}
