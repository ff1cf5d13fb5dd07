package rtc

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// playerTest is a player with what it has sent.
type playerTest struct {
	*player
	recorded playerOutput // by the pump, under its lock
	observed playerOutput // a copy
	stats    Stats
}

type playerOutput struct {
	events       []Event
	firstSamples []int // the first sample of each packet
	times        []time.Time
}

func newPlayerTest(t *testing.T) *playerTest {
	o := &playerTest{}
	o.player = newPlayer(numberCodec{}, time.Now, func(packet []byte, at time.Time) error {
		o.recorded.firstSamples = append(o.recorded.firstSamples, int(int16(uint16(packet[0])<<8|uint16(packet[1]))))
		o.recorded.times = append(o.recorded.times, at)
		return nil
	}, func(e Event) { o.recorded.events = append(o.recorded.events, e) })
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); synctest.Wait() })
	go o.run(ctx)
	o.advance(time.Second)
	return o
}

// advance lets time pass and collects what was sent.
func (p *playerTest) advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
	p.player.addStats(&p.stats)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.observed = playerOutput{slices.Clone(p.recorded.events), slices.Clone(p.recorded.firstSamples),
		slices.Clone(p.recorded.times)}
}

// constantClip returns a clip of frames that all hold one number.
func constantClip(id string, frames int, value int16) Clip {
	pcm := make(chan []int16, 1)
	pcm <- slices.Repeat([]int16{value}, frames*outputFrameSamples)
	close(pcm)
	return Clip{ID: id, PCM: pcm}
}

func (p *playerTest) countSpeech() (n int) {
	for _, v := range p.observed.firstSamples {
		if v != 0 {
			n++
		}
	}
	return n
}

func TestPlayerSendsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newPlayerTest(t)
		if len(o.observed.firstSamples) != 0 {
			t.Fatal("packets without speech")
		}
		began := time.Now()
		o.Play(constantClip("a", 10, 100))
		o.Play(constantClip("b", 5, 200))
		o.advance(0)
		if o.countSpeech() != 1 || o.observed.events[0].Kind != EventStarted || !o.observed.events[0].At.Equal(began) {
			t.Errorf("the first packet does not leave at once: %v", o.observed.events)
		}
		o.advance(time.Second)
		if len(o.observed.firstSamples) != 15+trailingSilenceFrames || o.countSpeech() != 15 {
			t.Errorf("%d packets, %d with speech", len(o.observed.firstSamples), o.countSpeech())
		}
		for i := 1; i < len(o.observed.times); i++ {
			if gap := o.observed.times[i].Sub(o.observed.times[i-1]); gap != FrameTime {
				t.Errorf("gap of %v", gap)
			}
		}
		var events []Event
		for _, e := range o.observed.events {
			e.At = time.Time{}
			events = append(events, e)
		}
		want := []Event{
			{Kind: EventStarted, Position: Position{"a", 20 * time.Millisecond}},
			{Kind: EventEnded, Position: Position{"a", 200 * time.Millisecond}, Complete: true},
			{Kind: EventStarted, Position: Position{"b", 20 * time.Millisecond}},
			{Kind: EventEnded, Position: Position{"b", 100 * time.Millisecond}, Complete: true},
		}
		if !slices.Equal(events, want) {
			t.Errorf("told %v", events)
		}
		if p95 := o.stats.GapP95; p95 != FrameTime {
			t.Errorf("95th percentile of the gaps: %v", p95)
		}
	})
}

func TestStopEndsPlaybackAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newPlayerTest(t)
		o.Play(constantClip("a", 50, 100))
		o.Play(constantClip("b", 50, 200))
		o.advance(190 * time.Millisecond)
		if at := o.Position(); at != (Position{"a", 200 * time.Millisecond}) {
			t.Errorf("at %v", at)
		}
		cut := o.Stop()
		o.advance(0)
		spoken := o.countSpeech()
		o.advance(time.Second)
		if cut != (Position{"a", 200 * time.Millisecond}) || o.countSpeech() != spoken || spoken != 10 {
			t.Errorf("cut at %v, %d packets, %d after", cut, spoken, o.countSpeech())
		}
		last := o.observed.events[len(o.observed.events)-2:]
		if last[0].ID != "a" || last[0].Complete || last[1].ID != "b" || last[1].Played != 0 {
			t.Errorf("told %v", last)
		}
		if o.Stop() != (Position{}) {
			t.Error("cut twice")
		}
		o.Play(constantClip("c", 1, 100))
		o.advance(time.Second)
		if o.observed.firstSamples[len(o.observed.firstSamples)-1-trailingSilenceFrames] != 100 {
			t.Errorf("after the cut: %v", o.observed.firstSamples)
		}
	})
}

func TestPausedSpeechResumesWhereItStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newPlayerTest(t)
		o.Play(constantClip("a", 20, 100))
		o.advance(90 * time.Millisecond)
		o.Pause()
		pausedAt := o.Position().Played
		o.advance(time.Second)
		if o.Position().Played != pausedAt || pausedAt != 100*time.Millisecond {
			t.Errorf("held at %v, then %v", pausedAt, o.Position().Played)
		}
		o.Resume()
		o.advance(time.Second)
		end := o.observed.events[len(o.observed.events)-1]
		if o.stats.Sent != 20 || !end.Complete || end.Played != 400*time.Millisecond {
			t.Errorf("%d packets, then %v", o.stats.Sent, end)
		}
	})
}

func TestDuckedSpeechIsLower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newPlayerTest(t)
		o.Play(constantClip("a", 30, 1000))
		o.advance(90 * time.Millisecond)
		o.Duck(true)
		o.advance(100 * time.Millisecond)
		o.Duck(false)
		o.advance(100 * time.Millisecond)
		if o.observed.firstSamples[4] != 1000 || o.observed.firstSamples[6] != 250 ||
			o.observed.firstSamples[9] != 250 || o.observed.firstSamples[11] != 1000 {
			t.Errorf("levels %v", o.observed.firstSamples)
		}
	})
}

func TestSlowSpeechLeavesGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newPlayerTest(t)
		pcm := make(chan []int16)
		o.Play(Clip{ID: "a", PCM: pcm})
		for range 3 {
			o.advance(200 * time.Millisecond)
			pcm <- slices.Repeat([]int16{7}, outputFrameSamples+outputFrameSamples/2)
		}
		close(pcm)
		o.advance(time.Second)
		end := o.observed.events[len(o.observed.events)-1]
		if !end.Complete || end.Played != 90*time.Millisecond || o.stats.Sent != 5 || o.stats.Underruns == 0 {
			t.Errorf("%d packets, starved %d times, then %v", o.stats.Sent, o.stats.Underruns, end)
		}
		if o.stats.GapMax > 40*time.Millisecond {
			t.Errorf("a silence counts as a gap of %v", o.stats.GapMax)
		}
	})
}

// Late packets of speech are counted, and those of silence are not.
func TestLatePacketsAreCounted(t *testing.T) {
	now := time.UnixMilli(1_000_000)
	p := newPlayer(numberCodec{}, func() time.Time { return now }, func([]byte, time.Time) error {
		return nil
	}, func(Event) {})
	p.Play(constantClip("a", 4, 1))
	for _, late := range []time.Duration{0, lateAfter, lateAfter + 1, 300 * time.Millisecond, time.Second, time.Second} {
		p.tick(now.Add(-late))
	}
	var s Stats
	if p.addStats(&s); s.Sent != 4 || s.SentLate != 2 {
		t.Errorf("%+v", s)
	}
}
