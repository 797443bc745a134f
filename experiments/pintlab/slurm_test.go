package pintlab

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A campaign runs on a real cluster of one node. The jobs make the missing results. The command without --emit then
// collects the same rows as without a cluster.
func TestSlurmCluster(t *testing.T) {
	for _, program := range []string{"slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs the program %s on the PATH (Debian's packages slurmctld, slurmd and slurm-client)", program)
		}
	}
	if testing.Short() {
		t.Skip("starts a cluster of one node, which takes seconds; needs go test without -short")
	}
	dir := filepath.Join(t.TempDir(), "a b#")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "pintlab")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(self, bin); err != nil {
		t.Skipf("needs a hard link of the test program in the temporary directory, on the same file system "+
			"(TMPDIR): %v", err)
	}
	startSlurm(t, t.TempDir())
	campaign := `name: sizes
base: two-flows
vary: {"workload.0.flows.0.size": [1MB, 2MB, 3MB]}
seeds: 2
`
	if err := os.WriteFile(filepath.Join(dir, "c.yaml"), []byte(campaign), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		var messages strings.Builder
		c.Stderr = &messages
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, &messages)
		}
		return string(out)
	}
	// In this test, an array has at most four jobs, so that the six runs need two arrays.
	script := run(bin, "sweep", "c.yaml", "--emit", "slurm", "--out", "cluster", "--array-limit", "4", "--share", "0s",
		"--time", "5", "--mem", "200M", "--partition", "main")
	if n := strings.Count(script, "\nsbatch <<"); n != 2 {
		t.Errorf("%d arrays\n%s", n, script)
	}
	if err := os.WriteFile(filepath.Join(dir, "jobs.sh"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", filepath.Join(dir, "jobs.sh"))
	c.Dir, c.Env = os.TempDir(), append(os.Environ(), "SBATCH_WAIT=1") // the script may be run in any directory
	if out, err := c.CombinedOutput(); err != nil {
		logs, _ := filepath.Glob(filepath.Join(dir, "*.out"))
		for _, l := range logs {
			text, _ := os.ReadFile(l)
			t.Logf("%s: %s", l, text)
		}
		t.Fatalf("sbatch: %v\n%s\n%s", err, out, script)
	}
	if out := run(bin, "sweep", "c.yaml", "--missing", "--out", "cluster"); out != "" {
		t.Errorf("runs are missing after the jobs:\n%s", out)
	}
	run(bin, "sweep", "c.yaml", "--out", "cluster", "--quiet")
	run(bin, "sweep", "c.yaml", "--out", "here", "--quiet")
	want, err := os.ReadFile(filepath.Join(dir, "here/sweep/sizes/rows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "cluster/sweep/sizes/rows.csv")); err != nil ||
		string(got) != string(want) {
		t.Errorf("rows of the cluster:\n%s\nwant\n%s (%v)", got, want, err)
	}
}

// pintlab accepts the commands of docs/large-runs.md that print jobs or missing tasks. The campaign has 18 runs, so the
// output contains 0-17. The test needs no cluster, because it only prints the jobs.
func TestClusterPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "large-runs.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir, sh := workdir(t)
	scripts := 0
	for _, block := range regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		text := regexp.MustCompile(`(?m)^   `).ReplaceAllString(block[2], "")
		if block[1] == "yaml" {
			if err := os.WriteFile(filepath.Join(dir, "buffers.yaml"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for line := range strings.Lines(text) {
			line, ok := strings.CutPrefix(line, "~/bin/")
			if !ok || !strings.Contains(line, "--emit") && !strings.Contains(line, "--missing") {
				continue
			}
			line, _, _ = strings.Cut(line, " > jobs.")
			scripts++
			if script := sh(dir, line); !strings.Contains(script, "0-17") {
				t.Errorf("%s\n%s", line, script)
			}
		}
	}
	if scripts != 4 {
		t.Errorf("%d commands that print jobs or what is missing, want 4", scripts)
	}
}

// The Containerfile copies the program from the path to which its build command writes the program. The release names
// the Containerfile. All files that the two name exist.
func TestContainerfile(t *testing.T) {
	file, release := readFile(t, "..", "..", "docs", "Containerfile"), readFile(t, "..", "..", ".ci", "release")
	parts := regexp.MustCompile(`(?s)^#.*\n#   CGO_ENABLED=0 go build .*-o (\S+) \./(\S+)\n` +
		`#   podman build -f (\S+) -t pintlab \.\nFROM scratch\nCOPY (\S+) (\S+)\nENTRYPOINT \["(\S+)"\]\n$`).
		FindStringSubmatch(file)
	if parts == nil {
		t.Fatalf("the Containerfile is not a build command and an image of the program alone:\n%s", file)
	}
	if parts[1] != parts[4] || parts[5] != parts[6] {
		t.Errorf("it builds %s, copies %s to %s and starts %s", parts[1], parts[4], parts[5], parts[6])
	}
	for _, path := range parts[2:4] {
		if _, err := os.Stat(filepath.Join("..", "..", path)); err != nil {
			t.Error(err)
		}
	}
	for _, want := range []string{"build -q -f " + parts[3], `"$context/` + parts[4] + `"`, " ./" + parts[2] + "\n"} {
		if !strings.Contains(release, want) {
			t.Errorf(".ci/release has no %q", want)
		}
	}
}

// startSlurm starts a Slurm controller and a node on this machine, without authentication. Until the test ends, Slurm's
// commands use this controller.
func startSlurm(t *testing.T, dir string) {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	port := func() int {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		return l.Addr().(*net.TCPAddr).Port
	}
	conf := fmt.Sprintf(`ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=%[2]s
SlurmdUser=%[2]s
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
SlurmctldPidFile=%[5]s/ctld.pid
SlurmdPidFile=%[5]s/d.pid
StateSaveLocation=%[5]s/state
SlurmdSpoolDir=%[5]s/spool
SlurmctldLogFile=%[5]s/ctld.log
SlurmdLogFile=%[5]s/d.log
MaxArraySize=4
JobAcctGatherType=jobacct_gather/none
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=1 RealMemory=400
PartitionName=main Nodes=%[1]s Default=YES State=UP
`, host, me.Username, port(), port(), dir)
	for _, d := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "slurm.conf")
	if err := os.WriteFile(path, []byte(conf), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_CONF", path)
	for _, daemon := range []string{"slurmctld", "slurmd"} {
		c := exec.Command(daemon, "-D")
		c.Dir = dir
		if err := c.Start(); err != nil {
			t.Skipf("needs %s to start: %v", daemon, err)
		}
		t.Cleanup(func() {
			c.Process.Signal(os.Interrupt)
			c.Wait()
		})
	}
	for range 100 {
		if out, _ := exec.Command("sinfo", "-h", "-o", "%T").Output(); strings.TrimSpace(string(out)) == "idle" {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	log, _ := os.ReadFile(filepath.Join(dir, "ctld.log"))
	t.Skipf("needs a node that slurmctld calls idle within 20 s of its start; ctld.log has:\n%s", log)
}
