// Package ns3config reads the config.txt of the published HPCC-PINT simulator (ns-3)
// into a scenario of the profile ns3-artifact.
package ns3config

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/hpcc"
	inband "pintlab/int"
	"pintlab/internal/input"
	"pintlab/internal/schema"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
	"pintlab/transport/dcqcn"
	"pintlab/transport/dctcp"
	"pintlab/transport/timely"
	"pintlab/workloads"
)

// nameRule matches valid scenario names.
var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Ignored is a key of a config.txt without effect: the published simulator does not use it in the chosen
// mode, or it names a file that is not written.
type Ignored struct {
	Key    string
	Value  string
	Line   int
	Reason string
}

// Load reads the config.txt at path. Relative paths in it are resolved against its directory and then the
// parent directory, in which recorded cases keep files that their schemes share (CASE/topology.txt,
// CASE/SCHEME/config.txt). The assignments, in the form of Scenario.Set, change the scenario before it is
// checked.
func Load(path string, assignments ...string) (scenario.Scenario, []Ignored, error) {
	f, err := input.Open(path, input.Document)
	if err != nil {
		return scenario.Scenario{}, nil, err
	}
	defer f.Close()
	dir := filepath.Dir(path)
	shared := false
	resolve := func(p string) string {
		if filepath.IsAbs(p) {
			return p
		}
		beside, above := filepath.Join(dir, p), filepath.Join(dir, "..", p)
		if !exists(beside) && exists(above) {
			shared = true
			return above
		}
		return beside
	}
	return parse(f, path, resolve, func(s *scenario.Scenario) error {
		s.Name = configName(dir, shared)
		return s.Set(assignments...)
	})
}

// topologyOf returns the topology parameters, which are always a file.
func topologyOf(s *scenario.Scenario) *topo.File { return s.Topology.Params.(*topo.File) }

// flowsOf returns the traffic parameters, which are always a file.
func flowsOf(s *scenario.Scenario) *workloads.FileTraffic {
	return s.Workload[0].Params.(*workloads.FileTraffic)
}

// of returns the parameters if they are a P. Otherwise it returns an unused P, so that keys that the mode
// does not use are checked, too.
func of[P any](params any) *P {
	if p, ok := params.(*P); ok {
		return p
	}
	return new(P)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// configName derives a scenario name from the directories of a config.txt.
func configName(dir string, shared bool) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "config"
	}
	name := filepath.Base(abs)
	if shared {
		name = filepath.Base(filepath.Dir(abs)) + "-" + name
	}
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && nameRule.MatchString("a"+string(r)) {
			return r
		}
		return '_'
	}, name)
	if !nameRule.MatchString(name) {
		return "config"
	}
	return name
}

// parse reads the config.txt of the published HPCC-PINT simulator (ns-3) into a scenario of the profile
// ns3-artifact. A line is a key and its values. Missing keys have that simulator's defaults, except that
// missing keys request no monitor files.
//
// The error is a Problems: unknown keys, malformed values, congestion controls and requests that are not
// supported, each with its line. name is the file's name for errors. resolve returns the path of a file
// that the config.txt names; finish completes and checks the scenario.
func parse(
	r io.Reader, name string, resolve func(string) string, finish func(*scenario.Scenario) error,
) (scenario.Scenario, []Ignored, error) {
	c := &config{name: name, resolve: resolve, lines: map[string]line{}}
	if err := c.read(r); err != nil {
		return scenario.Scenario{}, nil, err
	}
	s, ok := c.base()
	if ok {
		for _, k := range Keys {
			c.use(&s, k)
		}
		slices.SortStableFunc(c.ignored, func(a, b Ignored) int { return a.Line - b.Line })
	}
	if len(c.problems) == 0 {
		var problems schema.Problems
		errors.As(finish(&s), &problems)
		for _, p := range problems {
			p.Source = cmp.Or(p.Source, name)
			c.problems = append(c.problems, p)
		}
	}
	slices.SortStableFunc(c.problems, func(a, b schema.Problem) int { return a.Line - b.Line })
	if err := c.problems.Err(); err != nil {
		return scenario.Scenario{}, nil, err
	}
	return s, c.ignored, nil
}

// config is the state while a config.txt is read.
type config struct {
	name     string
	resolve  func(string) string
	lines    map[string]line
	mode     string // value of CC_MODE
	ignored  []Ignored
	problems schema.Problems
}

type line struct {
	number int // 0: the key is absent and the values are the simulator's defaults
	values []string
}

// mostProblems is the number of problems after which the rest of a file is not read. It is not a config.txt then.
const mostProblems = 100

func (c *config) read(r io.Reader) error {
	sc := bufio.NewScanner(r)
	for n := 1; len(c.problems) < mostProblems && sc.Scan(); n++ {
		words := strings.Fields(sc.Text())
		if len(words) == 0 {
			continue
		}
		key := words[0]
		k, known := keyNamed(key)
		before, twice := c.lines[key]
		switch {
		case !known:
			rule := "the published simulator has no such key"
			if s := suggestKey(key); s != "" {
				rule += "; did you mean " + s + "?"
			}
			c.fail(n, key, "", rule)
		case twice:
			c.fail(n, key, "", fmt.Sprintf("given twice; the first is in line %d", before.number))
		case k.values >= 0 && len(words)-1 != k.values:
			c.fail(n, key, "", fmt.Sprintf("want %d values, got %d", k.values, len(words)-1))
			c.lines[key] = line{number: n} // present, but not usable
		default:
			c.lines[key] = line{number: n, values: words[1:]}
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// base returns the profile with the congestion control of CC_MODE.
func (c *config) base() (scenario.Scenario, bool) {
	l, ok := c.lines["CC_MODE"]
	if !ok {
		l = line{values: []string{"1"}} // the simulator's default
	}
	s := scenario.Default()
	m, known := modes[first(l.values)]
	if !known {
		c.fail(l.number, "CC_MODE", first(l.values),
			"not supported (accepted: 1 for DCQCN, 3 for HPCC, 7 for TIMELY, 8 for DCTCP, 10 for HPCC-PINT)")
		return scenario.Scenario{}, false
	}
	c.mode = first(l.values)
	sets := []string{"profile=" + scenario.ProfileNS3, "topology={kind: file, path: unset}",
		"workload=[{kind: file, path: unset}]"}
	if err := s.Set(append(sets, m.sets...)...); err != nil {
		panic("scenario: the profile ns3-artifact is not valid: " + err.Error())
	}
	topologyOf(&s).Path, flowsOf(&s).Path = "", ""
	return s, true
}

// modes defines the meaning of each CC_MODE.
var modes = map[string]struct {
	name string
	sets []string // assignments to the scenario
}{
	"1":  {"DCQCN", []string{"cc.kind=dcqcn", "telemetry.kind=none", "network.ecn.enabled=true"}},
	"3":  {"HPCC", []string{"telemetry.kind=int"}},
	"7":  {"TIMELY", []string{"cc.kind=timely", "telemetry={kind: bytes, bytes: 8B}"}}, // a timestamp
	"8":  {"DCTCP", []string{"cc.kind=dctcp", "telemetry.kind=none", "network.ecn.enabled=true"}},
	"10": {"HPCC-PINT", []string{"telemetry.kind=pint"}},
}

// use applies one key to the scenario.
func (c *config) use(s *scenario.Scenario, k Key) {
	l, ok := c.lines[k.Name]
	if ok && l.values == nil {
		return // read has reported it
	}
	if !ok {
		if k.absent == nil {
			return
		}
		l = line{values: k.absent}
	}
	if !k.usedIn(c.mode) {
		if l.number == 0 {
			return
		}
		rule := ""
		if k.syntax != nil {
			rule = k.syntax(l.values)
		}
		if rule != "" {
			c.fail(l.number, k.Name, strings.Join(l.values, " "), rule)
		} else {
			c.ignore(k.Name, l, "mode "+c.mode+" ("+modes[c.mode].name+") does not use it")
		}
		return
	}
	if rule := k.check(s, l.values, c); rule != "" {
		value := strings.Join(l.values, " ")
		if l.number == 0 {
			value = cmp.Or(value, "nothing") + " (that simulator's default: the key is absent)"
			if len(l.values) == 0 {
				value = ""
			}
		}
		c.fail(l.number, k.Name, value, rule)
		return
	}
	if k.Ignored != "" && l.number > 0 {
		c.ignore(k.Name, l, k.Ignored)
	}
}

func (c *config) ignore(key string, l line, reason string) {
	c.ignored = append(c.ignored, Ignored{Key: key, Value: strings.Join(l.values, " "), Line: l.number, Reason: reason})
}

func (c *config) fail(line int, key, value, rule string) {
	c.problems = append(c.problems, schema.Problem{Source: c.name, Line: line, Key: key, Value: value, Rule: rule})
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

func suggestKey(word string) string {
	names := make([]string, len(Keys))
	for i, k := range Keys {
		names[i] = strings.ToLower(k.Name)
	}
	return strings.ToUpper(schema.Suggest(word, names))
}

func keyNamed(name string) (Key, bool) {
	for _, k := range Keys {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

// Key defines the effect of a key of that simulator.
type Key struct {
	Name    string
	values  int      // number of values; -1 for any
	absent  []string // values if the key is absent; nil if an absent key has no effect
	Modes   string   // values of CC_MODE that use the key; empty for all
	Ignored string   // why the key has no effect; "" if it has one
	// returns the rule that values break in modes that do not use the key; nil accepts any
	syntax func(v []string) string
	// check applies the values and returns the rule that they break, or "".
	check func(s *scenario.Scenario, v []string, c *config) string
}

// usedIn reports whether a mode uses the key.
func (k Key) usedIn(mode string) bool {
	return k.Modes == "" || slices.Contains(strings.Fields(k.Modes), mode)
}

const (
	onHPCC  = "3 10"
	onMarks = "1 8"

	noTrace  = "no packet trace (mix.tr) is written; run.capture.enabled records packets in pcapng"
	noQueues = "queue lengths are not written to qlen.txt; run.sampling.enabled samples queues"
)

// Keys lists all keys of the simulator in the order in which they are applied. Defaults are those of its
// main program.
var Keys = []Key{
	{Name: "CC_MODE", values: 1, check: anything}, // see base
	{Name: "TOPOLOGY_FILE", values: 1, absent: []string{},
		check: func(s *scenario.Scenario, v []string, c *config) string {
			return inputFile(&topologyOf(s).Path, v, c)
		}},
	{Name: "FLOW_FILE", values: 1, absent: []string{}, check: func(s *scenario.Scenario, v []string, c *config) string {
		return inputFile(&flowsOf(s).Path, v, c)
	}},
	{Name: "SIMULATOR_STOP_TIME", values: 1, absent: []string{"3.01"},
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			t, err := unit.ParseTime(v[0] + "s")
			if err != nil || t <= 0 {
				return "want a number of seconds above 0"
			}
			s.Run.Until = t
			return ""
		}},
	{Name: "PACKET_PAYLOAD_SIZE", values: 1, absent: []string{"1000"},
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			return number(v[0], 1, 9000, func(n int64) { s.Transport.Payload = unit.Bytes(n) })
		}},
	{Name: "BUFFER_SIZE", values: 1, absent: []string{"16"},
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			return number(v[0], 1, 1<<20, func(n int64) { s.Network.Buffer = unit.Bytes(n) * unit.MiB })
		}},
	{Name: "ERROR_RATE_PER_LINK", values: 1, absent: []string{"0"},
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			x, err := strconv.ParseFloat(v[0], 64)
			if err != nil || !(x >= 0 && x < 1) {
				return "want a probability below 1"
			}
			s.Network.LinkErrorRate = x
			return ""
		}},
	{Name: "RATE_AI", values: 1, absent: []string{""}, Modes: "1 3 7 10", syntax: anyRate,
		check: controlRate(0, func(t *tuned) *unit.Rate { return t.rateAI })},
	{Name: "RATE_HAI", values: 1, absent: []string{""}, Modes: "1 7", syntax: anyRate,
		check: controlRate(0, func(t *tuned) *unit.Rate { return t.rateHAI })},
	{Name: "DCTCP_RATE_AI", values: 1, absent: []string{"1000Mb/s"}, Modes: "8", syntax: anyRate,
		check: controlRate(0, func(t *tuned) *unit.Rate { return t.rateAI })},
	{Name: "MIN_RATE", values: 1, absent: []string{"100Mb/s"}, check: controlRate(1, func(t *tuned) *unit.Rate {
		return t.minRate
	})},
	{Name: "EWMA_GAIN", values: 1, absent: []string{""}, Modes: onMarks, syntax: decimal,
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			x, err := strconv.ParseFloat(v[0], 64)
			if err != nil || !(x > 0 && x < 1) {
				return "want a number above 0 and below 1"
			}
			*tunedOf(s).gain = x
			return ""
		}},
	{Name: "ALPHA_RESUME_INTERVAL", values: 1, absent: []string{"55"}, Modes: "1", syntax: decimal,
		check: microseconds(func(p *dcqcn.Params) *unit.Time { return &p.AlphaTimer })},
	{Name: "RATE_DECREASE_INTERVAL", values: 1, absent: []string{"4"}, Modes: "1", syntax: decimal,
		check: microseconds(func(p *dcqcn.Params) *unit.Time { return &p.CutInterval })},
	{Name: "RP_TIMER", values: 1, absent: []string{""}, Modes: "1", syntax: decimal,
		check: microseconds(func(p *dcqcn.Params) *unit.Time { return &p.Timer })},
	{Name: "FAST_RECOVERY_TIMES", values: 1, absent: []string{"5"}, Modes: "1",
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			return number(v[0], 0, 1000, func(n int64) { of[dcqcn.Params](s.CC.Params).Recovery = int(n) })
		}},
	{Name: "CLAMP_TARGET_RATE", values: 1, absent: []string{"0"}, Modes: "1",
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			return onOff(v[0], func(on bool) { of[dcqcn.Params](s.CC.Params).ClampTarget = on })
		}},
	{Name: "ENABLE_QCN", values: 1, absent: []string{"1"}, Modes: onMarks,
		check: func(_ *scenario.Scenario, v []string, c *config) string {
			return onOff(v[0], func(bool) {}) +
				map[bool]string{true: "want 1: " + modes[c.mode].name + " lives on marks"}[v[0] == "0"]
		}},
	{Name: "KMIN_MAP", values: -1, absent: []string{}, Modes: onMarks, syntax: anyMap,
		check: threshold(func(e *netsim.ECN) *unit.Bytes { return &e.KMin })},
	{Name: "KMAX_MAP", values: -1, absent: []string{}, Modes: onMarks, syntax: anyMap,
		check: threshold(func(e *netsim.ECN) *unit.Bytes { return &e.KMax })},
	{Name: "PMAX_MAP", values: -1, absent: []string{}, Modes: onMarks, syntax: anyMap,
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			_, values, rule := rateMap(v)
			for _, x := range values {
				if x != values[0] || x > 1 {
					return "want one probability of at most 1 for all rates"
				}
				s.Network.ECN.PMax = x
			}
			return rule
		}},
	{Name: "U_TARGET", values: 1, absent: []string{"0.95"}, Modes: onHPCC,
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			return share(v[0], 0, 1, &of[hpcc.Params](s.CC.Params).Eta)
		}},
	{Name: "MI_THRESH", values: 1, absent: []string{"5"}, Modes: onHPCC,
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			return number(v[0], 0, 1000, func(n int64) { of[hpcc.Params](s.CC.Params).MaxStage = int(n) })
		}},
	{Name: "HAS_WIN", values: 1, absent: []string{"1"},
		check: func(s *scenario.Scenario, v []string, c *config) string {
			if tunedOf(s).window == nil && v[0] != "1" {
				return "want 1: flows without a window are not supported"
			}
			return onOff(v[0], func(on bool) { window(s, map[bool]string{false: "none", true: "constant"}[on]) })
		}},
	{Name: "VAR_WIN", values: 1, absent: []string{"0"},
		check: func(s *scenario.Scenario, v []string, c *config) string {
			w := tunedOf(s).window
			if w == nil && v[0] != "1" {
				return "want 1: a window that does not follow the rate is not supported"
			}
			return onOff(v[0], func(on bool) {
				if on && w != nil && *w != "none" {
					window(s, "scaled")
				}
			})
		}},
	{Name: "GLOBAL_T", values: 1, absent: []string{"1"},
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			return onOff(v[0], func(on bool) {
				if t := tunedOf(s); !on && (t.window == nil || *t.window != "none") {
					*t.rtt = "path"
				}
			})
		}},
	{Name: "RATE_BOUND", values: 1, absent: []string{"1"},
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			return onOff(v[0], func(on bool) { s.Transport.Pacing = on })
		}},
	{Name: "INT_MULTI", values: 1, absent: []string{"1"}, Modes: "3",
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			return number(v[0], 1, 1<<20, func(n int64) {
				p := of[inband.Params](s.Telemetry.Params)
				p.ByteUnit, p.QueueUnit = unit.Bytes(128*n), unit.Bytes(80*n)
			})
		}},
	{Name: "PINT_LOG_BASE", values: 1, absent: []string{"1.05"}, Modes: "10",
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			x, err := strconv.ParseFloat(v[0], 64)
			if err != nil || !(x >= 1.05 && x <= 4) {
				return "want a number between 1.05 and 4 (smaller bases need more than 8 bits)"
			}
			of[deploy.Params](s.Telemetry.Params).Base = x
			return ""
		}},
	{Name: "PINT_PROB", values: 1, absent: []string{"1"}, Modes: "10",
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			return share(v[0], 1.0/65536, 1, &of[deploy.Params](s.Telemetry.Params).P)
		}},

	{Name: "FAST_REACT", values: 1, absent: []string{"1"}, Modes: onHPCC,
		check: only("1", "a reaction once per round trip only is not supported")},
	{Name: "MULTI_RATE", values: 1, absent: []string{"1"}, Modes: "3",
		check: only("0", "a rate for each hop is not supported")},
	{Name: "SAMPLE_FEEDBACK", values: 1, absent: []string{"0"},
		check: only("0", "sampling feedback by queue length is not supported")},
	{Name: "USE_DYNAMIC_PFC_THRESHOLD",
		values: 1, absent: []string{"1"}, check: only("1", "that simulator's static thresholds are not supported")},
	{Name: "L2_BACK_TO_ZERO", values: 1, absent: []string{"0"},
		check: only("0", "going back to the beginning of a chunk is not supported")},
	{Name: "L2_ACK_INTERVAL", values: 1, absent: []string{"0"},
		check: func(_ *scenario.Scenario, v []string, _ *config) string {
			if v[0] != "0" && v[0] != "1" {
				return "want 0 or 1: only an ACK for each packet is supported"
			}
			return ""
		}},
	{Name: "ACK_HIGH_PRIO", values: 1, absent: []string{"0"},
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			return onOff(v[0], func(on bool) { s.Transport.FreeAcks = on })
		}},
	{Name: "LINK_DOWN", values: 3, absent: []string{"0", "0", "0"},
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			var n [3]int64
			for i := range n {
				if rule := number(v[i], 0, 1<<31-1, func(x int64) { n[i] = x }); rule != "" {
					return "want a time in microseconds, 0 for never, and the nodes at both ends of a link"
				}
			}
			if n[0] > 0 {
				s.Faults = append(s.Faults, scenario.Fault{
					Kind: scenario.LinkDown, A: int(n[1]), B: int(n[2]),
					At: 2*unit.Second + unit.Time(n[0])*unit.Microsecond, Until: unit.Never,
				})
			}
			return ""
		}},
	{Name: "ENABLE_TRACE", values: 1, Ignored: noTrace,
		check: func(_ *scenario.Scenario, v []string, _ *config) string {
			return onOff(v[0], func(bool) {})
		}},
	{Name: "TRACE_FILE", values: 1, Ignored: noTrace, check: anything},
	{Name: "TRACE_OUTPUT_FILE", values: 1, Ignored: noTrace, check: anything},
	{Name: "QLEN_MON_FILE", values: 1, Ignored: noQueues, check: anything},
	{Name: "QLEN_MON_START", values: 1, Ignored: noQueues, check: wholeNumber},
	{Name: "QLEN_MON_END", values: 1, Ignored: noQueues, check: wholeNumber},
	{Name: "FCT_OUTPUT_FILE", values: 1, Ignored: "results go to the run directory, as fct.txt", check: anything},
	{Name: "PFC_OUTPUT_FILE", values: 1, Ignored: "results go to the run directory, as pfc.txt",
		check: func(s *scenario.Scenario, _ []string, _ *config) string {
			s.Run.Outputs = append(s.Run.Outputs, scenario.OutputPFC)
			return ""
		}},
	{Name: "PAUSE_TIME", values: 1, Ignored: "pauses last until they are taken back",
		check: func(_ *scenario.Scenario, v []string, _ *config) string { return decimal(v) }},
	{Name: "DATA_RATE", values: 1, Ignored: "the topology file has the rates", check: anything},
	{Name: "LINK_DELAY", values: 1, Ignored: "the topology file has the delays", check: anything},
	{Name: "L2_CHUNK_SIZE", values: 1, Ignored: "every packet is acknowledged", check: wholeNumber},
}

// only returns a check that accepts one value.
func only(want, otherwise string) func(*scenario.Scenario, []string, *config) string {
	return func(_ *scenario.Scenario, v []string, _ *config) string {
		if v[0] != want {
			return "want " + want + ": " + otherwise
		}
		return ""
	}
}

func anything(*scenario.Scenario, []string, *config) string { return "" }

func wholeNumber(_ *scenario.Scenario, v []string, _ *config) string {
	return number(v[0], 0, 1<<62, func(int64) {})
}

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

// tuned points to parameters that several congestion controls share; a field is nil if the control lacks
// the parameter.
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

// window sets the window of flows and the RTT on which it is based: the largest, unless GLOBAL_T selects
// another. For HPCC it does nothing, because HPCC has only one kind of window.
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
func controlRate(min unit.Rate, which func(*tuned) *unit.Rate) func(*scenario.Scenario, []string, *config) string {
	return func(s *scenario.Scenario, v []string, _ *config) string {
		return dataRate(v[0], which(tunedOf(s)), min)
	}
}

// microseconds returns a check that reads a time of DCQCN. Like that simulator, it drops the fraction.
func microseconds(which func(*dcqcn.Params) *unit.Time) func(*scenario.Scenario, []string, *config) string {
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
func threshold(which func(*netsim.ECN) *unit.Bytes) func(*scenario.Scenario, []string, *config) string {
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
				return "want thresholds in proportion to the rates"
			}
		}
		if at := &s.Network.ECN.AtRate; *at != unit.Rate(rates[0]) {
			*at = unit.Rate(rates[0])
		}
		*which(&s.Network.ECN) = unit.Bytes(values[0]) * unit.KB
		return ""
	}
}

func inputFile(path *string, v []string, c *config) string {
	if len(v) == 0 {
		return "missing"
	}
	*path = c.resolve(v[0])
	return ""
}

func number(s string, min, max int64, use func(int64)) string {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || int64(n) < min || int64(n) > max {
		return fmt.Sprintf("want a whole number between %d and %d", min, max)
	}
	use(int64(n))
	return ""
}

func share(s string, min, max float64, use *float64) string {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= min && x <= max && x > 0) {
		return fmt.Sprintf("want a number above %v and at most %v", min, max)
	}
	*use = x
	return ""
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
		return nil, nil, "want a count and as many pairs of a rate in bit/s and a value"
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
