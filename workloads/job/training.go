package job

import (
	"fmt"

	"pintlab/internal/number"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/workloads"
	"pintlab/workloads/tasks"
)

// TrainingTraffic is the traffic of a training job. Rank ((d·pipeline)+p)·tensor+t is member t of a tensor
// group, at stage p of pipeline d. In each step every stage computes forward for each micro-batch as it
// arrives, then backward. In the end ranks of the same stage and tensor position sum their gradients.
type TrainingTraffic struct {
	// Number of steps, one after the other.
	Steps int `yaml:"steps" default:"1" range:">=1 <=1000" draw:"1|2"`
	// Number of pipelines, each with a share of the data.
	Data int `yaml:"data" default:"2" range:">=1 <=65536" draw:"1..2"`
	// Ranks that share a stage.
	Tensor int `yaml:"tensor" default:"2" range:">=1 <=1024" draw:"1..2"`
	// Stages of a pipeline.
	Pipeline int `yaml:"pipeline" default:"2" range:">=1 <=1024" draw:"1..2"`
	// Number of pipelines over which experts are spread; divides data.
	Expert int `yaml:"expert" default:"1" range:">=1 <=65536"`
	// Micro-batches of a step.
	Microbatches int `yaml:"microbatches" default:"4" range:">=1 <=1024" draw:"1..2"`
	// Forward computation of a stage for a micro-batch. The backward computation takes twice as long.
	Compute unit.Time `yaml:"compute" default:"50us" range:">=0s <=100ms" draw:"0..20us"`
	// All-reduce of a tensor group after each computation.
	TensorSize unit.Bytes `yaml:"tensor_size" default:"1MB" range:">=1B <=1000GB" draw:"1..50KB"`
	// Activations or gradients that a rank sends to the next stage.
	PipelineSize unit.Bytes `yaml:"pipeline_size" default:"1MB" range:">=1B <=1000GB" draw:"1..50KB"`
	// Gradients that are summed at the end of a step.
	DataSize unit.Bytes `yaml:"data_size" default:"4MB" range:">=1B <=1000GB" draw:"1..50KB"`
	// All-to-all of an expert group before and after each computation of the experts.
	ExpertSize unit.Bytes `yaml:"expert_size" default:"1MB" range:">=1B <=1000GB" draw:"1..50KB"`
	// Algorithm of the all-reduces.
	Algorithm string `yaml:"algorithm" default:"ring" oneof:"ring|tree"`
	// Rank that computes for longer.
	Straggler int `yaml:"straggler" default:"0" range:">=0 <=65535" draw:"0|1"`
	// Additional time of each computation of the straggler.
	Delay unit.Time `yaml:"delay" default:"0s" range:">=0s <=100ms" draw:"0s|5us"`
	Placement
}

func (p *TrainingTraffic) ranks() int { return p.Data * p.Tensor * p.Pipeline }

func (p *TrainingTraffic) Check(c *schema.Checker, prefix string, hosts int) {
	n := p.ranks()
	if n < 2 || n > 1<<16 {
		c.Fail(prefix+"data", fmt.Sprintf("data · tensor · pipeline = %s, want 2 to 65536",
			number.Count(n, "rank")))
		return
	}
	p.check(c, prefix, "data", fmt.Sprintf("data · tensor · pipeline = %d ranks, ", n), n, hosts)
	c.FailIf(p.Straggler >= n, prefix+"straggler", fmt.Sprintf("want a rank below %d", n))
	c.FailIf(p.Data%max(1, p.Expert) != 0, prefix+"expert", fmt.Sprintf("want a divisor of data = %d", p.Data))
}

func (p *TrainingTraffic) Generator(s *workloads.Setting) (workloads.Generator, error) {
	hosts, err := p.on(s, p.ranks())
	if err != nil {
		return nil, err
	}
	j := newJob(s.Name, "data", hosts, p.Start)
	for step := range p.Steps {
		j.step = step
		stages := j.group(tasks.Group{Name: "pipeline", Step: step, Ranks: p.ranks()})
		for _, backward := range []bool{false, true} {
			for range p.Microbatches {
				for k := range p.Pipeline {
					stage, next := k, k+1
					if backward {
						stage, next = p.Pipeline-1-k, p.Pipeline-2-k
					}
					if err := p.work(j, stage, backward); err != nil {
						return nil, err
					}
					for d := range p.Data {
						for t := range p.Tensor {
							if next >= 0 && next < p.Pipeline {
								j.pass(p.rank(d, stage, t), p.rank(d, next, t), p.PipelineSize, stages)
							}
						}
					}
				}
			}
		}
		for stage := range p.Pipeline {
			for t := range p.Tensor {
				if err := j.collective("data ", p.sum(p.DataSize), p.over(0, p.Data, stage, t)); err != nil {
					return nil, err
				}
			}
		}
	}
	return workloads.Tasks{Graph: j.Graph}, nil
}

// rank returns the rank at a position.
func (p *TrainingTraffic) rank(data, stage, tensor int) int32 {
	return int32((data*p.Pipeline+stage)*p.Tensor + tensor)
}

// over returns the ranks at one position in n pipelines.
func (p *TrainingTraffic) over(from, n, stage, tensor int) (ranks []int32) {
	for d := range n {
		ranks = append(ranks, p.rank(from+d, stage, tensor))
	}
	return ranks
}

func (p *TrainingTraffic) sum(size unit.Bytes) tasks.Collective {
	return tasks.Collective{Operation: tasks.AllReduce, Algorithm: p.Algorithm, Size: size, Chunks: 8}
}

// work adds the computation of a stage for a micro-batch, in all pipelines.
func (p *TrainingTraffic) work(j *job, stage int, backward bool) error {
	if err := j.room(int64(p.Data * p.Tensor)); err != nil {
		return err
	}
	if err := p.experts(j, stage); err != nil {
		return err
	}
	for d := range p.Data {
		var group []int32
		for t := range p.Tensor {
			rank := p.rank(d, stage, t)
			took := p.Compute
			if backward {
				took *= 2
			}
			if int(rank) == p.Straggler {
				took += p.Delay
			}
			j.compute(rank, took)
			group = append(group, rank)
		}
		if err := j.collective("tensor ", p.sum(p.TensorSize), group); err != nil {
			return err
		}
	}
	return p.experts(j, stage)
}

// experts adds the all-to-all of each expert group of a stage.
func (p *TrainingTraffic) experts(j *job, stage int) error {
	for from := 0; from < p.Data; from += p.Expert {
		for t := range p.Tensor {
			c := tasks.Collective{Operation: tasks.AllToAll, Algorithm: tasks.Pairwise, Size: p.ExpertSize}
			if err := j.collective("expert ", c, p.over(from, p.Expert, stage, t)); err != nil {
				return err
			}
		}
	}
	return nil
}
