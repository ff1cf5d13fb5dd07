package listen

import (
	"io"
	"sync"
	"time"
)

// probeText is sent to find out whether a client is there. Clients of HTTP/1.1 ignore any number of such interim
// responses.
const probeText = "HTTP/1.1 100 Continue\r\n\r\n"

// probeWait is how long a client that has closed its half waits for its answer before it is probed. The waits between
// probes double.
const (
	probeWait = time.Second
	maxProbes = 8
)

// probe asks a client that has closed its half whether it has closed the other one too. A machine whose program has
// closed the connection answers whatever is sent to it with a reset.
type probe struct {
	mu       sync.Mutex
	allowed  bool // the request is of a version that knows interim answers
	hasBegun bool // the answer has begun: it is a probe itself
}

func (p *probe) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.allowed, p.hasBegun = false, false
}

func (p *probe) allow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.allowed = true
}

// end is called before the answer is written.
func (p *probe) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hasBegun = true
}

// begin probes until stop is called or the answer begins. After stop nothing is sent.
func (p *probe) begin(to io.Writer) (stop func()) {
	stopped, sent, wait := false, 0, probeWait
	var timer *time.Timer
	p.mu.Lock()
	defer p.mu.Unlock()
	timer = time.AfterFunc(wait, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if stopped || p.hasBegun || sent == maxProbes {
			return
		}
		if p.allowed {
			_, _ = io.WriteString(to, probeText) // the reader of the connection gets the failure
		}
		sent, wait = sent+1, 2*wait
		timer.Reset(wait)
	})
	return func() {
		timer.Stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		stopped = true
	}
}
