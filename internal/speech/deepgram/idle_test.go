package deepgram_test

import (
	"slices"
	"testing"
	"time"

	"parley/internal/speech"
	"parley/internal/speech/deepgram"
	"parley/internal/testkit/speechtest"
)

// receiveUntil reads messages of the client up to one of a type; it returns false if the client closes before.
func (c conn) receiveUntil(want string) bool {
	for word := c.receive(); word != ""; word = c.receive() {
		if word == want {
			return true
		}
	}
	return false
}

// answerEverySegment answers one segment after the other as Deepgram does when all is well.
func answerEverySegment(t *testing.T) func(conn) {
	first, final, second := readRecordedLines(t, "first.jsonl"), readRecordedLines(t, "finalized.jsonl"),
		readRecordedLines(t, "second.jsonl")
	return func(l conn) {
		l.send(first...)
		if !l.receiveUntil(finalize) {
			return
		}
		l.send(final[0])
		for l.receiveUntil(finalize) {
			l.send(second...)
		}
	}
}

func transcribeLive(t *testing.T, d *deepgram.Transcriber, speaker string, in []int16) (string, error) {
	t.Helper()
	l := d.StartTranscription(t.Context(), speech.TranscriptionHints{Speaker: speaker}, func(speech.Transcript) {})
	defer l.Close()
	l.Add(in)
	return l.End(t.Context())
}

func (s *server) connectionCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// The segments of one speaker follow each other on one connection, which is kept alive meanwhile.
func TestConnectionIsReusedForTheNextSegment(t *testing.T) {
	f := startDeepgramServer(t, answerEverySegment(t))
	d := newDeepgram(t, f.url)
	d.KeepAliveInterval = 10 * time.Millisecond
	a, b := speechtest.NewTone(16_000, time.Second), speechtest.NewTone(16_000, 700*time.Millisecond)
	if text, err := transcribeLive(t, d, "s1", a); err != nil || text != lateOrderText {
		t.Fatal(text, err)
	}
	f.waitForMessages(t, func(words []string) bool { return slices.Contains(words, keepAlive) })
	for range 3 {
		if text, err := transcribeLive(t, d, "s1", b); err != nil || text != "Thank you." {
			t.Fatal(text, err)
		}
	}
	if words, samples := f.received(); f.connectionCount() != 1 || !slices.Equal(samples, slices.Concat(a, b, b, b)) ||
		slices.Contains(words, closeStream) {
		t.Errorf("%d connections, %d samples, %v", f.connectionCount(), len(samples), words)
	}
	for _, other := range []string{"s2", ""} { // nobody else speaks on it
		if text, err := transcribeLive(t, d, other, a); err != nil || text != lateOrderText {
			t.Fatal(text, err)
		}
	}
	if f.connectionCount() != 3 {
		t.Errorf("%d connections", f.connectionCount())
	}
	d.Close()
	if text, err := transcribeLive(t, d, "s1", a); err != nil || text != lateOrderText || f.connectionCount() != 4 {
		t.Error("after Close: ", text, err, f.connectionCount())
	}
}

// A connection that is not used again is closed properly.
func TestIdleConnectionIsClosed(t *testing.T) {
	f := startDeepgramServer(t, answerEverySegment(t))
	d := newDeepgram(t, f.url)
	d.ReuseTimeout = 20 * time.Millisecond
	if text, err := transcribeLive(t, d, "s1", speechtest.NewTone(16_000, time.Second)); err != nil ||
		text != lateOrderText {
		t.Fatal(text, err)
	}
	f.waitForMessages(t, func(words []string) bool { return slices.Contains(words, closeStream) })
	if text, err := transcribeLive(t, d, "s1", speechtest.NewTone(16_000, time.Second)); err != nil ||
		text != lateOrderText || f.connectionCount() != 2 {
		t.Error(text, err, f.connectionCount())
	}
}

// A connection that is cut while idle, or when it is used again, is replaced without a loss.
func TestIdleConnectionThatWasCut(t *testing.T) {
	whole := answerOneSegment(t)
	once := func(after func(conn)) func(conn) {
		return func(l conn) {
			l.send(readRecordedLines(t, "first.jsonl")...)
			l.receiveUntil(finalize)
			l.send(readRecordedLines(t, "finalized.jsonl")[0])
			after(l)
		}
	}
	for name, script := range map[string]func(conn){
		"at rest": once(func(conn) {}),
		"used again": once(func(l conn) {
			l.receiveUntil(finalize)
			l.send(readRecordedLines(t, "second.jsonl")[:3]...)
		}),
	} {
		f := startDeepgramServer(t, script, whole)
		d := newDeepgram(t, f.url)
		if text, err := transcribeLive(t, d, "s1", speechtest.NewTone(16_000, time.Second)); err != nil ||
			text != lateOrderText {
			t.Fatal(name, text, err)
		}
		in := speechtest.NewTone(16_000, 900*time.Millisecond)
		if text, err := transcribeLive(t, d, "s1", in); err != nil || text != lateOrderText {
			t.Fatal(name, text, err)
		}
		if _, samples := f.received(); f.connectionCount() != 2 || !slices.Equal(samples[max(0, len(samples)-len(in)):], in) {
			t.Errorf("%s: %d connections, %d samples", name, f.connectionCount(), len(samples))
		}
	}
}

// A server that does not report its final text is asked to close, and then sends it.
func TestServerThatDoesNotFlush(t *testing.T) {
	f := startDeepgramServer(t, func(l conn) {
		l.send(readRecordedLines(t, "first.jsonl")...)
		l.receiveUntil(closeStream)
		l.send(readRecordedLines(t, "finalized.jsonl")[1])
	})
	d := newDeepgram(t, f.url)
	d.FlushTimeout, d.FinalTimeout = 20*time.Millisecond, time.Minute
	for range 2 {
		if text, err := transcribeLive(t, d, "s1", speechtest.NewTone(16_000, time.Second)); err != nil ||
			text != speechtest.OrderTranscript+" It" {
			t.Fatal(text, err)
		}
	}
	if f.connectionCount() != 2 {
		t.Errorf("%d connections", f.connectionCount())
	}
}

// After a reconnect the second transcription is not passed on before it is longer than the first.
func TestInterimTextDoesNotShrinkAfterReconnect(t *testing.T) {
	lines := readRecordedLines(t, "first.jsonl")
	f := startDeepgramServer(t, func(l conn) {
		l.send(lines...)
		l.receiveUntil(finalize)
	}, answerOneSegment(t))
	var interim []string
	l := newDeepgram(t, f.url).StartTranscription(t.Context(), speech.TranscriptionHints{Speaker: "s1"},
		func(s speech.Transcript) { interim = append(interim, s.Text) })
	defer l.Close()
	l.Add(speechtest.NewTone(16_000, time.Second))
	if text, err := l.End(t.Context()); err != nil || text != lateOrderText {
		t.Fatal(text, err)
	}
	if !slices.IsSortedFunc(interim, func(a, b string) int { return len(a) - len(b) }) || f.connectionCount() != 2 {
		t.Errorf("%q", interim)
	}
}
