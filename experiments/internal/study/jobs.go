package study

import (
	"math"
	"slices"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
)

// jobRecord is a line of jobs.csv: one job of a run.
type jobRecord struct {
	Time        float64 // in s, from the release of its first task to the end of its last; NaN if a task has not ended
	Exposed     float64 // in s, the part of Time beyond the time of its computations alone; NaN if Time is NaN
	Collectives []collective
}

// collective contains the columns of jobs.csv about one collective.
type collective struct {
	sim.Kind
	Time float64 // in s; NaN if it has not ended
	Bus  float64 // bus bandwidth in b/s, as NCCL defines it; NaN if Time is NaN
}

// readJobs returns the jobs of a run, in the order of their entries in the workload. The list is empty for a run
// without jobs.
func readJobs(r *campaign.Run) ([]jobRecord, error) {
	if !slices.ContainsFunc(r.Manifest.Files, func(f store.File) bool { return f.Name == sim.JobsFile }) {
		return nil, nil
	}
	var list []jobRecord
	var job jobRecord
	err := r.Lines(sim.JobsFile, func(l *columns.Line) {
		name, ranks, took := l.Text("group"), int(l.Number("ranks")), (l.Maybe("end_ps")-l.Maybe("begin_ps"))/1e12
		if bytes := l.Maybe("bytes"); !math.IsNaN(bytes) {
			job.Collectives = append(job.Collectives,
				collective{sim.Kind{Name: name, Ranks: ranks, Bytes: unit.Bytes(bytes)}, took, l.Maybe("bus_bps")})
		}
		if name == "job" { // the last line of each job
			job.Time, job.Exposed = took, l.Maybe("exposed_ps")/1e12
			list, job = append(list, job), jobRecord{}
		}
	})
	return list, err
}

// Mean returns the mean time in s and the mean bus bandwidth in b/s of the n collectives of the job that have the given
// kind. If kind is nil, they are all collectives of the job. A kind without ranks stands for all collectives with the
// kind's name. The means are NaN if a collective has not ended or if n is 0.
func (j *jobRecord) Mean(kind *sim.Kind) (time, bus float64, n int) {
	for _, c := range j.Collectives {
		if kind == nil || c.Kind == *kind || kind.Ranks == 0 && c.Name == kind.Name {
			time, bus, n = time+c.Time, bus+c.Bus, n+1
		}
	}
	return time / float64(n), bus / float64(n), n
}

// JobTime measures the completion time of the job of a cell, in s.
func JobTime(name string) Measure {
	return ofJob(name, func(j *jobRecord) (float64, int) { return j.Time, 1 })
}

// JobExposed measures the exposed communication of the job of a cell, in s.
func JobExposed(name string) Measure {
	return ofJob(name, func(j *jobRecord) (float64, int) { return j.Exposed, 1 })
}

// CollectiveTime measures the mean completion time of a job's collectives of a kind (nil: of all), in s.
func CollectiveTime(name string, kind *sim.Kind) Measure {
	return ofJob(name, func(j *jobRecord) (float64, int) {
		time, _, n := j.Mean(kind)
		return time, n
	})
}

// BusBandwidth measures the mean bus bandwidth of a job's collectives of a kind (nil: of all), in b/s.
func BusBandwidth(name string, kind *sim.Kind) Measure {
	return ofJob(name, func(j *jobRecord) (float64, int) {
		_, bus, n := j.Mean(kind)
		return bus, n
	})
}

// ofJob measures the job of a cell's source. The function `of` returns a mean and the number of values that it covers.
func ofJob(name string, of func(*jobRecord) (float64, int)) Measure {
	return Paired(perRun(name,
		func(t *Trial, list []jobRecord) (float64, int) { return of(&list[t.Cell.Source.Job]) }))
}

// LastJob measures the time in s at which the last job of a run has ended. All jobs must begin at 0.
func LastJob(name string) Measure {
	return Paired(perRun(name, func(_ *Trial, list []jobRecord) (last float64, n int) {
		for _, j := range list {
			last = math.Max(last, j.Time)
		}
		return last, len(list)
	}))
}

// MeanExposed measures the mean exposed communication of the jobs of a run, in s.
func MeanExposed(name string) Measure {
	return perRun(name, func(_ *Trial, list []jobRecord) (float64, int) {
		return lists.Sum(list, func(j jobRecord) float64 { return j.Exposed }) / float64(len(list)), len(list)
	})
}

// MeanBusBandwidth measures the mean bus bandwidth of the collectives of all jobs of a run, in b/s.
func MeanBusBandwidth(name string) Measure {
	return perRun(name, func(_ *Trial, list []jobRecord) (float64, int) {
		all := &jobRecord{}
		for _, j := range list {
			all.Collectives = append(all.Collectives, j.Collectives...)
		}
		_, bus, n := all.Mean(nil)
		return bus, n
	})
}

// perRun measures the jobs of a run. The function `of` returns a mean and the number of values that it covers.
func perRun(name string, of func(*Trial, []jobRecord) (float64, int)) Measure {
	return PerTrial(name, func(t *Trial) (float64, int, error) {
		list, err := Once(t, "jobs", func(t *Trial) ([]jobRecord, error) { return readJobs(t.Run) })
		if err != nil || len(list) == 0 {
			return 0, 0, err
		}
		v, n := of(t, list)
		return v, n, nil
	})
}
