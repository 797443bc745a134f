package reference

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/hash"
	"pintlab/internal/number"
	"pintlab/p4/interp"
)

// Question describes what is compared.
type Question struct {
	Reference string   `flag:"reference" use:"judge against an {expression} of the inputs or a file that ends in .py"`
	Result    string   `flag:"result" use:"{field} or register that has the program's number, such as meta.u or I.r[0]"`
	Inputs    []string `flag:"input" each:"yes"`
	Packet    string   `flag:"packet" use:"{bytes} of a packet, in hexadecimal, into which inputs are written"`
	Absolute  bool     `flag:"absolute" use:"errors are differences, not relative to the reference"`
	Bound     float64  `flag:"bound" default:"0" range:">=0 <=1000000000000" use:"largest {error} that passes"`
}

// Answer reports how far a program's numbers are from the reference.
type Answer struct {
	Packets  int     `json:"packets"`
	All      bool    `json:"all"` // whether these are all combinations of inputs
	Absolute bool    `json:"absolute"`
	Mean     float64 `json:"mean"` // mean of the absolute values of the errors
	Median   float64 `json:"median"`
	P99      float64 `json:"p99"`
	Max      float64 `json:"max"`
	Bias     float64 `json:"bias"` // mean of the errors with their signs
	// Zero counts packets for which the reference is 0. A relative error has no meaning for them. It counts as 0 if
	// the program also computes 0, and otherwise as 1 (as -1 if the program's number is negative).
	Zero  int  `json:"zero"`
	Worst Case `json:"worst"`
}

// Case is a packet with the numbers that the program and the reference compute for it.
type Case struct {
	Inputs    []string `json:"inputs"`
	Got       string   `json:"got"`
	Reference string   `json:"reference"`
	Error     float64  `json:"error"`
	Packet    string   `json:"packet"` // hexadecimal
}

// input is a number that is drawn for each packet.
type input struct {
	*interp.Field
	from, to uint64
	bits     []int // bits of the packet, the most significant first
}

// judge is a program with its inputs and its result.
type judge struct {
	pipe   *interp.Pipeline
	result *interp.Field
	inputs []input
	packet []byte
}

// Judge runs at most packets packets through a program that is ready to run.
func (q *Question) Judge(ctx context.Context, pipe *interp.Pipeline, packets int, seed uint64) (*Answer, error) {
	j := &judge{pipe: pipe}
	if err := j.prepare(q); err != nil {
		return nil, err
	}
	list, all := j.draw(packets, seed)
	want, err := q.reference(ctx, j, list)
	if err != nil {
		return nil, err
	}
	a := &Answer{Packets: len(list), All: all, Absolute: q.Absolute}
	sizes := make([]float64, 0, len(list))
	for i, values := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		got, err := j.run(values)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(j.names(values), ", "), err)
		}
		if want[i].Sign() == 0 {
			a.Zero++
		}
		e := failure(newFloat().SetInt(got), want[i], q.Absolute)
		sizes = append(sizes, math.Abs(e))
		a.Bias += e / float64(len(list))
		a.Mean += math.Abs(e) / float64(len(list))
		if i == 0 || math.Abs(e) > math.Abs(a.Worst.Error) {
			a.Worst = Case{Inputs: j.names(values), Got: got.String(), Reference: want[i].Text('g', 12), Error: e,
				Packet: hex.EncodeToString(j.packet)}
		}
	}
	slices.Sort(sizes)
	at := func(permille int) float64 { return sizes[(len(sizes)*permille-1)/1000] }
	a.Median, a.P99, a.Max = at(500), at(990), at(1000)
	return a, nil
}

// WriteText writes the answer for a terminal of 80 columns.
func (a *Answer) WriteText(w io.Writer) {
	kind, drawn := "relative", "drawn"
	if a.Absolute {
		kind = "absolute"
	}
	if a.All {
		drawn = "all combinations of inputs"
	}
	fmt.Fprintf(w, "%s, %s; %s errors\n", number.Count(a.Packets, "packet"), drawn, kind)
	fmt.Fprintf(w, "mean %.3g, median %.3g, 99 %% %.3g, largest %.3g, bias %+.3g\n", a.Mean, a.Median, a.P99, a.Max,
		a.Bias)
	if a.Zero > 0 && !a.Absolute {
		fmt.Fprintf(w, "the reference is 0 in %s: there a wrong answer counts as an error of 1 or -1\n",
			number.Count(a.Zero, "packet"))
	}
	if a.Max == 0 {
		return
	}
	fmt.Fprintf(w, "worst: %s\n       program %s, reference %s, error %+.3g\n       packet %s\n",
		strings.Join(a.Worst.Inputs, " "), a.Worst.Got, a.Worst.Reference, a.Worst.Error, a.Worst.Packet)
}

// failure returns the error of a number.
func failure(got, want *big.Float, absolute bool) float64 {
	d := newFloat().Sub(got, want)
	switch {
	case absolute || d.Sign() == 0:
	case want.Sign() == 0:
		return float64(d.Sign())
	default:
		d.Quo(d, newFloat().Abs(want))
	}
	e, _ := d.Float64()
	return e
}

func (j *judge) names(values []uint64) []string {
	var list []string
	for i, in := range j.inputs {
		list = append(list, fmt.Sprintf("%s=%d", in.Name, values[i]))
	}
	return list
}

// prepare finds the fields of the result and the inputs, and the bits of the inputs in the packet.
func (j *judge) prepare(q *Question) (err error) {
	if q.Result == "" || len(q.Inputs) == 0 {
		return errors.New("--reference needs --result FIELD and --input FIELD=FROM..TO: the field that the program " +
			"computes, and the fields from which it is computed")
	}
	if j.result, err = j.pipe.Field(q.Result); err != nil {
		return fmt.Errorf("--result %w", err)
	}
	if j.packet, err = packet(q.Packet); err != nil {
		return err
	}
	for _, text := range q.Inputs {
		in, err := j.input(text)
		if err != nil {
			return fmt.Errorf("--input %w", err)
		}
		if slices.ContainsFunc(j.inputs, func(o input) bool { return o.Name == in.Name }) {
			return fmt.Errorf("--input %s is given twice", in.Name)
		}
		j.inputs = append(j.inputs, in)
	}
	return j.locate()
}

// input reads FIELD or FIELD=FROM..TO.
func (j *judge) input(text string) (in input, err error) {
	name, limits, limited := strings.Cut(text, "=")
	if in.Field, err = j.pipe.Field(name); err != nil {
		return in, err
	}
	if in.Signed || in.Bits > 64 || !in.Register && !strings.HasPrefix(name, "hdr.") {
		return in, fmt.Errorf("%s: expected a field of a header or a cell of a register, unsigned and of at most 64 "+
			"bits", name)
	}
	most := uint64(math.MaxUint64) >> (64 - in.Bits)
	in.to = most
	if !limited {
		return in, nil
	}
	from, to, isRange := strings.Cut(limits, "..")
	if !isRange {
		to = from
	}
	in.from, err = strconv.ParseUint(from, 0, 64)
	if err == nil {
		in.to, err = strconv.ParseUint(to, 0, 64)
	}
	if err != nil || in.from > in.to || in.to > most {
		return in, fmt.Errorf("%s: expected FIELD=FROM..TO with 0 <= FROM <= TO <= %d", text, most)
	}
	return in, nil
}

// locate finds the bits of the inputs in the packet. A bit of the packet belongs to a field if a change of it
// changes exactly one bit of the field.
func (j *judge) locate() error {
	read := func(in *input) (uint64, bool) {
		v, ok := in.Read()
		if !ok {
			return 0, false
		}
		return v.Uint64(), true
	}
	if err := j.pipe.Parse(0, j.packet); err != nil {
		return err
	}
	before := make([]uint64, len(j.inputs))
	for i := range j.inputs {
		in := &j.inputs[i]
		var ok bool
		if before[i], ok = read(in); !ok {
			return fmt.Errorf("--input %s: its header is not in the packet: name one that has it with --packet",
				in.Name)
		}
		if !in.Register {
			in.bits = slices.Repeat([]int{-1}, in.Bits)
		}
	}
	for at := range 8 * len(j.packet) {
		flip(j.packet, at)
		err := j.pipe.Parse(0, j.packet)
		flip(j.packet, at)
		if err != nil {
			continue // the changed packet cannot be parsed, for example because it is too short for a header
		}
		for i := range j.inputs {
			in := &j.inputs[i]
			v, ok := read(in)
			if d := v ^ before[i]; ok && !in.Register && bits.OnesCount64(d) == 1 {
				in.bits[in.Bits-1-bits.TrailingZeros64(d)] = at
			}
		}
	}
	for _, in := range j.inputs {
		if slices.Contains(in.bits, -1) {
			return fmt.Errorf("--input %s: some bits of the field are not bits of the packet that can change "+
				"independently",
				in.Name)
		}
	}
	return nil
}

func flip(data []byte, bit int) { data[bit/8] ^= 0x80 >> (bit % 8) }

// draw makes the values of the inputs of each packet.
func (j *judge) draw(packets int, seed uint64) (list [][]uint64, all bool) {
	combinations := 1
	for _, in := range j.inputs {
		span := in.to - in.from
		if span >= uint64(packets) || combinations > packets/int(span+1) {
			combinations = 0
			break
		}
		combinations *= int(span + 1)
	}
	r := hash.Stream(seed, "p4/reference")
	for i := range max(combinations, packets) {
		if combinations > 0 && i == combinations {
			break
		}
		rest, values := i, make([]uint64, len(j.inputs))
		for k, in := range j.inputs {
			switch span := in.to - in.from; {
			case combinations > 0:
				values[k] = in.from + uint64(rest)%(span+1)
				rest /= int(span + 1)
			case len(j.inputs) < 16 && i < 1<<len(j.inputs): // the ends of the ranges
				values[k] = in.from + span*uint64(i>>k&1)
			default:
				values[k] = in.from + within(r, span, i%2 == 0)
			}
		}
		list = append(list, values)
	}
	return list, combinations > 0
}

// within draws a number from 0 to span. The number is uniform, or its length in bits is uniform.
func within(r *rand.Rand, span uint64, uniform bool) uint64 {
	if span == 0 {
		return 0
	}
	if !uniform {
		if v := r.Uint64() >> (63 - r.IntN(bits.Len64(span))); v <= span {
			return v
		}
	}
	if span == math.MaxUint64 {
		return r.Uint64()
	}
	return r.Uint64N(span + 1)
}

// run sends a packet with the values through the program.
func (j *judge) run(values []uint64) (*big.Int, error) {
	for i, in := range j.inputs {
		if in.Register {
			if err := in.Write(new(big.Int).SetUint64(values[i])); err != nil {
				return nil, err
			}
		}
		for k, at := range in.bits {
			mask := byte(0x80 >> (at % 8))
			j.packet[at/8] &^= mask
			if values[i]>>(len(in.bits)-1-k)&1 == 1 {
				j.packet[at/8] |= mask
			}
		}
	}
	if _, err := j.pipe.Process(0, j.packet); err != nil {
		return nil, err
	}
	got, ok := j.result.Read()
	if !ok {
		return nil, fmt.Errorf("--result %s: its header is not valid after this packet", j.result.Name)
	}
	return got, nil
}

// reference returns the exact number for each packet.
func (q *Question) reference(ctx context.Context, j *judge, list [][]uint64) ([]*big.Float, error) {
	if strings.HasSuffix(q.Reference, ".py") {
		return python(ctx, q.Reference, list)
	}
	var names []string
	for _, in := range j.inputs {
		names = append(names, in.Name)
	}
	e, err := parse(q.Reference, names)
	if err != nil {
		return nil, err
	}
	want := make([]*big.Float, len(list))
	for i, values := range list {
		if want[i] = e.eval(e.root, values); want[i] == nil {
			return nil, fmt.Errorf("--reference %q is no number for %s: narrow the ranges of --input", q.Reference,
				strings.Join(j.names(values), ", "))
		}
	}
	return want, ctx.Err()
}

// python returns the numbers that a file prints for the inputs.
func python(ctx context.Context, file string, list [][]uint64) ([]*big.Float, error) {
	program, err := exec.LookPath("python3")
	if err != nil {
		return nil, fmt.Errorf("--reference %s needs python3, which is not on the PATH: install it, or give an "+
			"expression", file)
	}
	var in, out, log bytes.Buffer
	for _, values := range list {
		line := strings.Trim(fmt.Sprint(values), "[]")
		in.WriteString(line + "\n")
	}
	c := exec.CommandContext(ctx, program, file)
	c.Stdin, c.Stdout, c.Stderr = &in, &out, &log
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("--reference %s: %w\n%s", file, err, bytes.TrimSpace(log.Bytes()))
	}
	words := strings.Fields(out.String())
	if len(words) != len(list) {
		return nil, fmt.Errorf("--reference %s printed %s for %s: expected one for each", file,
			number.Count(len(words), "number"), number.Count(len(list), "line"))
	}
	want := make([]*big.Float, len(list))
	for i, w := range words {
		v, ok := newFloat().SetString(w)
		if !ok || v.IsInf() {
			return nil, fmt.Errorf("--reference %s: line %d is %q, expected a number", file, i+1, w)
		}
		want[i] = v
	}
	return want, nil
}

// packet reads the bytes of a packet; "" is UDP over IPv4 in Ethernet, 128 bytes.
func packet(text string) ([]byte, error) {
	if text == "" {
		head := "0200000000020200000000010800" +
			"4500007200000000401166790a0000010a000002" + "10e12710005e0000"
		text = head + strings.Repeat("00", 128-len(head)/2)
	}
	data, err := hex.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("--packet: %w", err)
	}
	return data, nil
}
