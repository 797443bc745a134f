package sim

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario/ns3config"
	"pintlab/netsim/topo"
)

// shared is the folder of the larger reference runs. If the folder exists, it is next to the checkout.
const shared = "../../../shared/reference/hpcc-pint-ns3"

// packetHops lists the packet-hops of a case. fat320-web of the published simulator has 40.79
// million. By our definition each transmission of a frame by a port counts once, for data,
// acknowledgements and control frames.
var packetHops = map[string]int64{"fat320-web-2ms/hpcc": 40_790_460}

// sameAsPublished checks that every case of the published simulator in a folder results in the same fct.txt, to the
// nanosecond and in the same order of lines.
func sameAsPublished(t *testing.T, folder string) {
	configs, err := filepath.Glob(filepath.Join(folder, "*", "*", "config.txt"))
	if err != nil || len(configs) == 0 {
		t.Fatalf("no cases in %s: %v", folder, err)
	}
	for _, config := range configs {
		dir := filepath.Dir(config)
		name, err := filepath.Rel(folder, dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(filepath.Join(dir, "fct.txt"))
			if err != nil {
				t.Fatal(err)
			}
			sc, _, err := ns3config.Load(config)
			if err != nil {
				t.Fatal(err)
			}
			if file, ok := sc.Topology.Params.(*topo.File); ok {
				if _, err := os.Stat(file.Path); os.IsNotExist(err) {
					// all cases have the same network, and the folder has one copy of it
					file.Path = filepath.Join(folder, "fat320-web-2ms", "topology.txt")
				}
			}
			r, err := Run(context.Background(), sc, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if want, ok := packetHops[filepath.ToSlash(name)]; ok && r.Counters.PacketHops != want {
				t.Errorf("%d packet-hops, want %d", r.Counters.PacketHops, want)
			}
			var got bytes.Buffer
			if err := store.WriteFCT(&got, r.Flows); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("fct.txt differs (-published +ours):\n%s", cmp.Diff(string(want), got.String()))
			}
			// That simulator writes no pfc.txt if a run has no pauses.
			if want, err = os.ReadFile(filepath.Join(dir, "pfc.txt")); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			got.Reset()
			if err := store.WritePFC(&got, r.Frames); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("pfc.txt differs (-published +ours):\n%s", cmp.Diff(string(want), got.String()))
			}
		})
	}
}

func TestSameAsThePublishedSimulatorOnSmallCases(t *testing.T) {
	sameAsPublished(t, filepath.Join("testdata", "ns3"))
	sameAsPublished(t, filepath.Join("testdata", "ns3-controls"))
}

func TestSameAsThePublishedSimulatorOnTheFatTree(t *testing.T) {
	if _, err := os.Stat(shared); err != nil {
		t.Skipf("needs recorded runs of the published simulator next to the checkout, "+
			"as ../shared/reference/hpcc-pint-ns3/CASE/{topology.txt,flow.txt} and CASE/SCHEME/{config.txt,fct.txt} "+
			"(docs/trust.md): %v", err)
	}
	if testing.Short() {
		t.Skip("simulates for half a minute; needs go test without -short")
	}
	sameAsPublished(t, shared)
}
