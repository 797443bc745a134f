package validate

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/results/columns"
	"pintlab/internal/input"
)

// The files of a case.
const (
	commandFile  = "cmd.txt"
	htsimResults = "results.csv"
	summaryFile  = "summary.csv"
	readmeFile   = "README.md"
)

// HTSimCase is a recorded case.
type HTSimCase struct {
	Name, Dir string
	Variants  []htsimVariant
	bands     bands
}

// htsimVariant is a setting that was run with several seeds.
type htsimVariant struct {
	Name     string
	Settings []string // assignments for the scenario
	Recorded []htsimNumbers
	flows    [][2]int64 // flows of the first run: start and completion time in ns, in the order of their starts
	trace    []string   // lines of the trace; read only if each flow is compared to the nanosecond
}

// htsimNumbers has the compared numbers of a run, with times in ns.
type htsimNumbers struct {
	Mean, P95, Max, Last   float64
	Rtx, Trims, Drops, ECN float64
}

// IsHTSim reports whether a directory is a recorded case of uet-htsim or contains such cases.
func IsHTSim(dir string) bool {
	own, _ := filepath.Glob(filepath.Join(dir, commandFile))
	below, _ := filepath.Glob(filepath.Join(dir, "*", commandFile))
	return len(own)+len(below) > 0
}

// FindHTSim reads the cases in a directory. If the directory is itself a case, FindHTSim reads only that case.
func FindHTSim(dir string) ([]HTSimCase, error) {
	list, err := filepath.Glob(filepath.Join(dir, commandFile))
	if err == nil && len(list) == 0 {
		list, err = filepath.Glob(filepath.Join(dir, "*", commandFile))
	}
	if err != nil {
		return nil, err
	}
	var cases []HTSimCase
	var errs []error
	for _, file := range list {
		c, err := readHTSim(filepath.Dir(file))
		cases, errs = append(cases, c), append(errs, err)
	}
	return cases, errors.Join(errs...)
}

// readHTSim reads a case.
func readHTSim(dir string) (HTSimCase, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return HTSimCase{}, err
	}
	c := HTSimCase{Name: filepath.Base(abs), Dir: dir}
	if c.bands, err = readBands(filepath.Join(dir, readmeFile)); err != nil {
		return c, err
	}
	commands, err := input.ReadFile(filepath.Join(dir, commandFile), input.Settings)
	if err != nil {
		return c, err
	}
	for i, line := range strings.Split(strings.TrimSpace(string(commands)), "\n") {
		name, command, ok := strings.Cut(line, ": ")
		set, err := htsimSettings(dir, strings.Fields(command))
		if !ok || err != nil {
			return c, fmt.Errorf("%s:%d: %w", filepath.Join(dir, commandFile), i+1,
				cmp.Or(err, errors.New("want VARIANT: COMMAND")))
		}
		v := htsimVariant{Name: name, Settings: set}
		if c.bands.exact {
			switch text, err := input.ReadFile(filepath.Join(dir, "trace-"+name+".csv"), input.Document); {
			case err == nil:
				v.trace = strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
			case !errors.Is(err, fs.ErrNotExist):
				return c, err
			}
		}
		c.Variants = append(c.Variants, v)
	}
	return c, c.readResults()
}

// htsimRun identifies a recorded run.
type htsimRun struct {
	variant string
	seed    float64
}

// readResults reads the recorded flows and summaries of all runs.
func (c *HTSimCase) readResults() error {
	flows := map[htsimRun][][2]int64{}
	if err := columns.Lines(filepath.Join(c.Dir, htsimResults), func(l *columns.Line) {
		k := htsimRun{l.Text("variant"), l.Number("seed")}
		flows[k] = append(flows[k], [2]int64{int64(l.Number("start_ns")), int64(l.Number("fct_ns"))})
	}); err != nil {
		return err
	}
	err := columns.Lines(filepath.Join(c.Dir, summaryFile), func(l *columns.Line) {
		k := htsimRun{l.Text("variant"), l.Number("seed")}
		i := slices.IndexFunc(c.Variants, func(v htsimVariant) bool { return v.Name == k.variant })
		if i < 0 {
			l.Fail(fmt.Errorf("variant %q is not in %s", k.variant, commandFile))
			return
		}
		v := &c.Variants[i]
		list := flows[k]
		n := numbersOf(list)
		n.Rtx, n.Trims, n.Drops, n.ECN = l.Number("rtx"), l.Number("trims"), l.Number("drops"), l.Number("ecn_marks")
		if len(v.Recorded) == 0 {
			v.flows = list
		}
		v.Recorded = append(v.Recorded, n)
	})
	for _, v := range c.Variants {
		if err == nil && len(v.flows) == 0 {
			err = fmt.Errorf("%s: no recorded run of variant %q", c.Dir, v.Name)
		}
	}
	return err
}

// numbersOf computes the statistics of flows: their start and completion times in ns.
func numbersOf(flows [][2]int64) (n htsimNumbers) {
	slices.SortFunc(flows, func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	var fcts []float64
	for _, f := range flows {
		n.Mean += float64(f[1]) / float64(len(flows))
		n.Last = max(n.Last, float64(f[0]+f[1]))
		fcts = append(fcts, float64(f[1]))
	}
	slices.Sort(fcts)
	if len(fcts) > 0 {
		n.P95, n.Max = fcts[int(math.Ceil(0.95*float64(len(fcts))))-1], fcts[len(fcts)-1]
	}
	return n
}

// htsimSettings translates the options of htsim_uec into settings of a scenario.
func htsimSettings(dir string, words []string) ([]string, error) {
	mtu, payload, queue := 4150, 4086, 0
	var set []string
	add := func(format string, args ...any) { set = append(set, fmt.Sprintf(format, args...)) }
	add("transport.ack_min=64B")
	control, ecn := "nscc", [2]int{}
	for i := 1; i < len(words); i++ {
		option := words[i]
		value := func() (text string, number int) {
			if i++; i < len(words) {
				text = words[i]
				number, _ = strconv.Atoi(text)
			}
			return text, number
		}
		switch option {
		case "-topo":
			text, _ := value()
			add("topology.path=%s", filepath.Join(dir, text))
		case "-tm":
			text, _ := value()
			add("workload.0.path=%s", filepath.Join(dir, text))
		case "-end", "-seed", "-linkspeed": // the hosts' links already have the rate of -linkspeed
			value()
		case "-sender_cc_only":
		case "-receiver_cc_only":
			control = "rccc"
		case "-sender_cc", "-receiver_cc":
			control = "both"
		case "-sender_cc_algo":
			control, _ = value()
		case "-cwnd":
			_, n := value()
			add("cc.initial_window=%d", n)
		case "-load_balancing_algo":
			kind, _ := value()
			if kind == "reps_legacy" {
				kind = "reps"
				add("network.balancing.memory=list")
			}
			set = slices.Insert(set, 0, "network.balancing.kind="+kind)
		case "-mtu":
			_, mtu = value()
			payload = mtu - 64
		case "-q":
			_, queue = value()
		case "-ecn":
			_, ecn[0] = value()
			_, ecn[1] = value()
		case "-failed":
			_, n := value()
			add("topology.degraded=%d", n)
			add("network.trimming.at_rate=%s", "100Gbps")
		case "-disable_trim":
			add("network.trimming.action=drop")
		case "-sleek":
			add("cc.sleek=true")
		case "-sack_threshold":
			_, n := value()
			add("cc.sack_threshold=%dB", n)
		case "-target_q_delay":
			text, _ := value()
			add("cc.target_delay=%sus", text)
		case "-qa_gate":
			_, n := value()
			add("cc.qa_gate=%d", n)
		case "-enable_accurate_base_rtt":
			add("cc.path_base_rtt=true")
		case "-disable_base_rtt_update_on_nack":
			add("cc.nack_base_rtt=false")
		default:
			return nil, fmt.Errorf("option %s of htsim_uec has no counterpart here", option)
		}
	}
	add("cc.control=%s", control)
	if control == "rccc" || control == "both" {
		add("network.ecn.at_hosts=false")
		add("cc.stale_pulls=true")
	}
	add("transport.payload=%dB", payload)
	if queue > 0 {
		add("network.trimming.queue=%d", queue)
		add("network.trimming.header_queue=%d", 2*queue)
	}
	if ecn[1] > 0 {
		add("network.ecn.kmin=%dB", ecn[0]*mtu)
		add("network.ecn.kmax=%dB", ecn[1]*mtu)
	}
	return set, nil
}
