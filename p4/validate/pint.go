package validate

import (
	"math/big"
	"math/rand/v2"

	"pintlab/p4"
	"pintlab/p4/fixedpoint"
	"pintlab/p4/interp"
	"pintlab/p4/interp/exec"
	"pintlab/pint/coding"
	"pintlab/pint/global"
	"pintlab/pint/loops"
)

// drawn is the packet that was drawn last, with its bytes.
type drawn struct {
	p    packet
	b    []byte
	out  []byte
	tick uint32
}

// bytes encodes the packet.
func (d *drawn) bytes() []byte {
	d.b = d.p.append(d.b[:0])
	return d.b
}

// sent returns the bytes of the packet after the switch has processed it.
func (d *drawn) sent(digest uint16) []byte {
	p := d.p
	p.Hop++
	p.Digest = digest
	d.out = p.append(d.out[:0])
	return d.out
}

// any draws a packet with fields as they occur in a network: switch numbers and hops are small, and times are close
// to each other.
func (d *drawn) any(r *rand.Rand) []byte {
	latency := uint32(r.Uint64() >> (32 + r.UintN(32))) // latencies of every magnitude
	d.tick += max(1, uint32(r.Uint64N(1<<(1+r.UintN(16)))))
	d.p = packet{
		SwitchID: r.Uint32N(64), Ingress: d.tick - latency, Egress: d.tick,
		Queue: uint32(r.Uint64() >> (40 + r.UintN(24))), Size: 64 + r.Uint32N(9000),
		ID: r.Uint64(), Hop: uint8(r.UintN(16)), Digest: uint16(r.Uint32()),
	}
	return d.bytes()
}

func (d *drawn) draw(r *rand.Rand) []byte { return d.any(r) }

// pathTwin is Algorithm 1, computed by package pint/coding.
type pathTwin struct {
	drawn
	code *coding.Code
}

// pathCode returns the coding of path tracing for a seed.
func pathCode(seed uint32) (*coding.Code, error) {
	return coding.New(coding.Config{
		Schemes: []coding.Scheme{p4.Scheme()}, Mode: coding.Hash, Bits: p4.PathBits, Instances: 1,
		Family: global.CRC(seed),
	})
}

func newPathTwin() (twin, error) {
	code, err := pathCode(p4.Seed)
	return &pathTwin{code: code}, err
}

// path returns the digest of path tracing after the switch has processed the packet.
func path(code *coding.Code, p *packet) uint16 {
	old := p.Digest
	return old&0xff00 | uint16(code.Hop(p.ID, int(p.Hop)+1, uint64(p.SwitchID), uint64(old&0xff)))
}

func (t *pathTwin) domain() int { return 1 << 14 }

// value returns packets for each of 256 switches at each of 64 hops.
func (t *pathTwin) value(i int) []byte {
	t.p = packet{SwitchID: uint32(i & 0xff), Hop: uint8(i >> 8), ID: 0x0123456789abcdef, Digest: 0xa55a}
	return t.bytes()
}

func (t *pathTwin) expect() []byte { return t.sent(path(t.code, &t.p)) }

// latencyTwin is a reservoir of latency codes.
type latencyTwin struct {
	drawn
	reservoirOfCodes
}

type reservoirOfCodes struct {
	code   *fixedpoint.Encoder
	family global.Family
}

func newLatencyTwin() (twin, error) {
	code, err := p4.Latency()
	return &latencyTwin{reservoirOfCodes: reservoirOfCodes{code, global.CRC(p4.Seed)}}, err
}

// next returns the digest after the switch has processed the packet.
func (l *reservoirOfCodes) next(p *packet, old uint8) uint8 {
	hop := int(p.Hop) + 1
	if !global.Reservoir(l.family.Hash(global.Act, 0, p.ID, uint64(hop)), hop) {
		return old
	}
	return uint8(l.code.Encode(p.Egress-p.Ingress, l.family.Hash(global.Rounding, 0, p.ID, 0)>>24))
}

func (t *latencyTwin) domain() int { return 1 << 16 }

// value returns packets with every latency up to 65.5 µs.
func (t *latencyTwin) value(i int) []byte {
	t.p = packet{Egress: uint32(i), ID: uint64(i & 3)}
	return t.bytes()
}

func (t *latencyTwin) expect() []byte {
	return t.sent(t.p.Digest&0xff00 | uint16(t.next(&t.p, uint8(t.p.Digest))))
}

// load is U of one port, computed as in a switch.
type load struct {
	port   *fixedpoint.Port
	family global.Family
	last   uint32 // tick at which the last packet left
	u      uint32
	stored *recirculation // nil unless the switch stores several values of U
}

func newLoad(form fixedpoint.Form, seed uint32) (load, error) {
	shared, err := p4.Utilization(form)
	if err != nil {
		return load{}, err
	}
	port, err := shared.NewPort(p4.Rate, p4.Horizon)
	return load{port: port, family: global.CRC(seed)}, err
}

// code updates U and returns its code.
func (l *load) code(p *packet) uint8 {
	tau := p.Egress - l.last
	l.last = p.Egress
	if l.stored != nil {
		l.u = l.stored.next(tau, p.Queue, p.Size)
	} else {
		l.u = l.port.Next(l.u, tau, p.Queue, p.Size)
	}
	return uint8(l.port.Code(l.u, l.family.Hash(global.Rounding, 0, p.ID, 0)>>24))
}

// portCount is the number of ports in the registers.
const portCount = 512

// loadTwin computes HPCC's U over PINT.
type loadTwin struct {
	drawn
	load
}

func newLoadTwin(form fixedpoint.Form) func() (twin, error) {
	return func() (twin, error) {
		l, err := newLoad(form, p4.Seed)
		return &loadTwin{load: l}, err
	}
}

// registers returns the registers of port 1, through which all packets leave.
func (t *loadTwin) registers() map[string][]uint64 {
	ticks, loads := make([]uint64, portCount), make([]uint64, portCount)
	ticks[1], loads[1] = uint64(t.last), uint64(t.u)
	return map[string][]uint64{"last_tick": ticks, "utilization": loads}
}

// draw makes digests so small that the code of U is often larger.
func (t *loadTwin) draw(r *rand.Rand) []byte {
	t.any(r)
	t.p.Digest &= 0xff7f >> r.UintN(2)
	return t.bytes()
}

func (t *loadTwin) domain() int { return 14_000 + 1<<14 }

// value returns packets with every τ up to beyond T, and then with every queue up to 16 KiB.
func (t *loadTwin) value(i int) []byte {
	t.p = packet{Egress: t.last + 84, Queue: uint32(i - 14_000), Size: 1048, ID: uint64(i)}
	if i < 14_000 {
		t.p.Egress, t.p.Queue = t.last+uint32(i), 5000
	}
	return t.bytes()
}

func (t *loadTwin) expect() []byte {
	code := uint16(t.code(&t.p))
	return t.sent(t.p.Digest&0xff00 | max(code, t.p.Digest&0xff))
}

// powerTwin computes PowerTCP's Γ over PINT.
type powerTwin struct {
	loadTwin
	queue uint32 // queue behind the last packet
}

func newPowerTwin() (twin, error) {
	l, err := newLoad(fixedpoint.Power, p4.Seed)
	return &powerTwin{loadTwin: loadTwin{load: l}}, err
}

// expect updates Γ if bytes have arrived.
func (t *powerTwin) expect() []byte {
	p := &t.p
	if came := fixedpoint.Came(p.Queue, p.Size, t.queue); came > 0 {
		tau := p.Egress - t.last
		if t.queue > 0 {
			tau = min(tau, p4.Drain)
		}
		t.last = p.Egress
		t.u = t.port.NextPower(t.u, tau, p.Queue, came)
	}
	t.queue = p.Queue
	code := uint16(t.port.Code(t.u, t.family.Hash(global.Rounding, 0, p.ID, 0)>>24))
	return t.sent(p.Digest&0xff00 | max(code, p.Digest&0xff))
}

// registers returns the registers of port 1, through which all packets leave.
func (t *powerTwin) registers() map[string][]uint64 {
	ticks, powers, queues := make([]uint64, portCount), make([]uint64, portCount), make([]uint64, portCount)
	ticks[1], powers[1], queues[1] = uint64(t.last), uint64(t.u), uint64(min(t.queue, fixedpoint.Bytes))<<5
	return map[string][]uint64{"last_tick": ticks, "power": powers, "last_queue": queues}
}

// recirculation stores two values of U. The interpreter recirculates a packet at once. The test needs other packets
// to pass meanwhile. For this purpose the control plane makes the program behave as if the packet were still on its
// way.
type recirculation struct {
	port   *fixedpoint.Port
	stored *fixedpoint.Stored
	lag    int // packets that pass before a recirculated packet is back

	used    *exec.Register
	waiting int
}

// storedLag is how many packets pass before the recirculated packet returns, if there is a control plane.
const storedLag = 3

// storeValues makes a switch store two values of U instead of updating U in one stage.
func storeValues(l *load) (*recirculation, error) {
	stored, err := fixedpoint.NewStored(l.port, 2, 0)
	l.stored = &recirculation{port: l.port, stored: stored}
	return l.stored, err
}

func (r *recirculation) configure(p *interp.Pipeline) (err error) {
	if r.used, err = p.Register("used"); err != nil {
		return err
	}
	r.lag = storedLag
	r.stored, err = fixedpoint.NewStored(r.port, 2, r.lag)
	return err
}

// operate delays the recirculated packet.
func (r *recirculation) operate() error {
	if r.waiting == 0 {
		return nil
	}
	r.waiting--
	if r.waiting == 0 {
		return r.used.Write(1, big.NewInt(0))
	}
	return r.used.Write(1, big.NewInt(2))
}

func (r *recirculation) next(tau, queue, bytes uint32) uint32 {
	u, recirculate := r.stored.Next(tau, queue, bytes)
	if recirculate && r.lag > 0 {
		r.waiting = r.lag + 1
	}
	return u
}

// storedTwin computes HPCC's U over PINT with stored values of U.
type storedTwin struct {
	loadTwin
	*recirculation
}

func newStoredTwin() (twin, error) {
	l, err := newLoad(fixedpoint.Difference, p4.Seed)
	if err != nil {
		return nil, err
	}
	t := &storedTwin{loadTwin: loadTwin{load: l}}
	t.recirculation, err = storeValues(&t.load)
	return t, err
}

func (t *storedTwin) registers() map[string][]uint64 {
	return map[string][]uint64{"last_tick": t.loadTwin.registers()["last_tick"]}
}

// storedCombinedTwin runs the three queries with stored values of U.
type storedCombinedTwin struct {
	*combinedTwin
	*recirculation
}

func newStoredCombinedTwin() (twin, error) {
	c, err := newCombinedTwin(fixedpoint.Difference)()
	if err != nil {
		return nil, err
	}
	t := &storedCombinedTwin{combinedTwin: c.(*combinedTwin)}
	t.recirculation, err = storeValues(&t.load)
	return t, err
}

// combinedTwin runs the three queries.
type combinedTwin struct {
	drawn
	path    *coding.Code
	latency reservoirOfCodes
	load    load
	choice  global.Family
}

func newCombinedTwin(form fixedpoint.Form) func() (twin, error) {
	return func() (twin, error) {
		t := &combinedTwin{choice: global.CRC(p4.SeedOf(-1))}
		var err error
		if t.path, err = pathCode(p4.SeedOf(0)); err != nil {
			return nil, err
		}
		if t.latency.code, err = p4.Latency(); err != nil {
			return nil, err
		}
		t.latency.family = global.CRC(p4.SeedOf(1))
		t.load, err = newLoad(form, p4.SeedOf(2))
		return t, err
	}
}

func (t *combinedTwin) domain() int { return 1 << 16 }

// value returns packets with every digest, at every hop, with latencies and queues of every magnitude.
func (t *combinedTwin) value(i int) []byte {
	latency := uint32(1) << (i >> 3 & 15)
	t.p = packet{
		SwitchID: uint32(i & 63), Egress: t.load.last + 84, Queue: uint32(i&7) << (i >> 7 & 15), Size: 1048,
		ID: uint64(i) * 0x9e3779b97f4a7c15, Hop: uint8(i >> 8 & 15), Digest: uint16(i),
	}
	t.p.Ingress = t.p.Egress - latency
	return t.bytes()
}

func (t *combinedTwin) expect() []byte {
	low := path(t.path, &t.p) & 0xff
	high := uint8(t.p.Digest >> 8)
	code := t.load.code(&t.p) // every packet enters U
	if t.choice.Hash(global.QuerySet, 0, t.p.ID, 0)>>(32-p4.HPCCShift) == 1<<p4.HPCCShift-1 {
		high = max(high, code)
	} else {
		high = t.latency.next(&t.p, high)
	}
	return t.sent(uint16(high)<<8 | low)
}

// loopTwin is Algorithm 2, computed by package pint/loops.
type loopTwin struct {
	drawn
	detector *loops.Detector
}

func newLoopTwin() (twin, error) {
	d, err := loops.New(p4.Loop(), global.CRC(p4.Seed))
	return &loopTwin{detector: d}, err
}

// draw puts the switch's own hash into the digest of every second packet.
func (t *loopTwin) draw(r *rand.Rand) []byte {
	t.any(r)
	if r.UintN(2) == 0 {
		h := global.CRC(p4.Seed).Hash(global.Value, 0, t.p.ID, uint64(t.p.SwitchID))
		t.p.Digest = t.p.Digest&0x8000 | uint16(global.Digest(h, p4.Loop().Bits))
	}
	return t.bytes()
}

func (t *loopTwin) domain() int { return 1 << 16 }

// value returns packets with every digest.
func (t *loopTwin) value(i int) []byte {
	t.p = packet{SwitchID: 7, Hop: 2, ID: 42, Digest: uint16(i)}
	return t.bytes()
}

func (t *loopTwin) expect() []byte {
	digest, loop := t.detector.Process(t.p.ID, int(t.p.Hop)+1, uint64(t.p.SwitchID), uint64(t.p.Digest))
	if loop {
		return nil
	}
	return t.sent(uint16(digest))
}
