// Package job generates the traffic of jobs whose ranks compute and communicate: collectives, training
// steps, GOAL schedules and Chakra traces. It also places the ranks on hosts.
package job
