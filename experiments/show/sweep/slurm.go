package sweep

import (
	"fmt"
	"regexp"
	"strings"
)

// Slurm describes the jobs that make the runs of a campaign on a cluster.
type Slurm struct {
	Name string // of the campaign
	Dir  string // where the jobs run: what the command's paths start from
	Runs int    // all runs, finished or not
	// Missing are the numbers of the runs to make, rising.
	Missing []int
	// Limit is the MaxArraySize of the cluster: task numbers stay below it.
	Limit int `flag:"array-limit" default:"1001" range:">=1 <=1000000000" use:"MaxArraySize {N} of the cluster; a task makes several runs if there are more"`
	// Time, Memory and Partition are those of sbatch; empty for the cluster's own.
	Time      string `flag:"time" use:"{limit} of each task, as sbatch takes it (default: the cluster's)"`
	Memory    string `flag:"mem" use:"{memory} of each task, as sbatch takes it (default: the cluster's)"`
	Partition string `flag:"partition" use:"{name} of the partition (default: the cluster's)"`
	CPUs      int    `flag:"cpus-per-task" default:"1" range:">=1 <=1024" use:"processor cores {N} of each task"`
	// Command makes the runs from number×chunk on, chunk of them, when
	// "--task number --chunk chunk" is appended.
	Command string
}

// The forms that sbatch knows.
var (
	slurmTime   = regexp.MustCompile(`^(\d+-\d+(:\d+(:\d+)?)?|\d+(:\d+(:\d+)?)?|UNLIMITED|INFINITE)$`)
	slurmMemory = regexp.MustCompile(`^\d+[KMGT]?$`)
	slurmName   = regexp.MustCompile(`^[\w.-]+(,[\w.-]+)*$`)
)

// Validate reports what sbatch would not take.
func (s *Slurm) Validate() error {
	switch {
	case s.Time != "" && !slurmTime.MatchString(s.Time):
		return fmt.Errorf("--time %q: want minutes, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS, DAYS-HOURS:MINUTES or DAYS-HOURS:MINUTES:SECONDS", s.Time)
	case s.Memory != "" && !slurmMemory.MatchString(s.Memory):
		return fmt.Errorf("--mem %q: want a number with K, M, G or T, such as 4G", s.Memory)
	case s.Partition != "" && !slurmName.MatchString(s.Partition):
		return fmt.Errorf("--partition %q: want the name of a partition", s.Partition)
	}
	return nil
}

// chunk returns how many runs a task makes, so that there are no more tasks than the
// cluster allows in an array.
func (s *Slurm) chunk() int { return (s.Runs + s.Limit - 1) / s.Limit }

// Script returns a job array script for sbatch. Each task makes one run, or several if the
// campaign has more runs than an array may have tasks.
func (s *Slurm) Script() string {
	chunk := s.chunk()
	var tasks []int
	for _, run := range s.Missing {
		if t := run / chunk; len(tasks) == 0 || tasks[len(tasks)-1] != t {
			tasks = append(tasks, t)
		}
	}
	var b strings.Builder
	option := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "#SBATCH --%s=%s\n", name, value)
		}
	}
	b.WriteString("#!/bin/sh\n")
	option("job-name", "pintlab-"+s.Name)
	option("array", ranges(tasks))
	option("ntasks", "1")
	option("cpus-per-task", fmt.Sprint(s.CPUs))
	option("mem", s.Memory)
	option("time", s.Time)
	option("partition", s.Partition)
	option("chdir", s.Dir)
	option("output", s.Name+"-%A_%a.out")
	b.WriteString("# When all tasks have ended, the command below without --task and --chunk gathers the\n" +
		"# results. It makes what is missing by then.\n")
	if chunk > 1 {
		fmt.Fprintf(&b, "# An array has at most %d tasks here: each makes up to %d runs, %d at a time.\n", s.Limit, chunk, s.CPUs)
	}
	fmt.Fprintf(&b, "exec %s --task \"$SLURM_ARRAY_TASK_ID\" --chunk %d --workers %d\n", s.Command, chunk, s.CPUs)
	return b.String()
}

// ranges writes rising numbers in the notation of job arrays: "0-3,7,9-12".
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(numbers[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[i], numbers[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}
