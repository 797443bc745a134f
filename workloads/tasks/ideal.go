package tasks

import (
	"container/heap"
	"fmt"

	"pintlab/internal/number"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Ideal runs a graph on a network that delivers messages in no time. It returns the run, whose times follow
// from the computations alone. It returns an error that names a task that can never begin, because it waits
// for itself, for a message that no task sends, or for more events than there are.
func Ideal(g *Graph) (*Run, error) {
	r := NewRun(g)
	n := &instant{now: g.Start}
	r.Begin(n)
	for len(n.queue) > 0 {
		x := heap.Pop(&n.queue).(delay)
		if n.now = x.at; n.now > latest {
			return r, fmt.Errorf("%s ends later than %v after the start of the run, even without a network",
				g.At(x.task), latest)
		}
		if x.sent {
			r.Left(n, x.task)
			r.Arrived(n, x.task)
			r.Sent(n, x.task)
		} else {
			r.Due(n, x.task)
		}
	}
	for i := range r.State {
		t := &g.Tasks[i]
		if r.State[i].Done != unit.Never || t.Kind == Turnstile {
			continue
		}
		// A pending receive may be the cause of all other errors.
		if r.State[i].Ready != unit.Never && t.Kind == Receive {
			if m := r.unsent(int32(i)); m >= 0 {
				return r, fmt.Errorf("%s is for %s, which can never begin: %s", g.At(int32(i)), g.At(m), r.missing(m))
			}
			return r, fmt.Errorf("%s is for a message that no rank sends (rank %s, tag %s)",
				g.At(int32(i)), wild(t.Peer), wild(t.Tag))
		}
	}
	for i := range r.State {
		if t := &g.Tasks[i]; r.State[i].Ready == unit.Never && t.Kind != Turnstile && t.Kind != Gate {
			return r, fmt.Errorf("%s can never begin: %s", g.At(int32(i)), r.missing(int32(i)))
		}
	}
	for i := range r.match {
		if early := r.match[i].early; len(early) > 0 {
			return r, fmt.Errorf("%s is for a receive that rank %d does not have (tag %d)",
				g.At(early[0]), i, g.Tasks[early[0]].Tag)
		}
	}
	return r, nil
}

// unsent returns a message that a receive could take and that has not begun, or -1 if no rank has one.
func (r *Run) unsent(receive int32) int32 {
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if t.Matched && t.Peer == r.Tasks[receive].Rank && r.State[i].Begun == unit.Never && r.fits(receive, int32(i)) {
			return int32(i)
		}
	}
	return -1
}

// missing returns a description of what a task waits for in vain.
func (r *Run) missing(task int32) string {
	for _, w := range r.waits {
		if w.to != task {
			continue
		}
		from := &r.State[w.from]
		switch k := r.Tasks[w.from].Kind; {
		case k == Gate && from.Done == unit.Never:
			return fmt.Sprintf("it waits for %s, which waits for %d of %s that never %s",
				r.At(w.from), from.left, number.Count(r.Tasks[w.from].Count, "event"),
				number.Plural(from.left, "happens", "happen"))
		case k == Turnstile:
			return fmt.Sprintf("it waits for its turn at %s, but only %s %s this place",
				r.At(w.from), number.Count(*r.turns[w.from], "event"),
				number.Plural(*r.turns[w.from], "reaches", "reach"))
		case from.Done == unit.Never:
			return fmt.Sprintf("it waits for %s, which also never %s (or the two wait for each other)", r.At(w.from),
				map[bool]string{true: "begins", false: "ends"}[from.Begun == unit.Never])
		}
	}
	return "it waits for events that cannot happen"
}

// wild formats a rank or tag, or Any.
func wild(n int32) string {
	if n == Any {
		return "any"
	}
	return fmt.Sprint(n)
}

// latest bounds the end of a job on a network that delivers messages in no time.
const latest = unit.Never / 4

// instant is a network that delivers messages in no time.
type instant struct {
	now   unit.Time
	queue delays
	count int64
}

func (n *instant) Now() unit.Time { return n.now }

func (n *instant) Send(task int32) { n.push(delay{at: n.now, task: task, sent: true}) }

func (n *instant) Later(_ topo.NodeID, at unit.Time, task int32) { n.push(delay{at: at, task: task}) }

func (n *instant) push(x delay) {
	n.count++
	x.number = n.count
	heap.Push(&n.queue, x)
}

// delay is a future event of a task: the time of Later, or the delivery of its message.
type delay struct {
	at     unit.Time
	number int64
	task   int32
	sent   bool
}

type delays []delay

func (d delays) Len() int { return len(d) }
func (d delays) Less(i, j int) bool {
	return d[i].at < d[j].at || d[i].at == d[j].at && d[i].number < d[j].number
}
func (d delays) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *delays) Push(x any)   { *d = append(*d, x.(delay)) }
func (d *delays) Pop() any {
	last := len(*d) - 1
	x := (*d)[last]
	*d = (*d)[:last]
	return x
}
