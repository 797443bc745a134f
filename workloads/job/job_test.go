package job

import (
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/topo"
	"pintlab/workloads"
)

// A job that is too large is an error that names a key, and it is found before the job fills the memory.
func TestTooLarge(t *testing.T) {
	var s workloads.Setting
	for i := range 4097 {
		s.Hosts = append(s.Hosts, workloads.Host{Node: topo.NodeID(i)})
	}
	ring := CollectiveTraffic{Operation: "allreduce", Algorithm: "ring", Ranks: 4097, Size: 1, Repeat: 1}
	ring.Placement.Placement = "packed"
	if _, err := ring.Generator(&s); !errtest.Says(err, "ranks: the job has at least … messages and computations, …") {
		t.Error(err)
	}
	pipeline := TrainingTraffic{Data: 1, Tensor: 1, Expert: 1, Pipeline: 4}
	j := newJob("job", "data", make([]topo.NodeID, 4), 0)
	j.most = 3
	for stage := range 4 {
		err := pipeline.work(j, stage, false)
		if stage == 3 != errtest.Says(err, "data: the job has at least 4 messages and computations, want at most 3…") {
			t.Errorf("stage %d: error %v", stage, err)
		}
	}
}
