package voice_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/model"
	"parley/internal/testkit"
	"parley/internal/testkit/scripted"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

// Many concurrent dialogs do not mix, and leave no goroutines behind.
func TestManyDialogs(t *testing.T) {
	d := newSQLiteDialog(t, `{"initialMessage":"Hello."}`)
	d.joinUser()
	d.waitForTranscript("agent: Hello.\n")
	before := goleak.IgnoreCurrent()
	var mu sync.Mutex
	transports := map[parley.VoiceSessionID]*fakeTransport{}
	d.responder.Join = func(_ context.Context, s *parley.VoiceSession) (rtc.Transport, error) {
		mu.Lock()
		defer mu.Unlock()
		transports[s.ID] = newFakeTransport(d.clock.Now)
		return transports[s.ID], nil
	}
	d.Sessions.Respond = d.responder.Respond
	d.model.StepsFor = func(r model.Request) []scripted.Step {
		return []scripted.Step{scripted.Text("You said " + r.Messages[len(r.Messages)-1].Text + ".")}
	}
	const dialogs = 64
	var work sync.WaitGroup
	for n := range dialogs {
		work.Go(func() {
			o, err := d.tryStart(voice.SessionRequest{})
			if err != nil {
				t.Error(err)
				return
			}
			l := d.testSessions.activeSession(o)
			var room *fakeTransport
			testkit.Eventually(t, "the agent's coming", func() bool {
				mu.Lock()
				defer mu.Unlock()
				room = transports[o.ID]
				return room != nil
			})
			room.events <- rtc.Event{Kind: rtc.EventJoined}
			room.events <- rtc.Event{Kind: rtc.EventText, Text: fmt.Sprint("number ", n)}
			want := fmt.Sprintf("agent: You said number %d.\n", n)
			testkit.Eventually(t, want, func() bool { return strings.HasSuffix(room.transcript(), want) })
			room.events <- rtc.Event{Kind: rtc.EventLeft}
			select {
			case <-l.Done():
			case <-time.After(testkit.WaitTimeout):
				t.Error("a talk does not end")
			}
		})
	}
	work.Wait()
	testkit.Eventually(t, "the end of all goroutines", func() bool { return goleak.Find(before) == nil })
	if m := d.responder.Stats.Snapshot(); m.Typed != dialogs || m.Dialogs != 1 {
		t.Errorf("measured %+v", m)
	}
}
