package job

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"pintlab/internal/input"
	"pintlab/netsim/unit"
)

// Limits of a trace.
const (
	mostChakraRanks = 1 << 14
	mostBytes       = 1 << 30 // largest size of an unpacked file
	mostMessage     = 64 << 20
	mostNodes       = 1 << 24
	mostSize        = 1 << 48 // largest comm_size, so that the sum over all ranks fits 64 bits
)

// nodeType is the type of a node.
type nodeType int64

// The types of node.
const (
	invalidNode nodeType = iota
	metadataNode
	loadNode
	storeNode
	computeNode
	sendNode
	receiveNode
	collectiveNode
)

// chakraNode is an operation of a rank.
type chakraNode struct {
	ID       uint64
	Name     string
	Type     nodeType
	Deps     []uint64 // data_deps and ctrl_deps
	Duration unit.Time
	// Attributes of the node.
	CPU      bool  // is_cpu_op
	Ops      int64 // num_ops
	Op       int64 // comm_type; -1 if absent
	Size     int64 // comm_size, or tensor_size
	Src, Dst int64 // -1 if absent
	Tag      int64
	Group    string // pg_name, or comm_group as text; "" if absent
	Number   int    // position of its message in the file, from 0
}

// chakraSchema is the version of the schema that parseChakra reads.
const chakraSchema = "0.0.4"

// open reads a whole file.
func open(path string) ([]byte, error) {
	f, err := input.Binary(path, input.Flows)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return unpack(f, path)
}

// unpack reads a trace, compressed or not.
func unpack(f io.Reader, path string) ([]byte, error) {
	in := bufio.NewReader(f)
	var r io.Reader = in
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		r = z
	}
	data, err := io.ReadAll(input.Limit(r, mostBytes))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// parseChakra reads the nodes of a file. Another version of the schema is an error: its fields have other numbers.
func parseChakra(data []byte, path string) ([]chakraNode, error) {
	var nodes []chakraNode
	for i := 0; len(data) > 0; i++ {
		message, n := protowire.ConsumeBytes(data)
		if n < 0 {
			return nil, fmt.Errorf("%s: message %d: %w", path, i, unreadable(n, "file", "message"))
		}
		if len(message) > mostMessage || i > mostNodes {
			return nil, fmt.Errorf("%s: message %d of %d bytes, want at most %d messages of %d bytes",
				path, i, len(message), mostNodes, mostMessage)
		}
		data = data[n:]
		if i == 0 {
			if err := checkMetadata(message); err != nil {
				return nil, fmt.Errorf("%s: message 0: %w", path, err)
			}
			continue
		}
		if len(message) == 0 {
			return nil, fmt.Errorf("%s: message %d is empty, want a Node, which has at least a type (Chakra's reader "+
				"in Python ends the trace here, and its reader in C++ takes the message as node 0)", path, i)
		}
		node := chakraNode{Number: i, Op: -1, Src: -1, Dst: -1}
		if err := fields(message, node.field); err != nil {
			return nil, fmt.Errorf("%s: message %d: %w", path, i, err)
		}
		nodes = append(nodes, node)
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%s: the file has no node, want a GlobalMetadata and then Node messages, each after "+
			"its length", path)
	}
	return nodes, nil
}

// unreadable returns the error of a part of a trace. n is the negative result of a function of protowire.
func unreadable(n int, whole, part string) error {
	err := protowire.ParseError(n)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the %s is truncated: it ends within a %s", whole, part)
	}
	return fmt.Errorf("not a %s of protobuf: %w", part, err)
}

// checkMetadata returns an error unless a message is a GlobalMetadata of the schema. Its fields have the numbers 1 and
// 2. A Node has fields with other numbers, such as its type.
func checkMetadata(message []byte) error {
	return fields(message, func(number protowire.Number, _ uint64, b []byte) error {
		switch {
		case number > 2 || number == 1 && b == nil:
			return errors.New("the first message is a Node, want GlobalMetadata (files of schema 0.0.1 have none, " +
				"and their fields have other numbers)")
		case number == 1 && string(b) != chakraSchema:
			return fmt.Errorf("version %q, want %s", b, chakraSchema)
		}
		return nil
	})
}

// fields calls f for each field of a message, with the field's number and its value as an integer or as
// bytes.
func fields(message []byte, f func(number protowire.Number, v uint64, b []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return unreadable(n, "message", "field")
		}
		message = message[n:]
		var v uint64
		var b []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var v32 uint32
			v32, n = protowire.ConsumeFixed32(message)
			v = uint64(v32)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			b, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return unreadable(n, "message", "field")
		}
		message = message[n:]
		if err := f(number, v, b); err != nil {
			return err
		}
	}
	return nil
}

// field sets the node's value for a field of the message.
func (n *chakraNode) field(number protowire.Number, v uint64, b []byte) error {
	switch number {
	case 1:
		n.ID = v
	case 2:
		n.Name = string(b)
	case 3:
		n.Type = nodeType(v)
	case 4, 5:
		if b == nil {
			n.Deps = append(n.Deps, v)
		}
		deps, err := unpacked(b)
		n.Deps = append(n.Deps, deps...)
		return err
	case 7:
		if v > uint64(unit.Never/4/unit.Microsecond) {
			return fmt.Errorf("duration_micros %d, want at most %d", v, int64(unit.Never/4/unit.Microsecond))
		}
		n.Duration = unit.Time(v) * unit.Microsecond
	case 10:
		return n.attribute(b)
	}
	return nil
}

// unpacked reads a packed list of integers.
func unpacked(b []byte) (list []uint64, err error) {
	for len(b) > 0 {
		v, size := protowire.ConsumeVarint(b)
		if size < 0 {
			return nil, unreadable(size, "list", "number")
		}
		list, b = append(list, v), b[size:]
	}
	return list, nil
}

// value is the value of an attribute.
type value struct {
	isInt bool
	n     int64 // value of an integer or bool
	text  string
	list  []byte // message with the values of a list of bools
}

// attribute sets the node's value for an attribute. Writers use different integer types for the same
// attribute.
func (n *chakraNode) attribute(b []byte) error {
	var name string
	var v value
	err := fields(b, func(number protowire.Number, x uint64, b []byte) error {
		switch number {
		case 1:
			name = string(b)
		case 15, 17: // sint32, sint64
			v.n, v.isInt = protowire.DecodeZigZag(x), true
		case 7, 23:
			v.n, v.isInt = int64(int32(x)), true
		case 9, 11, 13, 19, 21, 25, 27:
			v.n, v.isInt = int64(x), true
		case 28:
			v.list = b
		case 29:
			v.text = string(b)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return n.set(name, v)
}

// set sets the node's value for an attribute of the given name.
func (n *chakraNode) set(name string, v value) error {
	into := map[string]*int64{
		"comm_type": &n.Op, "comm_size": &n.Size, "comm_src": &n.Src, "comm_dst": &n.Dst, "comm_tag": &n.Tag,
		"num_ops": &n.Ops,
	}[name]
	switch {
	case into != nil && !v.isInt:
		return errors.New("attribute " + name + " is no integer")
	case into != nil:
		*into = v.n
	case name == "is_cpu_op":
		n.CPU = v.n != 0
	case name == "tensor_size" && v.isInt && n.Size == 0:
		n.Size = v.n
	case name == "pg_name":
		return n.join(name, v.text)
	case name == "comm_group":
		if !v.isInt {
			return errors.New("attribute comm_group is no integer")
		}
		return n.join(name, strconv.FormatInt(v.n, 10))
	case name == "involved_dim":
		return everyDim(v)
	case slices.Contains([]string{"root", "comm_root", "root_rank"}, name):
		return fmt.Errorf("attribute %s is not supported: a broadcast starts at the first rank of its process group",
			name)
	case name == "comm_priority" && v.n != 0:
		return fmt.Errorf("comm_priority %d is not supported, want 0: the messages of a job have one class "+
			"(workload.N.priority)", v.n)
	}
	return nil
}

// join sets the process group that an attribute names.
func (n *chakraNode) join(attribute, group string) error {
	if n.Group != "" && group != "" && n.Group != group {
		return fmt.Errorf("%s %q, but another attribute has the process group %q", attribute, group, n.Group)
	}
	n.Group = cmp.Or(group, n.Group)
	return nil
}

// everyDim returns an error if an involved_dim excludes a dimension. Our networks have no dimensions, so the ranks of a
// dimension are unknown.
func everyDim(v value) error {
	none := v.isInt && v.n == 0
	err := fields(v.list, func(_ protowire.Number, x uint64, b []byte) error {
		if b == nil {
			none = none || x == 0
		}
		list, err := unpacked(b)
		none = none || slices.Contains(list, 0)
		return err
	})
	if err == nil && none {
		err = errors.New("involved_dim excludes a dimension, which is not supported: name the process group of the " +
			"collective with pg_name instead")
	}
	return err
}
