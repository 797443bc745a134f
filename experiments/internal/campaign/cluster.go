package campaign

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// Task is a piece of work and what it needs. A need of 0 means that the need is unknown.
type Task struct {
	Number  int     `json:"task"`
	Memory  int64   `json:"memory_bytes"`
	Seconds float64 `json:"seconds"` // seconds of one processor core
}

// Path is the name of a file or directory, and the key or flag that contains the name.
type Path struct{ Of, Name string }

// Jobs describes the jobs for some tasks.
type Jobs struct {
	Name  string   // name of the jobs
	Dir   string   // working directory of the jobs
	Paths []Path   // files that the command reads or writes
	Words []string // the program, its command and flags
	Start float64  // seconds that each job needs before its tasks

	// Limit is the MaxArraySize of the Slurm cluster.
	Limit int `flag:"array-limit" default:"1001" range:">=1 <=1000000000" use:"MaxArraySize {N} of the cluster: no job array has more tasks"`
	// Time and Memory have the formats of sbatch; "" derives them from the needs of the tasks.
	Time      string `flag:"time" use:"{limit} of each job, as sbatch takes it (default: four times what it needs)"`
	Memory    string `flag:"mem" use:"{memory} of each job, as sbatch takes it (default: twice what it needs)"`
	Partition string `flag:"partition" use:"{name} of the partition of Slurm (default: the cluster's)"`
	// Share is the longest time that a job shared by several short tasks may take.
	Share unit.Time `flag:"share" default:"60s" range:">=0s <=100000s" use:"short tasks share a job of up to {time}; 0s: each has its own"`
	CPUs  int       `flag:"cpus-per-task" default:"1" range:">=1 <=1024" use:"processor cores {N} of each job"`
	Image string    `flag:"image" use:"{image} of the program, for Kubernetes"`
	Claim string    `flag:"claim" use:"{name} of the PersistentVolumeClaim whose root is this directory, for Kubernetes"`
}

// Formats of sbatch and Kubernetes.
var (
	slurmTime   = regexp.MustCompile(`^(\d+-\d+(:\d+(:\d+)?)?|\d+(:\d+(:\d+)?)?|UNLIMITED|INFINITE)$`)
	slurmMemory = regexp.MustCompile(`^(\d+)([KMGT]?)$`)
	slurmName   = regexp.MustCompile(`^[\w.-]+(,[\w.-]+)*$`)
	label       = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	minutes     = regexp.MustCompile(`^\d{1,9}$`)
)

// Validate returns an error for settings that the scheduler would refuse.
func (j *Jobs) Validate(kubernetes bool) error {
	switch {
	case j.Time != "" && !slurmTime.MatchString(j.Time):
		return fmt.Errorf("--time %q: want minutes, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS, "+
			"DAYS-HOURS:MINUTES or DAYS-HOURS:MINUTES:SECONDS", j.Time)
	case kubernetes && j.Time != "" && (!minutes.MatchString(j.Time) || strings.Trim(j.Time, "0") == ""):
		return fmt.Errorf("--time %q: want minutes for Kubernetes, at least 1", j.Time)
	case j.Memory != "" && !slurmMemory.MatchString(j.Memory):
		return fmt.Errorf("--mem %q: want a number with K, M, G or T, such as 4G", j.Memory)
	case j.Partition != "" && !slurmName.MatchString(j.Partition):
		return fmt.Errorf("--partition %q: want the name of a partition", j.Partition)
	case kubernetes && j.Image == "":
		return errors.New("--emit kubernetes: want --image, the image of the program (docs/large-runs.md builds one)")
	case kubernetes && !label.MatchString(j.Claim):
		return fmt.Errorf("--claim %q: want the name of a PersistentVolumeClaim that contains this directory, in "+
			"lower-case letters, digits and -", j.Claim)
	}
	for _, path := range j.Paths {
		if kubernetes && !j.mounted(path.Name) {
			return fmt.Errorf("--emit kubernetes: %s%s: want a path in this directory, because pods mount no other "+
				"directory",
				path.Of, path.Name)
		}
	}
	return nil
}

// mounted reports whether a path is within the directory, both by name and after links are resolved.
func (j *Jobs) mounted(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(j.Dir, path)
	}
	in := func(dir, path string) bool {
		from, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(from)
	}
	dir, err1 := filepath.EvalSymlinks(j.Dir)
	real, err2 := filepath.EvalSymlinks(path)
	// nonexistent paths have no links to resolve
	return in(j.Dir, path) && (err1 != nil || err2 != nil || in(dir, real))
}

// array is a set of jobs with similar needs. Job i carries out the chunk of tasks that begins with
// tasks[i*chunk].
type array struct {
	tasks   []Task
	chunk   int
	memory  string // in the format of sbatch; "" if unknown
	minutes string // in the format of sbatch; "" if unknown
}

func (a *array) jobs() int { return (len(a.tasks) + a.chunk - 1) / a.chunk }

// Margins by which a job's limits exceed the needs of its tasks.
const (
	memoryFactor, memoryBase = 2, 256 // MB
	timeFactor, timeBase     = 4, 1   // minutes
)

// arrays groups tasks whose needs differ by less than a factor of two, and splits groups that exceed the limit of an
// array.
func (j *Jobs) arrays(tasks []Task) (list []array) {
	class := func(t Task) [2]int {
		long := bits.Len64(uint64(t.Seconds / 60))
		if t.Seconds > 0 && t.Seconds < 60 { // short tasks share a job, so their times may differ by a factor of eight
			long = -bits.Len64(uint64(60/t.Seconds)) / 3
		}
		return [2]int{bits.Len64(uint64(t.Memory >> 26)), long}
	}
	byClass := map[[2]int][]Task{}
	for _, t := range tasks {
		byClass[class(t)] = append(byClass[class(t)], t)
	}
	for _, group := range byClass {
		var most Task
		for _, t := range group {
			most.Memory, most.Seconds = max(most.Memory, t.Memory), max(most.Seconds, t.Seconds)
		}
		a := array{chunk: 1, memory: j.Memory, minutes: j.Time}
		if most.Seconds > 0 {
			a.chunk = max(1, min(int(j.Share.Seconds()/most.Seconds), len(group)))
		}
		if a.memory == "" && most.Memory > 0 {
			mb := memoryFactor*most.Memory>>20*int64(min(j.CPUs, a.chunk)) + memoryBase
			a.memory = fmt.Sprintf("%dM", 1<<bits.Len64(uint64(mb-1)))
		}
		if a.minutes == "" && most.Seconds > 0 {
			a.minutes = strconv.Itoa(int(timeFactor*(j.Start+most.Seconds*float64(a.chunk))/60) + timeBase)
		}
		for part := range slices.Chunk(group, a.chunk*j.Limit) {
			a.tasks = part
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(x, y array) int { return cmp.Compare(x.tasks[0].Number, y.tasks[0].Number) })
	return list
}

// command returns the command of each job of an array. The command reads the index of its job from an environment
// variable.
func (j *Jobs) command(a *array, variable string) []string {
	words := append(slices.Clone(j.Words), "--tasks", Ranges(a.tasks), "--task-from", variable, "--workers",
		strconv.Itoa(j.CPUs))
	if a.chunk > 1 {
		words = append(words, "--chunk", strconv.Itoa(a.chunk))
	}
	return words
}

// escaped escapes a text for use within double quotes in options of sbatch.
var escaped = strings.NewReplacer(`"`, `\"`, `\`, `\\`)

// Slurm returns a shell script that submits job arrays.
func (j *Jobs) Slurm(tasks []Task) string {
	var b strings.Builder
	list := j.arrays(tasks)
	fmt.Fprintf(&b, "#!/bin/sh -e\n# Submits %s in %s, grouped by the memory and time that they need.\n# When all "+
		"have ended, the command without --emit collects the results.\n", number.Count(len(tasks), "task"),
		number.Count(len(list), "job array"))
	for i := range list {
		a := &list[i]
		option := func(name, value string) {
			if strings.ContainsAny(value, " \t\"'#\\") {
				value = `"` + escaped.Replace(value) + `"`
			}
			if value != "" {
				fmt.Fprintf(&b, "#SBATCH --%s=%s\n", name, value)
			}
		}
		b.WriteString("sbatch <<'END'\n#!/bin/sh\n")
		option("job-name", "pintlab-"+j.Name)
		option("array", fmt.Sprintf("0-%d", a.jobs()-1))
		option("ntasks", "1")
		option("cpus-per-task", strconv.Itoa(j.CPUs))
		option("mem", a.memory)
		option("time", a.minutes)
		option("partition", j.Partition)
		option("chdir", j.Dir)
		option("output", j.Name+"-%A_%a.out")
		fmt.Fprintf(&b, "exec %s\nEND\n", CommandLine(j.command(a, "SLURM_ARRAY_TASK_ID")...))
	}
	return b.String()
}

// object is a YAML mapping with ordered keys.
type object = yaml.MapSlice

// Kubernetes returns a manifest with an Indexed Job (batch/v1) for each array. A failed job is tried three times, and
// tasks that have finished are not repeated.
func (j *Jobs) Kubernetes(tasks []Task) ([]byte, error) {
	var documents [][]byte
	for i, a := range j.arrays(tasks) {
		resources := object{{Key: "cpu", Value: strconv.Itoa(j.CPUs)}}
		if m := slurmMemory.FindStringSubmatch(a.memory); m != nil {
			resources = append(resources, yaml.MapItem{Key: "memory", Value: m[1] + cmp.Or(m[2], "M") + "i"})
		}
		container := object{
			{Key: "name", Value: "pintlab"}, {Key: "image", Value: j.Image},
			{Key: "command", Value: j.command(&a, "JOB_COMPLETION_INDEX")},
			{Key: "workingDir", Value: j.Dir},
			{Key: "resources", Value: object{{Key: "requests", Value: resources}, {Key: "limits", Value: resources}}},
			{Key: "volumeMounts", Value: []object{{{Key: "name", Value: "shared"}, {Key: "mountPath", Value: j.Dir}}}},
		}
		pod := object{{Key: "restartPolicy", Value: "Never"}}
		if a.minutes != "" {
			n, err := strconv.Atoi(a.minutes)
			if err != nil {
				return nil, err
			}
			pod = append(pod, yaml.MapItem{Key: "activeDeadlineSeconds", Value: 60 * n})
		}
		pod = append(pod, yaml.MapItem{Key: "containers", Value: []object{container}},
			yaml.MapItem{Key: "volumes", Value: []object{{
				{Key: "name", Value: "shared"},
				{Key: "persistentVolumeClaim", Value: object{{Key: "claimName", Value: j.Claim}}},
			}}})
		text, err := yaml.Marshal(object{
			{Key: "apiVersion", Value: "batch/v1"}, {Key: "kind", Value: "Job"},
			{Key: "metadata", Value: object{{Key: "generateName", Value: fmt.Sprintf("%s-%d-", j.label(), i)}}},
			{Key: "spec", Value: object{
				{Key: "completionMode", Value: "Indexed"}, {Key: "completions", Value: a.jobs()},
				{Key: "parallelism", Value: a.jobs()},
				{Key: "backoffLimitPerIndex", Value: 2}, {Key: "maxFailedIndexes", Value: a.jobs()},
				{Key: "template", Value: object{{Key: "spec", Value: pod}}},
			}},
		})
		if err != nil {
			return nil, err
		}
		documents = append(documents, text)
	}
	return bytes.Join(documents, []byte("---\n")), nil
}

var unfit = regexp.MustCompile(`[^a-z0-9]+`)

// label returns a valid Kubernetes name for the jobs, short enough that numbers can be appended.
func (j *Jobs) label() string {
	name := strings.Trim(unfit.ReplaceAllString(strings.ToLower("pintlab-"+j.Name), "-"), "-")
	return strings.Trim(name[:min(len(name), 40)], "-")
}

// plain lists the characters of words that need no quotes in a shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-"

// CommandLine returns a command line that a POSIX shell splits into the given words.
func CommandLine(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if w == "" || strings.Trim(w, plain) != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}

// Repeated returns a command line of CommandLine without the settings of the given keys, and with further words.
func Repeated(line string, keys []string, more ...string) string {
	var words []string
	for _, w := range commandWords(line) {
		if n := len(words); n > 0 && words[n-1] == "--set" {
			if key, _, _ := strings.Cut(w, "="); slices.Contains(keys, key) {
				words = words[:n-1]
				continue
			}
		}
		words = append(words, w)
	}
	return CommandLine(append(words, more...)...)
}

// commandWords returns the words of a command line of CommandLine.
func commandWords(line string) (words []string) {
	var word strings.Builder
	quoted, begun := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			quoted, begun = !quoted, true
		case quoted:
			word.WriteByte(c)
		case c == ' ':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			if c == '\\' && i+1 < len(line) {
				i++
				c = line[i]
			}
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

// Ranges formats task numbers, which must ascend, in the notation of job arrays: "0-3,7,9-12".
func Ranges(tasks []Task) string {
	var parts []string
	for i := 0; i < len(tasks); {
		k := i
		for k+1 < len(tasks) && tasks[k+1].Number == tasks[k].Number+1 {
			k++
		}
		text := strconv.Itoa(tasks[i].Number)
		if k > i {
			text += "-" + strconv.Itoa(tasks[k].Number)
		}
		parts = append(parts, text)
		i = k + 1
	}
	return strings.Join(parts, ",")
}

// Numbers parses the notation of Ranges. All numbers must be below n.
func Numbers(text string, n int) (list []int, err error) {
	for _, part := range strings.Split(text, ",") {
		first, last, several := strings.Cut(part, "-")
		if !several {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || from > to || from < 0 {
			return nil, fmt.Errorf("%q: want numbers and ranges, such as 0-3,7", part)
		}
		if to >= n {
			return nil, fmt.Errorf("%q: want 0 to %d", part, n-1)
		}
		for k := from; k <= to; k++ {
			list = append(list, k)
		}
	}
	return list, nil
}
