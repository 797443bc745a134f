// Package wai is what HPCC's additive increase W_AI does to the queue and to fairness, by the number of flows.
//
// HPCC (SIGCOMM 2019, §3.3) has W_AI = W_init·(1-η)/N for N flows at a port: all increases of a round trip
// together then fill no more than what η leaves free, and the queue stays empty; more makes flows fair sooner,
// and keeps a queue. stored/laptop.csv has the measures of the laptop scale.
package wai
