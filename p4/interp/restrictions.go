package interp

import (
	"strings"

	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
)

// blockNames are the blocks of V1Switch, in order of its arguments.
var blockNames = [...]string{"the parser", "the verification of checksums", "ingress", "egress",
	"the computation of checksums", "the deparser"}

// onlyOf names, for some blocks, the only function that the code of the block may call.
var onlyOf = map[int]string{argVerify: "verify_checksum", argCompute: "update_checksum", argDeparser: "emit"}

// restrictions reports code that simple_switch does not allow in its block, as p4c does ("The BMv2 Simple Switch
// target", restrictions on code in the parser, in VerifyChecksum, in ComputeChecksum and in Deparser). The parser
// calls no externs except methods of packets, verify, assert, assume and log_msg. The blocks of checksums consist of
// calls of their functions, and the deparser of calls of emit. A packet is resubmitted only in ingress and
// recirculated only in egress. It is cloned only in the block that the type of the clone names.
func restrictions(p *ir.Program, errs *syntax.List) {
	attached := map[*ir.Extern]bool{}
	for _, t := range p.Tables {
		for _, q := range t.Properties {
			attached[q.Extern] = true
		}
	}
	for _, q := range p.Parsers {
		for _, s := range q.States {
			staticSets(s, errs)
		}
	}
	for arg := range p.Args {
		if arg > argDeparser {
			break
		}
		ir.Reach(p.Args[arg].Parser, p.Args[arg].Control, func(x ir.Expr) {
			switch x := x.(type) {
			case *ir.ExternCall:
				externFits(x, arg, errs)
				if e := x.Instance; e != nil && e.Type == "direct_meter" && !attached[e] {
					errs.Errorf(x.Pos, "direct_meter %s measures no table: write meters = ... in a table", e.Name)
				}
			case *ir.Apply:
				if arg != argIngress && arg != argEgress {
					errs.Errorf(x.Pos, "table %s is applied in %s: v1model has tables in ingress and egress",
						x.Table.Name, blockNames[arg])
				}
			}
		})
		if c := p.Args[arg].Control; c != nil && arg != argIngress && arg != argEgress {
			onlyCalls(p, c.Init, arg, errs)
			onlyCalls(p, c.Body, arg, errs)
		}
	}
}

// staticSets checks that the cases of a state's select are known at compile time.
func staticSets(s *ir.State, errs *syntax.List) {
	if s.Next == nil {
		return
	}
	for _, c := range s.Next.Cases {
		for _, set := range c.Sets {
			for _, x := range []ir.Expr{set.X, set.Y} {
				if x == nil {
					continue
				}
				if _, ok := exec.Const(x); !ok {
					errs.Errorf(x.Position(),
						"a case of select is not known at compile time: use a value set of v1model for values that "+
							"are chosen at run time")
				}
			}
		}
	}
}

// externFits checks that an extern can be called in a block.
func externFits(x *ir.ExternCall, arg int, errs *syntax.List) {
	name := x.Name
	if x.Extern != "" {
		name = x.Extern + "." + name
	}
	ok := true
	switch {
	case x.Extern == "packet_in", x.Extern == "packet_out":
	case name == "assert" || name == "assume" || name == "log_msg":
		ok = arg != argVerify && arg != argCompute
	case name == "verify":
		ok = arg == argParser
	case strings.HasPrefix(name, "verify_checksum"):
		ok = arg == argVerify
	case strings.HasPrefix(name, "update_checksum"):
		ok = arg == argCompute
	case strings.HasPrefix(name, "resubmit"):
		ok = arg == argIngress
	case strings.HasPrefix(name, "recirculate"):
		ok = arg == argEgress
	case strings.HasPrefix(name, "clone"):
		v, known := exec.Const(x.Args[0].Value)
		if !known {
			errs.Errorf(x.Pos, "the type of a clone must be known at compile time")
			return
		}
		if v.Sign() == 0 { // the first member of CloneType
			name, ok = name+" of type I2E", arg == argIngress
		} else {
			name, ok = name+" of type E2E", arg == argEgress
		}
	default:
		ok = arg == argIngress || arg == argEgress
	}
	if !ok {
		errs.Errorf(x.Pos, "%s cannot be called in %s of v1model", name, blockNames[arg])
	}
}

// onlyCalls checks that a block of checksums contains only calls of its functions, and the deparser only calls. A
// block of checksums may also set local variables, because the compiler substitutes their values.
func onlyCalls(p *ir.Program, b *ir.Block, arg int, errs *syntax.List) {
	if b == nil {
		return
	}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ir.Nested:
			onlyCalls(p, s.Block, arg, errs)
			continue
		case *ir.Assign:
			if s.Reset || arg != argDeparser && !shared(p, s.Dst.Var) {
				continue
			}
		case *ir.Eval:
			switch x := s.X.(type) {
			case *ir.ExternCall, *ir.Apply:
				continue // restrictions checks those
			case *ir.Call:
				if x.Control != nil {
					onlyCalls(p, x.Control.Init, arg, errs)
					onlyCalls(p, x.Control.Body, arg, errs)
					continue
				}
			}
		case *ir.Return, *ir.Exit:
			if arg == argDeparser {
				continue
			}
		}
		errs.Errorf(s.Position(),
			"%s of v1model accepts only calls of %s: move this statement to ingress or "+
				"egress", blockNames[arg], onlyOf[arg])
	}
}

// shared reports whether several blocks share a variable. They share headers and metadata.
func shared(p *ir.Program, v *ir.Var) bool {
	for _, s := range p.Shared {
		if s.Var == v {
			return true
		}
	}
	return false
}
