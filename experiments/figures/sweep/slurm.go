package sweep

import (
	"fmt"
	"strings"
)

// Slurm is a job array script that makes the runs of these numbers, each as one
// task. line is the command to which the number of the run is appended.
func Slurm(name string, runs []int, line string) string {
	return fmt.Sprintf(`#!/bin/sh
#SBATCH --job-name=pintlab-%s
#SBATCH --array=%s
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --output=%s-%%A_%%a.out
# Each task makes one run. When all have ended, the same command without --task
# gathers them; runs that are missing by then are made there.
exec %s --task "$SLURM_ARRAY_TASK_ID"
`, name, ranges(runs), name, line)
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
