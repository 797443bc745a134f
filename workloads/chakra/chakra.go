// Package chakra reads MLCommons Chakra execution traces, schema 0.0.4. They record what each rank of a
// training job computes and communicates, in one file per rank (NAME.RANK.et, plain or compressed with
// gzip).
//
// A file is a sequence of protobuf messages, each preceded by its length: GlobalMetadata, and then a Node
// for each operation. Computations of a rank run one after the other. A node begins when the nodes of its
// data_deps are done; control dependencies have no effect, as in Chakra's own feeder. A send pairs with the
// receive of the same ranks, tag and size. The n-th collective of a process group at one rank pairs with
// the n-th at every other rank.
package chakra

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"pintlab/internal/input"
	"pintlab/netsim/unit"
)

// Limits of a trace.
const (
	mostRanks   = 1 << 14
	mostBytes   = 1 << 30 // of an unpacked file
	mostMessage = 64 << 20
	mostNodes   = 1 << 24
)

// NodeType is the type of a node.
type NodeType int64

// The types of node.
const (
	Invalid NodeType = iota
	Metadata
	Load
	Store
	Compute
	Send
	Receive
	Collective
)

// Node is an operation of a rank.
type Node struct {
	ID       uint64
	Name     string
	Type     NodeType
	Deps     []uint64 // data_deps
	Duration unit.Time
	// Attributes of the node.
	Op       int64 // comm_type
	Size     int64 // comm_size, or tensor_size
	Src, Dst int64 // -1 if absent
	Tag      int64
	Group    string // pg_name
	Number   int    // position of its message in the file, from 1
}

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
	data, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(data) > mostBytes {
		return nil, fmt.Errorf("%s: more than %d bytes", path, mostBytes)
	}
	return data, nil
}

// Parse reads the nodes of a file.
func Parse(data []byte, path string) ([]Node, error) {
	var nodes []Node
	for i := 0; len(data) > 0; i++ {
		message, n := protowire.ConsumeBytes(data)
		if n < 0 {
			return nil, fmt.Errorf("%s: message %d: %w", path, i, protowire.ParseError(n))
		}
		if len(message) > mostMessage || i > mostNodes {
			return nil, fmt.Errorf("%s: message %d of %d bytes, want at most %d messages of %d bytes", path, i, len(message), mostNodes, mostMessage)
		}
		if data = data[n:]; i == 0 || len(message) == 0 {
			continue // the metadata, or an empty message, at which Chakra's reader stops: a node has at least a type
		}
		node := Node{Number: i, Src: -1, Dst: -1}
		if err := fields(message, node.field); err != nil {
			return nil, fmt.Errorf("%s: message %d: %w", path, i, err)
		}
		nodes = append(nodes, node)
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%s: no node, want a GlobalMetadata and then Node messages, each after its length", path)
	}
	return nodes, nil
}

// fields calls f for each field of a message, with the field's number and its value as an integer or as
// bytes.
func fields(message []byte, f func(number protowire.Number, v uint64, b []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
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
			return protowire.ParseError(n)
		}
		message = message[n:]
		if err := f(number, v, b); err != nil {
			return err
		}
	}
	return nil
}

// field sets the node's value for a field of the message.
func (n *Node) field(number protowire.Number, v uint64, b []byte) error {
	switch number {
	case 1:
		n.ID = v
	case 2:
		n.Name = string(b)
	case 3:
		n.Type = NodeType(v)
	case 5:
		if b == nil {
			n.Deps = append(n.Deps, v)
		}
		for len(b) > 0 { // packed
			dep, size := protowire.ConsumeVarint(b)
			if size < 0 {
				return protowire.ParseError(size)
			}
			n.Deps, b = append(n.Deps, dep), b[size:]
		}
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

// attribute sets the node's value for an attribute. Writers use different integer types for the same
// attribute.
func (n *Node) attribute(b []byte) error {
	var name string
	var value int64
	var text []byte
	isInt := false
	err := fields(b, func(number protowire.Number, v uint64, b []byte) error {
		switch number {
		case 1:
			name = string(b)
		case 15, 17: // sint32, sint64
			value, isInt = protowire.DecodeZigZag(v), true
		case 7, 23:
			value, isInt = int64(int32(v)), true
		case 9, 11, 13, 19, 21, 25:
			value, isInt = int64(v), true
		case 29:
			text = b
		}
		return nil
	})
	if err != nil {
		return err
	}
	into := map[string]*int64{
		"comm_type": &n.Op, "comm_size": &n.Size, "comm_src": &n.Src, "comm_dst": &n.Dst, "comm_tag": &n.Tag,
	}[name]
	switch {
	case name == "pg_name":
		n.Group = string(text)
	case name == "tensor_size" && isInt && n.Size == 0:
		n.Size = value
	case into != nil && !isInt:
		return errors.New("attribute " + name + " is no integer")
	case into != nil:
		*into = value
	}
	return nil
}
