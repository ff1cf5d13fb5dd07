package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/testkit"
)

// TestExportTakesLittleMemory exports a conversation that is many times larger than the memory that an export may use.
func TestExportTakesLittleMemory(t *testing.T) {
	skipUnderRace(t)
	const messages, bound = 100_000, 8 << 20
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that the heap is what is in use, not what awaits collection
	s := testkit.Open(t)
	agent, conversation := s.NewLongConversation(t, messages)
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	peakHeap := watchHeap()
	counted := &countingReader{Reader: s.StartExport(t, agent, conversation).Body}
	n := countMessages(t, json.NewDecoder(counted))
	if growth := int64(peakHeap()) - int64(before.HeapAlloc); growth > bound || counted.n < 2*bound {
		t.Errorf("%d MB of export took %d MB of heap", counted.n>>20, growth>>20)
	} else {
		t.Logf("%d MB of export took %d MB of heap", counted.n>>20, growth>>20)
	}
	if n != messages {
		t.Errorf("%d messages, want %d", n, messages)
	}
}

// watchHeap samples the heap until it is stopped, and returns the largest size.
func watchHeap() (peakHeap func() uint64) {
	var peak atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(2 * time.Millisecond); ; {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapAlloc))
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-stopped
		return peak.Load()
	}
}

type countingReader struct {
	io.Reader
	n int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// countMessages reads an export token by token and counts the messages, which must be in order.
func countMessages(t *testing.T, dec *json.Decoder) (n int) {
	t.Helper()
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		if token != "messages" {
			continue
		}
		if _, err := dec.Token(); err != nil { // [
			t.Fatal(err)
		}
		for ; dec.More(); n++ {
			var m struct{ ID string }
			if err := dec.Decode(&m); err != nil {
				t.Fatal(err)
			}
			if n >= 2 && m.ID != fmt.Sprint("msg_", n+1) {
				t.Fatalf("message %d is %s", n+1, m.ID)
			}
		}
	}
}
