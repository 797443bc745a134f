package scenario

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/protocols"
	"pintlab/internal/errtest"
	"pintlab/internal/lists"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Every congestion control can replace any other control in a scenario. It brings the transport, marking, trimming and
// telemetry that it needs, and packets keep their size.
func TestEveryControlBringsWhatItNeeds(t *testing.T) {
	for _, from := range protocols.Standard().Controls.Names() {
		for _, text := range []string{
			"cc: {kind: " + from + "}\n",
			"transport: {payload: 4000B}\nnetwork: {balancing: {kind: letflow}}\ncc: {kind: " + from + "}\n",
		} {
			if from == "ndp" || from == "reno" || from == "cubic" { // these set an MTU or traffic classes
				text = "cc: {kind: " + from + "}\n"
			}
			for _, to := range protocols.Standard().Controls.Names() {
				s, _, err := (*Language)(nil).parse([]byte(text), "f", "", nil, "cc.kind="+to)
				if err != nil {
					t.Errorf("%s with cc.kind=%s: %v", text, to, err)
					continue
				}
				again, _, err := (*Language)(nil).parse([]byte(text), "f", "", nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := again.Set("cc.kind=" + to); err != nil {
					t.Errorf("%s, then cc.kind=%s: %v", text, to, err)
				} else if from == "hpcc" {
					if diff := cmp.Diff(s, again); diff != "" {
						t.Errorf("%s, then cc.kind=%s gives something else than both at once:\n%s", text, to, diff)
					}
				}
				if payload := again.Transport.FullPayload(again.Telemetry.Overhead()); from == "hpcc" &&
					payload != s.Transport.FullPayload(s.Telemetry.Overhead()) {
					t.Errorf("%s with cc.kind=%s: payload %v", text, to, payload)
				}
			}
		}
	}
}

// If a key is given together with the control, it keeps its value. If the control cannot work with this value, there is
// an error. If the scenario meets all needs of the control, nothing is added.
func TestBringing(t *testing.T) {
	ndp := []string{"transport.kind=ndp", "network.trimming.enabled=true", "network.pfc.enabled=false",
		"network.scheduling.kind=wrr", "network.scheduling.weights=[7=10]"}
	for _, c := range []struct {
		text string
		set  []string
		want []string // brought
		err  string
	}{
		{"cc: {kind: dcqcn}\n", nil, []string{"network.ecn.enabled=true", "telemetry.kind=none"}, ""},
		{"telemetry: {kind: pint}\n",
			[]string{"cc.kind=dctcp"},
			[]string{"transport.kind=newreno", "transport.segment=payload", "transport.payload=1KB",
				"network.pfc.enabled=false", "network.ecn.enabled=true", "telemetry.kind=none"}, ""},
		{"telemetry: {kind: pint}\n", []string{"cc.kind=powertcp"}, []string{"telemetry.plan=powertcp"}, ""},
		{"telemetry: {kind: pint, plan: powertcp}\ncc: {kind: powertcp}\n", nil, nil, ""},
		{"seed: 3\n", nil, nil, ""},
		{"cc: {kind: dcqcn}\ntelemetry: {kind: bytes, bytes: 8B}\n", nil, []string{"network.ecn.enabled=true"}, ""},
		{"cc: {kind: reno}\ntransport: {kind: sack}\nnetwork: {pfc: {enabled: true}}\n",
			nil, []string{"telemetry.kind=none"}, ""},
		{"seed: 3\n", []string{"cc.kind=reno", "transport.kind=rack", "network.pfc.enabled=true"},
			[]string{"telemetry.kind=none"}, ""},
		{"seed: 3\n", []string{"cc.kind=ndp"},
			slices.Concat(ndp, []string{"network.balancing.kind=permute", "telemetry.kind=none"}), ""},
		{"cc: {kind: ndp}\nnetwork: {balancing: {kind: spray}}\n",
			nil, slices.Concat(ndp, []string{"telemetry.kind=none"}), ""},
		{"cc: {kind: ndp}\nnetwork: {balancing: {kind: ecmp}}\n",
			nil, slices.Concat(ndp, []string{"telemetry.kind=none"}), ""},
		{"cc: {kind: ndp}\ntelemetry: {kind: pint, plan: combined}\n", nil, ndp, ""},
		{"network: {balancing: {kind: permute}}\ntransport: {kind: irn}\ntelemetry: {kind: none}\ncc: {kind: " +
			"dctcp}\n", []string{"cc.kind=hpcc"}, []string{"network.balancing.kind=ecmp",
			"telemetry.kind=int"}, ""},
		{"cc: {kind: ndp}\nnetwork: {balancing: {kind: permute}}\n",
			[]string{"cc.kind=fixed", "transport.kind=irn"}, []string{"telemetry.kind=none"}, ""},
		{"cc: {kind: dctcp}\ntelemetry: {hops: 9}\n", nil, nil, "f:2:19: telemetry.hops: …"},
		{"seed: 3\n", []string{"cc.kind=dctcp", "telemetry.hops=9"}, nil,
			"--set telemetry.hops=9: telemetry.hops: …"},
		{"cc: {kind: dcqcn}\nnetwork: {ecn: {enabled: false}}\n", nil, nil,
			"f:2:26: network.ecn.enabled: false: want true …"},
		{"seed: 3\n", []string{"cc.kind=dcqcn", "network.ecn.enabled=false"}, nil,
			"--set network.ecn.enabled=false: network.ecn.enabled: false: want true …"},
	} {
		s, brought, err := (*Language)(nil).parse([]byte(c.text), "f", "", nil, c.set...)
		if c.err != "" {
			if !errtest.Says(err, c.err) {
				t.Errorf("%s, %q: %v, want %s", c.text, c.set, err, c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(brought, c.want) {
			t.Errorf("%s, %q: brings %q, %v; want %q", c.text, c.set, brought, err, c.want)
		}
		if _, brought, err := (*Language)(nil).parse(s.YAML(), "f", "", nil); err != nil || brought != nil {
			t.Errorf("%s, %q: what results brings %q, %v", c.text, c.set, brought, err)
		}
		// Another change does not replace values that were given, or values that the control has brought.
		changed, err := s.With("seed=4")
		if s.Seed = 4; err != nil || !bytes.Equal(changed.YAML(), s.YAML()) {
			t.Errorf("%s, %q: with another seed it is\n%s, %v; want\n%s", c.text, c.set, changed.YAML(), err, s.YAML())
		}
	}
}

// If a key is given together with the control, it keeps its value, although the control's transport has another default
// for the key. If the key is given in a text that chooses another control, it takes that default.
func TestGivenKeysKeepTheirValues(t *testing.T) {
	for _, c := range []struct {
		text string
		set  []string
		want unit.Bytes // transport.header
	}{
		{"cc: {kind: dctcp}\n", nil, 54},
		{"cc: {kind: dctcp}\ntransport: {header: 99B}\n", nil, 99},
		{"extends: fat320-web\ncc: {kind: dctcp}\ntransport: {header: 99B}\n", nil, 99},
		{"extends: fat320-web\n", []string{"cc.kind=dctcp", "transport.header=99B"}, 99},
		{"extends: fat320-web\n", []string{"transport={header: 99B}", "cc.kind=dctcp"}, 99},
		{"cc: {kind: hpcc}\ntransport: {header: 99B}\n", []string{"cc.kind=dctcp"}, 54},
	} {
		s, _, err := (*Language)(nil).parse([]byte(c.text), "f", "", nil, c.set...)
		if err != nil || s.Transport.Header != c.want {
			t.Errorf("%s, %q: header %v, %v; want %v", c.text, c.set, s.Transport.Header, err, c.want)
		}
	}
}

// A key may depend on a setting that only the control brings, in the text and in assignments. Without the control the
// key has no effect, which is an error.
func TestKeysOfWhatAControlBrings(t *testing.T) {
	const key, rule = "network.ecn.kmin", "has no effect (only with network.ecn.enabled = true)"
	for _, c := range []struct {
		text string
		set  []string
		want unit.Bytes // network.ecn.kmin; 0 for an error
	}{
		{"cc: {kind: dctcp}\nnetwork: {ecn: {kmin: 10KB}}\n", nil, 10_000},
		{"network: {ecn: {kmin: 10KB}}\n", []string{"cc.kind=dctcp"}, 10_000},
		{"seed: 2\n", []string{key + "=10KB", "cc.kind=dctcp"}, 10_000},
		{"network: {ecn: {kmin: 10KB}}\n", []string{"cc.kind=dctcp", key + "=20KB"}, 20_000},
		{"seed: 2\n", []string{"network.ecn={kmin: 10KB}", "cc.kind=dctcp"}, 10_000},
		{"network: {ecn: {kmin: 10KB}}\n", nil, 0},
		{"seed: 2\n", []string{key + "=10KB"}, 0},
		{"network: {ecn: {kmin: 10KB, enabled: false}}\ncc: {kind: dctcp}\n", nil, 0},
	} {
		s, _, err := (*Language)(nil).parse([]byte(c.text), "f", "", nil, c.set...)
		switch {
		case c.want == 0 && (err == nil || !strings.Contains(err.Error(), rule)):
			t.Errorf("%s, %q: error %v, want %q", c.text, c.set, err, rule)
		case c.want > 0 && (err != nil || s.Network.ECN.KMin != c.want || !s.Network.ECN.Enabled):
			t.Errorf("%s, %q: %+v, %v; want a kmin of %v", c.text, c.set, s.Network.ECN, err, c.want)
		}
	}
	// Another mistake does not change which keys have an effect. A wrong preset, profile, section or control leaves
	// that open.
	for text, want := range map[string]string{
		"cc: {kind: dctcp}\nnetwork: {ecn: {kmin: 10KB}}\nseed: -1\n":                    "seed",
		"cc: {kind: dctcp, fo: 1}\nnetwork: {ecn: {kmin: 10KB}}\n":                       "cc.fo",
		"cc: {kind: dctpc}\nnetwork: {ecn: {kmin: 10KB}}\n":                              "cc.kind",
		"cc: {kind: fixed}\nnetwork: {ecn: {kmin: 10KB}}\nseed: -1\n":                    "network.ecn.kmin seed",
		"cc: {kind: dctcp}\nnetwork: {ecn: {kmin: 10KB}}\nworkload: [{kind: nothing}]\n": "workload.0.kind",
		"cc: dctcp\nnetwork: {ecn: {kmin: 10KB}}\n":                                      "cc",
		// The topology does not matter for the control.
		"topology: {kind: starr}\ncc: {kind: fixed, eta: 0.9}\n": "topology.kind cc.eta",
		"extends: incast17\nnetwork: {ecn: {kmin: 10KB}}\n":      "extends",
		"profile: ns4\nnetwork: {ecn: {kmin: 10KB}}\n":           "profile",
		// NDP turns PFC off, so a key of PFC has no effect.
		"cc: {kind: ndp}\nnetwork: {pfc: {frame: 64B}}\n":           "network.pfc.frame",
		"cc: {kind: ndp}\nnetwork: {pfc: {frame: 64B}}\nseed: -1\n": "network.pfc.frame seed",
		// No key of trimming is brought that the scenario turns off.
		"cc: {kind: uet}\nnetwork: {trimming: {enabled: false}}\n": "network.trimming.enabled",
	} {
		_, err := Parse([]byte(text), "f")
		var all Problems
		errors.As(err, &all)
		keys := lists.Map(all, func(p schema.Problem) string { return p.Key })
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%s: problems of %q, want %q\n%v", text, got, want, err)
		}
	}
	s, err := Parse([]byte("cc: {kind: fixed}\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.With(key+"=10KB", "cc.kind=dctcp"); err != nil || s.Network.ECN.KMin != 10_000 {
		t.Errorf("%+v, %v; want a kmin of 10KB", s.Network.ECN, err)
	}
}
