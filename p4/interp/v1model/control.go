package v1model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pintlab/p4/interp/source"
)

// Replica is one copy that a multicast group makes.
type Replica struct{ Port, RID int }

// Session says where clones of a session go: to a port, to a multicast group, or both.
type Session struct {
	Port    int
	HasPort bool
	Group   uint64 // 0 for none
}

// SetSession configures a clone session. Clones to a session that is not configured
// are lost.
func (s *Switch) SetSession(id int, c Session) error {
	if id < 0 || id > 0x7fff {
		return fmt.Errorf("clone session %d: expected 0 to 32767", id)
	}
	if c.HasPort && (c.Port < 0 || c.Port >= DropPort) {
		return fmt.Errorf("clone session %d: port %d, expected 0 to %d", id, c.Port, DropPort-1)
	}
	s.sessions[uint64(id)] = c
	return nil
}

// SetGroup sets the copies of a multicast group, which has a number from 1 to 65535.
func (s *Switch) SetGroup(id int, copies []Replica) error {
	if id < 1 || id > 0xffff {
		return fmt.Errorf("multicast group %d: expected 1 to 65535", id)
	}
	for _, r := range copies {
		if r.Port < 0 || r.Port >= DropPort || r.RID < 0 || r.RID > 0xffff {
			return fmt.Errorf("multicast group %d: port %d with rid %d, expected ports 0 to %d and rids 0 to 65535", id, r.Port, r.RID, DropPort-1)
		}
	}
	s.groups[uint64(id)] = slices.Clone(copies)
	return nil
}

// mcNode is a node made by mc_node_create: one rid on several ports.
type mcNode struct {
	rid   int
	ports []int
}

// command is one command of the control plane.
type command struct {
	usage string
	min   int
	max   int // -1 for any number
	run   func(s *Switch, args []string) (string, error)
}

// commands are those that BMv2's runtime CLI has for simple_switch.
var commands = map[string]command{
	"mirroring_add":        {"mirroring_add <session> <port>", 2, 2, (*Switch).mirroringAdd},
	"mirroring_add_mc":     {"mirroring_add_mc <session> <group>", 2, 2, (*Switch).mirroringAddMC},
	"mirroring_delete":     {"mirroring_delete <session>", 1, 1, (*Switch).mirroringDelete},
	"mirroring_get":        {"mirroring_get <session>", 1, 1, (*Switch).mirroringGet},
	"mc_mgrp_create":       {"mc_mgrp_create <group>", 1, 1, (*Switch).groupCreate},
	"mc_group_create":      {"mc_group_create <group>", 1, 1, (*Switch).groupCreate},
	"mc_mgrp_destroy":      {"mc_mgrp_destroy <group>", 1, 1, (*Switch).groupDestroy},
	"mc_node_create":       {"mc_node_create <rid> <port>...", 1, -1, (*Switch).nodeCreate},
	"mc_node_update":       {"mc_node_update <node> <port>...", 1, -1, (*Switch).nodeUpdate},
	"mc_node_associate":    {"mc_node_associate <group> <node>", 2, 2, (*Switch).nodeAssociate},
	"mc_node_dissociate":   {"mc_node_dissociate <group> <node>", 2, 2, (*Switch).nodeDissociate},
	"set_crc16_parameters": {"set_crc16_parameters <calculation> <polynomial> <initial> <final xor> <reflect data> <reflect remainder>", 6, 6, (*Switch).setCRC16},
	"set_crc32_parameters": {"set_crc32_parameters <calculation> <polynomial> <initial> <final xor> <reflect data> <reflect remainder>", 6, 6, (*Switch).setCRC32},
	"set_queue_depth":      {"set_queue_depth <packets> [<port>]", 1, 2, (*Switch).noQueues},
	"set_queue_rate":       {"set_queue_rate <packets per second> [<port>]", 1, 2, (*Switch).noQueues},
}

// Command obeys a command of the runtime CLI that is about clones, multicast, hashes or
// action profiles.
func (s *Switch) Command(name string, args []string) (reply string, ok bool, err error) {
	c, ok := commands[name]
	if !ok {
		return "", false, nil
	}
	if len(args) < c.min || c.max >= 0 && len(args) > c.max {
		return "", true, fmt.Errorf("%s, expected %s", source.Count(len(args), "argument"), c.usage)
	}
	reply, err = c.run(s, args)
	return reply, true, err
}

// Commands says how the commands that Command knows are written, by name.
func (s *Switch) Commands() map[string]string {
	usages := map[string]string{}
	for n, c := range commands {
		usages[n] = c.usage
	}
	return usages
}

func numbers(args []string) ([]int, error) {
	out := make([]int, len(args))
	for i, a := range args {
		v, err := strconv.ParseInt(a, 0, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", a)
		}
		out[i] = int(v)
	}
	return out, nil
}

func (s *Switch) mirroringAdd(args []string) (string, error) {
	n, err := numbers(args)
	if err != nil {
		return "", err
	}
	return "", s.SetSession(n[0], Session{Port: n[1], HasPort: true})
}

func (s *Switch) mirroringAddMC(args []string) (string, error) {
	n, err := numbers(args)
	if err != nil {
		return "", err
	}
	if n[1] < 1 || n[1] > 0xffff {
		return "", fmt.Errorf("multicast group %d: expected 1 to 65535", n[1])
	}
	return "", s.SetSession(n[0], Session{Group: uint64(n[1])})
}

func (s *Switch) session(args []string) (int, Session, error) {
	n, err := numbers(args)
	if err != nil {
		return 0, Session{}, err
	}
	c, ok := s.sessions[uint64(n[0])]
	if !ok {
		return 0, c, fmt.Errorf("clone session %d is not configured", n[0])
	}
	return n[0], c, nil
}

func (s *Switch) mirroringDelete(args []string) (string, error) {
	id, _, err := s.session(args)
	if err == nil {
		delete(s.sessions, uint64(id))
	}
	return "", err
}

func (s *Switch) mirroringGet(args []string) (string, error) {
	id, c, err := s.session(args)
	switch {
	case err != nil:
		return "", err
	case c.HasPort:
		return fmt.Sprintf("session %d: port %d", id, c.Port), nil
	}
	return fmt.Sprintf("session %d: multicast group %d", id, c.Group), nil
}

// mcGroup is a group made by commands: the nodes associated with it.
type mcGroup struct{ nodes []int }

func (s *Switch) mcGroup(id int) (*mcGroup, error) {
	g := s.mcGroups[id]
	if g == nil {
		return nil, fmt.Errorf("multicast group %d does not exist", id)
	}
	return g, nil
}

func (s *Switch) mcNode(id int) error {
	if id < 0 || id >= len(s.mcNodes) {
		return fmt.Errorf("multicast node %d does not exist", id)
	}
	return nil
}

// rebuild computes the copies of the groups made by commands.
func (s *Switch) rebuild() error {
	for id, g := range s.mcGroups {
		var copies []Replica
		for _, n := range g.nodes {
			for _, p := range s.mcNodes[n].ports {
				copies = append(copies, Replica{p, s.mcNodes[n].rid})
			}
		}
		if err := s.SetGroup(id, copies); err != nil {
			return err
		}
	}
	return nil
}

func (s *Switch) groupCreate(args []string) (string, error) {
	n, err := numbers(args)
	if err != nil {
		return "", err
	}
	if err := s.SetGroup(n[0], nil); err != nil {
		return "", err
	}
	s.mcGroups[n[0]] = &mcGroup{}
	return "", nil
}

func (s *Switch) groupDestroy(args []string) (string, error) {
	n, err := numbers(args)
	if err != nil {
		return "", err
	}
	if _, err := s.mcGroup(n[0]); err != nil {
		return "", err
	}
	delete(s.mcGroups, n[0])
	delete(s.groups, uint64(n[0]))
	return "", nil
}

func (s *Switch) nodeCreate(args []string) (string, error) {
	n, err := numbers(args)
	if err != nil {
		return "", err
	}
	s.mcNodes = append(s.mcNodes, mcNode{n[0], n[1:]})
	return fmt.Sprintf("node was created with handle %d", len(s.mcNodes)-1), nil
}

func (s *Switch) nodeUpdate(args []string) (string, error) {
	n, err := numbers(args)
	if err != nil {
		return "", err
	}
	if err := s.mcNode(n[0]); err != nil {
		return "", err
	}
	s.mcNodes[n[0]].ports = n[1:]
	return "", s.rebuild()
}

func (s *Switch) nodeAssociate(args []string) (string, error) {
	n, err := numbers(args)
	if err != nil {
		return "", err
	}
	g, err := s.mcGroup(n[0])
	if err != nil {
		return "", err
	}
	if err := s.mcNode(n[1]); err != nil {
		return "", err
	}
	if slices.Contains(g.nodes, n[1]) {
		return "", fmt.Errorf("multicast group %d has node %d already", n[0], n[1])
	}
	g.nodes = append(g.nodes, n[1])
	return "", s.rebuild()
}

func (s *Switch) nodeDissociate(args []string) (string, error) {
	n, err := numbers(args)
	if err != nil {
		return "", err
	}
	g, err := s.mcGroup(n[0])
	if err != nil {
		return "", err
	}
	i := slices.Index(g.nodes, n[1])
	if i < 0 {
		return "", fmt.Errorf("multicast group %d has no node %d", n[0], n[1])
	}
	g.nodes = slices.Delete(g.nodes, i, i+1)
	return "", s.rebuild()
}

func (s *Switch) setCRC16(args []string) (string, error) { return "", s.setCRC(s.crc16, args) }
func (s *Switch) setCRC32(args []string) (string, error) { return "", s.setCRC(s.crc32, args) }

// setCRC changes the custom CRC of one width. The name of the calculation, which comes
// first, does not matter: all calculations share the parameters.
func (s *Switch) setCRC(c *crcParams, args []string) error {
	var v [3]uint32
	for i := range v {
		x, err := strconv.ParseUint(args[i+1], 0, c.width)
		if err != nil {
			return fmt.Errorf("%q is not a number of %d bits", args[i+1], c.width)
		}
		v[i] = uint32(x)
	}
	var r [2]bool
	for i := range r {
		b, err := strconv.ParseBool(strings.ToLower(args[i+4]))
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", args[i+4])
		}
		r[i] = b
	}
	c.poly, c.init, c.xorOut, c.reflectIn, c.reflectOut = v[0], v[1], v[2], r[0], r[1]
	return nil
}

func (s *Switch) noQueues([]string) (string, error) {
	return "there are no queues here: nothing to set", nil
}
