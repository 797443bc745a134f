package interp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// externs makes the extern instances of a program and compiles their calls. It implements the interface externs of
// package exec.
type externs struct {
	sw   *Switch
	errs *syntax.List
}

// directCounter is the state of a direct_counter. The counts are in the entries of its table.
type directCounter struct{ table *exec.Table }

func (c *directCounter) Read(handle int) (packets, octets uint64, err error) {
	if c.table == nil {
		return 0, 0, fmt.Errorf("no table has this direct_counter")
	}
	e, err := c.table.Entry(handle)
	if err != nil {
		return 0, 0, err
	}
	return e.Packets, e.Octets, nil
}

// room adds the words of a register or a counter to the total, before memory is allocated.
func (x *externs) room(e *ir.Extern) error {
	if e.Type != "register" && e.Type != "counter" {
		return nil
	}
	words, err := numberArg(e)
	if err != nil || words < 0 || words > exec.MaxCells {
		return nil // instance reports this error
	}
	switch {
	case e.Type == "counter":
		words *= 2
	case len(e.TypeArgs) > 0 && types.IsScalar(e.TypeArgs[0]):
		words *= types.Slots(e.TypeArgs[0])
	}
	if x.sw.words += words; x.sw.words > x.sw.most {
		return fmt.Errorf("%s %s: the registers and counters up to this one take %d words of 8 bytes, want at most %d",
			e.Type, e.Name, x.sw.words, x.sw.most)
	}
	return nil
}

func (x *externs) instance(e *ir.Extern) error {
	var state any
	var err error
	switch e.Type {
	case "register":
		if len(e.TypeArgs) == 0 {
			return fmt.Errorf("the register has no type argument")
		}
		var n int
		if n, err = numberArg(e); err == nil && n == 0 {
			return fmt.Errorf("register %s has no cells", e.Name)
		}
		if err == nil {
			state, err = exec.NewRegister(e.TypeArgs[0], n)
		}
	case "counter":
		var n int
		if n, err = numberArg(e); err == nil {
			state, err = exec.NewCounter(n)
		}
	case "direct_counter":
		state = &directCounter{}
	case "meter", "direct_meter":
		state, err = x.newMeter(e)
	case "action_profile":
		state = exec.NewProfile(e.Name, nil)
	case "action_selector":
		var algorithm int
		algorithm, err = numberArg(e)
		state = exec.NewProfile(e.Name, x.sw.algorithm(int64(algorithm)))
	case "Checksum16":
		state = checksum16{}
	default:
		return fmt.Errorf("unsupported: extern %s: architecture v1model has none of that name", e.Type)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", e.Type, e.Name, err)
	}
	x.sw.objects = append(x.sw.objects, exec.Object{Name: e.Name, Def: e, State: state})
	return nil
}

type checksum16 struct{}

func numberArg(e *ir.Extern) (int, error) {
	if len(e.Args) == 0 {
		return 0, fmt.Errorf("no size is given")
	}
	v, ok := exec.Const(e.Args[0])
	if !ok || !v.IsInt64() {
		return 0, fmt.Errorf("the size is not known")
	}
	return int(v.Int64()), nil
}

func (x *externs) state(e *ir.Extern) any {
	for _, o := range x.sw.objects {
		if o.Def == e {
			return o.State
		}
	}
	return nil
}

// CompileTable attaches counters, meters and action profiles to a table.
func (x *externs) CompileTable(b *exec.Builder, t *exec.Table, p ir.Property) error {
	switch p.Name {
	case "counters":
		c, ok := x.stateOf(p).(*directCounter)
		if !ok {
			return fmt.Errorf("property counters of table %s: expected a direct_counter", t.Def.Name)
		}
		if c.table != nil {
			return fmt.Errorf("the direct_counter of table %s already counts for table %s",
				t.Def.Name, c.table.Def.Name)
		}
		c.table = t
		onHit(t, func(m *exec.Machine, e *exec.Entry) {
			e.Packets++
			e.Octets += uint64(m.In.Len())
		})
	case "meters":
		m, ok := x.stateOf(p).(*meter)
		if !ok || m.cells > 0 {
			return fmt.Errorf("property meters of table %s: expected a direct_meter", t.Def.Name)
		}
		if m.table != nil {
			return fmt.Errorf("the direct_meter of table %s already measures table %s", t.Def.Name, m.table.Def.Name)
		}
		m.table = t
		onHit(t, m.hit)
	case "implementation":
		prof, ok := x.stateOf(p).(*exec.Profile)
		if !ok {
			return fmt.Errorf("property implementation of table %s: expected an action_profile or action_selector",
				t.Def.Name)
		}
		prof.Attach(b, t)
	case "support_timeout", "idle_timeout":
		// Entries do not age here, so the property has no effect.
		if p.Value == nil || p.Value.Type() != types.Bool {
			return fmt.Errorf("property %s of table %s: expected true or false", p.Name, t.Def.Name)
		}
	default:
		x.errs.Warnf(p.Pos, "table %s: property '%s' has no effect in v1model", t.Def.Name, p.Name)
	}
	return nil
}

// onHit adds code that runs at a hit of a table.
func onHit(t *exec.Table, do func(*exec.Machine, *exec.Entry)) {
	before := t.OnHit
	if before == nil {
		t.OnHit = do
		return
	}
	t.OnHit = func(m *exec.Machine, e *exec.Entry) {
		before(m, e)
		do(m, e)
	}
}

func (x *externs) stateOf(p ir.Property) any {
	if p.Extern == nil {
		return nil
	}
	return x.state(p.Extern)
}

func (x *externs) CompileCall(b *exec.Builder, c *ir.ExternCall) (exec.Code, error) {
	if c.Extern != "" {
		return x.method(b, c)
	}
	s := x.sw
	do := func(d exec.Do) (exec.Code, error) { return exec.Code{Do: d}, nil }
	switch c.Name {
	case "mark_to_drop":
		// The argument may be a copy: a parameter of an action or a local variable.
		sm := c.Args[0].LValue
		if sm == nil {
			return exec.Code{}, exec.Unknown(c, "v1model")
		}
		at, dyn := b.Addr(sm, true)
		spec, group := s.at.egressSpec-s.at.first, s.at.mcastGrp-s.at.first
		if dyn == nil {
			return do(func(m *exec.Machine) { m.F[at+spec], m.F[at+group] = DropPort, 0 })
		}
		return do(func(m *exec.Machine) {
			at := dyn(m)
			m.F[at+spec], m.F[at+group] = DropPort, 0
		})
	case "random":
		return x.random(b, c)
	case "hash":
		return x.hash(b, c)
	case "verify_checksum", "verify_checksum_with_payload", "update_checksum", "update_checksum_with_payload":
		return x.checksum(b, c)
	case "clone", "clone3", "clone_preserving_field_list":
		session := b.Word(c.Args[1].Value)
		keep, err := x.keep(c, 2)
		return exec.Code{Do: func(m *exec.Machine) {
			s.asked.clone, s.asked.session, s.asked.cloneKeep = true, session(m), keep
		}}, err
	case "resubmit", "resubmit_preserving_field_list":
		keep, err := x.keep(c, 0)
		return exec.Code{Do: func(*exec.Machine) { s.asked.resubmit, s.asked.resubmitKeep = true, keep }}, err
	case "recirculate", "recirculate_preserving_field_list":
		keep, err := x.keep(c, 0)
		return exec.Code{Do: func(*exec.Machine) { s.asked.recirculate, s.asked.recirculateKeep = true, keep }}, err
	case "truncate":
		n := b.Word(c.Args[0].Value)
		return do(func(m *exec.Machine) { s.asked.truncate, s.asked.length = true, n(m) })
	case "digest":
		receiver, data := b.Word(c.Args[0].Value), b.Bits(c.Args[1].Value)
		return do(func(m *exec.Machine) {
			m.Bytes.Reset()
			data(m)
			d := Digest{Receiver: receiver(m), Data: append([]byte(nil), m.Bytes.Bytes()...), Bits: m.Bytes.Len()}
			s.digests = append(s.digests, d)
		})
	case "assert", "assume":
		cond, at, name := b.Bool(c.Args[0].Value), c.Pos, c.Name
		return do(func(m *exec.Machine) {
			if !cond(m) && !m.Stopped() {
				m.Fail(fmt.Errorf("%s: %s failed", at, name))
			}
		})
	case "log_msg":
		return x.logMsg(b, c)
	}
	return exec.Code{}, exec.Unknown(c, "v1model")
}

func (x *externs) method(b *exec.Builder, c *ir.ExternCall) (exec.Code, error) {
	if c.Instance == nil {
		return exec.Code{}, exec.Unknown(c, "v1model")
	}
	switch st := x.state(c.Instance).(type) {
	case *exec.Register:
		switch {
		case c.Name == "read" && c.Args[0].LValue != nil:
			return exec.Code{Do: st.CompileRead(b, c.Args[0].LValue, c.Args[1].Value)}, nil
		case c.Name == "write":
			return exec.Code{Do: st.CompileWrite(b, c.Args[0].Value, c.Args[1].Value)}, nil
		}
	case *exec.Counter:
		if c.Name == "count" {
			i := b.Word(c.Args[0].Value)
			return exec.Code{Do: func(m *exec.Machine) { st.Count(i(m), m.In.Len()) }}, nil
		}
	case *directCounter:
		if c.Name == "count" { // the table counts its hits
			return exec.Code{Do: func(*exec.Machine) {}}, nil
		}
	case *meter:
		return st.compile(b, c)
	case checksum16:
		if c.Name == "get" {
			data := b.Bits(c.Args[0].Value)
			return exec.Code{Word: func(m *exec.Machine) uint64 {
				m.Bytes.Reset()
				data(m)
				return csum16(m.Bytes.Bytes())
			}}, nil
		}
	case nil:
		zero := func(*exec.Machine) uint64 { return 0 } // the error of the instance has been reported
		return exec.Code{Word: zero}, nil
	}
	return exec.Code{}, exec.Unknown(c, "v1model")
}

// storeNumber compiles a store of a number of at most 64 bits to an lvalue of any width.
func storeNumber(b *exec.Builder, p *ir.LValue) func(*exec.Machine, uint64) {
	w, _ := types.Bits(p.Type)
	if w <= 64 {
		ones := ^uint64(0)
		if w < 64 {
			ones = 1<<w - 1
		}
		store := b.Store(p)
		return func(m *exec.Machine, v uint64) { store(m, v&ones) }
	}
	t, store := b.Temp(types.Slots(p.Type)), b.StoreAny(p) // the upper words stay zero
	return func(m *exec.Machine, v uint64) {
		m.F[t] = v
		store(m, t)
	}
}

// narrow returns an error for arguments of more than 64 bits, because the extern computes in 64 bits.
func narrow(c *ir.ExternCall, args ...int) error {
	for _, i := range args {
		if w, _ := types.Bits(c.Args[i].Type); w > 64 {
			return fmt.Errorf("argument '%s' of %s has %d bits, more than the 64 supported", c.Args[i].Name, c.Name, w)
		}
	}
	return nil
}

// random compiles random(result, lo, hi): a number from lo to hi, both included.
func (x *externs) random(b *exec.Builder, c *ir.ExternCall) (exec.Code, error) {
	if err := narrow(c, 0, 1, 2); err != nil {
		return exec.Code{}, err
	}
	lo, hi, store, r := b.Word(c.Args[1].Value), b.Word(c.Args[2].Value), storeNumber(b, c.Args[0].LValue), x.sw.rand
	return exec.Code{Do: func(m *exec.Machine) {
		a, z := lo(m), hi(m)
		v := a
		switch n := z - a + 1; {
		case z <= a:
		case n == 0:
			v = r.Uint64()
		default:
			v = a + r.Uint64N(n)
		}
		store(m, v)
	}}, nil
}

// algo returns the hash function of the HashAlgorithm argument, which must be constant.
func (x *externs) algo(c *ir.ExternCall, i int) (func([]byte) uint64, error) {
	v, ok := exec.Const(c.Args[i].Value)
	if !ok || !v.IsInt64() {
		return nil, fmt.Errorf("the hash algorithm of %s must be known at compile time", c.Name)
	}
	f := x.sw.algorithm(v.Int64())
	if f == nil {
		return nil, fmt.Errorf("unknown hash algorithm %s", v)
	}
	return f, nil
}

// hash compiles hash(result, algo, base, data, max): base + h mod max, or base if max
// is 0.
func (x *externs) hash(b *exec.Builder, c *ir.ExternCall) (exec.Code, error) {
	if err := narrow(c, 2, 4); err != nil {
		return exec.Code{}, err
	}
	f, err := x.algo(c, 1)
	if err != nil {
		return exec.Code{}, err
	}
	base, data, limit, store := b.Word(c.Args[2].Value), b.Bits(c.Args[3].Value), b.Word(c.Args[4].Value),
		storeNumber(b, c.Args[0].LValue)
	return exec.Code{Do: func(m *exec.Machine) {
		v := base(m)
		m.Bytes.Reset()
		data(m)
		if n := limit(m); n > 0 {
			v += f(m.Bytes.Bytes()) % n
		}
		if !m.Stopped() {
			store(m, v)
		}
	}}, nil
}

// checksum compiles the four functions on checksums.
func (x *externs) checksum(b *exec.Builder, c *ir.ExternCall) (exec.Code, error) {
	f, err := x.algo(c, 3)
	if err != nil {
		return exec.Code{}, err
	}
	if err := narrow(c, 2); err != nil {
		return exec.Code{}, err
	}
	payload := strings.HasSuffix(c.Name, "_with_payload")
	cond, data := b.Bool(c.Args[0].Value), b.Bits(c.Args[1].Value)
	sum := func(m *exec.Machine) uint64 {
		m.Bytes.Reset()
		data(m)
		if payload {
			m.Bytes.Rest(&m.In)
		}
		return f(m.Bytes.Bytes())
	}
	if strings.HasPrefix(c.Name, "verify") {
		w, _ := types.Bits(c.Args[2].Type)
		ones := ^uint64(0) >> (64 - max(w, 1))
		have, at := b.Word(c.Args[2].Value), x.sw.at.checksumError
		return exec.Code{Do: func(m *exec.Machine) {
			if cond(m) && sum(m)&ones != have(m) {
				m.F[at] = 1
			}
		}}, nil
	}
	if c.Args[2].LValue == nil {
		return exec.Code{}, nil
	}
	store := storeNumber(b, c.Args[2].LValue)
	return exec.Code{Do: func(m *exec.Machine) {
		if cond(m) {
			store(m, sum(m))
		}
	}}, nil
}

// logMsg compiles log_msg. Each {} in the text is replaced by the next value.
func (x *externs) logMsg(b *exec.Builder, c *ir.ExternCall) (exec.Code, error) {
	s := x.sw
	text, ok := c.Args[0].Value.(*ir.Const)
	if !ok {
		return exec.Code{}, fmt.Errorf("the text of log_msg must be known at compile time")
	}
	var values []exec.Word
	if len(c.Args) > 1 {
		list := []ir.Expr{c.Args[1].Value}
		if types.IsScalar(list[0].Type()) {
			return exec.Code{}, fmt.Errorf("the values of log_msg are a list: write { ... } around this value")
		}
		if k, ok := list[0].(*ir.Composite); ok {
			list = k.Elems
		}
		for _, e := range list {
			if types.IsScalar(e.Type()) && types.Slots(e.Type()) == 1 {
				values = append(values, b.Word(e))
			}
		}
	}
	return exec.Code{Do: func(m *exec.Machine) {
		if s.log == nil {
			return
		}
		msg := text.Str
		for _, v := range values {
			msg = strings.Replace(msg, "{}", strconv.FormatUint(v(m), 10), 1)
		}
		s.log(msg)
	}}, nil
}

// keep finds the metadata that a clone, resubmission or recirculation preserves.
// Argument i is a list of fields, or the number of a field list made with
// @field_list(n).
func (x *externs) keep(c *ir.ExternCall, i int) (*fieldList, error) {
	if i >= len(c.Args) {
		return nil, nil
	}
	l := &fieldList{}
	if !strings.HasSuffix(c.Name, "_preserving_field_list") {
		x.keepNamed(l, c.Args[i].Value)
		return l, nil
	}
	v, ok := exec.Const(c.Args[i].Value)
	if !ok {
		return nil, fmt.Errorf("the field list of %s must be known at compile time", c.Name)
	}
	p := x.sw.at
	meta := x.sw.metaType
	if meta != nil {
		x.keepAnnotated(l, meta, p.metaAt, int(v.Int64()))
	}
	return l, nil
}

// keepNamed collects the metadata that an expression names.
func (x *externs) keepNamed(l *fieldList, e ir.Expr) {
	switch e := e.(type) {
	case *ir.Composite:
		for _, k := range e.Elems {
			x.keepNamed(l, k)
		}
	case *ir.Load:
		at, ok := e.LValue.Static()
		n := types.Slots(e.LValue.Type)
		p := x.sw.at
		if ok && (at >= p.first && at+n <= p.end || at >= p.metaAt && at+n <= p.metaTo) {
			l.runs = append(l.runs, run{at, n})
		}
	}
}

// keepAnnotated collects the fields marked @field_list(..., n, ...).
func (x *externs) keepAnnotated(l *fieldList, t types.Type, at, n int) {
	s, ok := t.(*types.Struct)
	if !ok {
		return
	}
	for i, f := range s.Fields {
		_, off := types.Element(s, i)
		off += at
		if slices.Contains(f.Lists, n) {
			l.runs = append(l.runs, run{off, types.Slots(f.Type)})
		} else {
			x.keepAnnotated(l, f.Type, off, n)
		}
	}
}
