package job

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/number"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads/tasks"
)

// operations maps the comm_type of each supported collective to its operation.
var operations = map[int64]string{
	0: tasks.AllReduce, 2: tasks.AllGather, 5: tasks.Broadcast, 6: tasks.AllToAll, 7: tasks.ReduceScatter,
	8: tasks.ReduceScatter,
}

// readChakra reads the traces of all ranks. path is the file of rank 0, which ends in .0.et; the files of other ranks
// have their number in place of the 0. rate is as for chakraGraph. hosts returns the hosts for a number of ranks.
func readChakra(path string, rate float64, hosts func(ranks int) ([]topo.NodeID, error)) (*tasks.Graph, error) {
	stem, ok := strings.CutSuffix(path, ".0.et")
	if !ok {
		return nil, fmt.Errorf("%s: want the trace of rank 0, NAME.0.et", path)
	}
	var ranks [][]chakraNode
	files := input.Ranks(path)
	if len(files) > mostChakraRanks {
		return nil, fmt.Errorf("%s: %s, want at most %d", path, number.Count(len(files), "rank"), mostChakraRanks)
	}
	if err := complete(stem, len(files)); err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := open(file)
		if err != nil {
			return nil, err
		}
		nodes, err := parseChakra(data, file)
		if err != nil {
			return nil, err
		}
		ranks = append(ranks, nodes)
	}
	on, err := hosts(len(ranks))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return chakraGraph(stem, rate, on, ranks)
}

// complete returns an error if the folder has the file of a rank after those that were found: a file in between is
// missing.
func complete(stem string, found int) error {
	entries, _ := os.ReadDir(filepath.Dir(stem)) // reading the files reports what is wrong with the folder
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), filepath.Base(stem)+".")
		rank, et := strings.CutSuffix(rest, ".et")
		if n, err := strconv.Atoi(rank); ok && et && err == nil && n > found && strconv.Itoa(n) == rank {
			return fmt.Errorf("%s.%d.et: no such file, but there is %s: want the traces of all ranks", stem, found,
				e.Name())
		}
	}
	return nil
}

// reader converts the nodes of all ranks to tasks.
type reader struct {
	g      *tasks.Graph
	rate   float64 // operations per second; 0 if unknown
	rated  bool    // a computation has used rate
	rank   int
	cores  cores             // cores of the present rank
	groups []string          // process groups in the order of their first call
	tasks  []map[uint64]ends // tasks of each node, by rank and node ID
	calls  map[string][]call // collectives by process group
	turn   map[string]int    // number of collectives of each process group that the present rank has joined
}

// ends contains two tasks of a node. The first task waits for the node's dependencies. The node is done when the last
// task is done.
type ends struct{ begin, done int32 }

// cores lists the parts of a rank that compute. Each part runs one task at a time.
type cores struct{ host, accelerator, memory int32 }

// call is a collective of several ranks.
type call struct {
	op    int64
	size  int64
	ranks []int32
	ends  []ends
}

// chakraGraph converts the nodes of all ranks to the tasks of a job. rate is the number of operations per second for
// computations that have num_ops but no duration. A rate of 0 is an error if such a computation exists. A rate above 0
// is an error if no such computation exists.
func chakraGraph(stem string, rate float64, hosts []topo.NodeID, ranks [][]chakraNode) (*tasks.Graph, error) {
	r := &reader{g: tasks.New(stem, hosts), rate: rate, calls: map[string][]call{}}
	r.g.File = stem
	for rank, nodes := range ranks {
		r.rank, r.turn = rank, map[string]int{}
		r.tasks = append(r.tasks, map[uint64]ends{})
		r.cores = cores{r.g.AddCore(), r.g.AddCore(), r.g.AddCore()}
		for i := range nodes {
			n := &nodes[i]
			at := func(err error) error {
				return fmt.Errorf("%s.%d.et: message %d: node %d (%s): %w", stem, rank, n.Number, n.ID, n.Name, err)
			}
			if _, twice := r.tasks[rank][n.ID]; twice {
				return nil, at(fmt.Errorf("another node has this id"))
			}
			e, err := r.node(n)
			if err != nil {
				return nil, at(err)
			}
			r.tasks[rank][n.ID] = e
		}
	}
	if rate > 0 && !r.rated {
		return nil, fmt.Errorf("%s: ops_rate has no effect, because each computation with num_ops also has "+
			"duration_micros", stem)
	}
	for rank, nodes := range ranks {
		for i := range nodes {
			n := &nodes[i]
			for _, dep := range n.Deps {
				e, ok := r.tasks[rank][dep]
				if !ok {
					return nil, fmt.Errorf("%s.%d.et: message %d: node %d (%s) depends on node %d, which does not "+
						"exist",
						stem, rank, n.Number, n.ID, n.Name, dep)
				}
				r.g.Wait(r.tasks[rank][n.ID].begin, e.done, tasks.Done)
			}
		}
	}
	for _, group := range r.groups {
		for i, c := range r.calls[group] {
			if group == "" && len(c.ranks) != len(ranks) {
				return nil, fmt.Errorf("%s: only %d of %d ranks have collective %d without a process group "+
					"(pg_name), want all ranks, or a process group", stem, len(c.ranks), len(ranks), i)
			}
			if n := len(r.calls[group][0].ranks); len(c.ranks) != n {
				return nil, fmt.Errorf("%s: collective %d of process group %q is on %s, but its first is on %s",
					stem, i, group, number.Count(len(c.ranks), "rank"), number.Count(n, "rank"))
			}
			if err := r.expand(c); err != nil {
				return nil, fmt.Errorf("%s: collective %d of process group %q: %w", stem, i, group, err)
			}
		}
	}
	if _, err := tasks.Ideal(r.g); err != nil {
		return nil, err
	}
	return r.g, nil
}

// node adds the task of a node.
func (r *reader) node(n *chakraNode) (ends, error) {
	t := tasks.Task{Rank: int32(r.rank), Line: int32(n.Number)}
	peer := func(rank int64) error {
		if rank < 0 || rank >= int64(len(r.g.Hosts)) || rank == int64(r.rank) {
			return fmt.Errorf("the other end is rank %d (comm_src, comm_dst), want a rank other than %d, from 0 to %d",
				rank, r.rank, len(r.g.Hosts)-1)
		}
		t.Peer = int32(rank)
		if n.Size < 1 || n.Size > mostSize || n.Tag < 0 || n.Tag > math.MaxInt32 {
			return fmt.Errorf("comm_size %d and comm_tag %d, want 1 to %d and 0 to %d",
				n.Size, n.Tag, int64(mostSize), math.MaxInt32)
		}
		t.Size, t.Tag = unit.Bytes(n.Size), int32(n.Tag)
		return nil
	}
	var err error
	switch {
	case n.Type == metadataNode:
		t.Kind = tasks.Gate
	case n.Type == computeNode || n.CPU && n.Size == 0 &&
		(n.Type == sendNode || n.Type == receiveNode || n.Type == collectiveNode):
		t.Kind, t.Core = tasks.Compute, r.cores.accelerator
		if n.CPU {
			t.Core = r.cores.host
		}
		t.Time, err = r.duration(n)
	case n.Type == loadNode || n.Type == storeNode:
		t.Kind, t.Time, t.Core = tasks.Compute, n.Duration, r.cores.memory
		if n.Duration == 0 && n.Size != 0 {
			err = fmt.Errorf("tensor_size %d without duration_micros: want duration_micros, because the speed of "+
				"the memory is unknown", n.Size)
		}
	case n.Type == sendNode:
		t.Kind, t.Matched = tasks.Send, true
		err = peer(n.Dst)
	case n.Type == receiveNode:
		t.Kind = tasks.Receive
		err = peer(n.Src)
	case n.Type == collectiveNode:
		return r.collective(n)
	default:
		err = fmt.Errorf("type %d, want 1 to 7", n.Type)
	}
	if err != nil {
		return ends{}, err
	}
	task := r.g.Add(t)
	return ends{task, task}, nil
}

// duration returns the duration of a computation.
func (r *reader) duration(n *chakraNode) (unit.Time, error) {
	switch {
	case n.Duration > 0 || n.Ops == 0:
		return n.Duration, nil
	case n.Ops < 0:
		return 0, fmt.Errorf("num_ops %d, want at least 0", n.Ops)
	case r.rate == 0:
		return 0, fmt.Errorf("num_ops %d without duration_micros: its duration is unknown (set workload.N.ops_rate, "+
			"the operations per second)", n.Ops)
	}
	r.rated = true
	return unit.Time(math.Round(min(float64(n.Ops)/r.rate*float64(unit.Second), float64(unit.Never/4)))), nil
}

// collective adds the rank to the next call of its process group.
func (r *reader) collective(n *chakraNode) (ends, error) {
	if n.Op < 0 {
		return ends{}, errors.New("comm_type is missing")
	}
	if operations[n.Op] == "" {
		return ends{}, fmt.Errorf("comm_type %d is not supported (accepted: 0 all-reduce, 2 all-gather, 5 "+
			"broadcast, 6 all-to-all, 7 and 8 reduce-scatter)", n.Op)
	}
	if n.Size < 1 || n.Size > mostSize {
		return ends{}, fmt.Errorf("comm_size %d, want 1 to %d", n.Size, int64(mostSize))
	}
	calls, turn := r.calls[n.Group], r.turn[n.Group]
	r.turn[n.Group]++
	if len(calls) == 0 {
		r.groups = append(r.groups, n.Group)
	}
	if turn == len(calls) {
		calls = append(calls, call{op: n.Op, size: n.Size})
	}
	c := &calls[turn]
	if c.op != n.Op || c.size != n.Size {
		return ends{}, fmt.Errorf("comm_type %d of %s, but rank %d has comm_type %d of %s as collective %d of process "+
			"group %q", n.Op, number.Count(n.Size, "byte"), c.ranks[0], c.op, number.Count(c.size, "byte"), turn,
			n.Group)
	}
	gate := tasks.Task{Kind: tasks.Gate, Rank: int32(r.rank), Line: int32(n.Number)}
	e := ends{r.g.Add(gate), r.g.Add(gate)}
	c.ranks, c.ends = append(c.ranks, int32(r.rank)), append(c.ends, e)
	r.calls[n.Group] = calls
	return e, nil
}

// expand adds the messages of a collective. Its times are reported unless it has a single rank.
func (r *reader) expand(c call) error {
	begin := make([]int32, len(c.ranks))
	for i, e := range c.ends {
		begin[i] = e.begin
	}
	of := tasks.Collective{Operation: operations[c.op], Algorithm: tasks.Ring, Size: unit.Bytes(c.size), Chunks: 1,
		Window: 1}
	switch of.Operation {
	case tasks.AllGather: // comm_size is a rank's input, as in ASTRA-sim and the converter of Chakra
		of.Size *= unit.Bytes(len(c.ranks))
	case tasks.AllToAll:
		of.Algorithm = tasks.Pairwise
	}
	group := int32(0)
	if len(c.ranks) > 1 {
		group = int32(len(r.g.Groups))
		r.g.Groups = append(r.g.Groups, of.Group(len(c.ranks), 0))
	}
	done, err := of.Add(r.g, c.ranks, begin, group)
	if err != nil {
		return err
	}
	for i, e := range c.ends {
		r.g.Wait(e.done, done[i], tasks.Done)
	}
	return nil
}
