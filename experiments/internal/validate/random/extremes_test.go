package random

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pintlab/experiments/protocols"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/hash"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

var everyExtreme = flag.Bool("extremes", false,
	"set every key of a scenario to every extreme in every base, not a sample of them")

// bases are small scenarios that together have every section and kind with numeric keys. Each has a name and its
// changes to the plainest scenario. A kind that runs in the plainest scenario with its defaults needs no entry here.
var bases = append([]base{
	{"plain", ""},
	{"fattree", "topology={kind: fattree, k: 4}"},
	{"leafspine", "topology={kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 2}"},
	{"chain", "topology={kind: chain, hosts_per_switch: 2}"},
	{"tree", "topology={kind: htsim, path: testdata/tree.topo, degraded: 1}"},
	{"oblivious", "transport.kind=irn network.balancing.kind=oblivious"},
	{"bitmap", "transport.kind=irn network.balancing.kind=bitmap"},
	{"reps", "transport.kind=irn network.balancing.kind=reps"},
	{"mixed", "transport.kind=irn network.balancing.kind=mixed"},
	{"map", "topology={kind: file, path: testdata/map.gml, map_hosts: 2, map_host_rate: 10Gbps, map_rate: 10Gbps, " +
		"map_delay: 1us}"},
	{"poisson", "workload=[{kind: poisson, sizes: fixed, size: 2KB, load: 0.3, duration: 10us}]"},
	{"incast", "workload=[{kind: incast, senders: 3, size: 20KB}]"},
	{"permutation", "workload=[{kind: permutation, size: 20KB}]"},
	{"alltoall", "workload=[{kind: alltoall, size: 20KB}]"},
	{"staircase", "workload=[{kind: staircase, stairs: up, senders: 3, size: 20KB, interval: 5us}]"},
	{"staircase down", "workload=[{kind: staircase, senders: 3, interval: 5us}]"},
	{"rail", "topology={kind: rail, servers: 2, rails: 2, spines: 2, degraded: 1}"},
	{"collective", "workload=[{kind: collective, ranks: 3, size: 20KB}]"},
	{"training",
		"workload=[{kind: training, data: 2, tensor: 2, pipeline: 1, microbatches: 1, tensor_size: 2KB, " +
			"data_size: 4KB}]"},
	{"goal", "workload=[{kind: goal, path: ../../../../workloads/job/testdata/pingpong.goal}]"},
	{"chakra", "workload=[{kind: chakra, path: ../../../../workloads/job/testdata/pingpong.0.et}]"},
	{"collective by rails", "workload=[{kind: collective, ranks: 3, size: 20KB, placement: rail, rails: 2}]"},
	{"training by rails",
		"workload=[{kind: training, data: 2, tensor: 2, pipeline: 1, microbatches: 1, tensor_size: 2KB, " +
			"data_size: 4KB, placement: rail, rails: 2}]"},
	{"goal by rails",
		"workload=[{kind: goal, path: ../../../../workloads/job/testdata/pingpong.goal, placement: rail, rails: 2}]"},
	{"chakra, operations",
		"workload=[{kind: chakra, path: ../../../../workloads/job/testdata/operations.0.et, ops_rate: 1e9}]"},
	{"chakra by rails",
		"workload=[{kind: chakra, path: ../../../../workloads/job/testdata/pingpong.0.et, placement: rail, rails: 2}]"},
	{"irn", "transport.kind=irn"},
	{"newreno", "transport.kind=newreno cc.kind=reno"},
	{"rack", "transport.kind=rack cc.kind=cubic"},
	{"hpcc", "cc.kind=hpcc telemetry.kind=int"},
	{"hpcc rate", "cc={kind: hpcc, form: rate} telemetry.kind=int"},
	{"dctcp", "transport.kind=sack cc.kind=dctcp network.ecn.enabled=true"},
	{"dctcp rate", "cc={kind: dctcp, form: rate} network.ecn.enabled=true"},
	{"dcqcn", "cc.kind=dcqcn network.ecn.enabled=true"},
	{"powertcp", "cc.kind=powertcp telemetry.kind=int"},
	{"wire", "cc.kind=hpcc telemetry={kind: int, precision: wire}"},
	{"fridge", "cc={kind: timely, signal: switch} telemetry.kind=rtt"},
	{"md", "cc.kind=hpcc telemetry.kind=md"},
	{"ioam", "cc.kind=hpcc telemetry.kind=ioam"},
	{"ifa", "cc.kind=hpcc telemetry.kind=ifa topology={kind: star, hosts: 4, host_rate: 100Gbps}"},
	{"pint", "cc.kind=hpcc telemetry.kind=pint"},
	{"csig", "cc.kind=hpcc telemetry={kind: csig, signal: alternate}"},
	{"csig abw", "telemetry={kind: csig, signal: abw}"},
	{"csig delay", "cc={kind: swift, signal: hop} telemetry={kind: csig, signal: delay}"},
	{"letflow", "topology={kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 2} network.balancing.kind=letflow"},
	{"postcards", "monitors=[{kind: int, mode: postcard}]"},
	{"captured", "run.capture={enabled: true}"},
	{"lightguardian", "monitors=[{kind: lightguardian, interval: 100us, timeout: 10us, quiet: 10us}]"},
	{"pint monitor", "monitors=[{kind: pint, record: collector}]"},
	{"sketchint", "monitors=[{kind: sketchint, period: 1ms}]"},
	{"lossy", "network.pfc.enabled=false network.buffer=20KB network.ecn.enabled=true network.link_error_rate=0.01"},
	{"link-down", "faults=[{kind: link-down, a: 0, b: 4, at: 5us, until: 40us}]"},
	{"host-pause", "faults=[{kind: host-pause, host: 1, at: 5us, until: 40us}]"},
	{"blackhole-entry", "faults=[{kind: blackhole-entry, switch: 4, dst: 1, share: 0.5, at: 5us, until: 40us}]"},
	{"drop", "faults=[{kind: drop, a: 1, b: 4, probability: 0.1, at: 5us, until: 40us}]"},
	{"jitter", "faults=[{kind: jitter, a: 1, b: 4, rate: 1Gbps, at: 5us, until: 40us}]"},
	{"loop",
		"topology={kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 2} faults=[{kind: loop, a: 4, b: 6, " +
			"at: 5us, until: 40us}]"},
	{"wrong-path",
		"topology={kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 2} faults=[{kind: wrong-path, switch: 4, " +
			"next: 6, dst: 1, at: 5us, until: 40us}]"},
}, receiverDriven("")...)

type base struct{ name, set string }

// receiverDriven returns a base for each receiver-driven control.
func receiverDriven(set string) (list []base) {
	for _, k := range protocols.Standard().Controls.Kinds {
		r, ok := k.New().(transport.Receiving)
		if !ok {
			continue
		}
		b := base{k.Name, set + "transport={kind: " + k.Name + ", ack_class: 7} cc.kind=" + k.Name}
		if r.Receivers().Trimming {
			b.set += " network.trimming={enabled: true, queue: 2} network.pfc.enabled=false " +
				"network.scheduling.kind=strict network.balancing.kind=permute"
		}
		list = append(list, b)
	}
	return list
}

// asTheyAre returns a base for each kind, with the defaults of the kind. These bases contain the keys that no other
// base has.
func asTheyAre() (list []base) {
	for _, c := range []struct {
		kinds schema.Catalogue
		set   string
	}{
		{protocols.Standard().Networks, "topology.kind=%s"}, {protocols.Standard().Traffic, "workload=[{kind: %s}]"},
		{protocols.Standard().Controls, "cc.kind=%s"},
		{protocols.Standard().Telemetry, "telemetry.kind=%s"},
		{protocols.Standard().Balancers, "transport.kind=irn network.balancing.kind=%s"},
		{protocols.Standard().Monitors, "monitors=[{kind: %s}]"},
	} {
		for _, k := range c.kinds.Kinds {
			set := fmt.Sprintf(c.set, k.Name)
			list = append(list, base{set + " as it is", set})
		}
	}
	return list
}

const plainest = `
topology: {kind: star, hosts: 4}
workload: [{kind: list, flows: [{src: 0, dst: 1, size: 20KB}, {src: 2, dst: 1, size: 60KB},
  {src: 3, dst: 0, size: 1B, start: 3us}]}]
cc: {kind: fixed}
telemetry: {kind: none}
run: {until: 20ms, stall: 10ms, wall_limit: 2s}
`

// assignments splits the changes of a base into assignments. A new assignment begins at each word of the form
// KEY=VALUE.
func assignments(set string) (list []string) {
	for _, word := range strings.Fields(set) {
		key, _, ok := strings.Cut(word, "=")
		if ok && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_.0123456789") == "" {
			list = append(list, word)
		} else {
			list[len(list)-1] += " " + word
		}
	}
	return list
}

// A numericKey is a numeric key in a base.
type numericKey struct {
	key    string // full key
	of     string // the key with its section or kind; the same text in all bases that have this key
	field  schema.Field
	enable []string // assignments with which the key has an effect
}

// numbersOf lists the numeric keys of the given section.
func numbersOf(v reflect.Value) []numericKey {
	return slices.DeleteFunc(leaves(v, "", nil), func(n numericKey) bool {
		switch n.field.Type().Kind() {
		case reflect.String, reflect.Bool, reflect.Slice:
			return true
		}
		return false
	})
}

// enabling returns assignments with which a key has an effect.
func enabling(f schema.Field, siblings []schema.Field, prefix string) (list []string) {
	if len(f.When) == 0 {
		return nil
	}
	term, _, _ := strings.Cut(f.When.Describe(""), ", or ")
	for _, test := range strings.Split(term, " and ") {
		key, values, _ := strings.Cut(test, " = ")
		value, _, _ := strings.Cut(values, " or ")
		for _, g := range siblings {
			if g.Key == key {
				list = append(list, enabling(g, siblings, prefix)...)
			}
		}
		list = append(list, prefix+key+"="+value)
	}
	return list
}

// within reports whether a value is within the limits that error messages and docs/reference/scenario show for the
// key.
func within(f schema.Field, value string) bool {
	limits, also, _ := strings.Cut(strings.TrimPrefix(f.Bounds(), schema.Auto+" or "), ", or ")
	if value == also && also != "" {
		return true
	}
	x, ok := read(f.Type(), value)
	if !ok {
		return false
	}
	for _, word := range strings.Split(limits, " and ") {
		op, limit, _ := strings.Cut(word, " ")
		y, _ := read(f.Type(), limit)
		if holds := map[string]bool{"": true, ">": x > y, ">=": x >= y, "<": x < y, "<=": x <= y}[op]; !holds {
			return false
		}
	}
	return f.Type().Kind() != reflect.Float64 || x == 0 || math.Abs(x) >= schema.LeastFloat
}

// read converts a text to a number. It returns false if the text is not a number of the given type.
func read(t reflect.Type, s string) (float64, bool) {
	var x int64
	var err error
	switch reflect.New(t).Interface().(type) {
	case *unit.Time:
		var v unit.Time
		v, err = unit.ParseTime(s)
		x = int64(v)
	case *unit.Rate:
		var v unit.Rate
		v, err = unit.ParseRate(s)
		x = int64(v)
	case *unit.Bytes, *unit.Limit:
		var v unit.Bytes
		v, err = unit.ParseBytes(s)
		x = int64(v)
	case *uint64:
		var v uint64
		v, err = strconv.ParseUint(s, 10, 64)
		return float64(v), err == nil
	case *float64, *scenario.Tolerance:
		v, err := strconv.ParseFloat(s, 64)
		return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
	default:
		x, err = strconv.ParseInt(s, 10, 32)
	}
	return float64(x), err == nil
}

// extremesOf returns values at the limits of a key, values beyond them, and values that are not numbers.
func extremesOf(f schema.Field) []string {
	t := f.Type()
	suffix := map[reflect.Type]string{
		reflect.TypeFor[unit.Time](): "ps", reflect.TypeFor[unit.Rate](): "bps", reflect.TypeFor[unit.Bytes](): "B",
		reflect.TypeFor[unit.Limit](): "B",
	}[t]
	list := []string{"NaN", "-1" + suffix, "0" + suffix, "1" + suffix}
	limits, also, _ := strings.Cut(strings.TrimPrefix(f.Bounds(), schema.Auto+" or "), ", or ")
	if also != "" {
		list = append(list, also)
	}
	if t.Kind() == reflect.Uint64 {
		return append(list, "18446744073709551614", "18446744073709551615", "18446744073709551616")
	}
	if t.Kind() == reflect.Float64 {
		list = append(list, "1e-300", "1e-15", "1e300")
	} else {
		list = append(list, fmt.Sprint(math.MaxInt64)+suffix, "9999999999999999999999"+suffix)
	}
	for _, word := range strings.Split(limits, " and ") {
		_, limit, _ := strings.Cut(word, " ")
		x, ok := read(t, limit)
		if !ok {
			continue
		}
		if t.Kind() == reflect.Float64 {
			for _, y := range []float64{math.Nextafter(x, math.Inf(-1)), x, math.Nextafter(x, math.Inf(1))} {
				list = append(list, strconv.FormatFloat(y, 'g', -1, 64))
			}
			continue
		}
		for _, y := range []int64{int64(x) - 1, int64(x), int64(x) + 1, int64(x) / 1000} {
			list = append(list, fmt.Sprint(y)+suffix)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// For any value of a numeric key, either the scenario is refused with an error that names the key, or the run obeys
// the laws of all runs. A number outside of the limits that the documentation shows is refused.
func TestExtremes(t *testing.T) {
	seen, tried := map[string]bool{}, 0
	var unchecked int
	for i, base := range slices.Concat(bases, asTheyAre()) {
		filling := i >= len(bases)
		plain, err := scenario.Parse([]byte(plainest), "plain")
		if err != nil {
			t.Fatal(err)
		}
		if plain, err = plain.With(assignments(base.set)...); err != nil {
			if !filling {
				t.Fatalf("%s: %v", base.name, err)
			}
			continue
		}
		for _, n := range numbersOf(reflect.ValueOf(plain)) {
			if seen[n.of] && (!*everyExtreme || filling) {
				continue
			}
			sc, err := plain.With(n.enable...)
			if err == nil {
				_, err = sim.Build(sc, sim.Options{}, nil)
			}
			if err != nil {
				continue // another base has it
			}
			seen[n.of] = true
			for _, value := range extremesOf(n.field) {
				inside := within(n.field, value)
				if h := hash.String(n.of + value); inside && !*everyExtreme && h%32 != 0 {
					continue
				}
				tried++
				err := extreme(t.Context(), sc, n.key, value, inside)
				if errors.Is(err, sim.ErrStopped) {
					unchecked++
					if *everyExtreme {
						t.Logf("%s, %s=%s: not checked: %v", base.name, n.key, value, err)
					}
				} else if err != nil {
					t.Errorf("%s, %s, %s=%s: %v", base.name, strings.Join(n.enable, " "), n.key, value, err)
				}
			}
		}
	}
	t.Logf("%d settings of %d keys, of which %d would take more than the time or memory allowed", tried, len(seen),
		unchecked)
	for key := range allNumbers(reflect.TypeFor[scenario.Scenario](), "") {
		// The keys estimate.* are tested in package estimate, because a simulation refuses them.
		if !seen[key] && !strings.HasPrefix(key, "estimate.") {
			t.Errorf("%s: the scenario plainest refuses its kind; give the kind a line in bases of extremes_test.go",
				key)
		}
	}
}

// allNumbers returns all numeric keys that a scenario can have, in the form of numericKey.of.
func allNumbers(t reflect.Type, prefix string) map[string]bool {
	all := map[string]bool{}
	add := func(fields []schema.Field, kind string) {
		for _, f := range fields {
			switch ft := f.Type(); {
			case ft.Kind() == reflect.Struct:
				for key := range allNumbers(ft, prefix+f.Key+".") {
					all[key] = true
				}
			case ft.Kind() == reflect.Slice && ft.Elem().Kind() == reflect.Struct:
				for key := range allNumbers(ft.Elem(), prefix+f.Key+".0.") {
					all[key] = true
				}
			case ft.Kind() != reflect.String && ft.Kind() != reflect.Bool && ft.Kind() != reflect.Slice:
				all[prefix+kind+f.Key] = true
			}
		}
	}
	c, ok := new(scenario.Scenario).Kinds().Catalogues[t]
	if !ok {
		add(schema.Fields(t), "")
	}
	for _, k := range c.Kinds {
		add(schema.Fields(reflect.TypeOf(k.New()).Elem()), "["+k.Name+"]")
	}
	return all
}

// extreme sets a key of a scenario and runs it. inside reports whether the value is within the limits of the key.
func extreme(ctx context.Context, sc scenario.Scenario, key, value string, inside bool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	changed, err := sc.With(key + "=" + value)
	switch {
	case err != nil && !inside && !strings.Contains(err.Error(), value):
		return fmt.Errorf("the error does not name the value: %w", err)
	case err != nil:
		return namesKey(err, key)
	case !inside:
		return errors.New("accepted, but outside of the limits")
	}
	if changed.Run.WallLimit == unit.Never || changed.Run.WallLimit > 2*unit.Second {
		changed.Run.WallLimit = 2 * unit.Second
	}
	r, stall, err := run(sim.WithMemoryLimit(ctx, 2<<30), changed)
	if err != nil && strings.Contains(err.Error(), "--memory-limit") {
		return fmt.Errorf("%w: %w", sim.ErrStopped, err)
	}
	if errors.Is(err, sim.ErrStopped) {
		return err
	}
	if err != nil {
		return namesKey(err, key)
	}
	c := Case{Scenario: changed}
	return errors.Join(c.judge(r, stall), notNegative(reflect.ValueOf(r.Counters), "counters"),
		notNegative(reflect.ValueOf(r.Summary), "summary"))
}

var aKey = regexp.MustCompile(`\b(topology|workload|network|transport|cc|telemetry|monitors|run|faults)\.[a-z0-9_]+`)

// namesKey reports whether an error names a key of the scenario in full, and mentions the key that was set. Keys of
// the network and the size of packets may contradict any other key, so the error for them may name only the other
// key.
func namesKey(err error, key string) error {
	last := key[strings.LastIndexByte(key, '.')+1:]
	if aKey.MatchString(err.Error()) &&
		(strings.Contains(err.Error(), last) || strings.HasPrefix(key, "topology.") || last == "payload") ||
		strings.Contains(err.Error(), key) {
		return nil
	}
	return fmt.Errorf("the error does not name the key: %w", err)
}

// notNegative reports whether no number of a struct is negative.
func notNegative(v reflect.Value, name string) error {
	var errs []error
	for i := range v.NumField() {
		f, at := v.Field(i), name+"."+v.Type().Field(i).Name
		switch {
		case f.CanInt() && f.Int() < 0:
			errs = append(errs, fmt.Errorf("%s = %d", at, f.Int()))
		case f.CanFloat() && !(f.Float() >= 0):
			errs = append(errs, fmt.Errorf("%s = %v", at, f.Float()))
		}
	}
	return errors.Join(errs...)
}

// The effect of a threshold, a memory size, a rate or a load is monotone up to the largest accepted value.
func TestMonotone(t *testing.T) {
	marks := func(r *sim.Result) int64 { return int64(r.Summary.Marks) }
	drops := func(r *sim.Result) int64 { return int64(r.Summary.Drops) }
	losses := func(r *sim.Result) int64 { return int64(r.Summary.LinkLosses) }
	pauses := func(r *sim.Result) int64 { return int64(r.Summary.Pauses) }
	payload := func(r *sim.Result) int64 { return int64(r.Workload.Stats.Bytes) }
	flows := func(r *sim.Result) int64 { return r.Workload.Stats.Flows }
	slowest := func(r *sim.Result) int64 { return int64(r.Ended) }
	const incast = "workload=[{kind: incast, senders: 3, receiver: 0, size: 200KB}] run.stall=never"
	for _, tt := range []struct {
		key, base string
		values    string // ascending
		count     func(*sim.Result) int64
		grows     bool
	}{
		{"network.ecn.kmin", incast + " network.ecn={enabled: true, kmax: 1000GB, at_rate: 1bps}",
			"0B 1KB 1MB 1GB 100GB 1000GB", marks, false},
		{"network.ecn.kmax", incast + " network.ecn={enabled: true, kmin: 0B, pmax: 0.5}",
			"1KB 10KB 1MB 1GB 100GB 999999999999B 1000GB", marks, false},
		{"network.ecn.kmax", incast + " network.ecn={enabled: true, kmin: 0B, pmax: 0.5, at_rate: 1bps}",
			"1B 1KB 1MB 1GB 1000GB", marks, false},
		{"network.ecn.at_rate", incast + " network.ecn={enabled: true, kmin: 10KB, kmax: 40KB}",
			"1bps 1Kbps 1Mbps 1Gbps 100Gbps 1Tbps 10Tbps", marks, true},
		{"network.ecn.pmax", incast + " network.ecn={enabled: true, kmin: 0B}", "0 1e-15 0.01 0.1 0.5 0.9999 1", marks,
			true},
		{"network.buffer", incast + " network.pfc.enabled=false", "2KB 20KB 200KB 2MB 2GB", drops, false},
		{"network.port_limit", incast + " network.pfc.enabled=false", "2KB 20KB 200KB 2MB none", drops, false},
		{"network.pfc.xoff", incast + " network.pfc.threshold=static", "1KB 10KB 100KB 1MB 1GB 1000GB", pauses, false},
		{"network.pfc.reserve", incast + " network.pfc.shift=12", "0B 4KB 64KB 1MB", pauses, false},
		{"network.link_error_rate", incast, "0 1e-15 0.001 0.01 0.1", losses, true},
		{"faults.0.probability", incast + " faults=[{kind: drop, a: 1, b: 4, probability: 0.5, at: 0s}]",
			"1e-15 1e-9 0.01 0.1 0.3", losses, true},
		{"workload.0.size", incast, "1B 1KB 20KB 1MB", payload, true},
		{"workload.0.load", "workload=[{kind: poisson, sizes: fixed, size: 2KB, duration: 20us}]",
			"1e-15 0.01 0.1 0.3 0.6 0.9", flows, true},
		{"workload.0.duration", "workload=[{kind: poisson, sizes: fixed, size: 2KB}]", "1ps 1ns 1us 10us 100us", flows,
			true},
		{"topology.host_rate", incast + " cc.rate=10Tbps run.until=100s", "1Mbps 1Gbps 100Gbps 1Tbps 10Tbps", slowest,
			false},
		{"topology.link_delay", incast + " network.buffer=2GB", "0s 1ns 1us 100us", slowest, true},
		{"cc.rate", incast + " run.until=100s", "1Mbps 1Gbps 100Gbps 1Tbps 10Tbps", slowest, false},
		{"cc.window", incast, "1B 1KB 10KB 100KB 1GB none", slowest, false},
	} {
		var before int64
		for i, value := range strings.Fields(tt.values) {
			sc, err := scenario.Parse([]byte(plainest), "plain")
			if err != nil {
				t.Fatal(err)
			}
			if sc, err = sc.With(append(assignments(tt.base), tt.key+"="+value)...); err != nil {
				t.Fatal(err)
			}
			r, _, err := run(t.Context(), sc)
			if err != nil {
				t.Fatalf("%s=%s: %v", tt.key, value, err)
			}
			now := tt.count(r)
			if i > 0 && (tt.grows && now < before || !tt.grows && now > before) {
				t.Errorf("%s, %s=%s: %d after %d", tt.base, tt.key, value, now, before)
			}
			before = now
		}
	}
}
