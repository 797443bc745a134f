package tasks

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim/unit"
)

// every returns all collectives for a given number of ranks.
func every(ranks int) []Collective {
	c := []Collective{
		{Operation: AllReduce, Algorithm: Ring}, {Operation: AllReduce, Algorithm: Tree}, {Operation: AllGather},
		{Operation: ReduceScatter},
		{Operation: AllToAll, Algorithm: Linear}, {Operation: AllToAll, Algorithm: Pairwise},
		{Operation: AllToAll, Algorithm: Windowed},
		{Operation: Broadcast}, {Operation: SendRecv},
	}
	if ranks&(ranks-1) == 0 {
		c = append(c, Collective{Operation: AllReduce, Algorithm: HalvingDoubling})
	}
	return c
}

// No rank has the result of a collective before all contributing ranks have begun. Each rank sends the number of bytes
// of the algorithm, and the number of messages is at most the result of Messages.
func TestCollectives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 17).Draw(t, "ranks")
		c := rapid.SampledFrom(every(n)).Draw(t, "collective")
		c.Size, c.Chunks, c.Window = unit.Bytes(n*8*rapid.IntRange(1, 1000).Draw(t, "size")),
			rapid.IntRange(1, 8).Draw(t, "chunks"), rapid.IntRange(1, 5).Draw(t, "window")
		late := rapid.IntRange(0, n-1).Draw(t, "late")
		g := New("g", ranks(n))
		var all, begin []int32
		for i := range int32(n) {
			d := unit.Time(0)
			if int(i) == late {
				d = 100
			}
			all, begin = append(all, i), append(begin, g.Add(Task{Rank: i, Time: d}))
		}
		done, err := c.Add(g, all, begin, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Ideal(g)
		if err != nil {
			t.Fatal(err)
		}
		if !g.Local() {
			t.Error("a rank waits for what happens at another one")
		}
		for i, task := range done {
			want := unit.Time(100)
			switch c.Operation {
			case Broadcast:
				continue // a rank waits only for the ranks above it
			case SendRecv:
				if i < late {
					want = 0
				}
			}
			if got := r.State[task].Done; got != want {
				t.Errorf("%+v: rank %d is done at %d, want %d", c, i, got, want)
			}
		}
		sent := make([]unit.Bytes, n)
		for _, x := range g.Tasks {
			if x.Kind == Send {
				sent[x.Rank] += x.Size
			}
		}
		parts := map[string]unit.Bytes{AllReduce: 2, AllGather: 1, ReduceScatter: 1, AllToAll: 1}[c.Operation]
		if parts > 0 && c.Algorithm != Tree {
			for i, b := range sent {
				if want := parts * c.Size / unit.Bytes(n) * unit.Bytes(n-1); b != want {
					t.Errorf("%+v: rank %d sends %d bytes, want %d", c, i, b, want)
				}
			}
		}
		if got := int64(g.Flows()); got > c.Messages(n) {
			t.Errorf("%+v: %d messages, more than the %d announced", c, got, c.Messages(n))
		}
	})
}

// If a size is no multiple of the ranks, the parts differ by a byte, and no byte gets lost: 10 bytes are parts of 2, 3,
// 2 and 3 bytes. Rank 0 sends parts 2 and 3 to rank 2, part 1 to rank 1, then its own part to rank 1, and parts 0 and 1
// to rank 2.
func TestUnevenHalving(t *testing.T) {
	g := New("g", ranks(4))
	c := Collective{Operation: AllReduce, Algorithm: HalvingDoubling, Size: 10}
	if _, err := c.Add(g, []int32{0, 1, 2, 3}, []int32{-1, -1, -1, -1}, 0); err != nil {
		t.Fatal(err)
	}
	var sent [4][]unit.Bytes
	for _, x := range g.Tasks {
		if x.Kind == Send {
			sent[x.Rank] = append(sent[x.Rank], x.Size)
		}
	}
	if want := [4][]unit.Bytes{{5, 3, 2, 5}, {5, 2, 3, 5}, {5, 3, 2, 5}, {5, 2, 3, 5}}; !reflect.DeepEqual(sent, want) {
		t.Errorf("ranks send %v, want %v", sent, want)
	}
}

// A broadcast reaches every rank, and no rank has the data before the first rank has begun.
func TestBroadcast(t *testing.T) {
	g := New("g", ranks(6))
	begin := []int32{g.Add(Task{Time: 50}), -1, -1, -1, -1, -1}
	done, err := Collective{Operation: Broadcast, Size: 100, Chunks: 3}.Add(g, []int32{0, 1, 2, 3, 4, 5}, begin, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Ideal(g)
	if err != nil {
		t.Fatal(err)
	}
	for i, task := range done {
		if r.State[task].Done != 50 {
			t.Errorf("rank %d is done at %d", i, r.State[task].Done)
		}
	}
}
