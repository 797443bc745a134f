// Package ns3config reads the config.txt of the published HPCC-PINT simulator (ns-3)
// into a scenario of the profile ns3-artifact.
package ns3config

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/spelling"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/workloads"
)

// nameRule matches valid scenario names.
var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Ignored is a key of a config.txt that has no effect. Either the published simulator does not use the key in the
// chosen mode, or the key names a file that is not written.
type Ignored struct {
	Key    string
	Value  string
	Line   int
	Reason string
}

// Load reads the config.txt at path. Relative paths in it are resolved against the directory of config.txt and then
// against the parent directory. Recorded cases keep files that several schemes share in the parent directory
// (CASE/topology.txt, CASE/SCHEME/config.txt). The assignments, in the form of Scenario.Set, change the scenario before
// it is checked.
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

// topologyOf returns the topology parameters of s. In a config.txt, the topology is always a file.
func topologyOf(s *scenario.Scenario) *topo.File { return s.Topology.Params.(*topo.File) }

// flowsOf returns the traffic parameters of s. In a config.txt, the traffic is always a file.
func flowsOf(s *scenario.Scenario) *workloads.FileTraffic {
	return s.Workload[0].Params.(*workloads.FileTraffic)
}

// of returns the parameters as a P if they have this type. Otherwise it returns an unused P. So keys that the mode does
// not use are also checked.
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

// Is reports whether the file at path looks like a config.txt: it begins with a key of the published simulator and a
// space.
func Is(path string) bool {
	text, err := input.ReadFile(path, input.Settings)
	words := strings.Fields(string(text))
	if err != nil || len(words) < 2 {
		return false
	}
	_, known := keyNamed(words[0])
	return known
}

// parse reads the config.txt of the published HPCC-PINT simulator (ns-3) into a scenario of the profile ns3-artifact. A
// line is a key and its values. Missing keys have that simulator's defaults, except that they request no monitor files.
//
// The error is a Problems. It lists unknown keys, malformed values, and congestion controls and requests that are not
// supported, each with its line and with name, the name of the file. resolve returns the path of a file that the
// config.txt names. finish completes and checks the scenario.
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

// mostProblems is the number of problems after which the rest of a file is not read, because such a file is not a
// config.txt.
const mostProblems = 100

func (c *config) read(r io.Reader) error {
	sc, n := bufio.NewScanner(r), 1
	for ; len(c.problems) < mostProblems && sc.Scan(); n++ {
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
			c.fail(n, key, "", fmt.Sprintf("want %s, got %d", number.Count(k.values, "value"), len(words)-1))
			c.lines[key] = line{number: n} // present, but not usable
		default:
			c.lines[key] = line{number: n, values: words[1:]}
		}
	}
	if err := input.LineError(sc.Err(), bufio.MaxScanTokenSize); err != nil {
		return fmt.Errorf("%s:%d: %w", c.name, n, err)
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
	names := lists.Map(Keys, func(k Key) string { return strings.ToLower(k.Name) })
	return strings.ToUpper(spelling.Suggest(word, names))
}

func keyNamed(name string) (Key, bool) {
	for _, k := range Keys {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}
