package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/testkit"
	"parley/internal/testkit/check"
)

// TestExportTakesLittleMemory checks that the memory of an export does not grow with the conversation: one that is four
// times as long takes the same, in the best of three runs.
func TestExportTakesLittleMemory(t *testing.T) {
	check.SkipUnderRace(t)
	short, long := newExportTest(t, 25_000), newExportTest(t, 100_000)
	var shortPeak, longPeak uint64
	for range 3 {
		shortPeak, longPeak = short.measurePeakHeap(t), long.measurePeakHeap(t)
		t.Logf("%d messages took up to %d kB of heap, %d messages %d kB", short.messages, shortPeak>>10, long.messages,
			longPeak>>10)
		if float64(longPeak) <= 1.3*float64(shortPeak) {
			return
		}
	}
	t.Errorf("%d messages took %.1f times the heap of %d", long.messages, float64(longPeak)/float64(shortPeak),
		short.messages)
}

// exportTest is a server with one conversation.
type exportTest struct {
	*testkit.Server
	agent, conversation string
	messages            int
}

func newExportTest(t *testing.T, messages int) *exportTest {
	t.Helper()
	e := &exportTest{Server: testkit.Open(t), messages: messages}
	e.agent, e.conversation = e.NewLongConversation(t, messages)
	return e
}

// measurePeakHeap exports the conversation, and returns the largest heap of the process meanwhile, in bytes.
func (e *exportTest) measurePeakHeap(t *testing.T) uint64 {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that the heap is what is in use, not what awaits collection
	runtime.GC()
	peakHeap := watchHeap()
	n := countMessages(t, json.NewDecoder(e.StartExport(t, e.agent, e.conversation).Body))
	peak := peakHeap()
	if n != e.messages {
		t.Errorf("%d messages, want %d", n, e.messages)
	}
	return peak
}

// watchHeap samples the heap until it is stopped, and returns the largest size.
func watchHeap() (peakHeap func() uint64) {
	var peak atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for tick := time.NewTicker(2 * time.Millisecond); ; {
			metrics.Read(heap)
			peak.Store(max(peak.Load(), heap[0].Value.Uint64()))
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
