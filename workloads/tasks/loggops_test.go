package tasks_test

import (
	"os"
	"slices"
	"testing"

	"pintlab/netsim/topo"
	"pintlab/workloads/job"
	"pintlab/workloads/tasks"
)

// The default parameters of LogGOPSim, in ns.
const latency, overhead, gap, perByte, rendezvous = 2500, 1500, 1000, 6, 65535

// logGOPS evaluates a GOAL schedule by the rules of LogGOPSim, and returns the end of each rank. It shares only the
// graph with Run, and no code of the network.
func logGOPS(g *tasks.Graph) []int64 {
	type event struct {
		at      int64
		number  int
		task    int32
		message bool
	}
	after := map[[2]int32][]int32{} // by task and event
	left := make([]int, len(g.Tasks))
	g.EachWait(func(task, from int32, e tasks.Event) {
		after[[2]int32{from, int32(e)}] = append(after[[2]int32{from, int32(e)}], task)
		left[task]++
	})
	n := len(g.Hosts)
	// cpu is LogGOPSim's nexto, by rank and core. A receive has no core; in all of these examples it runs on cpu 0.
	cpu := map[[2]int32]int64{}
	send, receive := make([]int64, n), make([]int64, n)
	posted, early := make([][]int32, n), make([][]int32, n)
	first := map[int32]int32{} // cpu 0 of each rank: its lowest core
	for _, t := range g.Tasks {
		if c, ok := first[t.Rank]; t.Core > 0 && (!ok || t.Core < c) {
			first[t.Rank] = t.Core
		}
	}
	var queue []event
	made := 0
	push := func(at int64, task int32, message bool) {
		made++
		queue = append(queue, event{at, made, task, message})
	}
	ready := func(at int64, list []int32) {
		for _, kind := range []tasks.Kind{tasks.Send, tasks.Receive, tasks.Compute} {
			for _, x := range list {
				if g.Tasks[x].Kind == kind {
					push(at, x, false)
				}
			}
		}
	}
	var begin []int32
	for i := range g.Tasks {
		if left[i] == 0 {
			begin = append(begin, int32(i))
		}
	}
	ready(0, begin)
	tell := func(at int64, task int32, events ...tasks.Event) {
		var list []int32
		for _, e := range events {
			for _, x := range after[[2]int32{task, int32(e)}] {
				if left[x]--; left[x] == 0 {
					list = append(list, x)
				}
			}
		}
		ready(at, list)
	}
	fits := func(x, m int32) bool {
		r, s := &g.Tasks[x], &g.Tasks[m]
		return (r.Peer == tasks.Any || r.Peer == s.Rank) && (r.Tag == tasks.Any || r.Tag == s.Tag)
	}
	matched := func(at int64, m int32) { // the sender of a large message continues
		if s := &g.Tasks[m]; s.Size > rendezvous {
			key := [2]int32{s.Rank, s.Core}
			cpu[key], send[s.Rank] = max(cpu[key], at), max(send[s.Rank], at)
			tell(at, m, tasks.Done)
		}
	}
	for len(queue) > 0 {
		next := 0
		for i, e := range queue {
			if e.at < queue[next].at || e.at == queue[next].at && e.number < queue[next].number {
				next = i
			}
		}
		e := queue[next]
		queue = slices.Delete(queue, next, next+1)
		t := &g.Tasks[e.task]
		key, z := [2]int32{t.Rank, t.Core}, int64(t.Size)
		if e.message {
			to := [2]int32{t.Peer, first[t.Peer]}
			if free := max(cpu[to], receive[t.Peer]); free > e.at {
				push(free, e.task, true)
				continue
			}
			cpu[to], receive[t.Peer] = e.at+overhead+(z-1)*perByte, e.at+gap+(z-1)*perByte
			i := slices.IndexFunc(posted[t.Peer], func(x int32) bool { return fits(x, e.task) })
			if i < 0 {
				early[t.Peer] = append(early[t.Peer], e.task)
				continue
			}
			x := posted[t.Peer][i]
			posted[t.Peer] = slices.Delete(posted[t.Peer], i, i+1)
			tell(cpu[to], x, tasks.Done)
			matched(e.at, e.task)
			continue
		}
		switch t.Kind {
		case tasks.Compute:
			if cpu[key] > e.at {
				push(cpu[key], e.task, false)
				continue
			}
			cpu[key] = e.at + int64(t.Time)
			tell(cpu[key], e.task, tasks.Ready, tasks.Done)
		case tasks.Send:
			if free := max(cpu[key], send[t.Rank]); free > e.at {
				push(free, e.task, false)
				continue
			}
			cpu[key], send[t.Rank] = e.at+overhead, e.at+gap+(z-1)*perByte
			push(e.at+overhead+latency, e.task, true)
			tell(e.at, e.task, tasks.Ready)
			if z <= rendezvous {
				tell(e.at, e.task, tasks.Done)
			}
		case tasks.Receive:
			i := slices.IndexFunc(early[t.Rank], func(m int32) bool { return fits(e.task, m) })
			if i < 0 {
				posted[t.Rank] = append(posted[t.Rank], e.task)
			} else {
				m := early[t.Rank][i]
				early[t.Rank] = slices.Delete(early[t.Rank], i, i+1)
				tell(e.at, e.task, tasks.Done)
				matched(e.at, m)
			}
			tell(e.at, e.task, tasks.Ready)
		}
	}
	ends := make([]int64, n)
	for key, at := range cpu {
		ends[key[0]] = max(ends[key[0]], at)
	}
	return ends
}

// The tasks from the reader take the same times as the schedules in LogGOPSim.
func TestLogGOPSim(t *testing.T) {
	for file, want := range map[string][]int64{
		"dissemination_16": slices.Repeat([]int64{22000}, 16),
		"pingpong":         {26776, 16138},
		"rendezvous":       {50300, 651494},
		"irequires":        {7190, 1500, 2200},
		"ring_allreduce_4": slices.Repeat([]int64{625188}, 4),
	} {
		t.Run(file, func(t *testing.T) {
			f, err := os.Open("../job/testdata/" + file + ".goal")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			g, err := job.ReadGOAL(f, file, 1,
				func(n int) ([]topo.NodeID, error) { return make([]topo.NodeID, n), nil })
			if err != nil {
				t.Fatal(err)
			}
			if got := logGOPS(g); !slices.Equal(got, want) {
				t.Errorf("the ranks end at %d, LogGOPSim says %d", got, want)
			}
		})
	}
}
