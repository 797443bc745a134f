package interp

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/number"
	"pintlab/p4/interp/exec"
)

// replica is one of the copies of a packet that a multicast group makes.
type replica struct{ port, rid int }

// session is the destination of the clones of a clone session: a port or a multicast group.
type session struct {
	port  []replica // one copy; nil for a multicast group
	group uint64
}

// setSession configures a clone session. Clones to a session that is not configured are dropped.
func (s *Switch) setSession(id int, c session) error {
	if id < 0 || id > 0x7fff {
		return fmt.Errorf("clone session %d: expected 0 to 32767", id)
	}
	for _, r := range c.port {
		if r.port < 0 || r.port >= DropPort {
			return fmt.Errorf("clone session %d: port %d, expected 0 to %d", id, r.port, DropPort-1)
		}
	}
	s.sessions[uint64(id)] = c
	return nil
}

// setGroup sets the copies of a multicast group. Groups are numbered from 1 to 65535.
func (s *Switch) setGroup(id int, copies []replica) error {
	if id < 1 || id > 0xffff {
		return fmt.Errorf("multicast group %d: expected 1 to 65535", id)
	}
	for _, r := range copies {
		if r.port < 0 || r.port >= DropPort || r.rid < 0 || r.rid > 0xffff {
			return fmt.Errorf("multicast group %d: port %d with rid %d, expected ports 0 to %d and rids 0 to 65535",
				id, r.port, r.rid, DropPort-1)
		}
	}
	s.groups[uint64(id)] = copies
	return nil
}

// mcNode is a node made by mc_node_create: one rid with several ports.
type mcNode struct {
	rid   int
	ports []int
	gone  bool // mc_node_destroy
}

// addCommands adds the commands about clones, multicast and hashes, which BMv2's runtime CLI has for simple_switch.
func (s *Switch) addCommands(c exec.Commands) {
	c.Add("mirroring_add <session> <port>", 2, 2, quiet(s.mirroringAdd))
	c.Add("mirroring_add_mc <session> <group>", 2, 2, quiet(s.mirroringAddMC))
	c.Add("mirroring_delete <session>", 1, 1, quiet(s.mirroringDelete))
	c.Add("mirroring_get <session>", 1, 1, numbers(s.mirroringGet))
	c.Add("mc_mgrp_create <group>", 1, 1, quiet(s.groupCreate))
	c.Add("mc_group_create <group>", 1, 1, quiet(s.groupCreate))
	c.Add("mc_mgrp_destroy <group>", 1, 1, quiet(s.groupDestroy))
	c.Add("mc_node_create <rid> <port>...", 1, exec.Many, numbers(s.nodeCreate))
	c.Add("mc_node_update <node> <port>...", 1, exec.Many, quiet(s.nodeUpdate))
	c.Add("mc_node_destroy <node>", 1, 1, quiet(s.nodeDestroy))
	c.Add("mc_node_associate <group> <node>", 2, 2, quiet(s.nodeAssociate))
	c.Add("mc_node_dissociate <group> <node>", 2, 2, quiet(s.nodeDissociate))
	const crc = " <calculation> <polynomial> <initial> <final xor> <reflect data> <reflect remainder>"
	c.Add("set_crc16_parameters"+crc, 6, 6, s.crc16.set)
	c.Add("set_crc32_parameters"+crc, 6, 6, s.crc32.set)
	c.Add("set_queue_depth <packets> [<port>]", 1, 2, noQueues)
	c.Add("set_queue_rate <packets per second> [<port>]", 1, 2, noQueues)
}

// numbers makes the handler of a command whose arguments are numbers.
func numbers(run func(n []int) (string, error)) exec.Handler {
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

// quiet makes the handler of a command that has no reply.
func quiet(run func(n []int) error) exec.Handler {
	return numbers(func(n []int) (string, error) { return "", run(n) })
}

func (s *Switch) mirroringAdd(n []int) error {
	return s.setSession(n[0], session{port: []replica{{port: n[1]}}})
}

func (s *Switch) mirroringAddMC(n []int) error {
	if n[1] < 1 || n[1] > 0xffff {
		return fmt.Errorf("multicast group %d: expected 1 to 65535", n[1])
	}
	return s.setSession(n[0], session{group: uint64(n[1])})
}

func (s *Switch) session(id int) (c session, err error) {
	c, ok := s.sessions[uint64(id)]
	if !ok {
		err = fmt.Errorf("clone session %d is not configured", id)
	}
	return c, err
}

func (s *Switch) mirroringDelete(n []int) error {
	_, err := s.session(n[0])
	delete(s.sessions, uint64(n[0]))
	return err
}

func (s *Switch) mirroringGet(n []int) (string, error) {
	c, err := s.session(n[0])
	switch {
	case err != nil:
		return "", err
	case c.port != nil:
		return fmt.Sprintf("session %d: port %d", n[0], c.port[0].port), nil
	}
	return fmt.Sprintf("session %d: multicast group %d", n[0], c.group), nil
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
		var copies []replica
		for _, n := range nodes {
			for _, p := range s.mcNodes[n].ports {
				copies = append(copies, replica{p, s.mcNodes[n].rid})
			}
		}
		if err := s.setGroup(id, copies); err != nil {
			return err
		}
	}
	return nil
}

func (s *Switch) groupCreate(n []int) error {
	if err := s.setGroup(n[0], nil); err != nil {
		return err
	}
	s.mcGroups[n[0]] = nil
	return nil
}

func (s *Switch) groupDestroy(n []int) error {
	if err := s.mcGroup(n[0]); err != nil {
		return err
	}
	delete(s.mcGroups, n[0])
	delete(s.groups, uint64(n[0]))
	return nil
}

func (s *Switch) nodeCreate(n []int) (string, error) {
	s.mcNodes = append(s.mcNodes, mcNode{rid: n[0], ports: n[1:]})
	return fmt.Sprintf("node was created with handle %d", len(s.mcNodes)-1), nil
}

func (s *Switch) nodeUpdate(n []int) error {
	if err := s.mcNode(n[0]); err != nil {
		return err
	}
	s.mcNodes[n[0]].ports = n[1:]
	return s.rebuild()
}

func (s *Switch) nodeDestroy(n []int) error {
	if err := s.mcNode(n[0]); err != nil {
		return err
	}
	s.mcNodes[n[0]].gone = true
	for id, nodes := range s.mcGroups {
		s.mcGroups[id] = slices.DeleteFunc(nodes, func(node int) bool { return node == n[0] })
	}
	return s.rebuild()
}

func (s *Switch) nodeAssociate(n []int) error {
	if err := cmp.Or(s.mcGroup(n[0]), s.mcNode(n[1])); err != nil {
		return err
	}
	if slices.Contains(s.mcGroups[n[0]], n[1]) {
		return fmt.Errorf("multicast group %d has node %d already", n[0], n[1])
	}
	s.mcGroups[n[0]] = append(s.mcGroups[n[0]], n[1])
	return s.rebuild()
}

func (s *Switch) nodeDissociate(n []int) error {
	if err := s.mcGroup(n[0]); err != nil {
		return err
	}
	i := slices.Index(s.mcGroups[n[0]], n[1])
	if i < 0 {
		return fmt.Errorf("multicast group %d has no node %d", n[0], n[1])
	}
	s.mcGroups[n[0]] = slices.Delete(s.mcGroups[n[0]], i, i+1)
	return s.rebuild()
}

// set changes the custom CRC of one width. The first argument names a calculation. set ignores this argument,
// because all calculations share the parameters.
func (c *crcParams) set(args []string) (string, error) {
	var v [3]uint32
	for i := range v {
		x, err := strconv.ParseUint(args[i+1], 0, c.width)
		if err != nil {
			return "", fmt.Errorf("%q is not a number of %s", args[i+1], number.Count(c.width, "bit"))
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
	return "no effect: this switch has no queues", nil
}
