// Package ns3config reads the config.txt of the published HPCC-PINT simulator (ns-3)
// into a scenario of the profile ns3-artifact.
package ns3config

import (
	"bufio"
	"errors"
	"fmt"
	"io"
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
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
)

// nameRule is what a scenario may be called.
var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Ignored is a key of a config.txt that changes nothing: the published simulator
// does not use it in the chosen mode, or it names a file that is not written.
type Ignored struct {
	Key    string
	Value  string
	Line   int
	Reason string
}

// Load reads the config.txt at path. Relative paths in it are looked up
// beside it and then one directory up, where recorded cases keep what their
// schemes share (CASE/topology.txt, CASE/SCHEME/config.txt).
func Load(path string) (scenario.Scenario, []Ignored, error) {
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
	s, ignored, err := parse(f, path, resolve)
	if err != nil {
		return scenario.Scenario{}, nil, err
	}
	s.Name = configName(dir, shared)
	return s, ignored, nil
}

// hpccOf is the parameters of HPCC, which every supported mode has.
func hpccOf(s *scenario.Scenario) *hpcc.Params { return s.CC.Params.(*hpcc.Params) }

// of is the parameters if they are a P, and else some that nobody reads: keys that a mode
// does not use are checked all the same.
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

// Parse reads the config.txt of the published HPCC-PINT simulator (ns-3)
// into a scenario of the profile ns3-artifact. A line is a key and its values.
// Keys that are not there have that simulator's defaults, but what its monitors
// would write is not asked for by silence.
//
// The error is a Problems: unknown keys, malformed values, congestion controls
// that we do not have, and keys that ask for what we lack, each with its line.
// name is the file, for errors. Paths stay as they are.
func Parse(r io.Reader, name string) (scenario.Scenario, []Ignored, error) {
	return parse(r, name, func(p string) string { return p })
}

func parse(r io.Reader, name string, resolve func(string) string) (scenario.Scenario, []Ignored, error) {
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
		errors.As(s.Validate(), &problems)
		for _, p := range problems {
			p.Source = name
			c.problems = append(c.problems, p)
		}
	}
	slices.SortStableFunc(c.problems, func(a, b schema.Problem) int { return a.Line - b.Line })
	if err := c.problems.Err(); err != nil {
		return scenario.Scenario{}, nil, err
	}
	return s, c.ignored, nil
}

// config is a config.txt while it is being read.
type config struct {
	name     string
	resolve  func(string) string
	lines    map[string]line
	mode     string
	ignored  []Ignored
	problems schema.Problems
}

type line struct {
	number int // 0: the key is absent, values are the simulator's defaults
	values []string
}

func (c *config) read(r io.Reader) error {
	sc := bufio.NewScanner(r)
	for n := 1; sc.Scan(); n++ {
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
			c.lines[key] = line{number: n} // known to be there, not usable
		default:
			c.lines[key] = line{number: n, values: words[1:]}
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// base is the profile with the scheme that CC_MODE asks for.
func (c *config) base() (scenario.Scenario, bool) {
	l, ok := c.lines["CC_MODE"]
	if !ok {
		l = line{values: []string{"1"}} // the simulator's default
	}
	s := scenario.Default()
	kind := map[string]string{"3": "int", "10": "pint"}[first(l.values)]
	if kind == "" {
		value := first(l.values)
		if name, ok := modes[value]; ok {
			value += " (" + name + ")"
		}
		if l.number == 0 {
			value += ", because it is absent"
		}
		c.fail(l.number, "CC_MODE", value, "not supported (accepted: 3 for HPCC, 10 for HPCC-PINT)")
		return scenario.Scenario{}, false
	}
	c.mode = kind
	err := s.Set("profile="+scenario.ProfileNS3, "topology={kind: file, path: unset}", "workload=[{kind: file, path: unset}]", "telemetry.kind="+kind)
	if err != nil {
		panic("scenario: the profile ns3-artifact is not valid: " + err.Error())
	}
	s.Topology.Path, s.Workload[0].Path = "", ""
	return s, true
}

var modes = map[string]string{"1": "DCQCN", "7": "TIMELY", "8": "DCTCP"}

// use applies one key to the scenario.
func (c *config) use(s *scenario.Scenario, k Key) {
	l, ok := c.lines[k.Name]
	if ok && l.values == nil {
		return // reported
	}
	if !ok {
		if k.absent == nil {
			return
		}
		l = line{values: k.absent}
	}
	if k.Mode != "" && k.Mode != c.mode {
		// It must make sense all the same.
		scratch := s.Clone()
		if k.check(&scratch, l.values, c) == "" && l.number > 0 {
			c.ignore(k.Name, l, "mode "+map[string]string{"int": "3 (HPCC)", "pint": "10 (HPCC-PINT)"}[c.mode]+" does not use it")
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

// Key is what we do with a key that the simulator knows.
type Key struct {
	Name    string
	values  int      // number of values; -1 for any
	absent  []string // values if the key is not there; nil: as if it had not been asked for
	Mode    string   // telemetry kind of the only mode that uses the key; empty for both
	Ignored string   // why it changes nothing; empty if it does
	// check takes the values over and returns the rule that they break, or "".
	check func(s *scenario.Scenario, v []string, c *config) string
}

const (
	dcqcn   = "only DCQCN uses it"
	monitor = "no such file is written"
)

// Keys are all keys of the simulator, in the order in which they are applied.
// Defaults are those of its main program.
var Keys = []Key{
	{Name: "CC_MODE", values: 1, check: anything}, // see base
	{Name: "TOPOLOGY_FILE", values: 1, absent: []string{}, check: func(s *scenario.Scenario, v []string, c *config) string {
		return inputFile(&s.Topology.Path, v, c)
	}},
	{Name: "FLOW_FILE", values: 1, absent: []string{}, check: func(s *scenario.Scenario, v []string, c *config) string {
		return inputFile(&s.Workload[0].Path, v, c)
	}},
	{Name: "SIMULATOR_STOP_TIME", values: 1, absent: []string{"3.01"}, check: func(s *scenario.Scenario, v []string, _ *config) string {
		t, err := unit.ParseTime(v[0] + "s")
		if err != nil || t <= 0 {
			return "want a number of seconds above 0"
		}
		s.Run.Until = t
		return ""
	}},
	{Name: "PACKET_PAYLOAD_SIZE", values: 1, absent: []string{"1000"}, check: func(s *scenario.Scenario, v []string, _ *config) string {
		return number(v[0], 1, 9000, func(n int64) { s.Transport.Payload = unit.Bytes(n) })
	}},
	{Name: "BUFFER_SIZE", values: 1, absent: []string{"16"}, check: func(s *scenario.Scenario, v []string, _ *config) string {
		return number(v[0], 1, 1<<20, func(n int64) { s.Network.Buffer = unit.Bytes(n) * unit.MiB })
	}},
	{Name: "ERROR_RATE_PER_LINK", values: 1, absent: []string{"0"}, check: func(_ *scenario.Scenario, v []string, _ *config) string {
		if x, err := strconv.ParseFloat(v[0], 64); err != nil || x != 0 {
			return "want 0: without a retransmission timer a lost last packet is never sent again; use a scenario with network.link_error_rate and transport.timer"
		}
		return ""
	}},
	{Name: "RATE_AI", values: 1, absent: []string{""}, check: func(s *scenario.Scenario, v []string, _ *config) string { return dataRate(v[0], &hpccOf(s).RateAI, 0) }},
	{Name: "MIN_RATE", values: 1, absent: []string{"100Mb/s"}, check: func(s *scenario.Scenario, v []string, _ *config) string { return dataRate(v[0], &hpccOf(s).MinRate, 1) }},
	{Name: "U_TARGET", values: 1, absent: []string{"0.95"}, check: func(s *scenario.Scenario, v []string, _ *config) string {
		return share(v[0], 0, 1, &hpccOf(s).Eta)
	}},
	{Name: "MI_THRESH", values: 1, absent: []string{"5"}, check: func(s *scenario.Scenario, v []string, _ *config) string {
		return number(v[0], 0, 1000, func(n int64) { hpccOf(s).MaxStage = int(n) })
	}},
	{Name: "GLOBAL_T", values: 1, absent: []string{"1"}, check: func(s *scenario.Scenario, v []string, _ *config) string {
		return onOff(v[0], func(on bool) {
			if !on {
				hpccOf(s).RTT = "path"
			}
		})
	}},
	{Name: "RATE_BOUND", values: 1, absent: []string{"1"}, check: func(s *scenario.Scenario, v []string, _ *config) string {
		return onOff(v[0], func(on bool) { s.Transport.Pacing = on })
	}},
	{Name: "INT_MULTI", values: 1, absent: []string{"1"}, Mode: "int", check: func(s *scenario.Scenario, v []string, _ *config) string {
		return number(v[0], 1, 1<<20, func(n int64) {
			p := of[inband.Params](s.Telemetry.Params)
			p.ByteUnit, p.QueueUnit = unit.Bytes(128*n), unit.Bytes(80*n)
		})
	}},
	{Name: "PINT_LOG_BASE", values: 1, absent: []string{"1.05"}, Mode: "pint", check: func(s *scenario.Scenario, v []string, _ *config) string {
		x, err := strconv.ParseFloat(v[0], 64)
		if err != nil || !(x >= 1.05 && x <= 4) {
			return "want a number between 1.05 and 4 (smaller bases need more than 8 bits)"
		}
		of[deploy.Params](s.Telemetry.Params).Base = x
		return ""
	}},
	{Name: "PINT_PROB", values: 1, absent: []string{"1"}, Mode: "pint", check: func(s *scenario.Scenario, v []string, _ *config) string {
		return share(v[0], 1.0/65536, 1, &of[deploy.Params](s.Telemetry.Params).P)
	}},

	{Name: "HAS_WIN", values: 1, absent: []string{"1"}, check: only("1", "flows without a window are not supported")},
	{Name: "VAR_WIN", values: 1, absent: []string{"0"}, check: only("1", "a window that does not follow the rate is not supported")},
	{Name: "FAST_REACT", values: 1, absent: []string{"1"}, check: only("1", "a reaction once per round trip only is not supported")},
	{Name: "MULTI_RATE", values: 1, absent: []string{"1"}, Mode: "int", check: only("0", "a rate for each hop is not supported")},
	{Name: "SAMPLE_FEEDBACK", values: 1, absent: []string{"0"}, check: only("0", "sampling feedback by queue length is not supported")},
	{Name: "USE_DYNAMIC_PFC_THRESHOLD", values: 1, absent: []string{"1"}, check: only("1", "that simulator's static thresholds are not supported")},
	{Name: "L2_BACK_TO_ZERO", values: 1, absent: []string{"0"}, check: only("0", "going back to the beginning of a chunk is not supported")},
	{Name: "L2_ACK_INTERVAL", values: 1, absent: []string{"0"}, check: func(_ *scenario.Scenario, v []string, _ *config) string {
		if v[0] != "0" && v[0] != "1" {
			return "want 0 or 1: only an ACK for each packet is supported"
		}
		return ""
	}},
	{Name: "ACK_HIGH_PRIO", values: 1, absent: []string{"0"}, check: only("0", "ACKs in a class of their own are not supported")},
	{Name: "LINK_DOWN", values: 3, absent: []string{"0", "0", "0"}, check: func(_ *scenario.Scenario, v []string, _ *config) string {
		if !slices.Equal(v, []string{"0", "0", "0"}) {
			return "want 0 0 0: link failures are not supported here; use a scenario with faults"
		}
		return ""
	}},
	{Name: "ENABLE_TRACE", values: 1, check: only("0", "packet traces are not supported")},
	{Name: "QLEN_MON_START", values: 1, Ignored: "queue lengths are not monitored", check: wholeNumber},
	{Name: "QLEN_MON_END", values: 1, Ignored: "queue lengths are not monitored", check: func(s *scenario.Scenario, v []string, c *config) string {
		start := line{values: []string{"2000000000"}}
		if l, ok := c.lines["QLEN_MON_START"]; ok {
			start = l
		}
		return number(v[0], 0, 1<<62, func(int64) {}) + monitorWindow(first(start.values), v[0])
	}},

	{Name: "QLEN_MON_FILE", values: 1, Ignored: monitor, check: anything},
	{Name: "TRACE_FILE", values: 1, Ignored: "ENABLE_TRACE is 0", check: anything},
	{Name: "TRACE_OUTPUT_FILE", values: 1, Ignored: "ENABLE_TRACE is 0", check: anything},
	{Name: "FCT_OUTPUT_FILE", values: 1, Ignored: "results go to the run directory, as fct.txt", check: anything},
	{Name: "PFC_OUTPUT_FILE", values: 1, Ignored: monitor, check: anything},
	{Name: "ENABLE_QCN", values: 1, Ignored: "HPCC does not react to marks", check: boolean},
	{Name: "KMAX_MAP", values: -1, Ignored: "HPCC does not react to marks", check: rateMap},
	{Name: "KMIN_MAP", values: -1, Ignored: "HPCC does not react to marks", check: rateMap},
	{Name: "PMAX_MAP", values: -1, Ignored: "HPCC does not react to marks", check: rateMap},
	{Name: "PAUSE_TIME", values: 1, Ignored: "pauses last until they are taken back", check: decimal},
	{Name: "DATA_RATE", values: 1, Ignored: "the topology file has the rates", check: anything},
	{Name: "LINK_DELAY", values: 1, Ignored: "the topology file has the delays", check: anything},
	{Name: "L2_CHUNK_SIZE", values: 1, Ignored: "every packet is acknowledged", check: wholeNumber},
	{Name: "ALPHA_RESUME_INTERVAL", values: 1, Ignored: dcqcn, check: decimal},
	{Name: "RATE_DECREASE_INTERVAL", values: 1, Ignored: dcqcn, check: decimal},
	{Name: "CLAMP_TARGET_RATE", values: 1, Ignored: dcqcn, check: boolean},
	{Name: "RP_TIMER", values: 1, Ignored: dcqcn, check: decimal},
	{Name: "EWMA_GAIN", values: 1, Ignored: dcqcn, check: decimal},
	{Name: "FAST_RECOVERY_TIMES", values: 1, Ignored: dcqcn, check: wholeNumber},
	{Name: "RATE_HAI", values: 1, Ignored: dcqcn, check: anyRate},
	{Name: "DCTCP_RATE_AI", values: 1, Ignored: "only DCTCP uses it", check: anyRate},
}

// only accepts one value.
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

func decimal(_ *scenario.Scenario, v []string, _ *config) string {
	if x, err := strconv.ParseFloat(v[0], 64); err != nil || !(x >= 0 && x < 1e18) {
		return "want a number that is not negative"
	}
	return ""
}

func boolean(_ *scenario.Scenario, v []string, _ *config) string { return onOff(v[0], func(bool) {}) }

func anyRate(_ *scenario.Scenario, v []string, _ *config) string {
	var r unit.Rate
	return dataRate(v[0], &r, 0)
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
func rateMap(_ *scenario.Scenario, v []string, _ *config) string {
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
