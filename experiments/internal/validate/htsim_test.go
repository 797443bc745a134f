package validate

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/study"
)

const star = `Nodes 4
Tiers 2
Podsize 4
Tier 0
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 1000
Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Downlink_Latency_ns 1000
`

// writeCase writes a case in which one byte is sent between two racks. The packet of 65 B takes 5.2 ns and 1 us on
// each of four links. The ACK takes 5.12 ns and 1 us on each of them.
func writeCase(t *testing.T, fct, rule, options string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"t.topo": star, "t.cm": "Nodes 4\nConnections 1\n0->3 id 1 start 2 size 1\n",
		commandFile:  "nscc: htsim_uec -topo t.topo -tm t.cm -seed SEED -sender_cc_only " + options + "\n",
		htsimResults: "variant,seed,start_ns,fct_ns\nnscc,1,2000," + fct + "\n",
		summaryFile:  "variant,seed,rtx,trims,drops,ecn_marks\nnscc,1,0,0,0,0\n",
		readmeFile:   "How to compare: " + rule + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOneByte(t *testing.T) {
	for fct, verdict := range map[string]string{"8041": inside, "8042": outside} {
		dir := writeCase(t, fct, "deterministic", "")
		// The measured RTT lowers the base RTT to 8041.28 ns, and the window to 1.5 times the bytes that the link
		// carries in that time.
		ack := "src,dst,ack_time_ns,cum_ack,cwnd_after,in_flight,delay_ns,newly_received,ecn,rtt_ns\n0,3,1004" +
			fct[3:] + ".28,1,150774,0,0.00,65,0,8041.28\n"
		if err := os.WriteFile(filepath.Join(dir, "trace-nscc.csv"), []byte(ack), 0o666); err != nil {
			t.Fatal(err)
		}
		if !IsHTSim(dir) {
			t.Fatal("no case")
		}
		cases, err := FindHTSim(dir)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := RunHTSim(t.Context(), cases, 1,
			&study.Job{Campaign: campaign.Options{Workers: 1, Quiet: true, Messages: io.Discard}})
		if err != nil || len(rows) != 2 || rows[0].Verdict != verdict || rows[1].Verdict != verdict {
			t.Errorf("recorded %s ns: %+v, %v", fct, rows, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, x := range [][3]string{
		{"deterministic", "-plb on", "cmd.txt:1: option -plb of htsim_uec has no counterpart here"},
		{"by eye", "", "README.md: want a line that begins with"},
	} {
		if _, err := FindHTSim(writeCase(t, "1", x[0], x[1])); err == nil || !strings.Contains(err.Error(), x[2]) {
			t.Errorf("%v, want %s", err, x[2])
		}
	}
}

// A mean is accepted within the recorded range or within the band. Small numbers of packets are noise.
func TestBands(t *testing.T) {
	b := &allBands[1]
	for want, rows := range map[bool][]HTSimRow{
		true: {
			{Number: "mean FCT (ns)", Recorded: 100, From: 80, To: 120, Ours: 119, Error: 0.19, Band: 0.05},
			{Number: "marks", Recorded: 50, Ours: 90, Error: 0.8, Band: 0.15},
		},
		false: {
			{Number: "mean FCT (ns)", Recorded: 100, From: 99, To: 101, Ours: 106, Error: 0.06, Band: 0.05},
			{Number: "longest FCT (ns)", Recorded: 100, From: 80, To: 120, Ours: 103, Error: 0.03, Band: 0.02},
			{Number: "marks", Recorded: 500, Ours: 900, Error: 0.8, Band: 0.15},
		},
	} {
		for i := range rows {
			if got := b.inside(&rows[i]); got != want {
				t.Errorf("%+v: %v", rows[i], got)
			}
		}
	}
}
