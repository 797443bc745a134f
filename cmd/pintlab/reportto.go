package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// reportFlags are the flags for the export of telemetry reports.
type reportFlags struct {
	To   string `flag:"report-to"`
	Rate int    `flag:"report-rate" default:"10000" range:">=1 <=10000000"`
}

// exporter sends telemetry reports to a collector. A nil exporter sends nothing.
type exporter struct {
	stop  <-chan struct{} // closed when the run is interrupted; sends then return at once
	conn  net.Conn
	every time.Duration

	mu     sync.Mutex
	next   time.Time
	sent   int
	failed int
	err    error // first send error
}

// exporter connects to the collector that the flags name.
func (f *reportFlags) exporter(ctx context.Context) (*exporter, error) {
	if f.To == "" {
		return nil, nil
	}
	host, _, err := net.SplitHostPort(f.To)
	if err == nil && host == "" {
		err = errors.New("missing address") // net.Dial would take this machine
	}
	var conn net.Conn
	if err == nil {
		conn, err = net.Dial("udp", f.To)
	}
	if err != nil {
		return nil, fmt.Errorf("--report-to %s: want an address and a port, such as 127.0.0.1:32766: %w", f.To, err)
	}
	return &exporter{stop: ctx.Done(), conn: conn, every: time.Second / time.Duration(f.Rate)}, nil
}

// sender returns the function that sends a report, or nil if none are sent.
func (e *exporter) sender() func([]byte) {
	if e == nil {
		return nil
	}
	return e.send
}

// send sends a report, after a wait that keeps the rate limit.
func (e *exporter) send(b []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	if wait := e.next.Sub(now); wait > time.Millisecond { // shorter sleeps take longer than requested
		select {
		case <-time.After(wait):
		case <-e.stop:
			return
		}
	} else if wait < 0 {
		e.next = now
	}
	e.next = e.next.Add(e.every)
	if _, err := e.conn.Write(b); err != nil {
		if e.failed++; e.err == nil {
			e.err = err
		}
		return
	}
	e.sent++
}

// close closes the connection. It returns an error if reports could not be sent, or if there were none.
func (e *exporter) close() error {
	if e == nil {
		return nil
	}
	err := e.conn.Close()
	switch {
	case e.failed > 0:
		return errors.Join(err, fmt.Errorf("--report-to: %d of %d reports could not be sent: %w", e.failed, e.failed+e.sent, e.err))
	case e.sent == 0:
		return errors.Join(err, errors.New("--report-to had no effect: no telemetry report reached its collector; those of the monitors int and pint do, from other hosts than the collector"))
	}
	return err
}
