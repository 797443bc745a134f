// Package eta is what HPCC's target utilisation η and its maxStage do to throughput and queue (SIGCOMM 2019,
// §3.3).
//
// The paper has η = 95 % and takes it for the price of an empty queue; the authors' project page
// (hpcc-group.github.io) says that 99 % is no worse for queues and better for throughput. After maxStage round
// trips of additive increase a flow divides by the utilisation though that is below η. stored/laptop.csv has
// the measures of the laptop scale.
package eta
