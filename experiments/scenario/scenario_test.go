package scenario

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/hpcc"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

func TestDefault(t *testing.T) {
	s := Default()
	if err := s.Validate(); err != nil {
		t.Fatalf("the default is not valid:\n%v", err)
	}
	// The values come from PINT §6.1, and the header sizes come from the published runs.
	if n, ok := s.Topology.Params.(*topo.PINTFatTree); !ok ||
		*n != (topo.PINTFatTree{HostRate: 100 * unit.Gbps, FabricRate: 400 * unit.Gbps, Delay: unit.Microsecond}) {
		t.Errorf("topology %+v", s.Topology)
	}
	if cc, ok := s.CC.Params.(*hpcc.Params); !ok ||
		*cc != (hpcc.Params{Form: "window", Eta: 0.95, RTT: "given", WAI: cc.WAI, T: cc.T, Records: "hop",
			Carrier: "data", Computed: "sender", Pooling: transport.Pooling{Feedback: "newest"}}) ||
		!schema.IsAuto(cc.WAI) || !schema.IsAuto(cc.T) {
		t.Errorf("cc %+v", s.CC)
	}
	if s.Network.Buffer != 32*unit.MB || s.Telemetry.Overhead() != 42 || s.Transport.Header != 48 ||
		s.Transport.Payload != 1000 {
		t.Errorf("buffer %v, telemetry %v, header %v, payload %v",
			s.Network.Buffer, s.Telemetry.Overhead(), s.Transport.Header, s.Transport.Payload)
	}
}

func TestPresets(t *testing.T) {
	for _, name := range Presets() {
		s, err := Open(name)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if s.Name != name {
			t.Errorf("preset %s calls itself %s", name, s.Name)
		}
		if title, _ := PresetTitle(name); title == "" {
			t.Errorf("preset %s has no title", name)
		}
	}
	for _, want := range []string{"fat320-web", "fat320-hadoop", "fat320-web-pint", "fat320-hadoop-reno",
		"perm128", "incast16", "fig1", "fig7", "two-flows", "solo", "staircase"} {
		if _, err := PresetYAML(want); err != nil {
			t.Error(err)
		}
	}
}

// The telemetry overheads must be as in PINT §2, and the packet sizes as in its runs.
func TestOverhead(t *testing.T) {
	tests := []struct {
		set  []string
		want unit.Bytes
	}{
		{[]string{"telemetry.kind=none", "cc.kind=fixed"}, 0},
		{nil, 42},
		{[]string{"telemetry.format=standard", "telemetry.values=3"}, 68},
		{[]string{"telemetry.format=standard", "telemetry.values=5"}, 108},
		{[]string{"telemetry.kind=pint"}, 1},
		{[]string{"telemetry.kind=bytes", "telemetry.bytes=77B", "cc.kind=fixed"}, 77},
	}
	for _, tt := range tests {
		s, err := Default().With(tt.set...)
		if err != nil {
			t.Error(err)
		} else if got := s.Telemetry.Overhead(); got != tt.want {
			t.Errorf("%v costs %d B, want %d", tt.set, got, tt.want)
		}
	}
}

// If the MTU is fixed at 1500 B, 48 B of telemetry leave 1500 - 40 - 48 bytes of payload.
func TestFullPayload(t *testing.T) {
	s, err := Open("fig1")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Transport.FullPayload(s.Telemetry.Overhead()); got != 1412 {
		t.Errorf("payload %d, want 1412", got)
	}
	if got := Default().Transport.FullPayload(42); got != 1000 {
		t.Errorf("payload %d, want 1000", got)
	}
}

func TestRoundTrip(t *testing.T) {
	scenarios := map[string]Scenario{"default": Default()}
	for _, name := range Presets() {
		s, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		scenarios[name] = s
		if s, err = s.With("profile=ns3-artifact"); err == nil {
			scenarios[name+"+ns3"] = s
		} else if s.CC.Kind == "hpcc" {
			t.Errorf("%s with the profile ns3-artifact: %v", name, err)
		}
	}
	odd, err := Default().With("name=null", "topology.kind=file",
		"topology.path=a \"b\"\\ #c: 日本.txt", "network.port_limit=1MB",
		"faults=[{kind: link-down, a: 1, b: 2, at: 1ms, until: 2ms}, {kind: host-pause, host: 3, at: 5us}]",
		"run.outputs=[]")
	if err != nil {
		t.Fatal(err)
	}
	scenarios["odd"] = odd
	steady, err := Default().With("workload.0.under_way=steady", "run.keep_load=never", "run.cut_off=projected")
	if err != nil {
		t.Fatal(err)
	}
	scenarios["steady"] = steady
	for name, s := range scenarios {
		text := s.YAML()
		got, err := Parse(text, "round-trip")
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
			continue
		}
		if diff := cmp.Diff(s, got); diff != "" {
			t.Errorf("%s changes through YAML:\n%s", name, diff)
		}
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back Scenario
		if err := json.Unmarshal(data, &back); err != nil {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
		if diff := cmp.Diff(s, back); diff != "" {
			t.Errorf("%s changes through JSON:\n%s", name, diff)
		}
	}
}

func TestLoadResolvesPaths(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.yaml")
	text := "topology: {kind: file, path: net/topology.txt}\nworkload: [{kind: file, path: /abs/flow.txt}]\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, "net/topology.txt")
	if path, _ := s.Topology.FromFile(); path != want {
		t.Errorf("topology.path = %s, want %s", path, want)
	}
	if path, _ := s.Workload[0].FromFile(); path != "/abs/flow.txt" {
		t.Errorf("workload.0.path = %s", path)
	}
}

func TestCloneSharesNothing(t *testing.T) {
	s, err := Open("two-flows")
	if err != nil {
		t.Fatal(err)
	}
	s.Faults = []Fault{{Kind: HostPause}}
	c := s.Clone()
	c.Workload[0].Params.(*workloads.ListTraffic).Flows[0].Size, c.Faults[0].Host, c.Run.Outputs[0] = 1, 7, "x"
	if s.Workload[0].Params.(*workloads.ListTraffic).Flows[0].Size == 1 || s.Faults[0].Host == 7 ||
		s.Run.Outputs[0] == "x" {
		t.Error("a change of the clone changed the original")
	}
}
