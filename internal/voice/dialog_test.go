package voice_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"log/slog"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/audio"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/retrieval"
	"parley/internal/speech"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

// testDialog is a dialog over a fakeTransport, with a real chat engine and fake speech engines.
type testDialog struct {
	*testSessions
	*fakeTransport
	model         *scripted.Model
	engine        *chat.Engine
	conversations *chat.Conversations
	synthesizer   *fakeSynthesizer
	transcriber   *fakeTranscriber
	responder     *voice.Responder
	session       *voice.Session
	request       voice.SessionRequest // with which the session begins
}

// fakeSynthesizer returns a millisecond of sound for each byte of a text, in chunks.
type fakeSynthesizer struct {
	mu         sync.Mutex
	texts      []string
	fails      bool
	slowFactor int // how many times as long as usual
	blocked    chan struct{}
}

// block makes it produce no sound until unblocked.
func (s *fakeSynthesizer) block() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocked = make(chan struct{})
}

func (s *fakeSynthesizer) unblock() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.blocked)
	s.blocked = nil
}

// countTexts returns the number of texts that were synthesized.
func (s *fakeSynthesizer) countTexts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.texts)
}

func (s *fakeSynthesizer) Synthesize(ctx context.Context, u speech.Utterance) iter.Seq2[audio.Sound, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts = append(s.texts, u.Text)
	fails, length, shut := s.fails, len(u.Text)*max(s.slowFactor, 1), s.blocked
	return func(yield func(audio.Sound, error) bool) {
		if shut != nil {
			select {
			case <-shut:
			case <-ctx.Done():
				yield(audio.Sound{}, ctx.Err())
				return
			}
		}
		if fails {
			yield(audio.Sound{}, errors.New("no voice"))
			return
		}
		for range length {
			if !yield(audio.Sound{Rate: rtc.OutputRate, PCM: make([]int16, rtc.OutputRate/1000)}, nil) {
				return
			}
		}
	}
}

// fakeTranscriber returns the texts that the test sends, segment by segment.
type fakeTranscriber struct{ texts chan string }

func (t *fakeTranscriber) Transcribe(ctx context.Context, _ speech.Segment) iter.Seq2[speech.Transcript, error] {
	return func(yield func(speech.Transcript, error) bool) {
		select {
		case text := <-t.texts:
			if text == "fail" {
				yield(speech.Transcript{}, errors.New("deaf"))
				return
			}
			yield(speech.Transcript{Text: text, IsFinal: true}, nil)
		case <-ctx.Done():
			yield(speech.Transcript{}, ctx.Err())
		}
	}
}

// newSQLiteDialog starts a dialog on SQLite.
func newSQLiteDialog(t *testing.T, settings string, change ...func(d *testDialog)) *testDialog {
	t.Helper()
	return newTestDialog(t, openSQLite(t), settings, change...)
}

func newTestDialog(t *testing.T, db *store.DB, settings string, change ...func(d *testDialog)) *testDialog {
	t.Helper()
	s := newTestSessions(t, db)
	s.setVoiceSettings(settings)
	d := &testDialog{testSessions: s, fakeTransport: newFakeTransport(s.clock.Now), model: &scripted.Model{},
		synthesizer: &fakeSynthesizer{}, transcriber: &fakeTranscriber{texts: make(chan string, 8)},
		request: voice.SessionRequest{Timezone: "Europe/Berlin"}}
	table := model.NewRegistry(model.RegistryConfig{Builtin: d.model})
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	if os.Getenv("VERBOSE") != "" {
		logger = slog.Default()
	}
	d.engine = &chat.Engine{DB: db, Indexes: &retrieval.Indexes{DB: db.SQL()}, Models: table, Now: s.clock.Now,
		Logger: logger, Owner: s.Sessions.Owner, Hub: &chat.Hub{}}
	d.conversations = &chat.Conversations{DB: db, Hub: d.engine.Hub, Now: s.clock.Now, Logger: logger,
		StopTurn: d.engine.Stop}
	d.responder = &voice.Responder{DB: db, Engine: d.engine, Conversations: d.conversations, Synthesizer: d.synthesizer,
		Transcriber: d.transcriber, Now: s.clock.Now, Logger: logger,
		Stats: &voice.Stats{}, TickInterval: 2 * time.Millisecond}
	d.responder.Join = func(context.Context, *parley.VoiceSession) (rtc.Transport, error) { return d.fakeTransport, nil }
	for _, f := range change {
		f(d)
	}
	s.Sessions.Respond = d.responder.Respond
	d.session = s.dialogSession(s.startSession(d.request))
	return d
}

func (s *testSessions) dialogSession(o *voice.AdmittedSession) *voice.Session {
	return s.activeSession(o)
}

// joinUser lets the customer join with a microphone.
func (d *testDialog) joinUser() {
	d.events <- rtc.Event{Kind: rtc.EventJoined}
	d.events <- rtc.Event{Kind: rtc.EventMicOn}
}

// makeVoice sends the sound of speech from the customer's microphone.
func (d *testDialog) makeVoice(length time.Duration) {
	phase := 0.0
	for n := range int(length / rtc.FrameTime) {
		frame := make([]int16, 320)
		for i := range frame {
			at := float64(n*320+i) / 16000
			pitch := 120 + 25*math.Sin(2*math.Pi*1.3*at)
			phase += pitch / 16000
			formant := 600 + 250*math.Sin(4*math.Pi*at)
			v := 0.0
			for h := 1.0; h*pitch < 3500; h++ {
				v += math.Sin(2*math.Pi*h*phase) / (1 + math.Pow((h*pitch-formant)/200, 2)/4) / math.Sqrt(h)
			}
			frame[i] = int16(3000 * v * (0.65 + 0.35*math.Cos(8*math.Pi*at)) * min(1, at/0.02))
		}
		d.sendAudio(frame)
	}
}

func (d *testDialog) makeSilence(length time.Duration) {
	for range int(length / rtc.FrameTime) {
		d.sendAudio(make([]int16, 320))
	}
}

// saySegment lets the customer say something, followed by silence.
func (d *testDialog) saySegment(text string, length time.Duration) {
	d.transcriber.texts <- text
	d.makeVoice(length)
	d.makeSilence(time.Second)
}

func (d *testDialog) typeText(text string) { d.events <- rtc.Event{Kind: rtc.EventText, Text: text} }

func (d *testDialog) scriptAnswers(texts ...string) {
	for _, text := range texts {
		d.model.AddScript(scripted.Text(text))
	}
}

func (d *testDialog) waitForTranscript(want string) {
	d.Helper()
	want = strings.TrimPrefix(strings.ReplaceAll(want, "\t", ""), "\n")
	d.eventually(func() bool { return d.transcript() == want }, func() string {
		return "the transcript is\n" + d.transcript() + "and not\n" + want
	})
}

func (d *testDialog) waitForState(state string) {
	d.Helper()
	d.eventually(func() bool { return d.lastState() == state }, func() string {
		return "the agent is " + d.lastState() + " and not " + state
	})
}

func (d *testDialog) waitForCall(call string) {
	d.Helper()
	d.eventually(func() bool { return d.wasCalled(call) }, func() string { return "it does not " + call })
}

func (d *testDialog) eventually(done func() bool, describe func() string) {
	d.Helper()
	until := time.Now().Add(testkit.WaitTimeout)
	for tick := time.NewTicker(time.Millisecond); !done(); <-tick.C {
		if time.Now().After(until) {
			d.Fatal(describe())
		}
	}
}

// waitForStored waits for the stored conversation: "role: text", interrupted messages with an ellipsis.
func (d *testDialog) waitForStored(want string) {
	d.Helper()
	want = strings.TrimPrefix(strings.ReplaceAll(want, "\t", ""), "\n")
	d.eventually(func() bool { return d.storedHistory() == want }, func() string {
		return "stored is\n" + d.storedHistory() + "and not\n" + want
	})
}

func (d *testDialog) storedHistory() string {
	page, err := d.DB.Messages(d, d.account.ID.AgentRef(d.agent).ConversationRef(d.session.ConversationID),
		parley.PageRequest{Limit: 100})
	d.Must(err)
	var b strings.Builder
	for _, m := range page.Items {
		end := ""
		if m.State == parley.MessageInterrupted {
			end = "…"
		}
		b.WriteString(m.Role() + ": " + m.Text() + end + "\n")
	}
	return b.String()
}

// waitForEnd waits for the end of the session and returns it as stored.
func (d *testDialog) waitForEnd(reason parley.SessionEndReason) *parley.VoiceSession {
	d.Helper()
	s := d.waitUntilEnded(d.session)
	if s.EndReason != reason || d.reason != string(reason) {
		d.Errorf("the session ended with %q, the room with %q; want %q", s.EndReason, d.reason, reason)
	}
	return s
}

func TestDialog(t *testing.T) {
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		d := newTestDialog(t, db, `{"initialMessage":"Hello, how can I help?"}`, func(d *testDialog) {
			d.updateAgent(func(a *parley.Agent) {
				a.ChannelInstructions = json.RawMessage(`{"api":{"chat":"Write long.","voice":"Speak like a pirate."}}`)
			})
		})
		d.joinUser()
		d.waitForTranscript(`
			agent: Hello, how can I help?
		`)
		d.waitForState("listening")
		d.scriptAnswers("You can return it within **30 days**. See [the rules](https://example.com/r).")
		d.saySegment("Can I return my order?", time.Second)
		d.waitForTranscript(`
			agent: Hello, how can I help?
			user: Can I return my order?
			agent: You can return it within **30 days**. See [the rules](https://example.com/r).
		`)
		d.waitForState("listening")
		d.waitForStored(`
			assistant: Hello, how can I help?
			user: Can I return my order?
			assistant: You can return it within **30 days**. See [the rules](https://example.com/r).
		`)
		if got := strings.Join(d.synthesizer.texts[1:], "|"); got != "You can return it within 30 days.|See the rules." {
			t.Errorf("spoken: %q", got)
		}
		system := d.model.Requests()[0].System
		if !strings.Contains(system, "pirate") || strings.Contains(system, "Write long") ||
			!strings.Contains(system, "Europe/Berlin, it is Tuesday, 10 November 2026, 13:00") {
			t.Errorf("the model got %q", system)
		}
		if d.saySegment("thanks", 600*time.Millisecond); !strings.Contains(d.transcript(), "30 days") {
			t.Error("gone")
		}
		d.waitForTranscript(`
			agent: Hello, how can I help?
			user: Can I return my order?
			agent: You can return it within **30 days**. See [the rules](https://example.com/r).
			user: thanks
			agent: thanks
		`)
		d.events <- rtc.Event{Kind: rtc.EventLeft}
		d.waitForEnd(parley.EndClientLeft)
		if m := d.responder.Stats.Snapshot(); m.Dialogs != 0 || m.Spoken != 2 {
			t.Errorf("measured: %+v", m)
		}
	})
}
