package faults

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/testkit"
	"parley/internal/testkit/provider"
)

// A client that disconnects at any byte of its answer loses nothing: the answer is completed and can be read. The
// server keeps no resources for the client.
func TestDisconnect(t *testing.T) {
	model := provider.Start(t, echoAnswers(time.Millisecond))
	s := testkit.Open(t, withProvider(model), withTestLog(t))
	c := newClientGroup(t, s.URL, s.Key)
	c.client.RequireAnswers = true
	patient := c.client.Client
	n := cycleCount(t, 50, 1000)
	// whatever starts with the first answer has started when its bytes are counted
	dialer := &hangingUpDialer{answerBytes: c.countAnswerBytes(t), count: n}
	before := countServerGoroutines()
	if before == 0 {
		t.Fatal("no goroutine of the server is found")
	}
	c.client.Client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dialer.dial}}
	numbers := make(chan int)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for i := range numbers {
				c.hangUp(t, i)
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	all.Wait()
	testkit.Eventually(t, "only the goroutines of before", func() bool { return countServerGoroutines() <= before })
	if left := n + 1 - c.client.Acknowledged(); left < n/2 {
		t.Errorf("only %d of %d clients disconnected before the end", left, n)
	}
	c.client.Client = patient
	c.requireConsistent(t)
	requireNothingOpenOn(t, s)
}

// countAnswerBytes returns the size of a streamed reply, from the first byte of its header to the last of its body.
func (c *clientGroup) countAnswerBytes(t *testing.T) int {
	t.Helper()
	whole := &hangingUpConn{remaining: math.MaxInt}
	transport := &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (_ net.Conn, err error) {
			whole.Conn, err = (&net.Dialer{}).DialContext(ctx, network, address)
			return whole, err
		}}
	c.client.Client = &http.Client{Transport: transport}
	c.sentCount.Add(1)
	message := testkit.Message{Agent: c.agent, Text: "measured", Stream: true}
	if _, err := c.client.SendMessage(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	transport.CloseIdleConnections()
	return math.MaxInt - whole.remaining
}

// hangUp sends a message and disconnects early: from a stream at some byte, from a reply in one piece at a random
// moment.
func (c *clientGroup) hangUp(t *testing.T, i int) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	m := testkit.Message{Agent: c.agent, Text: fmt.Sprint("hangup", i), Stream: i%5 != 0}
	if !m.Stream {
		time.AfterFunc(rand.N(40*time.Millisecond), leave)
	}
	c.sentCount.Add(1)
	_, _ = c.client.SendMessage(ctx, m) // failures are expected; settled finds refusals
}

var errHungUp = errors.New("this client has hung up")

// hangingUpDialer opens connections that the client closes, half of them with a reset. Each is closed at another byte
// of the answer, so that the connections together cover it evenly.
type hangingUpDialer struct {
	answerBytes, count int
	dialed             atomic.Int64
}

func (d *hangingUpDialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	i := int(d.dialed.Add(1) - 1)
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil && i%2 == 0 {
		err = conn.(*net.TCPConn).SetLinger(0)
	}
	return &hangingUpConn{Conn: conn, remaining: i % d.count * d.answerBytes / d.count}, err
}

type hangingUpConn struct {
	net.Conn
	remaining int
}

func (c *hangingUpConn) Read(p []byte) (int, error) {
	if c.remaining == 0 {
		return 0, errors.Join(errHungUp, c.Close())
	}
	n, err := c.Conn.Read(p[:min(len(p), c.remaining)])
	c.remaining -= n
	return n, err
}

// countServerGoroutines counts the goroutines that run or were started by the server's code, whatever its packages are.
func countServerGoroutines() (n int) {
	stacks := make([]byte, 16<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		frames := strings.ReplaceAll(stack, "parley/internal/testkit", "")
		if strings.Contains(frames, "parley/internal/") {
			n++
		}
	}
	return n
}
