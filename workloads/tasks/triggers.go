package tasks

import (
	"fmt"
	"slices"

	"pintlab/internal/lists"
)

// Trigger starts messages when other messages are done. It starts all its messages after Count messages or, if Each is
// set, one of its messages after each message.
type Trigger struct {
	Each  bool
	Count int
	Fired int // number of messages that fire it
}

// Triggers expresses the graph as triggers. For each task it returns the number (from 1) of the trigger that starts the
// task, and the number of the trigger that the task fires. 0 means no trigger. It returns an error for computations,
// delays of waiting messages, messages that wait for other events than ACKs, and messages that would fire two triggers.
func (g *Graph) Triggers() (list []Trigger, by, fires []int, err error) {
	before := make([][]wait, len(g.Tasks))
	for _, w := range g.waits {
		before[w.to] = append(before[w.to], w)
	}
	by, fires = make([]int, len(g.Tasks)), make([]int, len(g.Tasks))
	number := map[string]int{} // trigger number by the set of messages that fire it
	// after returns the number of the trigger that the predecessors of a task fire, and adds the trigger if it is new.
	after := func(task int32, key string, t Trigger) (int, error) {
		if number[key] > 0 {
			return number[key], nil
		}
		t.Fired = len(before[task])
		list = append(list, t)
		number[key] = len(list)
		for _, w := range before[task] {
			switch from := &g.Tasks[w.from]; {
			case from.Kind != Send || w.event != Done:
				return 0, fmt.Errorf("%s waits for an event of %s, but can only wait for its last ACK",
					g.At(task), g.At(w.from))
			case fires[w.from] > 0:
				return 0, fmt.Errorf("%s starts two sets of messages, one of them with %s",
					g.At(w.from), g.At(task))
			}
			fires[w.from] = len(list)
		}
		return len(list), nil
	}
	for i := range g.Tasks {
		switch t, task := &g.Tasks[i], int32(i); t.Kind {
		case Gate, Turnstile:
			n := int(t.Count)
			if n == 0 {
				n = len(before[i])
			}
			if _, err := after(task, fmt.Sprint(i), Trigger{Each: t.Kind == Turnstile, Count: n}); err != nil {
				return nil, nil, nil, err
			}
		case Send:
			if len(before[i]) > 0 && t.Time > 0 {
				return nil, nil, nil, fmt.Errorf("%s starts %v after the messages that it waits for, but a "+
					"trigger starts a message without delay", g.At(task), t.Time)
			}
		default:
			return nil, nil, nil, fmt.Errorf("%s is not a message", g.At(task))
		}
	}
	for i := range g.Tasks {
		if g.Tasks[i].Kind != Send || len(before[i]) == 0 {
			continue
		}
		from := lists.Map(before[i], func(w wait) int32 { return w.from })
		slices.Sort(from)
		key := fmt.Sprint(from)
		if first := &g.Tasks[from[0]]; len(from) == 1 && first.Kind != Send && before[i][0].event == Done {
			key = fmt.Sprint(from[0])
		}
		if by[i], err = after(int32(i), key, Trigger{Count: len(from)}); err != nil {
			return nil, nil, nil, err
		}
	}
	return list, by, fires, nil
}
