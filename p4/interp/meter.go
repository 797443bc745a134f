package interp

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"pintlab/internal/number"
	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
)

// The colours of a meter.
const (
	green = iota
	yellow
	red
)

// meter is the state of a meter or direct_meter. It contains two-rate three-colour markers as in RFC 2698 in
// colour-blind mode, which ignore the colour that a packet has. A cell without rates marks all packets green.
type meter struct {
	sw    *Switch
	bytes bool        // tokens are bytes, else packets
	cells int         // cells of a meter
	table *exec.Table // table of a direct_meter
	at    map[any]*marker
	all   *marker // rates of the cells for which no command has set rates

	// colour is the result of the last hit of table, which happened in pass of packet.
	colour       uint64
	packet, pass int
}

// marker is a cell: the buckets of the committed and of the peak rate.
type marker [2]bucket

// bucket is a token bucket. Tokens come at a rate per microsecond from time 0 on. The bucket contains at most burst
// tokens.
type bucket struct {
	rate          float64
	burst, tokens uint64
	given         uint64 // tokens until the last packet
}

// take adds the tokens that have come until a time. It then removes n tokens for a packet, or none if the bucket has
// fewer.
func (b *bucket) take(us, n uint64) bool {
	given := uint64(float64(us) * b.rate)
	b.tokens, b.given = min(b.tokens+given-min(b.given, given), b.burst), given
	if b.tokens < n {
		return false
	}
	b.tokens -= n
	return true
}

// newMeter makes the state of a meter with a number of cells, or of a direct_meter.
func (x *externs) newMeter(e *ir.Extern) (*meter, error) {
	m := &meter{sw: x.sw, at: map[any]*marker{}}
	var err error
	if e.Type == "meter" {
		if m.cells, err = numberArg(e); err != nil {
			return nil, err
		}
	}
	kind, ok := exec.Const(e.Args[len(e.Args)-1])
	m.bytes = ok && kind.Sign() != 0
	return m, err
}

// mark measures a packet with the marker of a cell, which key identifies, and returns the colour of the packet.
func (m *meter) mark(key any, bytes int) uint64 {
	c := m.at[key]
	if c == nil {
		if m.all == nil {
			return green
		}
		own := *m.all
		c = &own
		m.at[key] = c
	}
	n := uint64(1)
	if m.bytes {
		n = uint64(bytes)
	}
	switch {
	case !c[1].take(m.sw.now, n):
		return red
	case !c[0].take(m.sw.now, n):
		return yellow
	}
	return green
}

// hit measures a packet that hits an entry of the table.
func (m *meter) hit(machine *exec.Machine, e *exec.Entry) {
	m.colour, m.packet, m.pass = m.mark(e, machine.In.Len()), m.sw.arrived, m.sw.passes
}

// compile compiles execute_meter or read. After a miss in the table, read changes nothing.
func (m *meter) compile(b *exec.Builder, c *ir.ExternCall) (exec.Code, error) {
	out := c.Args[len(c.Args)-1].LValue
	if out == nil {
		return exec.Code{}, exec.Unknown(c, "v1model")
	}
	store := storeNumber(b, out)
	if c.Name == "read" {
		return exec.Code{Do: func(machine *exec.Machine) {
			if m.packet == m.sw.arrived && m.pass == m.sw.passes {
				store(machine, m.colour)
			}
		}}, nil
	}
	index := b.Word(c.Args[0].Value)
	return exec.Code{Do: func(machine *exec.Machine) {
		if i := index(machine); i < uint64(m.cells) {
			store(machine, m.mark(int(i), machine.In.Len()))
		}
	}}, nil
}

// key finds the cell of an index or the entry of a handle.
func (m *meter) key(word string) (any, error) {
	i, err := strconv.Atoi(word)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q is not a number", word)
	case m.table != nil:
		return m.table.Entry(i)
	case m.cells == 0:
		return nil, fmt.Errorf("no table has this direct_meter")
	case i < 0 || i >= m.cells:
		return nil, fmt.Errorf("index %d: the meter has %s", i, number.Count(m.cells, "cell"))
	}
	return i, nil
}

// buckets reads "rate:burst rate:burst", the committed rate first.
func buckets(words []string) (list marker, err error) {
	if len(words) != len(list) {
		return list, fmt.Errorf("%s, expected 2: <committed rate>:<burst> <peak rate>:<burst>",
			number.Count(len(words), "rate"))
	}
	for i, w := range words {
		rate, burst, _ := strings.Cut(w, ":")
		b := &list[i]
		b.rate, err = strconv.ParseFloat(rate, 64)
		if err == nil {
			b.burst, err = strconv.ParseUint(burst, 0, 32)
		}
		if err != nil || !(b.rate >= 0) || math.IsInf(b.rate, 0) || b.rate > 1e6 {
			return list, fmt.Errorf("%q: expected <rate per microsecond>:<burst>, a rate of 0 to 1e6 and a "+
				"whole burst", w)
		}
		b.tokens = b.burst
	}
	if list[1].rate < list[0].rate {
		return list, fmt.Errorf("the peak rate %v is below the committed rate %v", list[1].rate, list[0].rate)
	}
	return list, nil
}

func meterSet(m *meter, args []string) (string, error) {
	key, err := m.key(args[0])
	if err != nil {
		return "", err
	}
	c, err := buckets(args[1:])
	if err == nil {
		m.at[key] = &c
	}
	return "", err
}

func meterSetAll(m *meter, args []string) (string, error) {
	c, err := buckets(args)
	if err == nil {
		m.all = &c
		clear(m.at)
	}
	return "", err
}

func meterGet(m *meter, args []string) (string, error) {
	key, err := m.key(args[0])
	if err != nil {
		return "", err
	}
	c := m.at[key]
	if c == nil {
		c = m.all
	}
	if c == nil {
		return "no rates: every packet is green", nil
	}
	return fmt.Sprintf("0: info rate = %v, burst size = %d\n1: info rate = %v, burst size = %d", c[0].rate, c[0].burst,
		c[1].rate, c[1].burst), nil
}
