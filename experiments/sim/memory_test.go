package sim

import (
	"context"
	"runtime"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// 16 256 flows of one packet each, all in progress after 2 us, use at most as much memory as estimated, and not much
// less. The same is true of flows of ten packets.
func TestMemoryIsWhatWasEstimated(t *testing.T) {
	for _, size := range []string{"1B", "10KB"} {
		sc, err := scenario.Parse(
			[]byte("topology: {kind: fattree, k: 8}\nworkload: [{kind: alltoall, size: "+size+"}]\n"), "test")
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.GC() // empties the pools that earlier tests have filled
		runtime.ReadMemStats(&before)
		s, err := Build(sc, Options{}, func(*transport.Record) {})
		if err != nil {
			t.Fatal(err)
		}
		until := 2 * unit.Microsecond
		if size == "10KB" {
			until = 15 * unit.Microsecond // until each flow has had its turn
		}
		s.Engine.RunSome(until, 1<<40)
		runtime.GC()
		runtime.ReadMemStats(&after)
		held, need := int64(after.HeapAlloc-before.HeapAlloc), s.memory()
		if s.Stack.Active() < int(s.together)*9/10 {
			t.Errorf("%s: %d of %d flows are under way", size, s.Stack.Active(), s.together)
		}
		t.Logf("%s: %d flows hold %d bytes, the estimate is %d", size, s.together, held, need)
		if held > need || 2*held < need {
			t.Errorf("%s: %d flows hold %d bytes, the estimate is %d", size, s.together, held, need)
		}
		runtime.KeepAlive(s)
	}
}

// A network with more hosts than fct.txt has addresses is refused before the simulation, not when the file is written.
func TestHostsBeyondFCT(t *testing.T) {
	sc, err := scenario.Open("fat320-web", "topology={kind: fattree, k: 66}")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Need(context.Background(), sc); !errtest.Says(err, "run.outputs…fct.txt…65535…71873…") {
		t.Errorf("the error is %v", err)
	}
}
