package llm_test

import (
	"slices"
	"testing"
	"time"

	"parley/internal/llm"
)

// until reads what the client says up to a word; false where it hung up before.
func (l line) until(want string) bool {
	for word := l.next(); word != ""; word = l.next() {
		if word == want {
			return true
		}
	}
	return false
}

// hearsMore is Deepgram at its best, for one segment after the other.
func hearsMore(t *testing.T) func(line) {
	first, final, second := recordedLines(t, "deepgram.jsonl"), recordedLines(t, "deepgram-finalized.jsonl"), recordedLines(t, "deepgram-second.jsonl")
	return func(l line) {
		l.say(first...)
		if !l.until(finalize) {
			return
		}
		l.say(final[0])
		for l.until(finalize) {
			l.say(second...)
		}
	}
}

func listen(t *testing.T, d *llm.Deepgram, speaker string, in []int16) (string, error) {
	t.Helper()
	l := d.Listen(t.Context(), llm.Hints{Speaker: speaker}, func(llm.Transcript) {})
	defer l.Close()
	l.Add(in)
	return l.End(t.Context())
}

func (f *deepgramFake) connections() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

// The segments of one speaker follow each other on one connection, which is kept by a word meanwhile.
func TestDeepgramKeepsTheLineForTheNextSegment(t *testing.T) {
	f := startDeepgram(t, hearsMore(t))
	d := dialDeepgram(t, f.url)
	d.KeepAlive = 10 * time.Millisecond
	a, b := hum(16_000, time.Second), hum(16_000, 700*time.Millisecond)
	if text, err := listen(t, d, "s1", a); err != nil || text != late {
		t.Fatal(text, err)
	}
	f.awaits(t, func(words []string) bool { return slices.Contains(words, keepAlive) })
	for range 3 {
		if text, err := listen(t, d, "s1", b); err != nil || text != "Thank you." {
			t.Fatal(text, err)
		}
	}
	if words, heard := f.told(); f.connections() != 1 || !slices.Equal(heard, slices.Concat(a, b, b, b)) || slices.Contains(words, closing) {
		t.Errorf("%d connections, %d samples, %v", f.connections(), len(heard), words)
	}
	for _, other := range []string{"s2", ""} { // nobody else speaks on it
		if text, err := listen(t, d, other, a); err != nil || text != late {
			t.Fatal(text, err)
		}
	}
	if f.connections() != 3 {
		t.Errorf("%d connections", f.connections())
	}
	d.Close()
	if text, err := listen(t, d, "s1", a); err != nil || text != late || f.connections() != 4 {
		t.Error("after Close: ", text, err, f.connections())
	}
}

// A connection that nobody comes back to is closed properly.
func TestDeepgramHangsUpAfterARest(t *testing.T) {
	f := startDeepgram(t, hearsMore(t))
	d := dialDeepgram(t, f.url)
	d.Rest = 20 * time.Millisecond
	if text, err := listen(t, d, "s1", hum(16_000, time.Second)); err != nil || text != late {
		t.Fatal(text, err)
	}
	f.awaits(t, func(words []string) bool { return slices.Contains(words, closing) })
	if text, err := listen(t, d, "s1", hum(16_000, time.Second)); err != nil || text != late || f.connections() != 2 {
		t.Error(text, err, f.connections())
	}
}

// One that was cut while it rested, or when it is used again, is made anew without a loss.
func TestDeepgramRestIsCut(t *testing.T) {
	whole := hears(t)
	once := func(after func(line)) func(line) {
		return func(l line) {
			l.say(recordedLines(t, "deepgram.jsonl")...)
			l.until(finalize)
			l.say(recordedLines(t, "deepgram-finalized.jsonl")[0])
			after(l)
		}
	}
	for name, script := range map[string]func(line){
		"at rest": once(func(line) {}),
		"used again": once(func(l line) {
			l.until(finalize)
			l.say(recordedLines(t, "deepgram-second.jsonl")[:3]...)
		}),
	} {
		f := startDeepgram(t, script, whole)
		d := dialDeepgram(t, f.url)
		if text, err := listen(t, d, "s1", hum(16_000, time.Second)); err != nil || text != late {
			t.Fatal(name, text, err)
		}
		in := hum(16_000, 900*time.Millisecond)
		if text, err := listen(t, d, "s1", in); err != nil || text != late {
			t.Fatal(name, text, err)
		}
		if _, heard := f.told(); f.connections() != 2 || !slices.Equal(heard[max(0, len(heard)-len(in)):], in) {
			t.Errorf("%s: %d connections, %d samples", name, f.connections(), len(heard))
		}
	}
}

// A server that does not say that it has given its last words is told to close, and gives them then.
func TestDeepgramThatDoesNotFlush(t *testing.T) {
	f := startDeepgram(t, func(l line) {
		l.say(recordedLines(t, "deepgram.jsonl")...)
		l.until(closing)
		l.say(recordedLines(t, "deepgram-finalized.jsonl")[1])
	})
	d := dialDeepgram(t, f.url)
	d.FlushWait, d.FinalWait = 20*time.Millisecond, time.Minute
	for range 2 {
		if text, err := listen(t, d, "s1", hum(16_000, time.Second)); err != nil || text != order+" It" {
			t.Fatal(text, err)
		}
	}
	if f.connections() != 2 {
		t.Errorf("%d connections", f.connections())
	}
}

// What is heard a second time, after a cut, is not told before it is further than what was told.
func TestDeepgramDoesNotUnsay(t *testing.T) {
	lines := recordedLines(t, "deepgram.jsonl")
	f := startDeepgram(t, func(l line) {
		l.say(lines...)
		l.until(finalize)
	}, hears(t))
	var told []string
	l := dialDeepgram(t, f.url).Listen(t.Context(), llm.Hints{Speaker: "s1"}, func(s llm.Transcript) { told = append(told, s.Text) })
	defer l.Close()
	l.Add(hum(16_000, time.Second))
	if text, err := l.End(t.Context()); err != nil || text != late {
		t.Fatal(text, err)
	}
	if !slices.IsSortedFunc(told, func(a, b string) int { return len(a) - len(b) }) || f.connections() != 2 {
		t.Errorf("%q", told)
	}
}
