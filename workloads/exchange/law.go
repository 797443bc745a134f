package exchange

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/numeric"
	"pintlab/netsim/unit"
)

// Law is a distribution of delays.
type Law interface {
	// Draw returns a random delay, at least 0.
	Draw(r *rand.Rand) unit.Time
	// String returns the law in the format of ParseLaw.
	String() string
	validate() error
}

// LogUniform is the law whose delays have a uniformly distributed logarithm between Min and Max.
type LogUniform struct{ Min, Max unit.Time }

func (l LogUniform) Draw(r *rand.Rand) unit.Time {
	return whole(float64(float64(l.Min) * numeric.Exp(r.Float64()*numeric.Ln(float64(l.Max)/float64(l.Min)))))
}

func (l LogUniform) String() string { return fmt.Sprintf("loguniform:%v,%v", l.Min, l.Max) }

func (l LogUniform) validate() error {
	if l.Min <= 0 || l.Max <= l.Min {
		return fmt.Errorf("log-uniform delays from %v to %v, want 0 < min < max", l.Min, l.Max)
	}
	return nil
}

// LogNormal is the law whose delays have a normal logarithm with standard deviation Sigma.
type LogNormal struct {
	Mean  unit.Time
	Sigma float64 // 0 to 5
}

func (l LogNormal) Draw(r *rand.Rand) unit.Time {
	x := float64(l.Sigma*numeric.Normal(r)) - float64(l.Sigma*l.Sigma)/2
	return whole(float64(float64(l.Mean) * numeric.Exp(x)))
}

func (l LogNormal) String() string { return fmt.Sprintf("lognormal:%v,%v", l.Mean, l.Sigma) }

func (l LogNormal) validate() error {
	if l.Mean <= 0 || !(l.Sigma >= 0 && l.Sigma <= 5) {
		return fmt.Errorf("log-normal delays with mean %v and sigma %v, want a mean above 0 and a sigma of 0 to 5",
			l.Mean, l.Sigma)
	}
	return nil
}

// Exponential is the exponential law.
type Exponential struct{ Mean unit.Time }

func (l Exponential) Draw(r *rand.Rand) unit.Time {
	return whole(float64(float64(l.Mean) * numeric.Exponential(r.Uint64())))
}

func (l Exponential) String() string { return fmt.Sprintf("exponential:%v", l.Mean) }

func (l Exponential) validate() error {
	if l.Mean <= 0 {
		return fmt.Errorf("exponential delays with mean %v, want more than 0", l.Mean)
	}
	return nil
}

// Share is one kind of delays in a Mixture: their share of all delays, and their law.
type Share struct {
	Share float64
	Law   Law
}

// Mixture is the law of delays of several kinds, such as delays to near and to far hosts. The shares add up to 1.
type Mixture []Share

func (m Mixture) Draw(r *rand.Rand) unit.Time {
	last := len(m) - 1
	for at, i := r.Float64(), 0; i < last; i++ {
		if at -= m[i].Share; at < 0 {
			return m[i].Law.Draw(r)
		}
	}
	return m[last].Law.Draw(r)
}

func (m Mixture) String() string {
	return strings.Join(lists.Map(m, func(x Share) string {
		return strconv.FormatFloat(x.Share, 'f', -1, 64) + ":" + x.Law.String()
	}), "+")
}

func (m Mixture) validate() error {
	sum := 0.0
	for _, x := range m {
		if !(x.Share > 0) {
			return fmt.Errorf("share %v, want more than 0", x.Share)
		}
		if err := x.Law.validate(); err != nil {
			return err
		}
		sum += x.Share
	}
	if !(math.Abs(sum-1) < 1e-9) {
		return fmt.Errorf("shares add up to %v, want 1", sum)
	}
	return nil
}

// whole rounds picoseconds and clips delays to a quarter of the range of unit.Time.
func whole(x float64) unit.Time {
	if x >= math.MaxInt64/4 {
		return math.MaxInt64 / 4
	}
	return unit.Time(x + 0.5)
}

// lawForms lists the forms that ParseLaw accepts.
const lawForms = "loguniform:MIN,MAX, lognormal:MEAN,SIGMA or exponential:MEAN, or shares of these, " +
	"0.9:LAW+0.1:LAW"

// ParseLaw reads a law in the format of its String: loguniform:1ms,64ms, lognormal:57.8ms,1.3, exponential:20ms or a
// mixture, 0.9:lognormal:20ms,0.7+0.1:exponential:300ms.
func ParseLaw(s string) (Law, error) {
	l, err := parseLaw(s)
	if err == nil {
		err = l.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("law of delays %q: %w", s, err)
	}
	return l, nil
}

func parseLaw(s string) (Law, error) {
	if first, _, _ := strings.Cut(s, ":"); strings.Trim(first, "0123456789.") != "" || first == "" {
		return parseSimple(s)
	}
	shares, err := lists.Try(strings.Split(s, "+"), func(term string) (x Share, err error) {
		share, law, _ := strings.Cut(term, ":")
		if x.Share, err = strconv.ParseFloat(share, 64); err != nil {
			return x, fmt.Errorf("share %q, want a number", share)
		}
		x.Law, err = parseSimple(law)
		return x, err
	})
	return Mixture(shares), err
}

func parseSimple(s string) (Law, error) {
	name, rest, _ := strings.Cut(s, ":")
	args := strings.Split(rest, ",")
	want := map[string]int{"loguniform": 2, "lognormal": 2, "exponential": 1}[name]
	if want == 0 || len(args) != want {
		return nil, errors.New("want " + lawForms)
	}
	first, err := unit.ParseTime(args[0])
	if err != nil {
		return nil, err
	}
	switch name {
	case "loguniform":
		second, err := unit.ParseTime(args[1])
		return LogUniform{first, second}, err
	case "lognormal":
		sigma, err := strconv.ParseFloat(args[1], 64)
		if err != nil {
			return nil, fmt.Errorf("sigma = %q, want a number", args[1])
		}
		return LogNormal{first, sigma}, nil
	}
	return Exponential{first}, nil
}
