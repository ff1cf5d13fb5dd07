package voice_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

// Many talks at once do not mix, and leave nothing behind.
func TestManyTalks(t *testing.T) {
	d := talk(t, `{"initialMessage":"Hello."}`)
	d.join()
	d.shows("agent: Hello.\n")
	before := runtime.NumGoroutine()
	var mu sync.Mutex
	stages := map[parley.VoiceSessionID]*stage{}
	d.talker.Join = func(_ context.Context, s *parley.VoiceSession) (rtc.Transport, error) {
		mu.Lock()
		defer mu.Unlock()
		stages[s.ID] = newStage(d.clock.Now)
		return stages[s.ID], nil
	}
	d.Desk.Talk = d.talker.Talk
	d.model.Answer = func(r llm.Request) []llm.Step {
		return []llm.Step{llm.Say("You said " + r.Messages[len(r.Messages)-1].Text + ".")}
	}
	const talks = 64
	var work sync.WaitGroup
	for n := range talks {
		work.Go(func() {
			o, err := d.ask(voice.Ask{})
			if err != nil {
				t.Error(err)
				return
			}
			l := d.studio.live(o)
			var room *stage
			rig.Eventually(t, "the agent's coming", func() bool { mu.Lock(); defer mu.Unlock(); room = stages[o.ID]; return room != nil })
			room.events <- rtc.Event{Kind: rtc.EventJoined}
			room.events <- rtc.Event{Kind: rtc.EventText, Text: fmt.Sprint("number ", n)}
			want := fmt.Sprintf("agent: You said number %d.\n", n)
			rig.Eventually(t, want, func() bool { return strings.HasSuffix(room.transcript(), want) })
			room.events <- rtc.Event{Kind: rtc.EventLeft}
			select {
			case <-l.Done():
			case <-time.After(rig.Patience):
				t.Error("a talk does not end")
			}
		})
	}
	work.Wait()
	rig.Eventually(t, "the end of all goroutines", func() bool { return runtime.NumGoroutine() <= before+2 })
	if m := d.talker.Meter.Read(); m.Typed != talks || m.Talks != 1 {
		t.Errorf("measured %+v", m)
	}
}
