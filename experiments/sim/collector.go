package sim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"pintlab/internal/number"
)

// A Collector receives telemetry reports by UDP. A nil Collector receives nothing.
type Collector struct {
	stop  <-chan struct{} // closed when the run is interrupted; sends then return at once
	conn  net.Conn
	every time.Duration

	mu     sync.Mutex
	next   time.Time
	sent   int
	failed int
	err    error // first send error
}

// Dial connects to a collector at an address with a port, and sends at most rate reports a second.
func Dial(ctx context.Context, address string, rate int) (*Collector, error) {
	host, _, err := net.SplitHostPort(address)
	if err == nil && host == "" {
		err = errors.New("missing address") // net.Dial would take this machine
	}
	var conn net.Conn
	if err == nil {
		conn, err = net.Dial("udp", address)
	}
	if err != nil {
		return nil, fmt.Errorf("--report-to %s: want an address and a port, such as 127.0.0.1:32766: %w", address, err)
	}
	return &Collector{stop: ctx.Done(), conn: conn, every: time.Second / time.Duration(rate)}, nil
}

// Sender returns the function that sends a report, or nil if none are sent.
func (c *Collector) Sender() func([]byte) {
	if c == nil {
		return nil
	}
	return c.send
}

// send sends a report, after a wait that keeps the rate limit.
func (c *Collector) send(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if wait := c.next.Sub(now); wait > time.Millisecond { // shorter sleeps take longer than requested
		select {
		case <-time.After(wait):
		case <-c.stop:
			return
		}
	} else if wait < 0 {
		c.next = now
	}
	c.next = c.next.Add(c.every)
	if _, err := c.conn.Write(b); err != nil {
		if c.failed++; c.err == nil {
			c.err = err
		}
		return
	}
	c.sent++
}

// Close closes the connection. It returns an error if reports could not be sent, or if there were none.
func (c *Collector) Close() error {
	if c == nil {
		return nil
	}
	err := c.conn.Close()
	switch {
	case c.failed > 0:
		return errors.Join(err, fmt.Errorf("--report-to: %d of %s could not be sent: %w", c.failed,
			number.Count(c.failed+c.sent, "report"), c.err))
	case c.sent == 0:
		return errors.Join(err,
			errors.New("--report-to had no effect: no telemetry report reached its collector; the monitors int and "+
				"pint send reports from all hosts except the collector itself"))
	}
	return err
}
