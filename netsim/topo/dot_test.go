package topo

import (
	"bytes"
	"testing"
)

func TestWriteDOT(t *testing.T) {
	g := triangle()
	g.Name = "la\"b\\"
	g.Nodes[1].Name = "new line"
	g.Nodes[2].Layer = 1
	g.Nodes = append(g.Nodes, Node{Kind: Switch, Layer: -1})
	var b bytes.Buffer
	if err := WriteDOT(&b, g); err != nil {
		t.Fatal(err)
	}
	want := `graph "la\"b\\" {
  rankdir=BT; node [fontsize=10]; edge [fontsize=8];
  n0 [label="0", shape=circle];
  n1 [label="new line", shape=circle];
  n2 [label="2", shape=box];
  n3 [label="3", shape=box];
  { rank=same; n0; n1; }
  { rank=same; n2; }
  n0 -- n2 [label="1Gbps 0s"];
  n1 -- n2 [label="1Gbps 0s"];
}
`
	if b.String() != want {
		t.Errorf("wrote\n%s\nwant\n%s", b.String(), want)
	}
}
