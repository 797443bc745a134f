package coding

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"pintlab/internal/numeric"
	"pintlab/internal/rules"
)

// Scheme sets the probabilities with which hops act on a packet. A packet belongs to layer 0, the
// Baseline, with probability Tau, and otherwise to one of the XOR layers with equal probabilities.
// A Baseline packet carries the value of the last hop that overwrites the digest (reservoir
// sampling). On a packet of an XOR layer, every hop XORs its value into the digest with the
// probability of that layer.
type Scheme struct {
	Name string    // for labels
	Tau  float64   // probability of the Baseline, 0 to 1
	XOR  []float64 // acting probability in each XOR layer, > 0 … 1
}

// maxLayers is the largest number of XOR layers of a scheme.
const maxLayers = 16

// Baseline returns pure reservoir sampling: every packet carries one hop's value.
func Baseline() Scheme { return Scheme{Name: "baseline", Tau: 1} }

// XOR returns a scheme with one XOR layer and no Baseline; section 4.2 sets p = 1/d.
func XOR(p float64) Scheme { return Scheme{Name: "xor", XOR: []float64{p}} }

// LNC returns linear network coding: XOR with probability 1/2.
func LNC() Scheme { return Scheme{Name: "lnc", XOR: []float64{0.5}} }

// Interleaved returns a scheme that uses the Baseline with probability tau, and one XOR layer otherwise.
func Interleaved(tau, p float64) Scheme {
	return Scheme{Name: "interleaved", Tau: tau, XOR: []float64{p}}
}

// Hybrid returns the interleaved scheme of section 4.2 for a typical path of d hops: tau = 3/4 and
// p = ln ln d / ln d. For d <= 15, p = 1/ln d (footnote 8), limited to 1.
func Hybrid(d int) Scheme {
	p := 1.0
	switch {
	case d > 15:
		p = numeric.Ln(numeric.Ln(float64(d))) / numeric.Ln(float64(d))
	case d > 2: // 1/ln 2 > 1
		p = 1 / numeric.Ln(float64(d))
	}
	return Scheme{Name: "hybrid", Tau: 0.75, XOR: []float64{p}}
}

// MultiLayer returns the scheme of Algorithm 1 of appendix A.2.2 for a typical path of d >= 2 hops:
// tau = ln log*d / (1 + ln log*d), p_l = (e^^(l-1))/dbar with dbar = d/log*d. layers is L; 0 means
// defaultLayers(d), the number in section 4.2. Probabilities above 1 become 1.
func MultiLayer(d, layers int) Scheme {
	l := numeric.Ln(float64(LogStar(float64(d))))
	return multiLayer("multi-layer", d, layers, l/(1+l))
}

// MultiLayerRevised returns the scheme of MultiLayer with the larger share of layer 0 in appendix
// A.3: tau' = (1 + ln log*d) / (2 + ln log*d).
func MultiLayerRevised(d, layers int) Scheme {
	l := numeric.Ln(float64(LogStar(float64(d))))
	return multiLayer("multi-layer-revised", d, layers, (1+l)/(2+l))
}

func multiLayer(name string, d, layers int, tau float64) Scheme {
	if layers == 0 {
		layers = defaultLayers(d)
	}
	dbar := float64(d) / float64(LogStar(float64(d)))
	s := Scheme{Name: name, Tau: tau, XOR: make([]float64, layers)}
	for l := range s.XOR {
		s.XOR[l] = min(1, tower(l)/dbar)
	}
	return s
}

// defaultLayers returns the number of XOR layers in section 4.2: 1 for d <= 15, 2 up to e^(e^e) =
// 3814279, otherwise 3. (Appendix A.2.2 has log*d, one more.)
func defaultLayers(d int) int {
	switch {
	case d <= 15:
		return 1
	case d <= 3814279:
		return 2
	}
	return 3
}

// LogStar returns the iterated natural logarithm, which is the number of times that ln must be applied to x until the
// result is at most 1. It returns at least 1, so that ln log*d is finite.
func LogStar(x float64) int {
	n := 0
	for x > 1 {
		x = numeric.Ln(x)
		n++
	}
	return max(n, 1)
}

// tower returns Knuth's e^^n. From n = 4 on it exceeds any path length, so the result is infinity.
func tower(n int) float64 {
	switch n {
	case 0:
		return 1
	case 1:
		return math.E
	case 2:
		return 15.154262241479262
	case 3:
		return 3814279.1047602205
	}
	return math.Inf(1)
}

// validate reports every probability that is out of range.
func (s Scheme) validate() error {
	var errs rules.Broken
	errs.If(!(s.Tau >= 0 && s.Tau <= 1), "scheme %q: tau = %v, want 0 to 1", s.Name, s.Tau)
	errs.If(len(s.XOR) == 0 && s.Tau != 1, "scheme %q: tau = %v without an XOR layer, want 1", s.Name, s.Tau)
	errs.If(len(s.XOR) > maxLayers, "scheme %q: %d XOR layers, want at most %d", s.Name, len(s.XOR), maxLayers)
	for l, p := range s.XOR {
		errs.If(!(p > 0 && p <= 1), "scheme %q: layer %d acts with probability %v, want above 0 to 1", s.Name, l+1, p)
	}
	return errors.Join(errs...)
}

// String returns the name with the parameters, for labels of curves.
func (s Scheme) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s τ=%.3g", s.Name, s.Tau)
	for l, p := range s.XOR {
		if l == 0 {
			b.WriteString(" p=")
		} else {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%.3g", p)
	}
	return b.String()
}
