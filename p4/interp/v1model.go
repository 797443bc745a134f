package interp

import (
	_ "embed"
	"slices"

	"pintlab/internal/number"
	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

//go:embed include/core.p4
var coreP4 string

//go:embed include/v1model.p4
var v1modelP4 string

// DropPort is the egress_spec that drops a packet.
const DropPort = 511

// The values of standard_metadata.instance_type.
const (
	instanceNormal       = 0
	instanceIngressClone = 1
	instanceEgressClone  = 2
	instanceRecirculated = 4
	instanceReplicated   = 5
	instanceResubmitted  = 6
)

// packageType is the name of the package type of main.
const packageType = "V1Switch"

// targetMacro is the macro that p4c sets for this target.
const targetMacro = "__TARGET_BMV2__=1"

// systemFiles returns the text of the files that #include <...> finds.
func systemFiles() map[string]string {
	return map[string]string{"core.p4": coreP4, "v1model.p4": v1modelP4}
}

// The arguments of V1Switch.
const (
	argParser = iota
	argVerify
	argIngress
	argEgress
	argCompute
	argDeparser
)

const (
	shareHeaders  = "hdr"
	shareMeta     = "meta"
	shareStandard = "standard_metadata"
)

// share returns the name of the storage that a parameter of a block of the package uses; "" means storage for this
// parameter alone. All blocks share headers, metadata and standard metadata, which are therefore not copied.
func share(arg, param int) string {
	if arg == argParser || arg == argDeparser {
		param-- // the packet comes first
	}
	switch param {
	case 0:
		return shareHeaders
	case 1:
		return shareMeta
	case 2:
		return shareStandard
	}
	return ""
}

// compile makes a switch that runs the program. Problems go to errs.
func compile(p *ir.Program, cfg exec.Config, errs *syntax.List) *Switch {
	s := newSwitch(cfg)
	if len(p.Args) <= argDeparser {
		errs.Errorf(syntax.Pos{}, "main has %s, expected the six blocks of V1Switch",
			number.Count(len(p.Args), "argument"))
		return nil
	}
	x := &externs{sw: s, errs: errs}
	if !s.standard(p, errs) {
		return nil
	}
	limits(p, errs)
	if h := p.Shared[shareHeaders]; h != nil {
		onlyHeaders(h.Type, h.Var.Pos, errs)
	}
	restrictions(p, errs)
	for _, e := range p.Externs {
		if err := x.room(e); err != nil {
			errs.Errorf(e.Pos, "%v", err)
			return nil
		}
		if err := x.instance(e); err != nil {
			errs.Errorf(e.Pos, "%v", err)
		}
	}
	s.core = exec.Compile(p, x, errs)
	if errs.Err() != nil {
		return nil
	}
	s.blocks(p, errs)
	return s
}

// slots contains positions in the frame, in words: the fields of standard_metadata, and the beginning and end of
// standard_metadata (first, end) and of the program's metadata (metaAt, metaTo).
type slots struct {
	ingressPort, egressSpec, egressPort, instanceType, packetLength      int
	enqTimestamp, ingressTime, egressTime, mcastGrp, egressRid           int
	checksumError, parserError, deqTimedelta, first, end, metaAt, metaTo int
	enqDepth, deqDepth                                                   int
}

// standard finds the fields of standard_metadata.
func (s *Switch) standard(p *ir.Program, errs *syntax.List) bool {
	sm := p.Shared[shareStandard]
	if sm == nil {
		errs.Errorf(syntax.Pos{}, "main has no blocks with standard_metadata")
		return false
	}
	t, ok := sm.Type.(*types.Struct)
	if !ok {
		errs.Errorf(sm.Pos, "standard_metadata has type %s", sm.Type)
		return false
	}
	base, _ := sm.Static()
	at := func(name string) int {
		i := t.FieldIndex(name)
		if i < 0 {
			errs.Errorf(sm.Pos, "standard_metadata has no field '%s'", name)
			return base
		}
		_, off := types.Element(t, i)
		return base + off
	}
	s.at = slots{
		ingressPort: at("ingress_port"), egressSpec: at("egress_spec"), egressPort: at("egress_port"),
		instanceType: at("instance_type"), packetLength: at("packet_length"), enqTimestamp: at("enq_timestamp"),
		ingressTime: at("ingress_global_timestamp"), egressTime: at("egress_global_timestamp"),
		mcastGrp: at("mcast_grp"), egressRid: at("egress_rid"), checksumError: at("checksum_error"),
		parserError: at("parser_error"), deqTimedelta: at("deq_timedelta"),
		enqDepth: at("enq_qdepth"), deqDepth: at("deq_qdepth"),
		first: base, end: base + types.Slots(t),
	}
	if m := p.Shared[shareMeta]; m != nil {
		s.metaType = m.Type
		s.at.metaAt, _ = m.Static()
		s.at.metaTo = s.at.metaAt + types.Slots(m.Type)
	}
	return errs.Err() == nil
}

// limits reports features that P4_16 leaves to the target and that BMv2 does not have: headers that are not whole
// bytes, and tables with two lpm keys. It warns of selector keys in a table without an action_selector.
func limits(p *ir.Program, errs *syntax.List) {
	for _, v := range p.Vars {
		wholeBytes(v.Type, v.Pos, errs)
	}
	for _, t := range p.Tables {
		n := 0
		for _, k := range t.Keys {
			if k.Match == ir.Selector && !hasSelector(t) {
				errs.Warnf(k.Pos, "table %s has a key that matches by selector but has no action_selector: BMv2 "+
					"ignores the key", t.Name)
			}
			if k.Match != ir.LPM {
				continue
			}
			if n++; n == 2 {
				errs.Errorf(k.Pos, "table %s has a second key that matches by lpm: v1model accepts only one", t.Name)
			}
		}
	}
}

// onlyHeaders reports fields that are in the struct of headers and are not headers ("The BMv2 Simple Switch target",
// restrictions on type H). Structs of headers inside it are allowed, because p4c flattens such structs.
func onlyHeaders(t types.Type, at syntax.Pos, errs *syntax.List) {
	s, ok := t.(*types.Struct)
	if !ok || s.Kind != syntax.KindStruct {
		errs.Errorf(at, "the headers have type %s, expected a struct of headers", t)
		return
	}
	for _, f := range s.Fields {
		switch x := f.Type.(type) {
		case *types.Stack:
		case *types.Struct:
			if x.Kind == syntax.KindStruct {
				onlyHeaders(x, at, errs)
			}
		default:
			errs.Errorf(f.Pos, "field '%s' of %s, the struct of headers, has type %s: v1model accepts headers, "+
				"header unions and stacks of them there", f.Name, s, f.Type)
		}
	}
}

func hasSelector(t *ir.Table) bool {
	return slices.ContainsFunc(t.Properties, func(p ir.Property) bool {
		return p.Name == "implementation" && p.Extern != nil && p.Extern.Type == "action_selector"
	})
}

func wholeBytes(t types.Type, at syntax.Pos, errs *syntax.List) {
	if s, ok := t.(*types.Stack); ok {
		t = s.Elem
	}
	if types.IsHeader(t) {
		if bits, _ := types.Bits(t); bits%8 != 0 {
			errs.Errorf(at, "header %s has %s: v1model accepts only headers of whole bytes", t,
				number.Count(bits, "bit"))
		}
		return
	}
	for e := range types.Elements(t) {
		wholeBytes(e, at, errs)
	}
}

// blocks finds the compiled blocks.
func (s *Switch) blocks(p *ir.Program, errs *syntax.List) {
	control := func(i int) func(*exec.Machine) {
		if p.Args[i].Control == nil {
			errs.Errorf(syntax.Pos{}, "argument '%s' of main is not a control", p.Args[i].Name)
			return nil
		}
		return s.core.Block(p.Args[i].Control)
	}
	if p.Args[argParser].Parser == nil {
		errs.Errorf(syntax.Pos{}, "argument '%s' of main is not a parser", p.Args[argParser].Name)
		return
	}
	s.parser = s.core.Block(p.Args[argParser].Parser)
	s.verify, s.ingress, s.egress = control(argVerify), control(argIngress), control(argEgress)
	s.compute, s.deparser = control(argCompute), control(argDeparser)
	s.m = s.core.Machine
	s.frame, s.shared = p.FrameSize, p.Shared
}
