package campaign

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

func jobs() *Jobs {
	return &Jobs{
		Name: "My sizes", Dir: "/here", Words: []string{"/bin/pintlab", "sweep", "a b.yaml"}, Limit: 1001, CPUs: 2,
		Share: unit.Second, Image: "pintlab:1", Claim: "data",
	}
}

// Two short tasks, and a long one that needs much memory.
var needy = []Task{{0, 50 << 20, 0.5}, {1, 50 << 20, 0.4}, {7, 3 << 30, 600}}

// Tasks with similar needs form an array, and short tasks share a job. The limits are computed by hand. Memory limits
// are rounded up to a power of two: 2 runs of 2·50 MB and 256 MB are 456 MB, so the limit is 512 MB; 2·3 GB and 256
// MB are less than 8 GB. The time limit is four times 600 s plus one minute, which is 41 min.
func TestSlurmByHand(t *testing.T) {
	want := `#!/bin/sh -e
# Submits 3 tasks in 2 job arrays, grouped by the memory and time that they need.
# When all have ended, the command without --emit collects the results.
sbatch <<'END'
#!/bin/sh
#SBATCH --job-name="pintlab-My sizes"
#SBATCH --array=0-0
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=512M
#SBATCH --time=1
#SBATCH --chdir=/here
#SBATCH --output="My sizes-%A_%a.out"
exec /bin/pintlab sweep 'a b.yaml' --tasks 0-1 --task-from SLURM_ARRAY_TASK_ID --workers 2 --chunk 2
END
sbatch <<'END'
#!/bin/sh
#SBATCH --job-name="pintlab-My sizes"
#SBATCH --array=0-0
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=8192M
#SBATCH --time=41
#SBATCH --chdir=/here
#SBATCH --output="My sizes-%A_%a.out"
exec /bin/pintlab sweep 'a b.yaml' --tasks 7 --task-from SLURM_ARRAY_TASK_ID --workers 2
END
`
	if d := cmp.Diff(want, jobs().Slurm(needy)); d != "" {
		t.Error(d)
	}
	j := jobs()
	j.Time, j.Memory, j.Partition, j.Dir = "1-12:30", "4G", "long,short", `/a "b"\c`
	for _, want := range []string{
		`#SBATCH --chdir="/a \"b\"\\c"` + "\n", "#SBATCH --mem=4G\n", "#SBATCH --time=1-12:30\n",
		"#SBATCH --partition=long,short\n",
	} {
		if !strings.Contains(j.Slurm(needy), want) {
			t.Errorf("%q is missing in\n%s", want, j.Slurm(needy))
		}
	}
	unknown := jobs().Slurm([]Task{{Number: 3}, {Number: 4}})
	if strings.Contains(unknown, "--mem") || strings.Contains(unknown, "--time") ||
		!strings.Contains(unknown, "--array=0-1\n") {
		t.Errorf("without known needs:\n%s", unknown)
	}
}

// job is a batch/v1 Job. It contains those fields of the published schema that our manifests use. The schema requires
// template, containers and their names, completions with completionMode Indexed, and a restartPolicy of Never or
// OnFailure.
type job struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		GenerateName string `yaml:"generateName"`
	} `yaml:"metadata"`
	Spec struct {
		CompletionMode       string `yaml:"completionMode"`
		Completions          int32  `yaml:"completions"`
		Parallelism          int32  `yaml:"parallelism"`
		BackoffLimitPerIndex int32  `yaml:"backoffLimitPerIndex"`
		MaxFailedIndexes     int32  `yaml:"maxFailedIndexes"`
		Template             struct {
			Spec struct {
				RestartPolicy         string `yaml:"restartPolicy"`
				ActiveDeadlineSeconds int64  `yaml:"activeDeadlineSeconds"`
				Containers            []struct {
					Name       string   `yaml:"name"`
					Image      string   `yaml:"image"`
					Command    []string `yaml:"command"`
					WorkingDir string   `yaml:"workingDir"`
					Resources  struct {
						Requests map[string]string `yaml:"requests"`
						Limits   map[string]string `yaml:"limits"`
					} `yaml:"resources"`
					VolumeMounts []struct {
						Name      string `yaml:"name"`
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				} `yaml:"containers"`
				Volumes []struct {
					Name  string `yaml:"name"`
					Claim struct {
						ClaimName string `yaml:"claimName"`
					} `yaml:"persistentVolumeClaim"`
				} `yaml:"volumes"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

// A manifest has only fields and types of the schema. It contains an image, the index variable and the shared volume.
func TestKubernetes(t *testing.T) {
	text, err := jobs().Kubernetes(needy)
	if err != nil {
		t.Fatal(err)
	}
	documents := bytes.Split(text, []byte("---\n"))
	if len(documents) != 2 {
		t.Fatalf("%d documents\n%s", len(documents), text)
	}
	for i, d := range documents {
		var k job
		if err := yaml.UnmarshalWithOptions(d, &k, yaml.Strict()); err != nil {
			t.Fatal(err)
		}
		s, pod := &k.Spec, &k.Spec.Template.Spec
		if k.APIVersion != "batch/v1" || k.Kind != "Job" || s.CompletionMode != "Indexed" || s.Completions != 1 ||
			s.Parallelism != 1 ||
			pod.RestartPolicy != "Never" || len(pod.Containers) != 1 || len(pod.Volumes) != 1 {
			t.Fatalf("%s", d)
		}
		if name := k.Metadata.GenerateName; !label.MatchString(name + "abcde") {
			t.Errorf("the name %q is none of Kubernetes", name)
		}
		c := &pod.Containers[0]
		words := strings.Join(c.Command, "|")
		want := []struct {
			words, memory string
			deadline      int64
		}{
			{"/bin/pintlab|sweep|a b.yaml|--tasks|0-1|--task-from|JOB_COMPLETION_INDEX|--workers|2|--chunk|2", "512Mi",
				60},
			{"/bin/pintlab|sweep|a b.yaml|--tasks|7|--task-from|JOB_COMPLETION_INDEX|--workers|2", "8192Mi", 41 * 60},
		}[i]
		if words != want.words || c.Image != "pintlab:1" || c.Resources.Requests["memory"] != want.memory ||
			c.Resources.Limits["cpu"] != "2" || pod.ActiveDeadlineSeconds != want.deadline {
			t.Errorf("%s", d)
		}
		if c.WorkingDir != "/here" || c.VolumeMounts[0].MountPath != "/here" ||
			c.VolumeMounts[0].Name != pod.Volumes[0].Name || pod.Volumes[0].Claim.ClaimName != "data" {
			t.Errorf("the volume is not shared:\n%s", d)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, edit := range map[string]func(*Jobs){
		`--time "1h": want minutes, …`:                  func(j *Jobs) { j.Time = "1h" },
		`--time "1:30": want minutes for Kubernetes, …`: func(j *Jobs) { j.Time = "1:30" },
		`--time "00": want minutes …, at least 1`:       func(j *Jobs) { j.Time = "00" },
		`--emit kubernetes: /tmp/out: want a path in …`: func(j *Jobs) {
			j.Paths = []Path{
				{Name: "out"}, {Name: "/here/out"}, {Name: "/tmp/out"},
			}
		},
		`--emit kubernetes: ../c.yaml: want a path in …`: func(j *Jobs) { j.Paths = []Path{{Name: "../c.yaml"}} },
		`--emit kubernetes: workload.0.path: /tmp/f: want …`: func(j *Jobs) {
			j.Paths = []Path{
				{"workload.0.path: ", "/tmp/f"},
			}
		},
		`--mem "4GB": want a number with K, M, G or T, …`: func(j *Jobs) { j.Memory = "4GB" },
		`--partition "a b": want the name of a partition`: func(j *Jobs) { j.Partition = "a b" },
		`--emit kubernetes: want --image, …`:              func(j *Jobs) { j.Image = "" },
		`--claim "My": want the name of a …`:              func(j *Jobs) { j.Claim = "My" },
	} {
		j := jobs()
		edit(j)
		if err := j.Validate(true); !errtest.Says(err, want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	j := jobs()
	j.Time, j.Paths = "1", []Path{{Name: "out"}, {Name: "./c.yaml"}, {Name: "/here/out"}}
	if err := j.Validate(true); err != nil {
		t.Error(err)
	}
	j.Paths = []Path{{Name: "/tmp"}}
	if err := j.Validate(false); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"": `"": want numbers …`, "3-1": `"3-1": …`, "0,x": `"x": …`, "2-9": `"2-9": want 0 to 8`, "-3": `"-3": …`,
	} {
		if _, err := Numbers(text, 9); !errtest.Says(err, want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Whatever the needs of the tasks, the jobs of all arrays run each task once, no array exceeds the limit, and each job
// has enough memory and time for its tasks.
func TestArrays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := &Jobs{
			Limit: rapid.IntRange(1, 40).Draw(t, "limit"), CPUs: rapid.IntRange(1, 4).Draw(t, "cpus"),
			Share: unit.Time(rapid.IntRange(0, 100).Draw(t, "share")) * unit.Second,
		}
		var tasks []Task
		for i := range rapid.IntRange(1, 200).Draw(t, "n") {
			if rapid.Bool().Draw(t, "missing") {
				tasks = append(tasks,
					Task{i, rapid.Int64Range(0, 1<<36).Draw(t, "memory"),
						rapid.Float64Range(0, 1e6).Draw(t, "seconds")})
			}
		}
		made := map[int]bool{}
		for _, a := range j.arrays(tasks) {
			if a.jobs() > j.Limit {
				t.Fatalf("an array of %d, and the limit is %d", a.jobs(), j.Limit)
			}
			list, err := Numbers(Ranges(a.tasks), 200)
			if err != nil {
				t.Fatal(err)
			}
			for i, n := range list {
				if made[n] || n != a.tasks[i].Number {
					t.Fatalf("task %d is made twice, or is not %d", n, a.tasks[i].Number)
				}
				made[n] = true
			}
			var mb, minutes int64
			for _, x := range []struct {
				text string
				to   *int64
			}{{strings.TrimSuffix(a.memory, "M"), &mb}, {a.minutes, &minutes}} {
				for _, d := range x.text {
					*x.to = *x.to*10 + int64(d-'0')
				}
			}
			for part := range slices.Chunk(a.tasks, a.chunk) {
				seconds := 0.0
				for _, n := range part {
					seconds += n.Seconds
					if n.Memory>>20 > mb {
						t.Fatalf("%d MB for a task of %d", mb, n.Memory>>20)
					}
				}
				if seconds > float64(60*minutes) {
					t.Fatalf("%d minutes for %v s", minutes, seconds)
				}
			}
		}
		if len(made) != len(tasks) {
			t.Fatalf("%d of %d tasks are made", len(made), len(tasks))
		}
	})
}
