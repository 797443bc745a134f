package tasks

// EachWait calls f for each event that a task waits for.
func (g *Graph) EachWait(f func(task, from int32, event Event)) {
	for _, w := range g.waits {
		f(w.to, w.from, w.event)
	}
}
