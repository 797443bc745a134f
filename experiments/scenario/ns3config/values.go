package ns3config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/hpcc"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport/dcqcn"
	"pintlab/transport/dctcp"
	"pintlab/transport/timely"
)

// only returns a check that accepts one value.
func only(want, otherwise string) check {
	return func(_ *scenario.Scenario, v []string, _ *config) string {
		if v[0] != want {
			return "want " + want + ": " + otherwise
		}
		return ""
	}
}

func anything(*scenario.Scenario, []string, *config) string { return "" }

func anyNumber(_ *scenario.Scenario, v []string, _ *config) string { return decimal(v) }

var wholeNumber = whole(0, 1<<62, func(*scenario.Scenario, int64) {})

// decimal returns the rule that a number breaks, or "".
func decimal(v []string) string {
	if x, err := strconv.ParseFloat(v[0], 64); err != nil || !(x >= 0 && x < 1e18) {
		return "want a number that is not negative"
	}
	return ""
}

func anyRate(v []string) string {
	var r unit.Rate
	return dataRate(v[0], &r, 0)
}

func anyMap(v []string) string {
	_, _, rule := rateMap(v)
	return rule
}

// tuned points to parameters that several congestion controls share. If the control lacks a parameter, the field is
// nil.
type tuned struct {
	rateAI, rateHAI, minRate *unit.Rate
	gain                     *float64
	window, rtt              *string
}

func tunedOf(s *scenario.Scenario) *tuned {
	switch p := s.CC.Params.(type) {
	case *hpcc.Params:
		return &tuned{rateAI: &p.RateAI, minRate: &p.MinRate, rtt: &p.RTT}
	case *dcqcn.Params:
		return &tuned{rateAI: &p.RateAI, rateHAI: &p.RateHAI, minRate: &p.MinRate, gain: &p.Gain,
			window: &p.Window, rtt: &p.RTT}
	case *timely.Params:
		return &tuned{rateAI: &p.RateAI, rateHAI: &p.RateHAI, minRate: &p.MinRate, window: &p.Window, rtt: &p.RTT}
	case *dctcp.Params:
		return &tuned{rateAI: &p.RateAI, minRate: &p.MinRate, gain: &p.Gain, window: &p.Window, rtt: &p.RTT}
	}
	panic("ns3config: no mode has this congestion control")
}

// window sets the window of flows and the RTT on which the window is based. This is the largest RTT, unless GLOBAL_T
// selects another RTT. For HPCC it does nothing, because HPCC has only one kind of window.
func window(s *scenario.Scenario, rule string) {
	t := tunedOf(s)
	if t.window == nil {
		return
	}
	*t.window, *t.rtt = rule, "max"
	if rule == "none" {
		*t.rtt = ""
	}
}

// controlRate returns a check that reads a rate of the congestion control.
func controlRate(min unit.Rate, which func(*tuned) *unit.Rate) check {
	return func(s *scenario.Scenario, v []string, _ *config) string {
		return dataRate(v[0], which(tunedOf(s)), min)
	}
}

// microseconds returns a check that reads a time of DCQCN. Like the published simulator, the check drops the fraction
// of a microsecond.
func microseconds(which func(*dcqcn.Params) *unit.Time) check {
	return func(s *scenario.Scenario, v []string, _ *config) string {
		x, err := strconv.ParseFloat(v[0], 64)
		if err != nil || !(x >= 1 && x < 1e9) {
			return "want a number of microseconds of at least 1"
		}
		*which(of[dcqcn.Params](s.CC.Params)) = unit.Time(x) * unit.Microsecond
		return ""
	}
}

// threshold returns a check that reads a marking threshold in kB for each rate. Thresholds must be
// proportional to the rates.
func threshold(which func(*netsim.ECN) *unit.Bytes) check {
	return func(s *scenario.Scenario, v []string, _ *config) string {
		rates, values, rule := rateMap(v)
		if rule != "" {
			return rule
		}
		for i := range rates {
			if values[i] != math.Trunc(values[i]) || values[i] > 1e9 {
				return fmt.Sprintf("%v is not a whole number of kB", values[i])
			}
			if values[i]*rates[0] != values[0]*rates[i] {
				return "want thresholds that are proportional to the rates"
			}
		}
		if at := &s.Network.ECN.AtRate; *at != unit.Rate(rates[0]) {
			*at = unit.Rate(rates[0])
		}
		*which(&s.Network.ECN) = unit.Bytes(values[0]) * unit.KB
		return ""
	}
}

func inputFile(which func(*scenario.Scenario) *string) check {
	return func(s *scenario.Scenario, v []string, c *config) string {
		if len(v) == 0 {
			return "missing"
		}
		*which(s) = c.resolve(v[0])
		return ""
	}
}

// whole returns a check that reads a whole number.
func whole(min, max int64, use func(*scenario.Scenario, int64)) check {
	return func(s *scenario.Scenario, v []string, _ *config) string {
		n, ok := wholeIn(v[0], min, max)
		if !ok {
			return fmt.Sprintf("want a whole number between %d and %d", min, max)
		}
		use(s, n)
		return ""
	}
}

func wholeIn(word string, min, max int64) (n int64, ok bool) {
	x, err := strconv.ParseUint(word, 10, 63)
	return int64(x), err == nil && int64(x) >= min && int64(x) <= max
}

// real returns a check that reads a number. The function use applies the number and reports whether it is in range.
func real(rule string, use func(*scenario.Scenario, float64) bool) check {
	return func(s *scenario.Scenario, v []string, _ *config) string {
		if x, err := strconv.ParseFloat(v[0], 64); err == nil && use(s, x) {
			return ""
		}
		return rule
	}
}

// share returns a check that reads a number that is at least min, above 0 and at most 1.
func share(min float64, which func(*scenario.Scenario) *float64) check {
	return real(fmt.Sprintf("want a number above %v and at most 1", min), func(s *scenario.Scenario, x float64) bool {
		*which(s) = x
		return x >= min && x <= 1 && x > 0
	})
}

// flag returns a check that reads 0 or 1.
func flag(use func(*scenario.Scenario, bool)) check {
	return func(s *scenario.Scenario, v []string, _ *config) string {
		return onOff(v[0], func(on bool) { use(s, on) })
	}
}

func onOff(s string, use func(bool)) string {
	if s != "0" && s != "1" {
		return "want 0 or 1"
	}
	use(s == "1")
	return ""
}

// dataRate parses a rate in the formats of ns-3: 50Mb/s, 100Gbps, or a plain number in bit/s.
func dataRate(s string, use *unit.Rate, min unit.Rate) string {
	text := strings.TrimSuffix(strings.TrimSuffix(s, "b/s"), "bps")
	bare := strings.TrimRight(text, "0123456789.") == ""
	if text == s && !bare {
		return "want a rate such as 50Mb/s or 50Mbps"
	}
	r, err := unit.ParseRate(strings.Replace(text, "k", "K", 1) + "bps")
	if err != nil || r < min {
		return "want a rate such as 50Mb/s or 50Mbps"
	}
	*use = r
	return ""
}

// rateMap parses "n rate value rate value …".
func rateMap(v []string) (rates, values []float64, rule string) {
	n, err := strconv.ParseUint(first(v), 10, 16)
	if err != nil || n == 0 || len(v) != 1+2*int(n) {
		return nil, nil, "want a count, then this number of pairs, each a rate in bit/s and a value"
	}
	for i := 1; i < len(v); i += 2 {
		r, err := strconv.ParseUint(v[i], 10, 63)
		if err != nil || r == 0 {
			return nil, nil, fmt.Sprintf("%q is not a rate in bit/s", v[i])
		}
		x, err := strconv.ParseFloat(v[i+1], 64)
		if err != nil || !(x >= 0 && x < 1e18) {
			return nil, nil, fmt.Sprintf("%q is not a threshold or probability", v[i+1])
		}
		rates, values = append(rates, float64(r)), append(values, x)
	}
	return rates, values, ""
}
