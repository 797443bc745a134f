// Package job makes jobs whose ranks compute and communicate: collectives, training steps, GOAL schedules and Chakra
// traces, as kinds of traffic, with the hosts on which ranks are placed.
package job
