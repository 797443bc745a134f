package flows

import (
	"math"
	"slices"

	"pintlab/experiments/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/experiments/study"
	"pintlab/netsim/unit"
)

// Job is what jobs.csv reports about one job of a run.
type Job struct {
	Name        string
	Ranks       int
	Time        float64 // in s, from the release of its first task to the end of its last; NaN if a task has not ended
	Exposed     float64 // in s, the part of Time that its computations alone would not take; NaN likewise
	Collectives []Collective
}

// Collective is what jobs.csv reports about one collective.
type Collective struct {
	sim.Kind
	Time float64 // in s; NaN if it has not ended
	Bus  float64 // bus bandwidth in b/s, as NCCL defines it; NaN likewise
}

// readJobs returns the jobs of a run, in the order of their entries in the workload. It returns none for a run without
// jobs.
func readJobs(r *campaign.Run) ([]Job, error) {
	if !slices.ContainsFunc(r.Manifest.Files, func(f store.File) bool { return f.Name == sim.JobsFile }) {
		return nil, nil
	}
	var list []Job
	var job Job
	err := r.Lines(sim.JobsFile, func(l *columns.Line) {
		name, ranks, took := l.Text("group"), int(l.Number("ranks")), (l.Maybe("end_ps")-l.Maybe("begin_ps"))/1e12
		if bytes := l.Maybe("bytes"); !math.IsNaN(bytes) {
			job.Collectives = append(job.Collectives,
				Collective{sim.Kind{Name: name, Ranks: ranks, Bytes: unit.Bytes(bytes)}, took, l.Maybe("bus_bps")})
		}
		if name == "job" { // the last line of each
			job.Name, job.Ranks, job.Time, job.Exposed = l.Text("job"), ranks, took, l.Maybe("exposed_ps")/1e12
			list, job = append(list, job), Job{}
		}
	})
	return list, err
}

// Mean returns the mean time in s and the mean bus bandwidth in b/s of the job's n collectives of a kind, or of all if
// kind is nil. The means are NaN if a collective has not ended or if n is 0.
func (j *Job) Mean(kind *sim.Kind) (time, bus float64, n int) {
	for _, c := range j.Collectives {
		if kind == nil || c.Kind == *kind {
			time, bus, n = time+c.Time, bus+c.Bus, n+1
		}
	}
	return time / float64(n), bus / float64(n), n
}

// JobTime measures the completion time of the job of a cell, in s.
func JobTime(name string) study.Measure {
	return ofJob(name, func(j *Job) (float64, int) { return j.Time, 1 })
}

// JobExposed measures the exposed communication of the job of a cell, in s.
func JobExposed(name string) study.Measure {
	return ofJob(name, func(j *Job) (float64, int) { return j.Exposed, 1 })
}

// CollectiveTime measures the mean completion time of a job's collectives of a kind (nil: of all), in s.
func CollectiveTime(name string, kind *sim.Kind) study.Measure {
	return ofJob(name, func(j *Job) (float64, int) {
		time, _, n := j.Mean(kind)
		return time, n
	})
}

// BusBandwidth measures the mean bus bandwidth of a job's collectives of a kind (nil: of all), in b/s.
func BusBandwidth(name string, kind *sim.Kind) study.Measure {
	return ofJob(name, func(j *Job) (float64, int) {
		_, bus, n := j.Mean(kind)
		return bus, n
	})
}

// ofJob measures the job of a cell's source, and of how many things it is a mean.
func ofJob(name string, of func(*Job) (float64, int)) study.Measure {
	return study.Paired(perRun(name,
		func(t *study.Trial, list []Job) (float64, int) { return of(&list[t.Cell.Source.Job]) }))
}

// LastJob measures when the last job of a run has ended, in s, if all jobs begin at 0.
func LastJob(name string) study.Measure {
	return study.Paired(perRun(name, func(_ *study.Trial, list []Job) (last float64, n int) {
		for _, j := range list {
			last = math.Max(last, j.Time)
		}
		return last, len(list)
	}))
}

// MeanExposed measures the mean exposed communication of the jobs of a run, in s.
func MeanExposed(name string) study.Measure {
	return perRun(name, func(_ *study.Trial, list []Job) (float64, int) {
		sum := 0.0
		for _, j := range list {
			sum += j.Exposed
		}
		return sum / float64(len(list)), len(list)
	})
}

// MeanBusBandwidth measures the mean bus bandwidth of the collectives of all jobs of a run, in b/s.
func MeanBusBandwidth(name string) study.Measure {
	return perRun(name, func(_ *study.Trial, list []Job) (float64, int) {
		all := &Job{}
		for _, j := range list {
			all.Collectives = append(all.Collectives, j.Collectives...)
		}
		_, bus, n := all.Mean(nil)
		return bus, n
	})
}

// perRun measures the jobs of a run, and of how many things it is a mean.
func perRun(name string, of func(*study.Trial, []Job) (float64, int)) study.Measure {
	return study.PerTrial(name, func(t *study.Trial) (float64, int, error) {
		list, err := study.Once(t, "jobs", func(t *study.Trial) ([]Job, error) { return readJobs(t.Run) })
		if err != nil || len(list) == 0 {
			return 0, 0, err
		}
		v, n := of(t, list)
		return v, n, nil
	})
}
