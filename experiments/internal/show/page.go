package show

// Page is the content of a page. Times are in seconds, sizes in bytes, rates in bit/s. Port 2i leads from Links[i].A to
// Links[i].B, and port 2i+1 leads from Links[i].B to Links[i].A.
type Page struct {
	Title    string      `json:"title"`
	Subtitle string      `json:"subtitle"`
	Again    string      `json:"again"` // the command that reproduces the run
	Notes    []string    `json:"notes"` // notes for the reader, also about missing recordings
	Layers   []PageLayer `json:"layers"`
	Nodes    []Node      `json:"nodes"`
	Links    []Link      `json:"links"`
	From     float64     `json:"from"`  // start of the first step
	Step     float64     `json:"step"`  // length of a step
	Steps    int         `json:"steps"` // the last may be shorter
	End      float64     `json:"end"`
	Faults   []Fault     `json:"faults"`
	Seen     []bool      `json:"seen"` // by port: whether it was sampled
	Queue    *PageSeries `json:"queue"`
	Busy     *PageSeries `json:"busy"`   // share of the link, 0 to 1
	Paused   *PageSeries `json:"paused"` // share of the time
	Drops    *PageSeries `json:"drops"`  // packets
	Marks    *PageSeries `json:"marks"`  // packets
	Flows    []PageFlow  `json:"flows"`
	AllFlows int         `json:"allFlows"` // number of flows in the run; Flows may contain fewer
	Under    []int       `json:"under"`    // number of flows under way, by step, of all flows
	Classes  []string    `json:"classes"`  // names of Flow.Class
	// if all packets of a flow take one path; otherwise Path contains all ports that they may cross
	Single bool `json:"single"`
}

// PageLayer is a row of the drawing, from the hosts up.
type PageLayer struct {
	Name string `json:"name"`
}

// Node is a host or a switch.
type Node struct {
	Name  string `json:"name"`
	Layer int    `json:"layer"` // index in Page.Layers; hosts are in layer 0
}

// Link joins two nodes.
type Link struct {
	A    int     `json:"a"`
	B    int     `json:"b"`
	Rate float64 `json:"rate"`
}

// Fault is something that does not work for some time.
type Fault struct {
	Text  string  `json:"text"`
	At    float64 `json:"at"`
	Until float64 `json:"until"` // equals End if it is permanent
	Links []int   `json:"links"` // links that are down, or have the fault
	Down  bool    `json:"down"`  // nothing crosses these links
}

// PageSeries has a value for each step of each port: Values[port*Steps + step].
type PageSeries struct {
	Values []float32 `json:"-"`

	Peaks []float64 `json:"peaks"` // largest value of each port, exact
	Sums  []float64 `json:"sums"`  // sum over time, for each port; only for counts
	Max   float64   `json:"max"`   // largest of the peaks
	At    int       `json:"at"`    // where the levels are in the data: value = Max (level/255)²
}

// PageFlow is a flow and its outcome.
type PageFlow struct {
	ID       int     `json:"id"`
	Src      int     `json:"src"`
	Dst      int     `json:"dst"`
	Class    int     `json:"class"`
	Size     float64 `json:"size"`
	Start    float64 `json:"start"`
	End      float64 `json:"end"`      // end of the part that is shown
	Slowdown float64 `json:"slowdown"` // 0 if the flow has no completion time
	Outcome  string  `json:"outcome"`
	Packets  int     `json:"packets"`
	Again    int     `json:"again"` // retransmitted packets
	Timeouts int     `json:"timeouts"`
	Paths    []Path  `json:"paths"`
	First    int     `json:"first"` // step of the first sample, or -1
	Rate     *Curve  `json:"rate"`  // pacing
	Goodput  *Curve  `json:"goodput"`
	Window   *Curve  `json:"window"` // nil if nothing limits it
	Flight   *Curve  `json:"flight"`
}

// Path is the list of ports that a flow crosses from a given time on.
type Path struct {
	From  float64 `json:"from"`
	Ports []int   `json:"ports"`
}

// Curve contains a value of a flow for each step from Flow.First on.
type Curve struct {
	Values []float64 `json:"-"`

	Max float64 `json:"max"`
	At  int     `json:"at"` // where the levels are in the data: value = Max level/255
	N   int     `json:"n"`
}
