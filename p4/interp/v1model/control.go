package v1model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pintlab/p4/interp/exec"
)

// Replica is one copy that a multicast group makes of a packet.
type Replica struct{ Port, RID int }

// Session is the target of the clones of a session: a port, a multicast group, or both.
type Session struct {
	Port    int
	HasPort bool
	Group   uint64 // 0 for none
}

// SetSession configures a clone session. Clones to a session that is not configured are
// dropped.
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

// SetGroup sets the copies of a multicast group. Groups are numbered from 1 to 65535.
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

// mcNode is a node made by mc_node_create: one rid with several ports.
type mcNode struct {
	rid   int
	ports []int
	gone  bool // mc_node_destroy
}

// Commands returns the commands that BMv2's runtime CLI has for simple_switch: those about clones, multicast and
// hashes.
func (s *Switch) Commands() map[string]exec.Command {
	const crc = " <calculation> <polynomial> <initial> <final xor> <reflect data> <reflect remainder>"
	return map[string]exec.Command{
		"mirroring_add":        {Usage: "mirroring_add <session> <port>", Min: 2, Max: 2, Run: ofNumbers(s.mirroringAdd)},
		"mirroring_add_mc":     {Usage: "mirroring_add_mc <session> <group>", Min: 2, Max: 2, Run: ofNumbers(s.mirroringAddMC)},
		"mirroring_delete":     {Usage: "mirroring_delete <session>", Min: 1, Max: 1, Run: ofNumbers(s.mirroringDelete)},
		"mirroring_get":        {Usage: "mirroring_get <session>", Min: 1, Max: 1, Run: ofNumbers(s.mirroringGet)},
		"mc_mgrp_create":       {Usage: "mc_mgrp_create <group>", Min: 1, Max: 1, Run: ofNumbers(s.groupCreate)},
		"mc_group_create":      {Usage: "mc_group_create <group>", Min: 1, Max: 1, Run: ofNumbers(s.groupCreate)},
		"mc_mgrp_destroy":      {Usage: "mc_mgrp_destroy <group>", Min: 1, Max: 1, Run: ofNumbers(s.groupDestroy)},
		"mc_node_create":       {Usage: "mc_node_create <rid> <port>...", Min: 1, Max: -1, Run: ofNumbers(s.nodeCreate)},
		"mc_node_update":       {Usage: "mc_node_update <node> <port>...", Min: 1, Max: -1, Run: ofNumbers(s.nodeUpdate)},
		"mc_node_destroy":      {Usage: "mc_node_destroy <node>", Min: 1, Max: 1, Run: ofNumbers(s.nodeDestroy)},
		"mc_node_associate":    {Usage: "mc_node_associate <group> <node>", Min: 2, Max: 2, Run: ofNumbers(s.nodeAssociate)},
		"mc_node_dissociate":   {Usage: "mc_node_dissociate <group> <node>", Min: 2, Max: 2, Run: ofNumbers(s.nodeDissociate)},
		"set_crc16_parameters": {Usage: "set_crc16_parameters" + crc, Min: 6, Max: 6, Run: s.crc16.set},
		"set_crc32_parameters": {Usage: "set_crc32_parameters" + crc, Min: 6, Max: 6, Run: s.crc32.set},
		"set_queue_depth":      {Usage: "set_queue_depth <packets> [<port>]", Min: 1, Max: 2, Run: noQueues},
		"set_queue_rate":       {Usage: "set_queue_rate <packets per second> [<port>]", Min: 1, Max: 2, Run: noQueues},

		"meter_get_rates":       {Usage: "meter_get_rates <meter> <index>", Min: 2, Max: 2, Run: s.noRates},
		"meter_set_rates":       {Usage: "meter_set_rates <meter> <index> <rate>:<burst>...", Min: 3, Max: -1, Run: s.noRates},
		"meter_array_set_rates": {Usage: "meter_array_set_rates <meter> <rate>:<burst>...", Min: 2, Max: -1, Run: s.noRates},
	}
}

// ofNumbers makes the handler of a command whose arguments are numbers.
func ofNumbers(run func(n []int) (string, error)) func(args []string) (string, error) {
	return func(args []string) (string, error) {
		n := make([]int, len(args))
		for i, a := range args {
			v, err := strconv.ParseInt(a, 0, 64)
			if err != nil {
				return "", fmt.Errorf("%q is not a number", a)
			}
			n[i] = int(v)
		}
		return run(n)
	}
}

func (s *Switch) mirroringAdd(n []int) (string, error) {
	return "", s.SetSession(n[0], Session{Port: n[1], HasPort: true})
}

func (s *Switch) mirroringAddMC(n []int) (string, error) {
	if n[1] < 1 || n[1] > 0xffff {
		return "", fmt.Errorf("multicast group %d: expected 1 to 65535", n[1])
	}
	return "", s.SetSession(n[0], Session{Group: uint64(n[1])})
}

func (s *Switch) session(id int) (c Session, err error) {
	c, ok := s.sessions[uint64(id)]
	if !ok {
		err = fmt.Errorf("clone session %d is not configured", id)
	}
	return c, err
}

func (s *Switch) mirroringDelete(n []int) (string, error) {
	_, err := s.session(n[0])
	delete(s.sessions, uint64(n[0]))
	return "", err
}

func (s *Switch) mirroringGet(n []int) (string, error) {
	c, err := s.session(n[0])
	switch {
	case err != nil:
		return "", err
	case c.HasPort:
		return fmt.Sprintf("session %d: port %d", n[0], c.Port), nil
	}
	return fmt.Sprintf("session %d: multicast group %d", n[0], c.Group), nil
}

// mcGroup returns an error unless commands have made the group.
func (s *Switch) mcGroup(id int) error {
	if _, ok := s.mcGroups[id]; !ok {
		return fmt.Errorf("multicast group %d does not exist", id)
	}
	return nil
}

func (s *Switch) mcNode(id int) error {
	if id < 0 || id >= len(s.mcNodes) || s.mcNodes[id].gone {
		return fmt.Errorf("multicast node %d does not exist", id)
	}
	return nil
}

// rebuild computes the copies of the groups made by commands.
func (s *Switch) rebuild() error {
	for id, nodes := range s.mcGroups {
		var copies []Replica
		for _, n := range nodes {
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

func (s *Switch) groupCreate(n []int) (string, error) {
	if err := s.SetGroup(n[0], nil); err != nil {
		return "", err
	}
	s.mcGroups[n[0]] = nil
	return "", nil
}

func (s *Switch) groupDestroy(n []int) (string, error) {
	if err := s.mcGroup(n[0]); err != nil {
		return "", err
	}
	delete(s.mcGroups, n[0])
	delete(s.groups, uint64(n[0]))
	return "", nil
}

func (s *Switch) nodeCreate(n []int) (string, error) {
	s.mcNodes = append(s.mcNodes, mcNode{rid: n[0], ports: n[1:]})
	return fmt.Sprintf("node was created with handle %d", len(s.mcNodes)-1), nil
}

func (s *Switch) nodeUpdate(n []int) (string, error) {
	if err := s.mcNode(n[0]); err != nil {
		return "", err
	}
	s.mcNodes[n[0]].ports = n[1:]
	return "", s.rebuild()
}

func (s *Switch) nodeDestroy(n []int) (string, error) {
	if err := s.mcNode(n[0]); err != nil {
		return "", err
	}
	s.mcNodes[n[0]].gone = true
	for id, nodes := range s.mcGroups {
		s.mcGroups[id] = slices.DeleteFunc(nodes, func(node int) bool { return node == n[0] })
	}
	return "", s.rebuild()
}

func (s *Switch) nodeAssociate(n []int) (string, error) {
	if err := cmp.Or(s.mcGroup(n[0]), s.mcNode(n[1])); err != nil {
		return "", err
	}
	if slices.Contains(s.mcGroups[n[0]], n[1]) {
		return "", fmt.Errorf("multicast group %d has node %d already", n[0], n[1])
	}
	s.mcGroups[n[0]] = append(s.mcGroups[n[0]], n[1])
	return "", s.rebuild()
}

func (s *Switch) nodeDissociate(n []int) (string, error) {
	if err := s.mcGroup(n[0]); err != nil {
		return "", err
	}
	i := slices.Index(s.mcGroups[n[0]], n[1])
	if i < 0 {
		return "", fmt.Errorf("multicast group %d has no node %d", n[0], n[1])
	}
	s.mcGroups[n[0]] = slices.Delete(s.mcGroups[n[0]], i, i+1)
	return "", s.rebuild()
}

// set changes the custom CRC of one width. It ignores the name of the calculation, which comes
// first, because all calculations share the parameters.
func (c *crcParams) set(args []string) (string, error) {
	var v [3]uint32
	for i := range v {
		x, err := strconv.ParseUint(args[i+1], 0, c.width)
		if err != nil {
			return "", fmt.Errorf("%q is not a number of %d bits", args[i+1], c.width)
		}
		v[i] = uint32(x)
	}
	var r [2]bool
	for i := range r {
		b, err := strconv.ParseBool(strings.ToLower(args[i+4]))
		if err != nil {
			return "", fmt.Errorf("%q is neither true nor false", args[i+4])
		}
		r[i] = b
	}
	c.poly, c.init, c.xorOut, c.reflectIn, c.reflectOut = v[0], v[1], v[2], r[0], r[1]
	return "", nil
}

func noQueues([]string) (string, error) {
	return "there are no queues here: nothing to set", nil
}

// noRates replies to commands that set or read the rates of a meter of the program.
func (s *Switch) noRates(args []string) (string, error) {
	var names []string
	for _, o := range s.objects {
		if _, ok := o.State.(meter); ok {
			names = append(names, o.Name)
			if o.Name == args[0] || strings.HasSuffix(o.Name, "."+args[0]) {
				return "meters always answer green here: nothing to set", nil
			}
		}
	}
	return "", fmt.Errorf("there is no meter %q: expected one of [%s]", args[0], strings.Join(names, ", "))
}
