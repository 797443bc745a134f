package ns3config

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/hpcc"
	inband "pintlab/int"
	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
	"pintlab/transport/dcqcn"
	"pintlab/transport/dctcp"
	"pintlab/transport/timely"
)

const dcqcnConfig = `TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
CC_MODE 1
RATE_AI 20Mb/s
RATE_HAI 200Mb/s
EWMA_GAIN 0.00390625
RP_TIMER 300.9
KMIN_MAP 2 100000000000 400 400000000000 1600
KMAX_MAP 2 100000000000 1600 400000000000 6400
PMAX_MAP 2 100000000000 0.2 400000000000 0.2
`

const minimalConfig = `TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
CC_MODE 3
RATE_AI 50Mb/s
VAR_WIN 1
MULTI_RATE 0
`

// givenNumber returns the value of a key in a config.txt. It does not use the parser that is tested.
func givenNumber(t *testing.T, config, key string) float64 {
	t.Helper()
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == key {
			x, err := strconv.ParseFloat(words[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
	}
	t.Fatalf("%s: no %s", config, key)
	return 0
}

// The reader accepts every published config.txt, and its result has the meaning that MODEL.md documents.
func TestPublishedConfigs(t *testing.T) {
	const dir = "../../../../shared/reference/hpcc-pint-ns3"
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "config.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("needs settings of recorded runs of the published simulator next to the checkout, " +
			"as ../shared/reference/hpcc-pint-ns3/CASE/SCHEME/config.txt")
	}
	for _, name := range files {
		s, ignored, err := Load(name)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		scheme := filepath.Base(filepath.Dir(name))
		caseDir := filepath.Dir(filepath.Dir(name))
		topology := filepath.Join(caseDir, "topology.txt")
		if _, err := os.Stat(topology); err != nil { // the topology file is next to config.txt instead
			topology = filepath.Join(filepath.Dir(name), "topology.txt")
		}
		if want := topology; topologyOf(&s).Path != want {
			t.Errorf("%s: topology %s, want %s", name, topologyOf(&s).Path, want)
		}
		if want := filepath.Base(caseDir) + "-" + scheme; s.Name != want {
			t.Errorf("%s: name %s, want %s", name, s.Name, want)
		}
		if s.Profile != scenario.ProfileNS3 || !s.Published() ||
			s.Run.Until != unit.Time(math.Round(givenNumber(t, name,
				"SIMULATOR_STOP_TIME")*float64(unit.Second))) ||
			s.Network.Buffer != unit.Bytes(givenNumber(t, name, "BUFFER_SIZE"))*unit.MiB {
			t.Errorf("%s: %+v", name, s)
		}
		windows := map[bool]string{false: "none", true: "scaled"}[strings.HasSuffix(scheme, "_vwin")]
		unused := []string{"TRACE_FILE"}
		switch p := s.CC.Params.(type) {
		case *hpcc.Params:
			unused = append(unused, "EWMA_GAIN", "KMAX_MAP", "RP_TIMER", "RATE_HAI", "DCTCP_RATE_AI")
			if p.Form != "rate" || p.RateAI != 50*unit.Mbps || p.MinRate != unit.Gbps || p.MaxStage != 0 ||
				p.RTT != "max" {
				t.Errorf("%s: %+v", name, p)
			}
		case *dcqcn.Params:
			unused = append(unused, "U_TARGET", "DCTCP_RATE_AI")
			times := map[string][3]unit.Time{
				"dcqcn": {1, 4, 300}, "dcqcn_vwin": {1, 4, 300}, "dcqcn_paper": {50, 50, 55},
				"dcqcn_paper_vwin": {50, 50, 55},
			}[scheme]
			if scheme == "dcqcn_alt" {
				continue
			}
			if p.Variant != "ns3" || p.Window != windows || p.AlphaTimer != times[0]*unit.Microsecond ||
				p.CutInterval != times[1]*unit.Microsecond || p.Timer != times[2]*unit.Microsecond ||
				p.Gain != 1.0/256 || p.Recovery != 1 || p.RateAI != 20*unit.Mbps || p.RateHAI != 200*unit.Mbps ||
				p.ClampTarget {
				t.Errorf("%s: %+v", name, p)
			}
		case *timely.Params:
			unused = append(unused, "KMAX_MAP", "EWMA_GAIN", "U_TARGET")
			if p.Variant != "ns3" || p.Window != windows || p.RateAI != 100*unit.Mbps ||
				p.RateHAI != 500*unit.Mbps || s.Transport.Pacing == (scheme == "timely_noratebound") {
				t.Errorf("%s: %+v", name, p)
			}
		case *dctcp.Params:
			unused = append(unused, "RATE_AI", "RATE_HAI", "RP_TIMER")
			if p.Form != "rate" || p.Gain != 1.0/16 || p.RateAI != 615*unit.Mbps ||
				s.Network.ECN.KMin != 300*unit.KB || s.Network.ECN.KMax != 300*unit.KB ||
				s.Network.ECN.AtRate != 100*unit.Gbps {
				t.Errorf("%s: %+v", name, p)
			}
			if pair := scheme == "dctcp_pairwin"; p.Window != map[bool]string{false: "scaled",
				true: "constant"}[pair] || p.RTT != map[bool]string{false: "max", true: "path"}[pair] {
				t.Errorf("%s: window %s of %s", name, p.Window, p.RTT)
			}
		}
		switch p := s.Telemetry.Params.(type) {
		case *inband.Params:
			if p.Overhead() != 42 || p.ByteUnit != 512 || p.QueueUnit != 320 || p.Precision != "wire" {
				t.Errorf("%s: %+v", name, s.Telemetry)
			}
		case *deploy.Params:
			share := map[string]float64{"pint1": 1, "pint16": 0.0625, "pint256": 0.00390625}[scheme]
			if p.Overhead() != 2 || p.P != share || p.Base != 1.05 || p.SampleAt != "sender" || p.Rounding != "value" {
				t.Errorf("%s: %+v", name, s.Telemetry)
			}
		}
		var keys []string
		for _, i := range ignored {
			keys = append(keys, i.Key)
		}
		for _, key := range unused {
			if !strings.Contains(strings.Join(keys, " "), key) {
				t.Errorf("%s: %s is not said to be ignored: %v", name, key, keys)
			}
		}
	}
}

func TestNS3ConfigBesideTheFile(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"topology.txt", "run/flow.txt"} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o777)
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(dir, "run", "config.txt")
	if err := os.WriteFile(name, []byte(minimalConfig), 0o666); err != nil {
		t.Fatal(err)
	}
	s, _, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	if topologyOf(&s).Path != filepath.Join(dir, "topology.txt") ||
		flowsOf(&s).Path != filepath.Join(dir, "run", "flow.txt") {
		t.Errorf("%s, %s", topologyOf(&s).Path, flowsOf(&s).Path)
	}
}

// Keys that are missing in the file have the simulator's defaults, not the defaults of pintlab.
func TestNS3ConfigDefaults(t *testing.T) {
	s, ignored, err := parseText(strings.NewReader(minimalConfig), "config.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(ignored) != 0 {
		t.Errorf("ignored %v", ignored)
	}
	if s.Network.Buffer != 16*unit.MiB || of[hpcc.Params](s.CC.Params).MaxStage != 5 ||
		of[hpcc.Params](s.CC.Params).MinRate != 100*unit.Mbps ||
		s.Telemetry.Params.(*inband.Params).ByteUnit != 128 || s.Run.Until != 3010*unit.Millisecond {
		t.Errorf("%+v", s)
	}
}

func TestNS3ConfigErrors(t *testing.T) {
	with := func(lines string) string { return minimalConfig + lines }
	tests := []struct{ text, want string }{
		{"CC_MODE 2\n", "c:1: CC_MODE: 2: not supported (accepted: 1 for DCQCN, 3 for HPCC, 7 for TIMELY, " +
			"8 for DCTCP, 10 for HPCC-PINT)"},
		// Without CC_MODE, the control is DCQCN. Its timer and thresholds have no default.
		{
			"TOPOLOGY_FILE t\nFLOW_FILE f\nRATE_AI 20Mb/s\nRATE_HAI 200Mb/s\nEWMA_GAIN 0.1\n" +
				"KMIN_MAP 1 100000000000 400\nPMAX_MAP 1 100000000000 0.2\n",
			"c: RP_TIMER: nothing (that simulator's default: the key is absent): want a number of microseconds " +
				"of at least 1\nc: KMAX_MAP: want a count, then this number of pairs, each a rate in bit/s and a value",
		},
		{dcqcnConfig + "ENABLE_QCN 0\n", "c:11: ENABLE_QCN: 0: want 1: DCQCN needs marks"},
		{dcqcnConfig + "RP_TIMER 0.9\n", "c:11: RP_TIMER: given twice; the first is in line 7"},
		{strings.Replace(dcqcnConfig, "400000000000 6400", "400000000000 1600", 1),
			"c:9: KMAX_MAP: 2 100000000000 1600 400000000000 1600: want thresholds that are proportional to the rates"},
		{strings.Replace(dcqcnConfig, "400000000000 0.2", "400000000000 0.3", 1),
			"c:10: PMAX_MAP: 2 100000000000 0.2 400000000000 0.3: want one probability of at most 1 for all rates"},
		{strings.Replace(minimalConfig, "FLOW_FILE flow.txt\n", "", 1), "c: FLOW_FILE: missing"},
		{strings.Replace(minimalConfig, "VAR_WIN 1\n", "", 1),
			"c: VAR_WIN: 0 (that simulator's default: the key is absent): want 1: a window that does not " +
				"follow the rate is not supported"},
		{with("U_TARGTE 0.9\n"), "c:7: U_TARGTE: the published simulator has no such key; did you mean U_TARGET?"},
		{with("\nCC_MODE 3\n"), "c:8: CC_MODE: given twice; the first is in line 3"},
		{with("U_TARGET\n"), "c:7: U_TARGET: want 1 value, got 0"},
		{with("U_TARGET 1.5\n"), "c:7: U_TARGET: 1.5: want a number above 0 and at most 1"},
		{with("MIN_RATE 1000M\n"), "c:7: MIN_RATE: 1000M: want a rate such as 50Mb/s or 50Mbps"},
		{with("LINK_DOWN 2000 0 -1\n"),
			"c:7: LINK_DOWN: 2000 0 -1: want a time in microseconds (0 means never) and the nodes at both ends of a " +
				"link"},
		{with("ENABLE_TRACE 2\n"), "c:7: ENABLE_TRACE: 2: want 0 or 1"},
		{with("QLEN_MON_END never\n"),
			"c:7: QLEN_MON_END: never: want a whole number between 0 and 4611686018427387904"},
		{with("KMAX_MAP 2 100000000000 1600\n"),
			"c:7: KMAX_MAP: 2 100000000000 1600: want a count, then this number of pairs, each a rate in bit/s and " +
				"a value"},
		{with("HAS_WIN 0\nFAST_REACT 0\n"),
			"c:7: HAS_WIN: 0: want 1: flows without a window are not supported\n" +
				"c:8: FAST_REACT: 0: want 1: a reaction once per round trip only is not supported"},
		{with("ERROR_RATE_PER_LINK 1\n"), "c:7: ERROR_RATE_PER_LINK: 1: want a probability below 1"},
		{with(strings.Repeat(" ", bufio.MaxScanTokenSize)), "c:7: line longer than 65536 bytes"},
	}
	for _, tt := range tests {
		_, _, err := parseText(strings.NewReader(tt.text), "c")
		if !errtest.Says(err, tt.want) {
			t.Errorf("%q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// Keys that only the other mode uses are reported as ignored.
func TestNS3ConfigModes(t *testing.T) {
	text := strings.Replace(minimalConfig, "CC_MODE 3", "CC_MODE 10", 1) + "INT_MULTI 4\nPINT_PROB 0.5\n"
	s, ignored, err := parseText(strings.NewReader(text), "c")
	if err != nil {
		t.Fatal(err)
	}
	if s.Telemetry.Params.(*deploy.Params).P != 0.5 {
		t.Errorf("p = %v", s.Telemetry.Params.(*deploy.Params).P)
	}
	want := "[{MULTI_RATE 0 6 mode 10 (HPCC-PINT) does not use it} {INT_MULTI 4 7 mode 10 (HPCC-PINT) does not use it}]"
	if got := fmt.Sprint(ignored); got != want {
		t.Errorf("ignored %s, want %s", got, want)
	}
}

// In that simulator, the trace and the queue monitor do not change the results. Its published config.txt and its run.py
// request both.
func TestNS3ConfigMonitors(t *testing.T) {
	text := minimalConfig + "ENABLE_TRACE 1\nTRACE_FILE trace.txt\nTRACE_OUTPUT_FILE mix.tr\n" +
		"QLEN_MON_FILE qlen.txt\nQLEN_MON_START 2000000000\nQLEN_MON_END 3000000000\n"
	plain, _, err := parseText(strings.NewReader(minimalConfig), "c")
	if err != nil {
		t.Fatal(err)
	}
	s, ignored, err := parseText(strings.NewReader(text), "c")
	if err != nil || string(s.YAML()) != string(plain.YAML()) {
		t.Errorf("%v, %s", err, s.YAML())
	}
	var got []string
	for _, i := range ignored {
		got = append(got, fmt.Sprint(i.Key, " ", strings.Contains(i.Reason, "mix.tr"), " ",
			strings.Contains(i.Reason, "qlen.txt")))
	}
	want := "ENABLE_TRACE true false, TRACE_FILE true false, TRACE_OUTPUT_FILE true false, " +
		"QLEN_MON_FILE false true, QLEN_MON_START false true, QLEN_MON_END false true"
	if strings.Join(got, ", ") != want {
		t.Errorf("ignored %s, want %s", got, want)
	}
}

// Losses, failing links, pauses and DCQCN's settings become keys of the scenario.
func TestNS3ConfigKeys(t *testing.T) {
	text := dcqcnConfig + "LINK_DOWN 20 8 11\nERROR_RATE_PER_LINK 0.0005\nACK_HIGH_PRIO 1\n" +
		"PFC_OUTPUT_FILE pfc.txt\nHAS_WIN 0\nVAR_WIN 1\nGLOBAL_T 0\n"
	s, _, err := parseText(strings.NewReader(text), "c")
	if err != nil {
		t.Fatal(err)
	}
	p := s.CC.Params.(*dcqcn.Params)
	if p.Timer != 300*unit.Microsecond || p.AlphaTimer != 55*unit.Microsecond ||
		p.CutInterval != 4*unit.Microsecond || p.Recovery != 5 || p.Window != "none" {
		t.Errorf("%+v", p)
	}
	want := scenario.Fault{Kind: scenario.LinkDown, A: 8, B: 11, At: 2*unit.Second + 20*unit.Microsecond,
		Until: unit.Never}
	if len(s.Faults) != 1 || s.Faults[0] != want {
		t.Errorf("faults %+v, want %+v", s.Faults, want)
	}
	e := s.Network.ECN
	if s.Network.LinkErrorRate != 0.0005 || !s.Transport.FreeAcks ||
		!slices.Contains(s.Run.Outputs, scenario.OutputPFC) ||
		e.KMin != 400*unit.KB || e.KMax != 1600*unit.KB || e.PMax != 0.2 || e.AtRate != 100*unit.Gbps {
		t.Errorf("%+v", s)
	}
}

// parseText parses a config.txt whose file names are valid paths.
func parseText(r io.Reader, name string) (scenario.Scenario, []Ignored, error) {
	return parse(r, name, func(path string) string {
		return path
	}, func(s *scenario.Scenario) error { return s.Validate() })
}

func FuzzParse(f *testing.F) {
	f.Add(minimalConfig)
	f.Add("CC_MODE 10\nKMAX_MAP 1 5 6\nLINK_DOWN 1 2 3\n")
	f.Add("CC_MODE\n\nPMAX_MAP -1")
	f.Add("NOT_A_KEY 1\n") // all other keys are checked even if one is unknown
	// This path is not valid UTF-8.
	f.Add("TOPOLOGY_FILE \x91\nFLOW_FILE t\nCC_MODE 3\nRATE_AI 0b/s\nVAR_WIN 1\nMULTI_RATE 0")
	f.Fuzz(func(t *testing.T, text string) {
		s, _, err := parseText(strings.NewReader(text), "config.txt")
		if err != nil {
			return
		}
		if err := s.Validate(); err != nil {
			t.Errorf("accepted, but %v", err)
		}
		if _, err := scenario.Parse(s.YAML(), "again"); err != nil {
			t.Errorf("not readable as YAML: %v", err)
		}
	})
}
