package scenario

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/netsim/unit"
)

// Every tag can be read, every condition names a key that stands earlier in the
// same section, and every default is accepted by the key's own rules.
func TestSchemaIsSound(t *testing.T) {
	var walk func(rt reflect.Type)
	walk = func(rt reflect.Type) {
		fields := fieldsOf(rt)
		for i, f := range fields {
			for _, c := range append([]condition{f.when}, conditions(f.defaults)...) {
				for _, and := range c {
					for _, test := range and {
						if _, ok := fieldNamed(fields[:i], test.key); !ok {
							t.Errorf("%s.%s depends on %q, which is not an earlier key", rt.Name(), f.key, test.key)
						}
					}
				}
			}
			ft := rt.Field(f.index).Type
			switch {
			case ft.Kind() == reflect.Struct:
				walk(ft)
			case isList(ft):
				walk(ft.Elem())
			default:
				for _, a := range f.defaults {
					for _, word := range strings.Split(a.text, ", ") {
						v := reflect.New(ft).Elem()
						if ft.Kind() == reflect.Slice {
							v.Set(reflect.ValueOf([]string{word}))
						} else if err := setText(v, word); err != nil {
							t.Errorf("%s.%s: default %q: %v", rt.Name(), f.key, word, err)
						}
						if rule := f.check(v); rule != "" {
							t.Errorf("%s.%s: default %q: %s", rt.Name(), f.key, word, rule)
						}
					}
				}
				if len(f.defaults) == 0 && !f.required && !f.file {
					t.Errorf("%s.%s has no default", rt.Name(), f.key)
				}
			}
		}
	}
	walk(reflect.TypeFor[Scenario]())
}

func conditions(alts []alternative) []condition {
	var cs []condition
	for _, a := range alts {
		cs = append(cs, a.when)
	}
	return cs
}

func TestDefault(t *testing.T) {
	s := Default()
	if err := s.Validate(); err != nil {
		t.Fatalf("the default is not valid:\n%v", err)
	}
	// PINT §6.1, and the header sizes of the published runs.
	if s.Topology.Kind != FatTree320 || s.Topology.HostRate != 100*unit.Gbps || s.Topology.FabricRate != 400*unit.Gbps || s.Topology.LinkDelay != unit.Microsecond {
		t.Errorf("topology %+v", s.Topology)
	}
	if s.CC.Kind != HPCC || s.CC.Form != WindowForm || s.CC.Eta != 0.95 || s.CC.MaxStage != 0 || s.CC.WAI != 80 || s.CC.T != 13*unit.Microsecond {
		t.Errorf("cc %+v", s.CC)
	}
	if s.Network.Buffer != 32*unit.MB || s.Telemetry.Overhead() != 42 || s.Transport.Header != 48 || s.Transport.Payload != 1000 {
		t.Errorf("buffer %v, telemetry %v, header %v, payload %v", s.Network.Buffer, s.Telemetry.Overhead(), s.Transport.Header, s.Transport.Payload)
	}
}

func TestPresets(t *testing.T) {
	for _, name := range Presets() {
		s, err := Preset(name)
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
	for _, want := range []string{"fat320-web", "fat320-hadoop", "fat320-web-pint", "fat320-hadoop-reno", "perm128", "incast16", "fig1", "fig7", "two-flows", "solo", "staircase"} {
		if _, err := PresetYAML(want); err != nil {
			t.Error(err)
		}
	}
}

// The telemetry overheads of PINT §2 and the packet sizes of its runs.
func TestOverhead(t *testing.T) {
	tests := []struct {
		t    Telemetry
		want unit.Bytes
	}{
		{Telemetry{Kind: NoTelemetry}, 0},
		{Telemetry{Kind: INT, Format: FormatHPCC, Hops: 5}, 42},
		{Telemetry{Kind: INT, Format: FormatStandard, Values: 1, Hops: 5}, 28},
		{Telemetry{Kind: INT, Format: FormatStandard, Values: 3, Hops: 5}, 68},
		{Telemetry{Kind: INT, Format: FormatStandard, Values: 5, Hops: 5}, 108},
		{Telemetry{Kind: PINT, WireBytes: 1}, 1},
		{Telemetry{Kind: TelemetryBytes, Bytes: 77}, 77},
	}
	for _, tt := range tests {
		if got := tt.t.Overhead(); got != tt.want {
			t.Errorf("%+v costs %d B, want %d", tt.t, got, tt.want)
		}
	}
}

// With the MTU fixed, 48 B of telemetry leave 1500 - 40 - 48 bytes of payload.
func TestFullPayload(t *testing.T) {
	s, err := Preset("fig1")
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
		s, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		scenarios[name] = s
		if s, err = s.With("profile=ns3-artifact"); err == nil {
			scenarios[name+"+ns3"] = s
		} else if s.CC.Kind == HPCC {
			t.Errorf("%s with the profile ns3-artifact: %v", name, err)
		}
	}
	odd, err := Default().With("name=null", "topology.kind=file", "topology.path=a \"b\"\\ #c: 日本.txt", "network.port_limit=1MB",
		"faults=[{kind: link-down, a: 1, b: 2, at: 1ms, until: 2ms}, {kind: host-pause, host: 3, at: 5us}]", "run.outputs=[]")
	if err != nil {
		t.Fatal(err)
	}
	scenarios["odd"] = odd
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
	s, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "net/topology.txt"); s.Topology.Path != want {
		t.Errorf("topology.path = %s, want %s", s.Topology.Path, want)
	}
	if s.Workload[0].Path != "/abs/flow.txt" {
		t.Errorf("workload.0.path = %s", s.Workload[0].Path)
	}
}

func TestCloneSharesNothing(t *testing.T) {
	s, err := Preset("two-flows")
	if err != nil {
		t.Fatal(err)
	}
	s.Faults = []Fault{{Kind: HostPause}}
	c := s.Clone()
	c.Workload[0].List[0].Size, c.Faults[0].Host, c.Run.Outputs[0] = 1, 7, "x"
	if s.Workload[0].List[0].Size == 1 || s.Faults[0].Host == 7 || s.Run.Outputs[0] == "x" {
		t.Error("a change of the clone changed the original")
	}
}
