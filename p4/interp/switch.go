package interp

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"pintlab/internal/hash"
	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// MaxPasses bounds how many times one incoming packet and its copies pass through ingress or egress, all together.
const MaxPasses = 2000

// ErrPasses is wrapped by the error of a packet that is copied or sent back endlessly.
var ErrPasses = errors.New("the switch does not finish with the packet")

// Switch is a running program. It is not safe for concurrent use; make one for each goroutine.
type Switch struct {
	core *exec.Core
	m    *exec.Machine
	at   slots
	// metaType is the type of the program's metadata, or nil.
	metaType types.Type
	shared   map[string]*ir.LValue // storage of headers and metadata, by the names that share returns
	frame    int                   // words of the program's variables
	seed     uint64
	log      func(string)
	steps    int // exec.Config
	rand     *rand.Rand
	now      uint64
	hold     bool      // packets between ingress and egress wait for Leave
	waited   Departure // departure of the packet in egress, if hold is set

	parser, verify, ingress, egress, compute, deparser func(*exec.Machine)

	crc16, crc32 *crcParams
	objects      []exec.Object
	words, most  int // words of registers and counters
	groups       map[uint64][]replica
	mcGroups     map[int][]int // nodes of the groups made by commands
	mcNodes      []mcNode
	sessions     map[uint64]session
	digests      []Digest

	missing int // number of unknown bytes that follow the data of the current packet
	asked   requests
	queue   []job
	head    int
	passes  int
	arrived int // packets that have begun, or have continued after a queue
	outputs []exec.Output
	buffers [][]byte
	err     error
}

// requests records what a pass through ingress or egress has requested.
type requests struct {
	clone, resubmit, recirculate, truncate   bool
	session, length                          uint64
	cloneKeep, resubmitKeep, recirculateKeep *fieldList
}

// fieldList is the metadata that survives a clone, resubmission or recirculation.
type fieldList struct{ runs []run }

// run is a sequence of adjacent words of the frame.
type run struct{ at, n int }

func (l *fieldList) save(dst, frame []uint64) []uint64 {
	dst = dst[:0]
	if l != nil {
		for _, r := range l.runs {
			dst = append(dst, frame[r.at:r.at+r.n]...)
		}
	}
	return dst
}

func (l *fieldList) restore(frame, saved []uint64) {
	if l == nil {
		return
	}
	for _, r := range l.runs {
		saved = saved[copy(frame[r.at:r.at+r.n], saved):]
	}
}

// Digest is a message for the control plane.
type Digest struct {
	Receiver uint64
	// Data holds the fields one after the other, in Bits bits.
	Data []byte
	Bits int
}

func newSwitch(cfg exec.Config) *Switch {
	return &Switch{seed: cfg.Seed, log: cfg.Log, steps: cfg.Steps, most: cmp.Or(cfg.Words, exec.MaxState),
		rand:  hash.Stream(cfg.Seed, "p4/random"),
		crc16: crc16Params(), crc32: crc32Params(), groups: map[uint64][]replica{}, mcGroups: map[int][]int{},
		sessions: map[uint64]session{}}
}

// Objects lists the externs with state.
func (s *Switch) Objects() []exec.Object { return s.objects }

// SetTime sets the time of timestamps, in microseconds.
func (s *Switch) SetTime(us uint64) { s.now = us }

// SetMissing sets how many bytes of the following packets exist on the wire behind the data of the packets. Only the
// number of these bytes is known. They count in lengths, and no parser reaches them.
func (s *Switch) SetMissing(bytes int) { s.missing = bytes }

// Digests returns the digests sent since the last call.
func (s *Switch) Digests() []Digest {
	d := s.digests
	s.digests = nil
	return d
}

// kind is the kind of a pass.
type kind uint8

const (
	fresh        kind = iota // a packet from a port, resubmitted or recirculated; begins with the parser
	ingressClone             // parsed again, then egress
	egressCopy               // runs egress with a copy of the frame
)

// job is a pass that waits to be processed.
type job struct {
	kind     kind
	instance uint64
	port     uint64 // ingress port of a fresh packet, egress port otherwise
	rid      uint64
	length   uint64
	from     uint64 // ingress port, for the parser of an ingress clone
	truncate bool
	limit    uint64
	data     []byte   // the packet as it will be parsed
	missing  int      // number of unknown bytes that follow data
	pos      int      // offset of the payload in bits, for egressCopy
	frame    []uint64 // the variables, for egressCopy
	keep     *fieldList
	saved    []uint64
}

// push adds a job and reuses the memory of earlier jobs. The pointer is valid until the next push.
func (s *Switch) push() *job {
	if len(s.queue) < cap(s.queue) {
		s.queue = s.queue[:len(s.queue)+1]
	} else {
		s.queue = append(s.queue, job{})
	}
	j := &s.queue[len(s.queue)-1]
	*j = job{data: j.data[:0], frame: j.frame[:0], saved: j.saved[:0]}
	return j
}

// Queued is a packet between ingress and egress. The caller's queues decide when it continues.
type Queued struct {
	Port  int // egress port
	Bytes int // packet_length
	job   job
}

// Departure describes how a packet has waited. The caller chooses the unit of depths; simple_switch counts packets.
type Departure struct {
	Enqueued           uint64 // clock when the packet entered the queue
	EnqDepth, DeqDepth uint64 // depths of the queue, without this packet
}

// Arrive takes a packet through parser and ingress at the current time. It returns the copies
// that wait for Leave, in the order in which they enter the queues.
func (s *Switch) Arrive(port int, packet []byte) ([]*Queued, error) {
	if err := s.begin(port, true); err != nil {
		return nil, err
	}
	s.fresh(&job{data: packet, missing: s.missing, port: uint64(port)})
	return s.work(), s.err
}

// Leave takes a waiting packet through egress and the deparser at the current time. It returns the
// output packets and, if egress cloned or recirculated the packet, the copies that wait
// again.
func (s *Switch) Leave(q *Queued, d Departure) (outs []exec.Output, waiting []*Queued, err error) {
	if err := s.begin(q.Port, true); err != nil {
		return nil, nil, err
	}
	s.waited = d
	s.pass(&q.job)
	waiting = s.work()
	return s.outputs, waiting, s.err
}

// begin resets the switch for a packet.
func (s *Switch) begin(port int, hold bool) error {
	if port < 0 || port >= DropPort {
		return fmt.Errorf("port %d: expected 0 to %d", port, DropPort-1)
	}
	s.outputs, s.queue, s.head, s.passes, s.err = s.outputs[:0], s.queue[:0], 0, 0, nil
	s.arrived++
	s.hold, s.waited = hold, Departure{Enqueued: s.now}
	s.m.Refill(s.steps)
	return nil
}

// clone returns a copy of a job that owns its memory.
func (j *job) clone() job {
	c := *j
	c.data, c.frame, c.saved = slices.Clone(j.data), slices.Clone(j.frame), slices.Clone(j.saved)
	return c
}

// process handles one packet and returns the output packets in order. If the packet or a copy of it could not be
// processed, process returns an error, and the outputs are still valid.
func (s *Switch) process(port int, packet []byte) ([]exec.Output, error) {
	if err := s.begin(port, false); err != nil {
		return nil, err
	}
	s.fresh(&job{data: packet, missing: s.missing, port: uint64(port)})
	s.work()
	return s.outputs, s.err
}

// work does the waiting passes. If the caller has queues, the passes through egress wait for Leave, and work returns
// them.
func (s *Switch) work() (held []*Queued) {
	for s.head < len(s.queue) && s.err == nil {
		if s.passes > MaxPasses {
			s.fail(fmt.Errorf("%w: more than %d passes", ErrPasses, MaxPasses))
			break
		}
		j := s.queue[s.head]
		s.head++
		if s.hold && j.kind != fresh {
			held = append(held, &Queued{Port: int(j.port), Bytes: int(j.length), job: j.clone()})
			continue
		}
		s.pass(&j)
	}
	return held
}

// pass does one waiting pass.
func (s *Switch) pass(j *job) {
	switch j.kind {
	case fresh:
		s.fresh(j)
	case ingressClone:
		s.cloned(j)
	case egressCopy:
		copy(s.m.F[:s.frame], j.frame)
		s.m.In = exec.BitReader{Data: j.data, Pos: j.pos, Missing: j.missing}
		s.asked = requests{truncate: j.truncate, length: j.limit}
		s.out(j.port, j.rid, j.instance, j.length)
	}
}

// Words returns how many words the registers and counters take.
func (s *Switch) Words() int { return s.words }

func (s *Switch) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// run runs one block and reports whether the packet can continue.
func (s *Switch) run(block func(*exec.Machine)) bool {
	s.m.Restart()
	block(s.m)
	if s.m.Fault != nil {
		s.fail(s.m.Fault)
		return false
	}
	return true
}

// parse runs the parser over a packet with zero metadata.
func (s *Switch) parse(packet []byte, missing int, port, instance uint64, keep *fieldList, saved []uint64) bool {
	m := s.m
	m.Reset()
	f := m.F
	f[s.at.ingressPort] = port
	m.In = exec.BitReader{Data: packet, Missing: missing}
	f[s.at.packetLength] = uint64(m.In.Len())
	f[s.at.ingressTime] = s.now & (1<<48 - 1)
	keep.restore(f, saved)
	f[s.at.instanceType] = instance
	s.parser(m)
	if m.Fault != nil {
		s.fail(m.Fault)
		return false
	}
	if m.Rejected() {
		f[s.at.parserError] = m.Error
	}
	return true
}

// fresh takes a packet through the parser and ingress. It then forwards the packet as ingress has decided.
func (s *Switch) fresh(now *job) {
	s.passes++
	s.asked = requests{}
	packet, length := now.data, uint64(len(now.data)+now.missing)
	if !s.parse(packet, now.missing, now.port, now.instance, now.keep, now.saved) || !s.run(s.verify) ||
		!s.run(s.ingress) {
		return
	}
	f, a := s.m.F, s.asked
	if a.clone {
		s.cloneIngress(packet, &a, now.port, length)
	}
	length = s.grown(length)
	if a.resubmit {
		j := s.push()
		j.kind, j.instance, j.keep = fresh, instanceResubmitted, a.resubmitKeep
		j.data, j.missing = append(j.data, packet...), now.missing
		j.saved = a.resubmitKeep.save(j.saved, f)
		return
	}
	if group := f[s.at.mcastGrp]; group != 0 {
		s.multicast(group, instanceReplicated, length)
		return
	}
	spec := f[s.at.egressSpec]
	if spec == DropPort {
		return
	}
	if s.hold || len(s.queue) > s.head { // after the clone
		j := s.copyToEgress(spec, 0, instanceNormal, length)
		j.truncate, j.limit = a.truncate, a.length
		return
	}
	s.out(spec, 0, instanceNormal, length)
}

// grown returns the length of a packet after the pipeline has changed which headers are valid.
func (s *Switch) grown(length uint64) uint64 {
	return uint64(max(0, int(length)+s.m.Grown))
}

// copyToEgress queues a copy of the packet and its variables for egress. The copy has no request to truncate it. The
// pointer is valid until the next push.
func (s *Switch) copyToEgress(port, rid, instance, length uint64) *job {
	j := s.push()
	j.kind, j.port, j.rid, j.instance, j.length = egressCopy, port, rid, instance, length
	j.data, j.missing = append(j.data, s.m.In.Data...), s.m.In.Missing
	j.pos = s.m.In.Pos
	j.frame = append(j.frame, s.m.F[:s.frame]...)
	return j
}

func (s *Switch) multicast(group, instance, length uint64) {
	for _, r := range s.groups[group] {
		s.copyToEgress(uint64(r.port), uint64(r.rid), instance, length)
	}
}

// targets returns the copies that a clone session makes, or none if the session is not configured.
func (s *Switch) targets(id uint64) []replica {
	c := s.sessions[id]
	if c.port != nil {
		return c.port
	}
	return s.groups[c.group] // none for group 0
}

// cloneIngress queues a clone of the original packet for egress.
func (s *Switch) cloneIngress(packet []byte, a *requests, port, length uint64) {
	for _, r := range s.targets(a.session) {
		j := s.push()
		j.kind, j.port, j.rid, j.instance, j.length = ingressClone, uint64(r.port), uint64(r.rid),
			instanceIngressClone, length
		j.from = port
		j.data, j.missing = append(j.data, packet...), s.m.In.Missing
		j.keep = a.cloneKeep
		j.saved = a.cloneKeep.save(j.saved, s.m.F)
	}
}

// cloned parses a cloned packet again and takes it through egress.
func (s *Switch) cloned(j *job) {
	// The parser sees the ingress port of the original packet. The clone's metadata does not contain this port.
	s.asked = requests{}
	if !s.parse(j.data, j.missing, j.from, instanceNormal, nil, nil) {
		return
	}
	s.clearMetadata()
	j.keep.restore(s.m.F, j.saved)
	s.out(j.port, j.rid, j.instance, j.length)
}

func (s *Switch) clearMetadata() {
	clear(s.m.F[s.at.first:s.at.end])
	clear(s.m.F[s.at.metaAt:s.at.metaTo])
}

// out takes a packet through egress and the deparser.
func (s *Switch) out(port, rid, instance, length uint64) {
	s.passes++
	m, f := s.m, s.m.F
	f[s.at.egressPort], f[s.at.egressRid], f[s.at.instanceType] = port, rid, instance
	f[s.at.egressSpec] = 0
	f[s.at.packetLength], m.Grown = length, 0
	w := &s.waited
	f[s.at.enqTimestamp] = w.Enqueued & (1<<32 - 1)
	f[s.at.deqTimedelta] = (s.now - w.Enqueued) & (1<<32 - 1)
	f[s.at.enqDepth], f[s.at.deqDepth] = min(w.EnqDepth, 1<<19-1), min(w.DeqDepth, 1<<19-1)
	f[s.at.egressTime] = s.now & (1<<48 - 1)
	truncate, limit := s.asked.truncate, s.asked.length
	s.asked = requests{truncate: truncate, length: limit}
	if !s.run(s.egress) {
		return
	}
	a := s.asked
	if a.clone {
		s.cloneEgress(&a, s.grown(length))
	}
	if f[s.at.egressSpec] == DropPort {
		return
	}
	if !s.run(s.compute) {
		return
	}
	m.Out.Reset()
	if !s.run(s.deparser) {
		return
	}
	m.Out.Rest(&m.In)
	if a.recirculate {
		j := s.push()
		j.kind, j.instance, j.keep = fresh, instanceRecirculated, a.recirculateKeep
		j.data, j.missing = append(j.data, m.Out.Bytes()...), m.In.Missing
		j.saved = a.recirculateKeep.save(j.saved, f)
		return
	}
	length = uint64(len(m.Out.Bytes()) + m.In.Missing)
	if a.truncate {
		length = min(length, a.length)
		m.Out.Truncate(int(min(a.length, 1<<30)))
	}
	s.emit(int(port), int(length))
}

// emit adds the packet from the deparser to the list of outputs. The packet has length bytes on the wire.
func (s *Switch) emit(port, length int) {
	i := len(s.outputs)
	if i == len(s.buffers) {
		s.buffers = append(s.buffers, nil)
	}
	s.buffers[i] = append(s.buffers[i][:0], s.m.Out.Bytes()...)
	s.outputs = append(s.outputs, exec.Output{Port: port, Data: s.buffers[i], Length: length})
}

// cloneEgress queues a copy of the packet for another pass through egress. The copy has the state after egress.
func (s *Switch) cloneEgress(a *requests, length uint64) {
	for _, r := range s.targets(a.session) {
		j := s.copyToEgress(uint64(r.port), uint64(r.rid), instanceEgressClone, length)
		j.saved = a.cloneKeep.save(j.saved, j.frame)
		clear(j.frame[s.at.first:s.at.end])
		clear(j.frame[s.at.metaAt:s.at.metaTo])
		a.cloneKeep.restore(j.frame, j.saved)
	}
}
