package job

import (
	"fmt"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/topo"
	"pintlab/workloads"
)

// A placement by rails fills the first rail of all servers, and then the second rail, even if there are fewer ranks
// than hosts.
func TestPlacementByRails(t *testing.T) {
	var s workloads.Setting
	for i := range 18 {
		s.Hosts = append(s.Hosts, workloads.Host{Node: topo.NodeID(i)})
	}
	p := Placement{Placement: "rail", Rails: 4}
	for _, x := range []struct {
		first, ranks int
		want         string
	}{
		{0, 4, "[0 4 8 12]"},
		{0, 6, "[0 4 8 12 1 5]"},
		{8, 8, "[8 12 9 13 10 14 11 15]"},
	} {
		p.First = x.first
		list, err := p.on(&s, x.ranks)
		if err != nil || fmt.Sprint(list) != x.want {
			t.Errorf("%d ranks from %d on are on %v, %v, want %s", x.ranks, x.first, list, err, x.want)
		}
	}
	p.First = 0
	if _, err := p.on(&s, 17); !errtest.Says(err,
		"placement = rail: 17 ranks, want at most the 16 hosts from first = 0 on that are in whole servers of rails "+
			"= 4") {
		t.Error(err)
	}
}
