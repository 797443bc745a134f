package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// reportFlags are the flags of the export of telemetry reports.
type reportFlags struct {
	To   string `flag:"report-to" use:"send each telemetry report that reaches its collector to a real one, too, by UDP to {address}:port"`
	Rate int    `flag:"report-rate" default:"10000" range:">=1 <=10000000" use:"most reports {N} sent in a second; the run waits for them"`
}

// exporter sends telemetry reports. A nil exporter sends nothing.
type exporter struct {
	stop  <-chan struct{} // nothing is sent from then on, and nobody waits
	conn  net.Conn
	every time.Duration

	mu     sync.Mutex
	next   time.Time
	sent   int
	failed int
	err    error // of the first that failed
}

// exporter connects to the collector that the flags name.
func (f *reportFlags) exporter(ctx context.Context) (*exporter, error) {
	if f.To == "" {
		return nil, nil
	}
	conn, err := net.Dial("udp", f.To)
	if err != nil {
		return nil, fmt.Errorf("--report-to %s: want an address and a port, such as 127.0.0.1:32766: %w", f.To, err)
	}
	return &exporter{stop: ctx.Done(), conn: conn, every: time.Second / time.Duration(f.Rate)}, nil
}

// sender returns what sends a report; nil if none is sent.
func (e *exporter) sender() func([]byte) {
	if e == nil {
		return nil
	}
	return e.send
}

// send sends a report when its turn comes.
func (e *exporter) send(b []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	if wait := e.next.Sub(now); wait > time.Millisecond { // shorter ones take longer than they should
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

// close ends the export. It reports what was not sent, and a run that had nothing to send.
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
