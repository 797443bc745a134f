package lightguardian

import (
	"fmt"
	"math"

	"pintlab/int/sketch/rows"
	"pintlab/int/sketch/sumax"
	"pintlab/internal/hash"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Params are the keys of the monitor in a scenario.
type Params struct {
	// Time after which the two sketches of a switch swap; the testbed of the LightGuardian paper has 5 s.
	Interval unit.Time `yaml:"interval" default:"1ms" range:">=1us" draw:"100..300us"`
	// Last part of an interval, in which switches add no sketchlets; the LightGuardian paper has 1 s.
	Quiet unit.Time `yaml:"quiet" default:"200us" range:">=0s" draw:"20us"`
	// Probability λ_c with which a switch gives a packet a sketchlet. Hashes of 32 bits decide.
	Carry float64 `yaml:"carry" default:"0.0625" range:">=1e-9 <=1" draw:"1|0.1"`
	// How a switch chooses a sketchlet.
	Selection string `yaml:"selection" default:"k+chance" oneof:"k+chance|random|round-robin"`
	// Bit arrays of k+chance; the prototype has 1.
	K int `yaml:"k" when:"selection=k+chance" default:"1" range:">=1 <=8"`
	// What identifies the column of a sketchlet on a packet: its ID (24 B), or the array that chose it (20 B).
	ID string `yaml:"id" when:"selection=k+chance" default:"sketchlet" oneof:"sketchlet|array"`
	// Arrays of the delay part.
	DelayArrays int `yaml:"delay_arrays" default:"2" range:">=1 <=8"`
	// Buckets in an array of the delay part; the prototype has 32768.
	DelayBuckets int `yaml:"delay_buckets" default:"2048" range:">=1 <=1048576" draw:"64|1"`
	// Upper bound of the first delay cell.
	Fast unit.Time `yaml:"delay_1" default:"100ns" range:">=1ns <=4s"`
	// Upper bound of the second delay cell, which begins at delay_1.
	Medium unit.Time `yaml:"delay_2" default:"1us" range:">=1ns <=4s"`
	// Upper bound of the third delay cell, which begins at delay_2. The fourth cell counts all longer delays.
	Slow unit.Time `yaml:"delay_3" default:"10us" range:">=1ns <=4s"`
	// Buckets in each of the four arrays of the interval part; the prototype has 65536, and 0 means none.
	IntervalBuckets int `yaml:"interval_buckets" default:"2048" range:">=0 <=1048576" draw:"16|0"`
	// Whether last arrivals also have sketchlets, as many as the interval part has.
	Last bool `yaml:"last" default:"false"`
	// Whether a further part sums up bytes, with as many sketchlets as the interval part has.
	Bytes bool `yaml:"bytes" default:"false"`
	// Unit of the 32-bit clocks that switches read for intervals and last arrivals.
	Clock unit.Time `yaml:"clock" default:"1ns" range:">=1ns <=1ms"`
	// Bytes of the carry bit on every data packet: none in the TCP header (§5.2); 4 in the P4 program.
	Tag unit.Bytes `yaml:"tag" default:"0B" range:">=0B <=16B"`
	// Who reconstructs sketches: the global analyzer, every host from its own packets, or both.
	Analysis string `yaml:"analysis" default:"global" oneof:"global|local|both"`
	// Node number of the host of the global analyzer.
	Collector int `yaml:"collector" when:"analysis=global or analysis=both" default:"0" range:">=0" draw:"0..hosts"`
	// A host sends when this many sketchlets wait.
	Batch int `yaml:"batch" when:"analysis=global or analysis=both" default:"350" range:">=1" draw:"1|20|300"`
	// Size of datagrams on the wire, with their 42 B of Ethernet, IPv4 and UDP.
	Frame unit.Bytes `yaml:"frame" when:"analysis=global or analysis=both" default:"9000B" range:">=66B <=9216B"`
	// A host that has sent nothing for this long sends the sketchlets that wait; the LightGuardian paper has 100 ms.
	Timeout unit.Time `yaml:"timeout" when:"analysis=global or analysis=both" default:"20us" range:">=1ns" draw:"10us"`
	// How often hosts check whether to send; the LightGuardian paper has 1 ms.
	Poll unit.Time `yaml:"poll" default:"10us" range:">=1ns"`
	// A host sends nothing if its link was busier than this since the last poll. The LightGuardian paper prints no
	// value.
	Load float64 `yaml:"load" when:"analysis=global or analysis=both" default:"0.9" range:">0 <=1" draw:"0.9|0.1"`
	// Number of collected intervals that are kept.
	Keep int `yaml:"keep" default:"1" range:">=0 <=1000"`
	// Whether packets are also counted exactly, to measure the errors of the sketches; this takes memory for each flow.
	Truth bool `yaml:"truth" default:"false"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

// datagramHeader is Ethernet (14 B), IPv4 (20) and UDP (8).
const datagramHeader = 42

// cargo is the room with a packet: a flag for a sketchlet, and the sketchlet.
const cargo = 1 + sumax.SketchletBytes

// onPacket returns the length of a sketchlet on a packet.
func (p *Params) onPacket() unit.Bytes {
	if p.ID == "array" {
		return sumax.SketchletBytes - 4 // the four bits after the interval contain the array
	}
	return sumax.SketchletBytes
}

func (p *Params) most() int { return int(p.Frame-datagramHeader) / sumax.SketchletBytes }

func (p *Params) global() bool { return p.Analysis != "local" }
func (p *Params) local() bool  { return p.Analysis != "global" }

func (p *Params) shape() sumax.Shape {
	ns := func(t unit.Time) uint32 { return uint32(t / unit.Nanosecond) }
	return sumax.Shape{
		DelayArrays: p.DelayArrays, DelayBuckets: p.DelayBuckets,
		Bounds:          [sumax.Cells - 1]uint32{ns(p.Fast), ns(p.Medium), ns(p.Slow)},
		IntervalBuckets: p.IntervalBuckets, Last: p.Last, Bytes: p.Bytes,
	}
}

// Room returns the bytes of the carry bit and of a sketchlet, and the size of datagrams.
func (p *Params) Room(int) telemetry.Room {
	r := telemetry.Room{AtSource: p.Tag, Growth: p.onPacket(), Cargo: cargo}
	if p.global() {
		r.Report = datagramHeader + unit.Bytes(p.most()*sumax.SketchletBytes)
	}
	return r
}

// Check reports settings that contradict each other.
func (p *Params) Check(c *schema.Checker, prefix string) {
	s := p.shape()
	if p.Fast >= p.Medium || p.Medium >= p.Slow {
		c.Fail(prefix+"delay_1",
			fmt.Sprintf("want delay_1 < delay_2 < delay_3, but delay_2 = %v and delay_3 = %v", p.Medium, p.Slow))
	} else if err := s.Check(); err != nil {
		c.Fail(prefix+"interval_buckets", err.Error())
	}
	for i, d := range []unit.Time{p.Fast, p.Medium, p.Slow} {
		c.FailIf(d%unit.Nanosecond != 0, fmt.Sprintf("%sdelay_%d", prefix, i+1),
			"want whole nanoseconds, because sketches count nanoseconds")
	}
	c.FailIf(p.Quiet >= p.Interval, prefix+"quiet", fmt.Sprintf("want less than interval = %v", p.Interval))
	c.FailIf(p.Interval%p.Poll != 0, prefix+"poll", fmt.Sprintf("want a divisor of interval = %v", p.Interval))
	c.FailIf(p.Interval/p.Clock > math.MaxUint32, prefix+"clock",
		fmt.Sprintf("a clock of 32 bits with this unit wraps within interval = %v; want a longer unit", p.Interval))
	c.FailIf(p.global() && p.Batch > p.most(), prefix+"batch",
		fmt.Sprintf("want at most %d, the number of sketchlets that fit into frame = %v", p.most(), p.Frame))
}

// Watch puts sketches into the switches, modules into the hosts and the analyzer at its host.
func (p *Params) Watch(at *telemetry.Place) (*telemetry.Watch, error) {
	hosts, switches := at.Graph.Hosts(), at.Graph.Switches()
	if len(switches) > math.MaxUint16 {
		return nil, fmt.Errorf("kind = lightguardian: %d switches, want at most %d, because a device ID has 16 "+
			"bits", len(switches), math.MaxUint16)
	}
	salt := hash.Combine(hash.String("int/lightguardian"), at.Seed)
	l := newLayout(p, at.Graph, salt)
	m := &Monitor{
		params: *p, at: at, layout: l, limit: uint64(math.Round(p.Carry * (1 << 32))), salt: salt,
		devices: make([]device, len(switches)), numbers: make([]int32, len(at.Graph.Nodes)),
		hosts: make([]host, len(hosts)), hostNumbers: make([]int32, len(at.Graph.Nodes)),
		results: newResults(),
	}
	for i, node := range switches {
		m.numbers[node] = int32(i)
		d := &m.devices[i]
		d.node, d.seed = node, l.seeds[i]
		var err error
		if d.chooser, err = sumax.NewChooser(p.Selection, p.K, l.shape.Sketchlets()); err != nil {
			return nil, err
		}
	}
	for node := range m.hostNumbers {
		m.hostNumbers[node] = -1
	}
	for i, node := range hosts {
		m.hostNumbers[node] = int32(i)
		m.hosts[i] = host{node: node, home: at.Net.Home(node)}
		if p.local() {
			m.hosts[i].local = newModule(l, 0)
		}
	}
	if p.global() {
		var err error
		if m.collector, err = at.Host("collector", p.Collector); err != nil {
			return nil, err
		}
		m.analyzer = newModule(l, p.Keep)
	}
	return &telemetry.Watch{
		Tap: m, Watcher: m, Period: p.Poll, Tick: m.tick, Tables: m.tables, Notes: m.notes, System: m,
	}, nil
}

// seedOf returns the seed of a device's places.
func seedOf(salt uint64, device int) uint64 { return rows.Seed(hash.Combine(salt, uint64(device))) }
