package show

// Page is the content of a page. Times are in seconds, sizes in bytes, rates in bit/s. Port 2i leads from Links[i].A
// to Links[i].B, port 2i+1 the other way.
type Page struct {
	Title    string      `json:"title"`
	Subtitle string      `json:"subtitle"`
	Again    string      `json:"again"` // the command that gives the run
	Notes    []string    `json:"notes"` // notes for the reader, also about missing recordings
	Layers   []PageLayer `json:"layers"`
	Nodes    []Node      `json:"nodes"`
	Links    []Link      `json:"links"`
	From     float64     `json:"from"`  // of the first step
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
	AllFlows int         `json:"allFlows"` // of the run; Flows may be some
	Under    []int       `json:"under"`    // how many of all flows are under way, by step
	Classes  []string    `json:"classes"`  // names of Flow.Class
	// all packets of a flow take one path; else Path holds all ports that they may cross
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

// Fault is something that is broken for a while.
type Fault struct {
	Text  string  `json:"text"`
	At    float64 `json:"at"`
	Until float64 `json:"until"` // End if for good
	Links []int   `json:"links"` // that are down, or have the fault
	Down  bool    `json:"down"`  // nothing crosses these links
}

// PageSeries has a value for each step of each port: Values[port*Steps + step].
type PageSeries struct {
	Values []float32 `json:"-"`

	Peaks []float64 `json:"peaks"` // largest value of each port, exact
	Sums  []float64 `json:"sums"`  // over time, of each port; of counts only
	Max   float64   `json:"max"`   // of the peaks
	At    int       `json:"at"`    // where the levels are: value = Max (level/255)²
}

// PageFlow is a flow and the outcome of it.
type PageFlow struct {
	ID       int     `json:"id"`
	Src      int     `json:"src"`
	Dst      int     `json:"dst"`
	Class    int     `json:"class"`
	Size     float64 `json:"size"`
	Start    float64 `json:"start"`
	End      float64 `json:"end"`      // of what is shown
	Slowdown float64 `json:"slowdown"` // 0 without a completion time
	Outcome  string  `json:"outcome"`
	Packets  int     `json:"packets"`
	Again    int     `json:"again"` // packets sent again
	Timeouts int     `json:"timeouts"`
	Paths    []Path  `json:"paths"`
	First    int     `json:"first"` // step of the first sample; -1 without one
	Rate     *Curve  `json:"rate"`  // pacing
	Goodput  *Curve  `json:"goodput"`
	Window   *Curve  `json:"window"` // nil if nothing limits it
	Flight   *Curve  `json:"flight"`
}

// Path is the ports that a flow crosses from a time on.
type Path struct {
	From  float64 `json:"from"`
	Ports []int   `json:"ports"`
}

// Curve is the values of a flow, a step each from Flow.First on.
type Curve struct {
	Values []float64 `json:"-"`

	Max float64 `json:"max"`
	At  int     `json:"at"` // where the levels are: value = Max level/255
	N   int     `json:"n"`
}
