package rtc

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// outlet is a pump and what has left it.
type outlet struct {
	*pump
	noted noted // by the pump, under its lock
	seen  noted // a copy
	stats Stats
}

type noted struct {
	events []Event
	left   []int // the first sample of each packet
	times  []time.Time
}

func newOutlet(t *testing.T) *outlet {
	o := &outlet{}
	o.pump = newPump(numbered{}, time.Now, func(packet []byte, at time.Time) error {
		o.noted.left = append(o.noted.left, int(int16(uint16(packet[0])<<8|uint16(packet[1]))))
		o.noted.times = append(o.noted.times, at)
		return nil
	}, func(e Event) { o.noted.events = append(o.noted.events, e) })
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); synctest.Wait() })
	go o.run(ctx)
	o.after(time.Second)
	return o
}

// after lets time pass, and what falls into it happen, and looks.
func (o *outlet) after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
	o.pump.stats(&o.stats)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = noted{slices.Clone(o.noted.events), slices.Clone(o.noted.left), slices.Clone(o.noted.times)}
}

// clip is a clip of frames that all hold one number.
func clip(id string, frames int, value int16) Clip {
	pcm := make(chan []int16, 1)
	pcm <- slices.Repeat([]int16{value}, frames*speakSamples)
	close(pcm)
	return Clip{ID: id, PCM: pcm}
}

func (o *outlet) speech() (n int) {
	for _, v := range o.seen.left {
		if v != 0 {
			n++
		}
	}
	return n
}

func TestPumpKeepsTheBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutlet(t)
		if len(o.seen.left) != 0 {
			t.Fatal("packets without speech")
		}
		began := time.Now()
		o.Play(clip("a", 10, 100))
		o.Play(clip("b", 5, 200))
		o.after(0)
		if o.speech() != 1 || o.seen.events[0].Kind != EventStarted || !o.seen.events[0].At.Equal(began) {
			t.Errorf("the first packet does not leave at once: %v", o.seen.events)
		}
		o.after(time.Second)
		if len(o.seen.left) != 15+tailFrames || o.speech() != 15 {
			t.Errorf("%d packets, %d with speech", len(o.seen.left), o.speech())
		}
		for i := 1; i < len(o.seen.times); i++ {
			if gap := o.seen.times[i].Sub(o.seen.times[i-1]); gap != FrameTime {
				t.Errorf("gap of %v", gap)
			}
		}
		var told []Event
		for _, e := range o.seen.events {
			e.At = time.Time{}
			told = append(told, e)
		}
		want := []Event{
			{Kind: EventStarted, Position: Position{"a", 20 * time.Millisecond}}, {Kind: EventEnded, Position: Position{"a", 200 * time.Millisecond}, Whole: true},
			{Kind: EventStarted, Position: Position{"b", 20 * time.Millisecond}}, {Kind: EventEnded, Position: Position{"b", 100 * time.Millisecond}, Whole: true},
		}
		if !slices.Equal(told, want) {
			t.Errorf("told %v", told)
		}
		if p95 := o.stats.GapP95; p95 != FrameTime {
			t.Errorf("95th percentile of the gaps: %v", p95)
		}
	})
}

func TestStopCutsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutlet(t)
		o.Play(clip("a", 50, 100))
		o.Play(clip("b", 50, 200))
		o.after(190 * time.Millisecond)
		if at := o.Position(); at != (Position{"a", 200 * time.Millisecond}) {
			t.Errorf("at %v", at)
		}
		cut := o.Stop()
		o.after(0)
		spoken := o.speech()
		o.after(time.Second)
		if cut != (Position{"a", 200 * time.Millisecond}) || o.speech() != spoken || spoken != 10 {
			t.Errorf("cut at %v, %d packets, %d after", cut, spoken, o.speech())
		}
		last := o.seen.events[len(o.seen.events)-2:]
		if last[0].ID != "a" || last[0].Whole || last[1].ID != "b" || last[1].Played != 0 {
			t.Errorf("told %v", last)
		}
		if o.Stop() != (Position{}) {
			t.Error("cut twice")
		}
		o.Play(clip("c", 1, 100))
		o.after(time.Second)
		if o.seen.left[len(o.seen.left)-1-tailFrames] != 100 {
			t.Errorf("after the cut: %v", o.seen.left)
		}
	})
}

func TestPausedSpeechGoesOnWhereItWasHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutlet(t)
		o.Play(clip("a", 20, 100))
		o.after(90 * time.Millisecond)
		o.Pause()
		held := o.Position().Played
		o.after(time.Second)
		if o.Position().Played != held || held != 100*time.Millisecond {
			t.Errorf("held at %v, then %v", held, o.Position().Played)
		}
		o.Resume()
		o.after(time.Second)
		end := o.seen.events[len(o.seen.events)-1]
		if o.stats.Sent != 20 || !end.Whole || end.Played != 400*time.Millisecond {
			t.Errorf("%d packets, then %v", o.stats.Sent, end)
		}
	})
}

func TestDuckedSpeechIsLower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutlet(t)
		o.Play(clip("a", 30, 1000))
		o.after(90 * time.Millisecond)
		o.Duck(true)
		o.after(100 * time.Millisecond)
		o.Duck(false)
		o.after(100 * time.Millisecond)
		if o.seen.left[4] != 1000 || o.seen.left[6] != 250 || o.seen.left[9] != 250 || o.seen.left[11] != 1000 {
			t.Errorf("levels %v", o.seen.left)
		}
	})
}

func TestSlowSpeechLeavesGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutlet(t)
		pcm := make(chan []int16)
		o.Play(Clip{ID: "a", PCM: pcm})
		for range 3 {
			o.after(200 * time.Millisecond)
			pcm <- slices.Repeat([]int16{7}, speakSamples+speakSamples/2)
		}
		close(pcm)
		o.after(time.Second)
		end := o.seen.events[len(o.seen.events)-1]
		if !end.Whole || end.Played != 90*time.Millisecond || o.stats.Sent != 5 || o.stats.Starved == 0 {
			t.Errorf("%d packets, starved %d times, then %v", o.stats.Sent, o.stats.Starved, end)
		}
		if o.stats.GapMax > 40*time.Millisecond {
			t.Errorf("a silence counts as a gap of %v", o.stats.GapMax)
		}
	})
}
