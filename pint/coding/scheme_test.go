package coding

import (
	"math"
	"strings"
	"testing"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// The values are from section 4.2 with footnote 8.
func TestHybridProbabilities(t *testing.T) {
	for _, tt := range []struct {
		d    int
		want float64
	}{
		{1, 1}, {2, 1}, // 1/ln 2 = 1.44
		{3, 0.9102392266268373},   // 1/ln 3
		{15, 0.36926937691150186}, // 1/ln 15
		{16, 0.3678},              // ln ln 16 / ln 16 = 1.01978/2.77259
		{25, 0.3632},              // 1.16903/3.21888
		{59, 0.34468},
	} {
		s := Hybrid(tt.d)
		if s.Tau != 0.75 || len(s.XOR) != 1 || !near(s.XOR[0], tt.want, 6e-5) {
			t.Errorf("Hybrid(%d) = %v, want tau 0.75, p %.4f", tt.d, s, tt.want)
		}
	}
}

// The values are from appendix A.2.2 (tau, p_l) and A.3 (tau'). log*10 = 2, and log*25 = 3.
func TestMultiLayerProbabilities(t *testing.T) {
	for _, tt := range []struct {
		s   Scheme
		tau float64
		xor []float64
	}{
		{MultiLayer(10, 0), math.Ln2 / (1 + math.Ln2), []float64{0.2}},
		{MultiLayer(25, 0), math.Log(3) / (1 + math.Log(3)), []float64{0.12, 0.12 * math.E}},
		{MultiLayer(25, 3), math.Log(3) / (1 + math.Log(3)), []float64{0.12, 0.12 * math.E, 1}},
		{MultiLayerRevised(25, 1), (1 + math.Log(3)) / (2 + math.Log(3)), []float64{0.12}},
		{MultiLayerRevised(2, 0), 0.5, []float64{0.5}}, // log*2 = 1
	} {
		if !near(tt.s.Tau, tt.tau, 1e-12) || len(tt.s.XOR) != len(tt.xor) {
			t.Errorf("%v, want tau %v, p %v", tt.s, tt.tau, tt.xor)
			continue
		}
		for l := range tt.xor {
			if !near(tt.s.XOR[l], tt.xor[l], 1e-12) {
				t.Errorf("%v, want p %v", tt.s, tt.xor)
			}
		}
	}
}

func TestLogStarAndLayers(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		want int
	}{{0.5, 1}, {1, 1}, {2, 1}, {math.E + 0.01, 2}, {15, 2}, {16, 3}, {256, 3}, {3.8e6, 3}, {3.9e6, 4}} {
		if got := LogStar(tt.x); got != tt.want {
			t.Errorf("LogStar(%v) = %d, want %d", tt.x, got, tt.want)
		}
	}
	for d, want := range map[int]int{2: 1, 15: 1, 16: 2, 3814279: 2, 3814280: 3} {
		if got := defaultLayers(d); got != want {
			t.Errorf("DefaultLayers(%d) = %d, want %d", d, got, want)
		}
	}
	for n, want := range []float64{1, math.E, math.Exp(math.E), math.Exp(math.Exp(math.E))} {
		if got := tower(n); math.Abs(got/want-1) > 1e-14 {
			t.Errorf("tower(%d) = %v, want %v", n, got, want)
		}
	}
}

// Every scheme of the package is valid for every typical length.
func TestSchemesAreValid(t *testing.T) {
	for d := 2; d <= 256; d++ {
		for _, s := range []Scheme{Baseline(), LNC(), XOR(1 / float64(d)), Hybrid(d), MultiLayer(d, 0),
			MultiLayer(d, 4), MultiLayerRevised(d, 0)} {
			if err := s.validate(); err != nil {
				t.Errorf("d = %d: %v", d, err)
			}
		}
	}
}

func TestSchemeErrors(t *testing.T) {
	err := Scheme{Name: "bad", Tau: 1.5, XOR: []float64{0, 2, math.NaN()}}.validate()
	for _, want := range []string{
		`scheme "bad": tau = 1.5, want 0 to 1`,
		`layer 1 acts with probability 0, want above 0 to 1`,
		`layer 2 acts with probability 2`,
		`layer 3 acts with probability NaN`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	if err := (Scheme{Tau: 0.5}).validate(); err == nil || !strings.Contains(err.Error(), "without an XOR layer") {
		t.Errorf("half of the packets without a layer: %v", err)
	}
}

func TestSchemeString(t *testing.T) {
	if got, want := MultiLayer(25, 0).String(), "multi-layer τ=0.523 p=0.12,0.326"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	if got, want := Baseline().String(), "baseline τ=1"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}
