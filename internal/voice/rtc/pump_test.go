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
	events []Event
	left   []int // the first sample of each packet
	times  []time.Time
}

func newOutlet(t *testing.T) *outlet {
	o := &outlet{}
	o.pump = newPump(numbered{}, time.Now, func(packet []byte, at time.Time) error {
		o.left = append(o.left, int(int16(uint16(packet[0])<<8|uint16(packet[1]))))
		o.times = append(o.times, at)
		return nil
	}, func(e Event) { o.events = append(o.events, e) })
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); synctest.Wait() })
	go o.run(ctx)
	time.Sleep(time.Second)
	return o
}

// clip is a clip of frames that all hold one number.
func clip(id string, frames int, value int16) Clip {
	pcm := make(chan []int16, 1)
	pcm <- slices.Repeat([]int16{value}, frames*speakSamples)
	close(pcm)
	return Clip{ID: id, PCM: pcm}
}

func (o *outlet) speech() (n int) {
	for _, v := range o.left {
		if v != 0 {
			n++
		}
	}
	return n
}

func TestPumpKeepsTheBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutlet(t)
		if len(o.left) != 0 {
			t.Fatal("packets without speech")
		}
		began := time.Now()
		o.Play(clip("a", 10, 100))
		o.Play(clip("b", 5, 200))
		synctest.Wait()
		if o.speech() != 1 || o.events[0].Kind != EventStarted || !o.events[0].At.Equal(began) {
			t.Errorf("the first packet does not leave at once: %v", o.events)
		}
		time.Sleep(time.Second)
		if len(o.left) != 15+tailFrames || o.speech() != 15 {
			t.Errorf("%d packets, %d with speech", len(o.left), o.speech())
		}
		for i := 1; i < len(o.times); i++ {
			if gap := o.times[i].Sub(o.times[i-1]); gap != FrameTime {
				t.Errorf("gap of %v", gap)
			}
		}
		var told []Event
		for _, e := range o.events {
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
		if p95 := o.gaps.p95(); p95 != FrameTime {
			t.Errorf("95th percentile of the gaps: %v", p95)
		}
	})
}

func TestStopCutsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutlet(t)
		o.Play(clip("a", 50, 100))
		o.Play(clip("b", 50, 200))
		time.Sleep(190 * time.Millisecond)
		synctest.Wait()
		if at := o.Position(); at != (Position{"a", 200 * time.Millisecond}) {
			t.Errorf("at %v", at)
		}
		cut := o.Stop()
		spoken := o.speech()
		time.Sleep(time.Second)
		if cut != (Position{"a", 200 * time.Millisecond}) || o.speech() != spoken || spoken != 10 {
			t.Errorf("cut at %v, %d packets, %d after", cut, spoken, o.speech())
		}
		last := o.events[len(o.events)-2:]
		if last[0].ID != "a" || last[0].Whole || last[1].ID != "b" || last[1].Played != 0 {
			t.Errorf("told %v", last)
		}
		if o.Stop() != (Position{}) {
			t.Error("cut twice")
		}
		o.Play(clip("c", 1, 100))
		time.Sleep(time.Second)
		if o.left[len(o.left)-1-tailFrames] != 100 {
			t.Errorf("after the cut: %v", o.left)
		}
	})
}

func TestPausedSpeechGoesOnWhereItWasHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutlet(t)
		o.Play(clip("a", 20, 100))
		time.Sleep(90 * time.Millisecond)
		o.Pause()
		held := o.Position().Played
		time.Sleep(time.Second)
		if o.Position().Played != held || held != 100*time.Millisecond {
			t.Errorf("held at %v, then %v", held, o.Position().Played)
		}
		o.Resume()
		time.Sleep(time.Second)
		end := o.events[len(o.events)-1]
		if o.sent != 20 || !end.Whole || end.Played != 400*time.Millisecond {
			t.Errorf("%d packets, then %v", o.sent, end)
		}
	})
}

func TestDuckedSpeechIsLower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutlet(t)
		o.Play(clip("a", 30, 1000))
		time.Sleep(90 * time.Millisecond)
		o.Duck(true)
		time.Sleep(100 * time.Millisecond)
		o.Duck(false)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if o.left[4] != 1000 || o.left[6] != 250 || o.left[9] != 250 || o.left[11] != 1000 {
			t.Errorf("levels %v", o.left)
		}
	})
}

func TestSlowSpeechLeavesGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutlet(t)
		pcm := make(chan []int16)
		o.Play(Clip{ID: "a", PCM: pcm})
		for range 3 {
			time.Sleep(200 * time.Millisecond)
			pcm <- slices.Repeat([]int16{7}, speakSamples+speakSamples/2)
		}
		close(pcm)
		time.Sleep(time.Second)
		end := o.events[len(o.events)-1]
		if !end.Whole || end.Played != 90*time.Millisecond || o.sent != 5 || o.starved == 0 {
			t.Errorf("%d packets, starved %d times, then %v", o.sent, o.starved, end)
		}
		if o.gaps.max > 40*time.Millisecond {
			t.Errorf("a silence counts as a gap of %v", o.gaps.max)
		}
	})
}
