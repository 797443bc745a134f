package ns3config

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	inband "pintlab/int"
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
)

const minimalConfig = `TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
CC_MODE 3
RATE_AI 50Mb/s
VAR_WIN 1
MULTI_RATE 0
`

// missing says that a recorded run needs what is not built: another congestion control
// than HPCC, or a link that fails or loses packets.
func missing(config string) bool {
	scheme := filepath.Base(filepath.Dir(config))
	if scheme != "hpcc" && !strings.HasPrefix(scheme, "pint") {
		return true
	}
	recorded := filepath.Base(filepath.Dir(filepath.Dir(config)))
	return recorded == "leafspine-down" || recorded == "dumbbell-err"
}

// givenNumber is the value of a key in a config.txt, read without the parser under test.
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

// Every published config.txt is read, and means what MODEL.md says of it.
func TestPublishedConfigs(t *testing.T) {
	const dir = "../../../../shared/reference/hpcc-pint-ns3"
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "config.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("needs the runs of the published simulator in %s", dir)
	}
	for _, name := range files {
		s, ignored, err := Load(name)
		if missing(name) {
			// What is not built is refused by name.
			if err == nil || !strings.Contains(err.Error(), "CC_MODE") && !strings.Contains(err.Error(), "LINK_DOWN") && !strings.Contains(err.Error(), "ERROR_RATE") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		scheme := filepath.Base(filepath.Dir(name))
		caseDir := filepath.Dir(filepath.Dir(name))
		if want := filepath.Join(caseDir, "topology.txt"); s.Topology.Path != want {
			t.Errorf("%s: topology %s, want %s", name, s.Topology.Path, want)
		}
		if want := filepath.Base(caseDir) + "-" + scheme; s.Name != want {
			t.Errorf("%s: name %s, want %s", name, s.Name, want)
		}
		if s.Profile != scenario.ProfileNS3 || hpccOf(&s).Form != "rate" || hpccOf(&s).RateAI != 50*unit.Mbps || hpccOf(&s).MinRate != unit.Gbps || hpccOf(&s).MaxStage != 0 || hpccOf(&s).RTT != "max" || s.Run.Until != unit.Time(givenNumber(t, name, "SIMULATOR_STOP_TIME")*float64(unit.Second)) || s.Network.Buffer != unit.Bytes(givenNumber(t, name, "BUFFER_SIZE"))*unit.MiB {
			t.Errorf("%s: %+v", name, s)
		}
		if scheme == "hpcc" {
			if p := s.Telemetry.Params.(*inband.Params); p.Overhead() != 42 || p.ByteUnit != 512 || p.QueueUnit != 320 || p.Precision != "wire" {
				t.Errorf("%s: %+v", name, s.Telemetry)
			}
		} else {
			share := map[string]float64{"pint1": 1, "pint16": 0.0625, "pint256": 0.00390625}[scheme]
			if p := s.Telemetry.Params.(*deploy.Params); p.Overhead() != 2 || p.P != share || p.Base != 1.05 || p.SampleAt != "sender" || p.Rounding != "value" {
				t.Errorf("%s: %+v", name, s.Telemetry)
			}
		}
		var keys []string
		for _, i := range ignored {
			keys = append(keys, i.Key)
		}
		for _, key := range []string{"TRACE_FILE", "EWMA_GAIN", "KMAX_MAP"} {
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
	if s.Topology.Path != filepath.Join(dir, "topology.txt") || s.Workload[0].Path != filepath.Join(dir, "run", "flow.txt") {
		t.Errorf("%s, %s", s.Topology.Path, s.Workload[0].Path)
	}
}

// What is not in the file has the simulator's default, not ours.
func TestNS3ConfigDefaults(t *testing.T) {
	s, ignored, err := Parse(strings.NewReader(minimalConfig), "config.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(ignored) != 0 {
		t.Errorf("ignored %v", ignored)
	}
	if s.Network.Buffer != 16*unit.MiB || hpccOf(&s).MaxStage != 5 || hpccOf(&s).MinRate != 100*unit.Mbps || s.Telemetry.Params.(*inband.Params).ByteUnit != 128 || s.Run.Until != 3010*unit.Millisecond {
		t.Errorf("%+v", s)
	}
}

func TestNS3ConfigErrors(t *testing.T) {
	with := func(lines string) string { return minimalConfig + lines }
	tests := []struct{ text, want string }{
		{"", "c: CC_MODE: 1 (DCQCN), because it is absent: not supported (accepted: 3 for HPCC, 10 for HPCC-PINT)"},
		{"CC_MODE 7\n", "c:1: CC_MODE: 7 (TIMELY): not supported (accepted: 3 for HPCC, 10 for HPCC-PINT)"},
		{strings.Replace(minimalConfig, "FLOW_FILE flow.txt\n", "", 1), "c: FLOW_FILE: missing"},
		{strings.Replace(minimalConfig, "VAR_WIN 1\n", "", 1), "c: VAR_WIN: 0 (that simulator's default: the key is absent): want 1: a window that does not follow the rate is not supported"},
		{with("U_TARGTE 0.9\n"), "c:7: U_TARGTE: the published simulator has no such key; did you mean U_TARGET?"},
		{with("\nCC_MODE 3\n"), "c:8: CC_MODE: given twice; the first is in line 3"},
		{with("U_TARGET\n"), "c:7: U_TARGET: want 1 values, got 0"},
		{with("U_TARGET 1.5\n"), "c:7: U_TARGET: 1.5: want a number above 0 and at most 1"},
		{with("MIN_RATE 1000M\n"), "c:7: MIN_RATE: 1000M: want a rate such as 50Mb/s or 50Mbps"},
		{with("LINK_DOWN 2000 0 1\n"), "c:7: LINK_DOWN: 2000 0 1: want 0 0 0: link failures are not supported here; use a scenario with faults"},
		{with("ENABLE_TRACE 1\n"), "c:7: ENABLE_TRACE: 1: want 0: packet traces are not supported"},
		{with("QLEN_MON_END 3000000000\n"), "c:7: QLEN_MON_END: 3000000000: want at most QLEN_MON_START = 2000000000: queue monitoring is not supported here; use a scenario with run.sampling"},
		{with("KMAX_MAP 2 100000000000 1600\n"), "c:7: KMAX_MAP: 2 100000000000 1600: want a count and as many pairs of a rate in bit/s and a value"},
		{with("HAS_WIN 0\nFAST_REACT 0\n"), "c:7: HAS_WIN: 0: want 1: flows without a window are not supported\nc:8: FAST_REACT: 0: want 1: a reaction once per round trip only is not supported"},
		{with("ERROR_RATE_PER_LINK 0.01\n"), "c:7: ERROR_RATE_PER_LINK: 0.01: want 0: without a retransmission timer a lost last packet is never sent again; use a scenario with network.link_error_rate and transport.timer"},
	}
	for _, tt := range tests {
		_, _, err := Parse(strings.NewReader(tt.text), "c")
		if err == nil || err.Error() != tt.want {
			t.Errorf("%q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// Keys of the other mode are named, not used.
func TestNS3ConfigModes(t *testing.T) {
	text := strings.Replace(minimalConfig, "CC_MODE 3", "CC_MODE 10", 1) + "INT_MULTI 4\nPINT_PROB 0.5\n"
	s, ignored, err := Parse(strings.NewReader(text), "c")
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

func FuzzParse(f *testing.F) {
	f.Add(minimalConfig)
	f.Add("CC_MODE 10\nKMAX_MAP 1 5 6\nLINK_DOWN 1 2 3\n")
	f.Add("CC_MODE\n\nPMAX_MAP -1")
	f.Fuzz(func(t *testing.T, text string) {
		s, _, err := Parse(strings.NewReader(text), "config.txt")
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
