// Package inband reads INT and telemetry reports from a capture of pintlab or of real switches. It summarises them like
// the monitors of a run: by switch, by path and by reporter.
package inband

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/int/wire"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/workloads/packets"
)

// Question selects how a capture is read.
type Question struct {
	DSCP       int        `flag:"dscp" default:"23" range:">=0 <=63" use:"DSCP {N} of packets with INT behind the transport header, 0 for none"`
	Port       int        `flag:"port" range:">=0 <=65535" use:"UDP destination port {N} of packets with INT in the place of the payload, 0 for none"`
	Outer      int        `flag:"outer" range:">=0 <=65535" use:"UDP destination port {N} of INT in a UDP header of its own, 0 for none"`
	ReportPort int        `flag:"report-port" default:"32766" range:">=0 <=65535" use:"UDP destination port {N} of telemetry reports, 0 for none"`
	IFA        int        `flag:"ifa" default:"253" range:">=0 <=255" use:"IP protocol {N} of packets with IFA 2.0, 0 for none"`
	IFAQueue   unit.Bytes `flag:"ifa-queue-unit" default:"512B" range:">=1B <=64KB" use:"{size} that a queue of 1 stands for in IFA"`
	IOAMQueue  unit.Bytes `flag:"ioam-queue-unit" default:"1B" range:">=1B <=64KB" use:"{size} that a queue of 1 stands for in IOAM"`
	Unit       unit.Time  `flag:"latency-unit" default:"1ns" range:">0s <=1s" use:"{time} that a latency of 1 stands for"`
	Interfaces []string   `flag:"interfaces" use:"only packets of these {interfaces} of a pcapng file"`
	Records    int        `flag:"records" range:">=0 <=1000000" use:"list {N} records of hops"`
}

// Answer summarises a capture.
type Answer struct {
	File    string `json:"file"`
	Packets int64  `json:"packets"` // sent packets of the chosen interfaces
	// packets that a port of pintlab dropped or trimmed; the trimmed headers that it sent are separate packets
	Unsent    int64      `json:"unsent"`
	Finds     []Found    `json:"finds"`
	Nodes     []Node     `json:"nodes"`
	Paths     []Path     `json:"paths"`
	Drops     []Drop     `json:"drops"`
	Signals   []Signal   `json:"signals"`
	Reporters []Reporter `json:"reporters"`
	Records   []Record   `json:"records"`   // the first few of them
	Malformed int64      `json:"malformed"` // packets
	Mistakes  []string   `json:"mistakes"`  // the first few errors, with packet and byte
	packets.Partial
}

// Found counts the records of one source of telemetry in a capture, and their hops.
type Found struct {
	Source string `col:"source" json:"source"`
	Count  int64  `col:"found" json:"found"`
	Hops   int64  `col:"hops" json:"hops"`
}

// Node contains the measurements of a switch, as in the table hops of the monitor int.
type Node struct {
	Source      string         `col:"source" json:"source"`
	Node        int64          `col:"node" json:"node"`
	Records     int64          `col:"records" json:"records"`
	LatencyMean columns.Number `col:"latency_mean" unit:"s" json:"latency_mean_s"` // null if no record has a latency
	LatencyMax  columns.Number `col:"latency_max" unit:"s" json:"latency_max_s"`
	// bytes in captures of pintlab, else in the unit of the device; null if no record has a queue
	QueueMax columns.Number `col:"queue_max" json:"queue_max"`

	latencies, sum, most int64
	queues, deepest      int64
}

// Path is a sequence of switches, starting at the source.
type Path struct {
	Source  string `col:"source" json:"source"`
	Path    string `col:"path" json:"path"` // nodes, starting at the source
	Flows   int64  `col:"flows" json:"flows"`
	Packets int64  `col:"packets" json:"packets"`
}

// Drop counts the packets that a switch has dropped, according to the counter in its records, which never decreases.
type Drop struct {
	Source  string `col:"source" json:"source"`
	Node    int64  `col:"node" json:"node"`
	Records int64  `col:"records" json:"records"`
	Dropped int64  `col:"dropped" json:"dropped"` // difference between the smallest and the largest counter
	Counter int64  `col:"counter" json:"counter"` // the largest
}

// Signal summarises the buckets in the CSIG tags of one signal and one locator.
type Signal struct {
	Source  string `col:"source" json:"source"`
	Signal  string `col:"signal" json:"signal"`
	Locator string `col:"locator" json:"locator"` // empty if no switch has written the tag
	Tags    int64  `col:"tags" json:"tags"`
	Least   int64  `col:"least_bucket" json:"least_bucket"`
	Most    int64  `col:"most_bucket" json:"most_bucket"`
}

// Reporter is a node that has sent reports, as in the table sources of the monitor int.
type Reporter struct {
	Source   string `col:"source" json:"source"`
	Node     int64  `col:"node" json:"node"`
	Hardware int64  `col:"hardware" json:"hardware"`
	Packets  int64  `col:"packets" json:"packets"` // packets with reports
	Missing  int64  `col:"missing" json:"missing"` // missing between first and last sequence number
	Reports  int64  `col:"reports" json:"reports"`
	Drops    int64  `col:"drops" json:"drops"` // number of these about drops

	first, last int64 // sequence numbers, continued beyond their 22 bits
}

// Record is the report of one switch about one packet.
type Record struct {
	Packet    int64  `json:"packet" parquet:"packet,delta"` // number in the file
	Time      int64  `json:"time_ns" parquet:"time_ns"`     // time of the packet in the file
	Interface string `json:"interface,omitempty" parquet:"interface,dict"`
	Source    string `json:"source" parquet:"source,dict"`
	Src       string `json:"src" parquet:"src,dict"` // source of the packet that the record is about
	Dst       string `json:"dst" parquet:"dst,dict"`
	SrcPort   int32  `json:"src_port" parquet:"src_port"`
	DstPort   int32  `json:"dst_port" parquet:"dst_port"`
	Protocol  int32  `json:"protocol" parquet:"protocol,dict"`
	Reporter  *int64 `json:"reporter,omitempty" parquet:"reporter,optional"` // reporter of a report
	Sequence  *int64 `json:"sequence,omitempty" parquet:"sequence,optional"` // sequence number of a report
	Number    int32  `json:"hop" parquet:"hop"`                              // number of the hop, from 1 at the source
	Of        int32  `json:"hops" parquet:"hops"`                            // number of hops of the packet; 0: none
	wire.Hop
	Content string `json:"content,omitempty" parquet:"content"` // hexadecimal content of a record without hops
}

// most is the largest number of switches, paths and flows that are counted separately. mistakes is the largest number
// of errors that are reported.
const (
	most     = 1 << 20
	mistakes = 10
)

// reading is a capture that is being read.
type reading struct {
	a         *Answer
	q         *Question
	found     table[Found]
	nodes     table[Node]
	paths     table[Path]
	flows     map[flow]bool
	drops     table[Drop]
	signals   table[Signal]
	reporters table[Reporter]
	chosen    packets.Chosen
	put       func([]Record) error // may be nil
	batch     []Record
}

// table contains rows of the answer. The key of a row is the row with only its identifying fields set.
type table[R comparable] map[R]*R

// of returns the row with the given key. If the row does not exist, it adds the row.
func (t table[R]) of(key R) *R {
	if t[key] == nil {
		t[key] = &key
	}
	return t[key]
}

// rows returns the rows in order.
func (t table[R]) rows(order func(x, y *R) int) []R {
	list := make([]R, 0, len(t))
	for _, r := range slices.SortedFunc(maps.Values(t), order) {
		list = append(list, *r)
	}
	return list
}

// flow is a flow on a path.
type flow struct {
	Path
	src, dst netip.AddrPort
	protocol uint8
}

// Read reads a capture. Errors contain the name of the capture. If the capture ends within a record, the answer covers
// the packets before that record. If parquet is not nil, it receives all records.
func Read(in io.Reader, name string, q Question, parquet io.Writer) (*Answer, error) {
	r := reading{
		a: &Answer{File: name, Records: []Record{}, Mistakes: []string{}}, q: &q,
		found: table[Found]{}, nodes: table[Node]{}, paths: table[Path]{}, flows: map[flow]bool{},
		drops: table[Drop]{}, signals: table[Signal]{}, reporters: table[Reporter]{},
		chosen: packets.Chosen{Names: q.Interfaces},
	}
	finish := func() error { return nil }
	if parquet != nil {
		w := store.CreateParquet[Record](parquet)
		r.put = func(list []Record) error { _, err := w.Write(list); return err }
		finish = w.Close
	}
	if err := r.read(in, name); err != nil {
		return nil, err
	}
	if err := r.chosen.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(r.found) == 0 {
		err := fmt.Errorf("%s: no INT and no telemetry report in %s, with --dscp %d, --port %d, --outer %d and "+
			"--report-port %d", name, number.Count(r.a.Packets, "packet"), q.DSCP, q.Port, q.Outer, q.ReportPort)
		if r.a.Malformed > 0 {
			err = fmt.Errorf("%w; %s", err, r.a.Mistakes[0])
		}
		return nil, errors.Join(err, r.a.Incomplete())
	}
	r.sum()
	return r.a, finish()
}

func (r *reading) read(in io.Reader, name string) error {
	frames, err := packets.NewFrames(in)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	signs := wire.Signs{DSCP: uint8(r.q.DSCP), Blocks: wire.BlockMark, Port: uint16(r.q.Port),
		Outer: uint16(r.q.Outer), Report: uint16(r.q.ReportPort), IFA: uint8(r.q.IFA),
		IFAQueue: r.q.IFAQueue, IOAMQueue: r.q.IOAMQueue}
	for number := int64(1); ; number++ {
		f, err := frames.Next()
		if err == io.EOF {
			r.a.AddFile(name, frames.Truncation())
			return nil
		}
		var ip []byte
		if err == nil {
			ip, _, err = packets.Network(f.Link, f.Data)
		}
		if err != nil {
			return fmt.Errorf("%s: packet %d: %w", name, number, err)
		}
		if !r.chosen.Has(f) {
			continue
		}
		if f.Unsent {
			r.a.Unsent++
			continue
		}
		r.a.Packets++
		finds, err := signs.Read(f.Data, len(f.Data)-len(ip))
		if err != nil {
			r.a.Malformed++
			if len(r.a.Mistakes) < mistakes {
				cut := ""
				if len(f.Data) < f.Length {
					cut = fmt.Sprintf(" (%d of its %d bytes were captured)", len(f.Data), f.Length)
				}
				r.a.Mistakes = append(r.a.Mistakes, fmt.Sprintf("%s: packet %d, %v%s", name, number, err, cut))
			}
		}
		for i := range finds {
			if err := r.take(&finds[i], f, number); err != nil {
				return fmt.Errorf("%s: packet %d: %w", name, number, err)
			}
		}
	}
}

// take counts a find.
func (r *reading) take(f *wire.Find, frame *packets.Frame, number int64) error {
	if len(r.nodes)+len(r.flows)+len(r.signals)+len(r.reporters) > most {
		return fmt.Errorf("more than %d different switches, paths, flows and reporters: is this INT?", most)
	}
	source := string(f.Source)
	count := r.found.of(Found{Source: source})
	count.Count++
	count.Hops += int64(len(f.Hops))
	if f.Reporter != nil {
		r.report(source, f.Reporter)
	}
	r.batch = r.batch[:0]
	var path strings.Builder
	for i := range max(len(f.Hops), min(len(f.Content), 1)) {
		record := Record{
			Packet: number, Time: frame.Time.UnixNano(), Interface: frame.Interface, Source: source,
			Src: address(f.Src), Dst: address(f.Dst),
			SrcPort: int32(f.Src.Port()), DstPort: int32(f.Dst.Port()), Protocol: int32(f.Protocol),
			Of: int32(len(f.Hops)), Content: hex.EncodeToString(f.Content),
		}
		if len(f.Hops) > 0 {
			record.Number, record.Hop = int32(i+1), f.Hops[i]
		}
		if x := f.Reporter; x != nil {
			node, sequence := int64(x.Node), int64(x.Sequence)
			record.Reporter, record.Sequence = &node, &sequence
		}
		r.batch = append(r.batch, record)
		if len(r.a.Records) < r.q.Records {
			r.a.Records = append(r.a.Records, record)
		}
		switch h := &record.Hop; {
		case h.Node != nil:
			fmt.Fprintf(&path, " %d", *h.Node)
			r.nodes.of(Node{Source: source, Node: *h.Node}).add(h)
			if h.Drops != nil {
				r.drops.of(Drop{Source: source, Node: *h.Node}).add(*h.Drops)
			}
		case h.Bucket != nil:
			k := Signal{Source: source, Signal: h.Signal}
			if h.Locator != nil {
				k.Locator = strconv.FormatInt(*h.Locator, 10)
			}
			s := r.signals.of(k)
			if s.Tags == 0 {
				s.Least = *h.Bucket
			}
			s.Tags, s.Least, s.Most = s.Tags+1, min(s.Least, *h.Bucket), max(s.Most, *h.Bucket)
		}
	}
	if path.Len() > 0 {
		k := Path{Source: source, Path: path.String()[1:]}
		p := r.paths.of(k)
		p.Packets++
		if one := (flow{k, f.Src, f.Dst, f.Protocol}); !r.flows[one] {
			r.flows[one] = true
			p.Flows++
		}
	}
	if r.put == nil {
		return nil
	}
	return r.put(r.batch)
}

// address formats an address. It is empty if the header is missing.
func address(a netip.AddrPort) string {
	if !a.Addr().IsValid() {
		return ""
	}
	return a.Addr().String()
}

func (n *Node) add(h *wire.Hop) {
	n.Records++
	if h.Latency != nil {
		n.latencies++
		n.sum += *h.Latency
		n.most = max(n.most, *h.Latency)
	}
	if h.Queue != nil {
		n.queues++
		n.deepest = max(n.deepest, *h.Queue)
	}
}

// add counts a record that contains a counter of drops.
func (d *Drop) add(counter int64) {
	least := d.Counter - d.Dropped
	if d.Records == 0 {
		least = counter
	}
	d.Records++
	least, d.Counter = min(least, counter), max(d.Counter, counter)
	d.Dropped = d.Counter - least
}

func (r *reading) report(source string, x *wire.Reporter) {
	const span = 1 << 22
	p := r.reporters.of(Reporter{Source: source, Node: int64(x.Node), Hardware: int64(x.Hardware)})
	p.Reports++
	if x.Dropped {
		p.Drops++
	}
	if !x.First {
		return
	}
	n := int64(x.Sequence)
	if p.Packets == 0 {
		p.first, p.last = n, n
	} else {
		n = p.last + (n-p.last+span/2)&(span-1) - span/2 // the number nearest to p.last that has these low bits
		p.first, p.last = min(p.first, n), max(p.last, n)
	}
	p.Packets++
}

// sum makes the tables, in a fixed order.
func (r *reading) sum() {
	a := r.a
	for _, n := range r.nodes {
		missing := columns.Number(math.NaN())
		n.LatencyMean, n.LatencyMax, n.QueueMax = missing, missing, missing
		if n.latencies > 0 {
			second := r.q.Unit.Seconds()
			n.LatencyMean = columns.Number(float64(n.sum) / float64(n.latencies) * second)
			n.LatencyMax = columns.Number(float64(n.most) * second)
		}
		if n.queues > 0 {
			n.QueueMax = columns.Number(n.deepest)
		}
	}
	for _, p := range r.reporters {
		p.Missing = max(0, p.last-p.first+1-p.Packets)
	}
	a.Finds = r.found.rows(func(x, y *Found) int { return cmp.Compare(x.Source, y.Source) })
	a.Nodes = r.nodes.rows(func(x, y *Node) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Node, y.Node))
	})
	a.Paths = r.paths.rows(func(x, y *Path) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(y.Packets, x.Packets), cmp.Compare(x.Path, y.Path))
	})
	a.Drops = r.drops.rows(func(x, y *Drop) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Node, y.Node))
	})
	a.Signals = r.signals.rows(func(x, y *Signal) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Signal, y.Signal),
			cmp.Compare(len(x.Locator), len(y.Locator)), cmp.Compare(x.Locator, y.Locator))
	})
	a.Reporters = r.reporters.rows(func(x, y *Reporter) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Node, y.Node), cmp.Compare(x.Hardware, y.Hardware))
	})
}

// Text prints the tables that are not empty, and the packets that cannot be read.
func (a *Answer) Text() (string, error) {
	var t columns.Text
	t.Printf("%s: %s", a.File, number.Count(a.Packets, "packet"))
	if a.Unsent > 0 {
		t.Printf("; left out: %s that a port dropped or trimmed", number.Count(a.Unsent, "packet"))
	}
	t.Printf("\n")
	for _, rows := range []any{a.Finds, a.Reporters, a.Nodes, a.Paths, a.Drops, a.Signals} {
		if reflect.ValueOf(rows).Len() > 0 {
			t.Printf("\n")
			t.Rows(rows)
		}
	}
	if len(a.Records) > 0 {
		t.Printf("\n")
		t.Table(a.table())
	}
	if a.Malformed > 0 {
		t.Printf("\n%s cannot be read:\n%s\n", number.Count(a.Malformed, "packet"), strings.Join(a.Mistakes, "\n"))
	}
	return t.Done()
}

// table returns the records as text, with the columns that have a value.
func (a *Answer) table() (*plots.Table, error) {
	var list []plots.Column
	rows := make([][]any, len(a.Records))
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Record]()) {
		if f.Anonymous {
			continue
		}
		cells, some := make([]string, len(a.Records)), false
		for i := range a.Records {
			v := reflect.Indirect(reflect.ValueOf(&a.Records[i]).Elem().FieldByIndex(f.Index))
			if v.IsValid() && v.String() != "" {
				cells[i], some = fmt.Sprint(v), true
			}
		}
		if !some {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		list = append(list, plots.Text(name))
		for i := range rows {
			rows[i] = append(rows[i], cells[i])
		}
	}
	t, err := plots.NewTable(list...)
	for _, row := range rows {
		if err == nil {
			err = t.Append(row...)
		}
	}
	return t, err
}
