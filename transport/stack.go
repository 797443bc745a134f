package transport

import (
	"fmt"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// Stack is the transport of the hosts that a worker runs. It implements netsim.Stack. The Stack of
// the first worker represents all stacks.
type Stack struct {
	*shared
	e       *netsim.Engine
	finder  stageFinder
	batches batches     // free list for waiting rooms
	retired []int32     // slots of ended flows that may still have packets in the network
	ended   slab[ended] // flows that ended in this window
	active  int
	acked   int64
	ack     Ack
	record  Record // argument of done
	tracer  Tracer
}

// shared is the state that the stacks of all workers share. While several stacks run, each uses
// only the entries of its own hosts, and no list grows.
type shared struct {
	cfg     Config
	seed    uint64
	net     *netsim.Network
	routes  *route.Table
	factory Factory
	source  Source
	stopper Stopper // source, if it is a Stopper
	done    func(*Record)
	stacks  []*Stack
	coming  []coming // by domain
	turns   []turn   // scratch of Settle

	strategy Strategy
	sends    SenderDriven   // strategy, if it is a SenderDriven
	driven   ReceiverDriven // strategy, if it is a ReceiverDriven
	pulling  Pulling        // driven, if it is a Pulling
	shares   Arbitrated     // driven, if it is an Arbitrated
	tells    bool           // ACKs have options
	timed    bool           // senders have a retransmission timer
	latches  bool           // ACKs report marks until the sender has responded
	// exactMarks is false if an ACK has a mark whenever any of its packets has one. It is true for
	// the other mark echoes.
	exactMarks bool
	penalty    *route.Penalty // penalty of paths; nil if senders do not avoid paths
	// waits delays the state of flows: a flow gets a slot with its first packet, and a flow of a
	// single packet gets a controller when it needs one. It is false with several workers, because
	// slots must exist before a window begins. It is also false with alarms, a Discipline, strict
	// priorities or a ReceiverDriven, because these must see all flows.
	waits     bool
	permutes  route.PathBalancer    // cfg.Balancer, if senders choose paths
	entropic  route.EntropyBalancer // cfg.Balancer, if senders choose entropy values
	alarms    int32                 // index of the controller's first timer among the timers of a flow
	timers    int32                 // timers per flow
	spare     Controller            // the first controller made, until a flow uses it
	single    course                // see course
	idle      []*course             // unused courses, which keep their controllers
	courses   slab[course]
	senders   slab[Sender]
	receivers slab[Receiver] // by slot, as senders
	probes    slab[probe]    // by slot; empty without Config.Probes
	free      []int32        // slots without references
	rounds    []Round        // by port; used at hosts
	upcoming  Flow           // next flow of the source
	more      bool           // upcoming holds a flow
	outbound  []route.Port
	inbound   []route.Port
	finders   [2]stageFinder // find the paths in outbound and inbound
}

// New makes the transport of a network and attaches it to its engine. source yields the flows. done
// is called with the record of each flow that ends. It must not keep the record. With ties in the
// order of scheduling, done is called at once. Otherwise done is called after the window in which
// the flow ends, in the order of time and then of flow numbers.
func New(
	e *netsim.Engine, routes *route.Table, cfg Config, seed uint64, factory Factory, source Source, done func(*Record),
) (*Stack, error) {
	s, err := newShared(e.Network(), routes, cfg, seed, factory, source, done)
	if err != nil {
		return nil, err
	}
	// A waiting flow schedules no event at its start. With ties in the order of scheduling, the
	// missing event would change results.
	workers := e.Workers()
	s.waits = len(workers) == 1 && !e.Ordered() && cfg.Follower == nil && s.timers == s.alarms &&
		cfg.Discipline == nil && !cfg.Strict && !cfg.Inspected && s.driven == nil
	for _, w := range workers {
		t := &Stack{shared: s, e: w, tracer: Tracer{Call: s.cfg.Trace}}
		s.stacks = append(s.stacks, t)
		w.Attach(t)
		if s.shares != nil {
			w.Arbitrate(t)
		}
	}
	s.coming = make([]coming, e.Domains())
	for p := range netsim.PortID(s.net.Ports()) {
		if from, _ := s.net.PortEnds(p); s.net.Home(from) >= 0 {
			c := &s.coming[e.Domain(from)]
			c.ports = append(c.ports, p)
		}
	}
	if s.more && e.Ordered() {
		e.StartAt(s.upcoming.Start, e.Order(0, 0))
	} else if s.more {
		e.BeginAt(s.upcoming.Start)
	}
	return s.stacks[0], nil
}

func newShared(
	n *netsim.Network, routes *route.Table, cfg Config, seed uint64, factory Factory, source Source, done func(*Record),
) (*shared, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if most := max(cfg.PacketSize(cfg.Segment), cfg.ProbeSize(), cfg.LargestAck()); most > n.MaxPacket() {
		return nil, fmt.Errorf("transport: packets, probes and ACKs of up to %d bytes, but the network carries %d at "+
			"most", most, n.MaxPacket())
	}
	cfg.Kind = cfg.Recovery.Kind()
	if cfg.Kind == IRN { // the timeout of IRN has two values
		cfg.RTOMin, cfg.RTOInitial, cfg.RTOMax = cfg.RTOLow, cfg.RTOHigh, cfg.RTOHigh
	}
	s := &shared{
		exactMarks: cfg.MarkEcho != EchoAny, latches: cfg.MarkEcho == EchoLatch, timed: cfg.Timer && !cfg.Pulled(),
		cfg: cfg, seed: seed, net: n, routes: routes, factory: factory, source: source, done: done,
		rounds: make([]Round, n.Ports()),
	}
	s.single = course{Window: 1, Recover: -2, RTT: newRTT(&s.cfg)} // the window suffices for the only packet
	s.stopper, _ = source.(Stopper)
	s.permutes, _ = cfg.Balancer.(route.PathBalancer)
	s.entropic, _ = cfg.Balancer.(route.EntropyBalancer)
	if s.cfg.Pace == nil {
		s.cfg.Pace = func(r unit.Rate, n unit.Bytes) unit.Time {
			return unit.Time(float64(n*8) * float64(unit.Second) / float64(r))
		}
	}
	for i := range s.rounds {
		s.rounds[i] = Round{Port: netsim.PortID(i), Last: -1, senders: &s.senders}
	}
	_, room := cfg.Recovery.Options()
	s.tells = room > 0
	s.strategy = cfg.Recovery.Strategy(&s.cfg, n)
	s.sends, _ = s.strategy.(SenderDriven)
	s.driven, _ = s.strategy.(ReceiverDriven)
	s.pulling, _ = s.strategy.(Pulling)
	if s.shares, _ = s.strategy.(Arbitrated); s.shares != nil {
		for i := range s.rounds {
			s.rounds[i].queue = &queue{}
		}
	}
	if a, ok := cfg.Recovery.(Avoider); ok {
		s.penalty = a.Penalty()
	}
	s.alarms = 1
	if s.cfg.AckDelay != unit.Never || s.driven != nil {
		s.alarms++
	}
	s.timers = s.alarms
	if s.fetch(); s.more || cfg.Follower != nil {
		s.spare = factory()
		if c, ok := s.spare.(Timed); ok {
			s.timers += int32(c.Alarms())
		}
	}
	return s, nil
}

// Active returns the number of flows that have started and not ended.
func (s *shared) Active() int {
	n := 0
	for _, t := range s.stacks {
		n += t.active
	}
	return n
}

// Acked returns the number of acknowledged bytes of all flows together.
func (s *shared) Acked() int64 {
	var n int64
	for _, t := range s.stacks {
		n += t.acked
	}
	return n
}

// stopped reports whether the run must end. It calls the Stopper once every StopEvery flows.
func (s *shared) stopped(n int) bool {
	return n%StopEvery == 0 && s.stopper != nil && s.stopper.Stopped()
}

// fetch reads the next flow from the source.
func (s *shared) fetch() { s.more = s.source.Next(&s.upcoming) }
