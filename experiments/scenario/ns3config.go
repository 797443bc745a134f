package scenario

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pintlab/netsim/unit"
)

// Ignored is a key of a config.txt that changes nothing: the published simulator
// does not use it in the chosen mode, or it names a file that is not written.
type Ignored struct {
	Key    string
	Value  string
	Line   int
	Reason string
}

// LoadNS3Config reads the config.txt at path. Relative paths in it are looked up
// beside it and then one directory up, where recorded cases keep what their
// schemes share (CASE/topology.txt, CASE/SCHEME/config.txt).
func LoadNS3Config(path string) (Scenario, []Ignored, error) {
	f, err := os.Open(path)
	if err != nil {
		return Scenario{}, nil, err
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
	s, ignored, err := parseNS3Config(f, path, resolve)
	if err != nil {
		return Scenario{}, nil, err
	}
	s.Name = configName(dir, shared)
	return s, ignored, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// configName makes a scenario name of the directories of a config.txt.
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

// ParseNS3Config reads the config.txt of the published HPCC-PINT simulator (ns-3)
// into a scenario of the profile ns3-artifact. A line is a key and its values.
// Keys that are not there have that simulator's defaults, but what its monitors
// would write is not asked for by silence.
//
// The error is a Problems: unknown keys, malformed values, congestion controls
// that we do not have, and keys that ask for what we lack, each with its line.
// name is the file, for errors. Paths stay as they are.
func ParseNS3Config(r io.Reader, name string) (Scenario, []Ignored, error) {
	return parseNS3Config(r, name, func(p string) string { return p })
}

func parseNS3Config(r io.Reader, name string, resolve func(string) string) (Scenario, []Ignored, error) {
	c := &ns3Config{name: name, resolve: resolve, lines: map[string]ns3Line{}}
	if err := c.read(r); err != nil {
		return Scenario{}, nil, err
	}
	s, ok := c.base()
	if ok {
		for _, k := range ns3Keys {
			c.use(&s, k)
		}
		slices.SortStableFunc(c.ignored, func(a, b Ignored) int { return a.Line - b.Line })
	}
	if len(c.problems) == 0 {
		for _, p := range s.problems() {
			p.Source = name
			c.problems = append(c.problems, p)
		}
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return a.Line - b.Line })
	if err := c.problems.err(); err != nil {
		return Scenario{}, nil, err
	}
	return s, c.ignored, nil
}

// ns3Config is a config.txt while it is being read.
type ns3Config struct {
	name     string
	resolve  func(string) string
	lines    map[string]ns3Line
	mode     string
	ignored  []Ignored
	problems Problems
}

type ns3Line struct {
	number int // 0: the key is absent, values are the simulator's defaults
	values []string
}

func (c *ns3Config) read(r io.Reader) error {
	sc := bufio.NewScanner(r)
	for n := 1; sc.Scan(); n++ {
		words := strings.Fields(sc.Text())
		if len(words) == 0 {
			continue
		}
		key := words[0]
		k, known := ns3KeyNamed(key)
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
			c.lines[key] = ns3Line{number: n} // known to be there, not usable
		default:
			c.lines[key] = ns3Line{number: n, values: words[1:]}
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// base is the profile with the scheme that CC_MODE asks for.
func (c *ns3Config) base() (Scenario, bool) {
	l, ok := c.lines["CC_MODE"]
	if !ok {
		l = ns3Line{values: []string{"1"}} // the simulator's default
	}
	s := Default()
	kind := map[string]string{"3": INT, "10": PINT}[first(l.values)]
	if kind == "" {
		value := first(l.values)
		if name, ok := ns3Modes[value]; ok {
			value += " (" + name + ")"
		}
		if l.number == 0 {
			value += ", because it is absent"
		}
		c.fail(l.number, "CC_MODE", value, "not supported (accepted: 3 for HPCC, 10 for HPCC-PINT)")
		return Scenario{}, false
	}
	c.mode = kind
	err := s.Set("profile="+ProfileNS3, "topology={kind: file, path: unset}", "workload=[{kind: file, path: unset}]", "telemetry.kind="+kind)
	if err != nil {
		panic("scenario: the profile ns3-artifact is not valid: " + err.Error())
	}
	s.Topology.Path, s.Workload[0].Path = "", ""
	return s, true
}

var ns3Modes = map[string]string{"1": "DCQCN", "7": "TIMELY", "8": "DCTCP"}

// use applies one key to the scenario.
func (c *ns3Config) use(s *Scenario, k ns3Key) {
	l, ok := c.lines[k.name]
	if ok && l.values == nil {
		return // reported
	}
	if !ok {
		if k.absent == nil {
			return
		}
		l = ns3Line{values: k.absent}
	}
	if k.mode != "" && k.mode != c.mode {
		// It must make sense all the same.
		scratch := s.Clone()
		if k.check(&scratch, l.values, c) == "" && l.number > 0 {
			c.ignore(k.name, l, "mode "+map[string]string{INT: "3 (HPCC)", PINT: "10 (HPCC-PINT)"}[c.mode]+" does not use it")
		}
		return
	}
	if rule := k.check(s, l.values, c); rule != "" {
		value := strings.Join(l.values, " ")
		if l.number == 0 {
			value += " (that simulator's default: the key is absent)"
			if len(l.values) == 0 {
				value = ""
			}
		}
		c.fail(l.number, k.name, value, rule)
		return
	}
	if k.ignored != "" && l.number > 0 {
		c.ignore(k.name, l, k.ignored)
	}
}

func (c *ns3Config) ignore(key string, l ns3Line, reason string) {
	c.ignored = append(c.ignored, Ignored{Key: key, Value: strings.Join(l.values, " "), Line: l.number, Reason: reason})
}

func (c *ns3Config) fail(line int, key, value, rule string) {
	c.problems = append(c.problems, Problem{Source: c.name, Line: line, Key: key, Value: value, Rule: rule})
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

func suggestKey(word string) string {
	names := make([]string, len(ns3Keys))
	for i, k := range ns3Keys {
		names[i] = strings.ToLower(k.name)
	}
	return strings.ToUpper(suggest(word, names))
}

func ns3KeyNamed(name string) (ns3Key, bool) {
	for _, k := range ns3Keys {
		if k.name == name {
			return k, true
		}
	}
	return ns3Key{}, false
}

// ns3Key is what we do with a key that the simulator knows.
type ns3Key struct {
	name    string
	values  int      // number of values; -1 for any
	absent  []string // values if the key is not there; nil: as if it had not been asked for
	mode    string   // telemetry kind of the only mode that uses the key; empty for both
	ignored string   // why it changes nothing; empty if it does
	// check takes the values over and returns the rule that they break, or "".
	check func(s *Scenario, v []string, c *ns3Config) string
}

const (
	dcqcn   = "only DCQCN uses it"
	monitor = "no such file is written"
)

// ns3Keys are all keys of the simulator, in the order in which they are applied.
// Defaults are those of its main program.
var ns3Keys = []ns3Key{
	{name: "CC_MODE", values: 1, check: anything}, // see base
	{name: "TOPOLOGY_FILE", values: 1, absent: []string{}, check: func(s *Scenario, v []string, c *ns3Config) string {
		return inputFile(&s.Topology.Path, v, c)
	}},
	{name: "FLOW_FILE", values: 1, absent: []string{}, check: func(s *Scenario, v []string, c *ns3Config) string {
		return inputFile(&s.Workload[0].Path, v, c)
	}},
	{name: "SIMULATOR_STOP_TIME", values: 1, absent: []string{"3.01"}, check: func(s *Scenario, v []string, _ *ns3Config) string {
		t, err := unit.ParseTime(v[0] + "s")
		if err != nil || t <= 0 {
			return "want a number of seconds above 0"
		}
		s.Run.Until = t
		return ""
	}},
	{name: "PACKET_PAYLOAD_SIZE", values: 1, absent: []string{"1000"}, check: func(s *Scenario, v []string, _ *ns3Config) string {
		return number(v[0], 1, 9000, func(n int64) { s.Transport.Payload = unit.Bytes(n) })
	}},
	{name: "BUFFER_SIZE", values: 1, absent: []string{"16"}, check: func(s *Scenario, v []string, _ *ns3Config) string {
		return number(v[0], 1, 1<<20, func(n int64) { s.Network.Buffer = unit.Bytes(n) * unit.MiB })
	}},
	{name: "ERROR_RATE_PER_LINK", values: 1, absent: []string{"0"}, check: func(_ *Scenario, v []string, _ *ns3Config) string {
		if x, err := strconv.ParseFloat(v[0], 64); err != nil || x != 0 {
			return "want 0: without a retransmission timer a lost last packet is never sent again; use a scenario with network.link_error_rate and transport.timer"
		}
		return ""
	}},
	{name: "RATE_AI", values: 1, absent: []string{""}, check: func(s *Scenario, v []string, _ *ns3Config) string { return dataRate(v[0], &s.CC.RateAI, 0) }},
	{name: "MIN_RATE", values: 1, absent: []string{"100Mb/s"}, check: func(s *Scenario, v []string, _ *ns3Config) string { return dataRate(v[0], &s.CC.MinRate, 1) }},
	{name: "U_TARGET", values: 1, absent: []string{"0.95"}, check: func(s *Scenario, v []string, _ *ns3Config) string {
		return share(v[0], 0, 1, &s.CC.Eta)
	}},
	{name: "MI_THRESH", values: 1, absent: []string{"5"}, check: func(s *Scenario, v []string, _ *ns3Config) string {
		return number(v[0], 0, 1000, func(n int64) { s.CC.MaxStage = int(n) })
	}},
	{name: "GLOBAL_T", values: 1, absent: []string{"1"}, check: func(s *Scenario, v []string, _ *ns3Config) string {
		return onOff(v[0], func(on bool) {
			if !on {
				s.CC.RTT = "path"
			}
		})
	}},
	{name: "RATE_BOUND", values: 1, absent: []string{"1"}, check: func(s *Scenario, v []string, _ *ns3Config) string {
		return onOff(v[0], func(on bool) { s.Transport.Pacing = on })
	}},
	{name: "INT_MULTI", values: 1, absent: []string{"1"}, mode: INT, check: func(s *Scenario, v []string, _ *ns3Config) string {
		return number(v[0], 1, 1<<20, func(n int64) {
			s.Telemetry.ByteUnit, s.Telemetry.QueueUnit = unit.Bytes(128*n), unit.Bytes(80*n)
		})
	}},
	{name: "PINT_LOG_BASE", values: 1, absent: []string{"1.05"}, mode: PINT, check: func(s *Scenario, v []string, _ *ns3Config) string {
		x, err := strconv.ParseFloat(v[0], 64)
		if err != nil || !(x >= 1.05 && x <= 4) {
			return "want a number between 1.05 and 4 (smaller bases need more than 8 bits)"
		}
		s.Telemetry.Base = x
		return ""
	}},
	{name: "PINT_PROB", values: 1, absent: []string{"1"}, mode: PINT, check: func(s *Scenario, v []string, _ *ns3Config) string {
		return share(v[0], 1.0/65536, 1, &s.Telemetry.P)
	}},

	{name: "HAS_WIN", values: 1, absent: []string{"1"}, check: only("1", "flows without a window are not supported")},
	{name: "VAR_WIN", values: 1, absent: []string{"0"}, check: only("1", "a window that does not follow the rate is not supported")},
	{name: "FAST_REACT", values: 1, absent: []string{"1"}, check: only("1", "a reaction once per round trip only is not supported")},
	{name: "MULTI_RATE", values: 1, absent: []string{"1"}, mode: INT, check: only("0", "a rate for each hop is not supported")},
	{name: "SAMPLE_FEEDBACK", values: 1, absent: []string{"0"}, check: only("0", "sampling feedback by queue length is not supported")},
	{name: "USE_DYNAMIC_PFC_THRESHOLD", values: 1, absent: []string{"1"}, check: only("1", "that simulator's static thresholds are not supported")},
	{name: "L2_BACK_TO_ZERO", values: 1, absent: []string{"0"}, check: only("0", "going back to the beginning of a chunk is not supported")},
	{name: "L2_ACK_INTERVAL", values: 1, absent: []string{"0"}, check: func(_ *Scenario, v []string, _ *ns3Config) string {
		if v[0] != "0" && v[0] != "1" {
			return "want 0 or 1: only an ACK for each packet is supported"
		}
		return ""
	}},
	{name: "ACK_HIGH_PRIO", values: 1, absent: []string{"0"}, check: only("0", "ACKs in a class of their own are not supported")},
	{name: "LINK_DOWN", values: 3, absent: []string{"0", "0", "0"}, check: func(_ *Scenario, v []string, _ *ns3Config) string {
		if !slices.Equal(v, []string{"0", "0", "0"}) {
			return "want 0 0 0: link failures are not supported here; use a scenario with faults"
		}
		return ""
	}},
	{name: "ENABLE_TRACE", values: 1, check: only("0", "packet traces are not supported")},
	{name: "QLEN_MON_START", values: 1, ignored: "queue lengths are not monitored", check: wholeNumber},
	{name: "QLEN_MON_END", values: 1, ignored: "queue lengths are not monitored", check: func(s *Scenario, v []string, c *ns3Config) string {
		start := ns3Line{values: []string{"2000000000"}}
		if l, ok := c.lines["QLEN_MON_START"]; ok {
			start = l
		}
		return number(v[0], 0, 1<<62, func(int64) {}) + monitorWindow(first(start.values), v[0])
	}},

	{name: "QLEN_MON_FILE", values: 1, ignored: monitor, check: anything},
	{name: "TRACE_FILE", values: 1, ignored: "ENABLE_TRACE is 0", check: anything},
	{name: "TRACE_OUTPUT_FILE", values: 1, ignored: "ENABLE_TRACE is 0", check: anything},
	{name: "FCT_OUTPUT_FILE", values: 1, ignored: "results go to the run directory, as fct.txt", check: anything},
	{name: "PFC_OUTPUT_FILE", values: 1, ignored: monitor, check: anything},
	{name: "ENABLE_QCN", values: 1, ignored: "HPCC does not react to marks", check: boolean},
	{name: "KMAX_MAP", values: -1, ignored: "HPCC does not react to marks", check: rateMap},
	{name: "KMIN_MAP", values: -1, ignored: "HPCC does not react to marks", check: rateMap},
	{name: "PMAX_MAP", values: -1, ignored: "HPCC does not react to marks", check: rateMap},
	{name: "PAUSE_TIME", values: 1, ignored: "pauses last until they are taken back", check: decimal},
	{name: "DATA_RATE", values: 1, ignored: "the topology file has the rates", check: anything},
	{name: "LINK_DELAY", values: 1, ignored: "the topology file has the delays", check: anything},
	{name: "L2_CHUNK_SIZE", values: 1, ignored: "every packet is acknowledged", check: wholeNumber},
	{name: "ALPHA_RESUME_INTERVAL", values: 1, ignored: dcqcn, check: decimal},
	{name: "RATE_DECREASE_INTERVAL", values: 1, ignored: dcqcn, check: decimal},
	{name: "CLAMP_TARGET_RATE", values: 1, ignored: dcqcn, check: boolean},
	{name: "RP_TIMER", values: 1, ignored: dcqcn, check: decimal},
	{name: "EWMA_GAIN", values: 1, ignored: dcqcn, check: decimal},
	{name: "FAST_RECOVERY_TIMES", values: 1, ignored: dcqcn, check: wholeNumber},
	{name: "RATE_HAI", values: 1, ignored: dcqcn, check: anyRate},
	{name: "DCTCP_RATE_AI", values: 1, ignored: "only DCTCP uses it", check: anyRate},
}

// only accepts one value.
func only(want, otherwise string) func(*Scenario, []string, *ns3Config) string {
	return func(_ *Scenario, v []string, _ *ns3Config) string {
		if v[0] != want {
			return "want " + want + ": " + otherwise
		}
		return ""
	}
}

func anything(*Scenario, []string, *ns3Config) string { return "" }

func wholeNumber(_ *Scenario, v []string, _ *ns3Config) string {
	return number(v[0], 0, 1<<62, func(int64) {})
}

func decimal(_ *Scenario, v []string, _ *ns3Config) string {
	if x, err := strconv.ParseFloat(v[0], 64); err != nil || !(x >= 0 && x < 1e18) {
		return "want a number that is not negative"
	}
	return ""
}

func boolean(_ *Scenario, v []string, _ *ns3Config) string { return onOff(v[0], func(bool) {}) }

func anyRate(_ *Scenario, v []string, _ *ns3Config) string {
	var r unit.Rate
	return dataRate(v[0], &r, 0)
}

func inputFile(path *string, v []string, c *ns3Config) string {
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

// dataRate reads a rate as ns-3 writes it: 50Mb/s, 100Gbps, or bit/s as a bare
// number.
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

// monitorWindow refuses a queue monitor that would have something to do.
func monitorWindow(start, end string) string {
	from, err1 := strconv.ParseUint(start, 10, 63)
	to, err2 := strconv.ParseUint(end, 10, 63)
	if err1 == nil && err2 == nil && to > from {
		return fmt.Sprintf("want at most QLEN_MON_START = %d: queue monitoring is not supported here; use a scenario with run.sampling", from)
	}
	return ""
}

// rateMap checks "n rate value rate value …".
func rateMap(_ *Scenario, v []string, _ *ns3Config) string {
	n, err := strconv.ParseUint(first(v), 10, 16)
	if err != nil || len(v) != 1+2*int(n) {
		return "want a count and as many pairs of a rate in bit/s and a value"
	}
	for i := 1; i < len(v); i += 2 {
		if _, err := strconv.ParseUint(v[i], 10, 63); err != nil {
			return fmt.Sprintf("%q is not a rate in bit/s", v[i])
		}
		if x, err := strconv.ParseFloat(v[i+1], 64); err != nil || !(x >= 0 && x < 1e18) {
			return fmt.Sprintf("%q is not a threshold or probability", v[i+1])
		}
	}
	return ""
}
