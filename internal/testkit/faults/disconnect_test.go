package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
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
	// whatever starts with the first answer has started now
	if err := c.sendMessage(t.Context(), c.clients[0]); err != nil {
		t.Fatal(err)
	}
	s.Client.CloseIdleConnections()
	before := countServerGoroutines()
	patient := c.client.Client
	c.client.Client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dialAndHangUp}}
	numbers := make(chan int)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for i := range numbers {
				c.hangUp(t, i)
			}
		})
	}
	n := cycleCount(t, 50, 1000)
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

// hangUp sends a message and disconnects early: from a stream at a random byte, from a reply in one piece at a random
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

// streamBytes is about the size of a streamed reply.
const streamBytes = 3000

var errHungUp = errors.New("this client has hung up")

// dialAndHangUp returns a connection that the client closes after a random number of bytes, half of them with a reset.
func dialAndHangUp(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil && rand.N(2) == 0 {
		err = conn.(*net.TCPConn).SetLinger(0)
	}
	return &hangingUpConn{Conn: conn, remaining: rand.N(streamBytes)}, err
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

// countServerGoroutines counts the goroutines that run the server's code.
func countServerGoroutines() (n int) {
	stacks := make([]byte, 16<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		for _, room := range []string{"api", "chat", "wire", "llm", "store", "sqldb", "retrieval"} {
			if strings.Contains(stack, "parley/internal/"+room+".") {
				n++
				break
			}
		}
	}
	return n
}
