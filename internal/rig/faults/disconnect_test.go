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

	"parley/internal/rig"
	"parley/internal/rig/provider"
)

// A client that hangs up, at whatever byte of its answer, loses nothing: the answer is made to its end and can be read. The
// server keeps nothing of the client.
func TestDisconnect(t *testing.T) {
	model := provider.Start(t, echo(time.Millisecond))
	h := rig.Open(t, answeredBy(model), logging(t))
	c := newCrowd(t, h.URL, h.Key)
	c.ledger.Whole = true
	if err := c.turn(t.Context(), c.members[0]); err != nil { // whatever starts with the first answer has started now
		t.Fatal(err)
	}
	h.Client.CloseIdleConnections()
	before := ours()
	patient := c.ledger.Client
	c.ledger.Client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dialAndLeave}}
	numbers := make(chan int)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for i := range numbers {
				c.hangUp(t, i)
			}
		})
	}
	n := cycles(t, 50, 1000)
	for i := range n {
		numbers <- i
	}
	close(numbers)
	all.Wait()
	rig.Eventually(t, "only the goroutines of before", func() bool { return ours() <= before })
	if left := n + 1 - c.ledger.Acknowledged(); left < n/2 {
		t.Errorf("only %d of %d clients left before the end", left, n)
	}
	c.ledger.Client = patient
	c.settled(t)
	nothingOpenIn(t, h)
}

// hangUp sends a message and leaves early: a stream at a random byte, a reply that comes in one piece at a random moment.
func (c *crowd) hangUp(t *testing.T, i int) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	m := rig.Message{Agent: c.agent, Text: fmt.Sprint("hangup", i), Stream: i%5 != 0}
	if !m.Stream {
		time.AfterFunc(rand.N(40*time.Millisecond), leave)
	}
	c.sent.Add(1)
	_, _ = c.ledger.Say(ctx, m) // that it fails is the point; a refusal is found by settled
}

// aStream is about how many bytes the reply to a message takes that is streamed.
const aStream = 3000

var errLeft = errors.New("this client has hung up")

// dialAndLeave gives a connection that its client closes after a random number of bytes, one in two with a reset.
func dialAndLeave(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil && rand.N(2) == 0 {
		err = conn.(*net.TCPConn).SetLinger(0)
	}
	return &leaver{Conn: conn, after: rand.N(aStream)}, err
}

type leaver struct {
	net.Conn
	after int
}

func (l *leaver) Read(p []byte) (int, error) {
	if l.after == 0 {
		return 0, errors.Join(errLeft, l.Close())
	}
	n, err := l.Conn.Read(p[:min(len(p), l.after)])
	l.after -= n
	return n, err
}

// ours counts the goroutines that are anywhere in the server's own code.
func ours() (n int) {
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
