package replay

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"pintlab/internal/outfile"
	"pintlab/netsim/unit"
	"pintlab/p4/interp"
)

// epoch is the time that the clocks show when the first packet arrives. Some programs store the time of the last
// packet. An epoch above 0 makes the initial value 0 of this time look long past.
const epoch = unit.Second

// maxHops bounds the path of a packet, because a program without TTL could send it around forever.
const maxHops = 256

// event is one of two things. With data, it is the arrival of a packet at a port. Without data, it is the end of a
// transmission, after which the link of the port is idle again.
type event struct {
	at      unit.Time
	order   uint64
	where   end
	data    []byte
	missing int // number of bytes behind data that the input lacked
	way     way
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

func (n *network) schedule(e event) {
	e.order = n.count
	n.count++
	heap.Push(&n.events, e)
}

// run sends the packets of the inputs through the network until the last packet has left, and then runs the commands
// of After. The error is about files or the context. Packets that a program cannot process are counted.
func (n *network) run(ctx context.Context, out interp.PcapWriter) (stats networkStats, err error) {
	n.out = out
	var outputs []*outfile.File
	var files []*os.File
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.Close())
		}
	}()
	var inputs []interp.PcapInput
	var ends []end
	for _, in := range n.d.Inputs {
		f, err := os.Open(in.File)
		if err != nil {
			return n.stats, err
		}
		e := n.d.port(in.At)
		files, ends = append(files, f), append(ends, e)
		inputs = append(inputs, interp.PcapInput{Name: in.File, Port: e.port, R: f})
	}
	packets, err := interp.OpenPcap(inputs)
	if err != nil {
		return n.stats, err
	}
	// Outputs are created after the inputs have been opened. A run that cannot start thus overwrites nothing.
	for _, o := range n.d.Outputs {
		f, err := outfile.Create(o.File)
		if err != nil {
			return n.stats, err
		}
		defer func() { err = errors.Join(err, f.Abort()) }()
		outputs = append(outputs, f)
		if n.port(n.d.port(o.From)).file, err = interp.NewNanosecondFile(f); err != nil {
			return n.stats, err
		}
	}
	if err := n.play(ctx, packets, ends); err != nil {
		return n.stats, err
	}
	n.stats.Partial = packets.Partial()
	for _, x := range n.nodes {
		n.stats.ZeroDivisions += x.pipe.ZeroDivisions()
		if err := n.command(x, x.After, n.log); err != nil {
			return n.stats, err
		}
	}
	for _, f := range outputs {
		if err := f.Commit(); err != nil {
			return n.stats, err
		}
	}
	return n.stats, nil
}

// play merges the packets of the inputs with the events of the network.
func (n *network) play(ctx context.Context, packets *interp.PcapPackets, ends []end) error {
	next, more, err := packets.Next()
	if err != nil {
		return err
	}
	n.begin = next.At
	for steps := 0; more || len(n.events) > 0; steps++ {
		if steps%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		arrival := unit.Time(next.At.Sub(n.begin).Nanoseconds()) * unit.Nanosecond
		if more && (len(n.events) == 0 || arrival <= n.events[0].at) {
			n.stats.In++
			if next.Missing > 0 {
				n.stats.Cut++
			}
			n.now = max(n.now, arrival)
			data := append([]byte{}, next.Data...)
			next.Data = nil
			err = n.arrive(ends[next.Input], data, next.Missing, way{from: next})
			if err == nil {
				next, more, err = packets.Next()
			}
		} else {
			e := heap.Pop(&n.events).(event)
			n.now = e.at
			if e.data != nil {
				err = n.arrive(e.where, e.data, e.missing, e.way)
			} else {
				n.port(e.where).busy = false
				err = n.send(e.where)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clock returns the time of a switch.
func (n *network) clock(x *node) uint64 { return uint64((epoch + n.now + x.Offset) / n.tick) }

// attempt runs the work of a switch on a packet. It turns a panic of the interpreter into an error of the packet.
func (n *network) attempt(x *node, w *way, work func() error) {
	x.dev.SetTime(n.clock(x))
	err := func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("%w: %v", interp.ErrInternal, r)
			}
		}()
		return work()
	}()
	if err != nil {
		n.stats.Fail(w.from, fmt.Errorf("switch %s: %w", x.Name, err))
	}
}

// arrive takes a packet through ingress and queues the resulting packets.
func (n *network) arrive(at end, data []byte, missing int, w way) error {
	x := n.nodes[at.node]
	if w.hops++; w.hops > maxHops {
		n.stats.Fail(w.from, fmt.Errorf("the packet has passed %d switches, so it probably circulates in a "+
			"loop", maxHops))
		return nil
	}
	n.stats.Hops++
	var qs []*interp.Queued
	n.attempt(x, &w, func() (err error) {
		x.dev.SetMissing(missing)
		qs, err = x.dev.Arrive(at.port, data)
		return err
	})
	return n.enqueue(x, qs, w)
}

// enqueue puts packets in the queues of their ports.
func (n *network) enqueue(x *node, qs []*interp.Queued, w way) error {
	for _, q := range qs {
		at := end{x.index, q.Port}
		p := n.port(at)
		p.queue = append(p.queue, waiting{q: q, since: n.clock(x), depth: n.depth(p), way: w})
		p.bytes += q.Bytes
		if err := n.send(at); err != nil {
			return err
		}
	}
	return nil
}

// depth returns the depth of a queue in the unit of standard_metadata.
func (n *network) depth(p *port) uint64 {
	if c := int(n.d.Cell); c > 0 {
		return uint64((p.bytes + c - 1) / c)
	}
	return uint64(len(p.queue))
}

// send takes the packets at the head of a queue through egress until a packet occupies the link.
func (n *network) send(at end) error {
	x, p := n.nodes[at.node], n.port(at)
	for !p.busy && len(p.queue) > 0 {
		w := p.queue[0]
		p.queue = p.queue[1:]
		p.bytes -= w.q.Bytes
		var again []*interp.Queued // clones and recirculated packets
		var written error
		n.attempt(x, &w.way, func() error {
			outs, more, err := x.dev.Leave(w.q,
				interp.Departure{Enqueued: w.since, EnqDepth: w.depth, DeqDepth: n.depth(p)})
			for _, o := range outs {
				p.busy = true
				written = errors.Join(written, n.transmit(at, p, o, w.way))
			}
			again = more
			return err
		})
		if written != nil {
			return written
		}
		if w.way.passes++; len(again) > 0 && w.way.passes > interp.MaxPasses {
			n.stats.Fail(w.way.from,
				fmt.Errorf("switch %s: %w: more than %d passes", x.Name, interp.ErrPasses, interp.MaxPasses))
			continue
		}
		if err := n.enqueue(x, again, w.way); err != nil {
			return err
		}
	}
	return nil
}

// transmit puts a packet on the link. The link is busy for the packet's size divided by the rate. An error means
// that a file could not be written.
func (n *network) transmit(at end, p *port, o interp.Output, w way) error {
	last := n.now + p.rate.TxTime(unit.Bytes(o.Length))
	n.schedule(event{at: last, where: at})
	if p.linked {
		n.schedule(event{at: last + p.delay, where: p.peer, data: append([]byte{}, o.Data...),
			missing: o.Length - len(o.Data), way: w})
		return nil
	}
	n.stats.Out++
	stamp := n.begin.Add(time.Duration(last / unit.Nanosecond))
	if p.file != nil {
		return p.file.WritePacket(at.port, stamp, o.Data, o.Length)
	}
	return n.out.WritePacket(at.port, stamp, o.Data, o.Length)
}
