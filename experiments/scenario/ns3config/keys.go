package ns3config

import (
	"slices"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/hpcc"
	inband "pintlab/int"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
	"pintlab/transport/dcqcn"
)

// Key defines the effect of a key of the published simulator.
type Key struct {
	Name    string
	values  int      // number of values; -1 for any
	absent  []string // values if the key is absent; nil if an absent key has no effect
	Modes   string   // values of CC_MODE with which the key is used; empty for all
	Ignored string   // why the key has no effect; "" if it has one
	// returns the rule that values break if the mode does not use the key; nil accepts any values
	syntax func(v []string) string
	// check applies the values.
	check check
}

// A check applies the values of a key and returns the rule that they break, or "".
type check func(s *scenario.Scenario, v []string, c *config) string

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

// Keys lists all keys of the simulator in the order in which they are applied, with the defaults of its
// main program.
var Keys = []Key{
	{Name: "CC_MODE", values: 1, check: anything}, // see base
	{Name: "TOPOLOGY_FILE", values: 1, absent: []string{},
		check: inputFile(func(s *scenario.Scenario) *string { return &topologyOf(s).Path })},
	{Name: "FLOW_FILE", values: 1, absent: []string{},
		check: inputFile(func(s *scenario.Scenario) *string { return &flowsOf(s).Path })},
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
		check: whole(1, 9000, func(s *scenario.Scenario, n int64) { s.Transport.Payload = unit.Bytes(n) })},
	{Name: "BUFFER_SIZE", values: 1, absent: []string{"16"},
		check: whole(1, 1<<20, func(s *scenario.Scenario, n int64) { s.Network.Buffer = unit.Bytes(n) * unit.MiB })},
	{Name: "ERROR_RATE_PER_LINK", values: 1, absent: []string{"0"},
		check: real("want a probability below 1", func(s *scenario.Scenario, x float64) bool {
			s.Network.LinkErrorRate = x
			return x >= 0 && x < 1
		})},
	{Name: "RATE_AI", values: 1, absent: []string{""}, Modes: "1 3 7 10", syntax: anyRate,
		check: controlRate(0, func(t *tuned) *unit.Rate { return t.rateAI })},
	{Name: "RATE_HAI", values: 1, absent: []string{""}, Modes: "1 7", syntax: anyRate,
		check: controlRate(0, func(t *tuned) *unit.Rate { return t.rateHAI })},
	{Name: "DCTCP_RATE_AI", values: 1, absent: []string{"1000Mb/s"}, Modes: "8", syntax: anyRate,
		check: controlRate(0, func(t *tuned) *unit.Rate { return t.rateAI })},
	{Name: "MIN_RATE", values: 1, absent: []string{"100Mb/s"},
		check: controlRate(1, func(t *tuned) *unit.Rate { return t.minRate })},
	{Name: "EWMA_GAIN", values: 1, absent: []string{""}, Modes: onMarks, syntax: decimal,
		check: real("want a number above 0 and below 1", func(s *scenario.Scenario, x float64) bool {
			*tunedOf(s).gain = x
			return x > 0 && x < 1
		})},
	{Name: "ALPHA_RESUME_INTERVAL", values: 1, absent: []string{"55"}, Modes: "1", syntax: decimal,
		check: microseconds(func(p *dcqcn.Params) *unit.Time { return &p.AlphaTimer })},
	{Name: "RATE_DECREASE_INTERVAL", values: 1, absent: []string{"4"}, Modes: "1", syntax: decimal,
		check: microseconds(func(p *dcqcn.Params) *unit.Time { return &p.CutInterval })},
	{Name: "RP_TIMER", values: 1, absent: []string{""}, Modes: "1", syntax: decimal,
		check: microseconds(func(p *dcqcn.Params) *unit.Time { return &p.Timer })},
	{Name: "FAST_RECOVERY_TIMES", values: 1, absent: []string{"5"}, Modes: "1",
		check: whole(0, 1000, func(s *scenario.Scenario, n int64) { of[dcqcn.Params](s.CC.Params).Recovery = int(n) })},
	{Name: "CLAMP_TARGET_RATE", values: 1, absent: []string{"0"}, Modes: "1",
		check: flag(func(s *scenario.Scenario, on bool) { of[dcqcn.Params](s.CC.Params).ClampTarget = on })},
	{Name: "ENABLE_QCN", values: 1, absent: []string{"1"}, Modes: onMarks,
		check: func(_ *scenario.Scenario, v []string, c *config) string {
			return onOff(v[0], func(bool) {}) +
				map[bool]string{true: "want 1: " + modes[c.mode].name + " needs marks"}[v[0] == "0"]
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
		check: share(0, func(s *scenario.Scenario) *float64 { return &of[hpcc.Params](s.CC.Params).Eta })},
	{Name: "MI_THRESH", values: 1, absent: []string{"5"}, Modes: onHPCC,
		check: whole(0, 1000, func(s *scenario.Scenario, n int64) { of[hpcc.Params](s.CC.Params).MaxStage = int(n) })},
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
		check: flag(func(s *scenario.Scenario, on bool) {
			if t := tunedOf(s); !on && (t.window == nil || *t.window != "none") {
				*t.rtt = "path"
			}
		})},
	{Name: "RATE_BOUND", values: 1, absent: []string{"1"},
		check: flag(func(s *scenario.Scenario, on bool) { s.Transport.Pacing = on })},
	{Name: "INT_MULTI", values: 1, absent: []string{"1"}, Modes: "3",
		check: whole(1, 1<<20, func(s *scenario.Scenario, n int64) {
			p := of[inband.Params](s.Telemetry.Params)
			p.ByteUnit, p.QueueUnit = unit.Bytes(128*n), unit.Bytes(80*n)
		})},
	{Name: "PINT_LOG_BASE", values: 1, absent: []string{"1.05"}, Modes: "10",
		check: real("want a number between 1.05 and 4 (smaller bases need more than 8 bits)",
			func(s *scenario.Scenario, x float64) bool {
				of[deploy.Params](s.Telemetry.Params).Base = x
				return x >= 1.05 && x <= 4
			})},
	{Name: "PINT_PROB", values: 1, absent: []string{"1"}, Modes: "10",
		check: share(1.0/65536, func(s *scenario.Scenario) *float64 {
			return &of[deploy.Params](s.Telemetry.Params).P
		})},

	{Name: "FAST_REACT", values: 1, absent: []string{"1"}, Modes: onHPCC,
		check: only("1", "a reaction once per round trip only is not supported")},
	{Name: "MULTI_RATE", values: 1, absent: []string{"1"}, Modes: "3",
		check: only("0", "a rate for each hop is not supported")},
	{Name: "SAMPLE_FEEDBACK", values: 1, absent: []string{"0"},
		check: only("0", "sampling feedback by queue length is not supported")},
	{Name: "USE_DYNAMIC_PFC_THRESHOLD", values: 1, absent: []string{"1"},
		check: only("1", "the static thresholds of that simulator are not supported")},
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
		check: flag(func(s *scenario.Scenario, on bool) { s.Transport.FreeAcks = on })},
	{Name: "LINK_DOWN", values: 3, absent: []string{"0", "0", "0"},
		check: func(s *scenario.Scenario, v []string, _ *config) string {
			var n [3]int64
			for i := range n {
				var ok bool
				if n[i], ok = wholeIn(v[i], 0, 1<<31-1); !ok {
					return "want a time in microseconds (0 means never) and the nodes at both ends of a link"
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
	{Name: "ENABLE_TRACE", values: 1, Ignored: noTrace, check: flag(func(*scenario.Scenario, bool) {})},
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
	{Name: "PAUSE_TIME", values: 1, Ignored: "a pause lasts until a resume frame ends it", check: anyNumber},
	{Name: "DATA_RATE", values: 1, Ignored: "the topology file has the rates", check: anything},
	{Name: "LINK_DELAY", values: 1, Ignored: "the topology file has the delays", check: anything},
	{Name: "L2_CHUNK_SIZE", values: 1, Ignored: "every packet is acknowledged", check: wholeNumber},
}
