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
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/pcm"
	"parley/internal/retrieval"
	"parley/internal/rig/dbs"
	"parley/internal/store"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

// dialogue is a talk on a stage, with a real engine that runs its turns and engines of speech that do as they are told.
type dialogue struct {
	*studio
	*stage
	model  *llm.Scripted
	engine *chat.Engine
	clerk  *chat.Clerk
	mouth  *mouth
	ears   *ears
	talker *voice.Talker
	live   *voice.Live
}

// mouth makes a millisecond of sound for each byte of a text, in pieces.
type mouth struct {
	mu    sync.Mutex
	texts []string
	fails bool
	slow  int // how many times as long as usual
	shut  chan struct{}
}

// wait has it make no sound from now on, until it speaks again.
func (m *mouth) wait() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shut = make(chan struct{})
}

func (m *mouth) speaks() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.shut)
	m.shut = nil
}

// said counts the texts it was given.
func (m *mouth) said() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.texts)
}

func (m *mouth) Speak(ctx context.Context, u llm.Utterance) iter.Seq2[pcm.Sound, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.texts = append(m.texts, u.Text)
	fails, length, shut := m.fails, len(u.Text)*max(m.slow, 1), m.shut
	return func(yield func(pcm.Sound, error) bool) {
		if shut != nil {
			select {
			case <-shut:
			case <-ctx.Done():
				yield(pcm.Sound{}, ctx.Err())
				return
			}
		}
		if fails {
			yield(pcm.Sound{}, errors.New("no voice"))
			return
		}
		for range length {
			if !yield(pcm.Sound{Rate: rtc.SpeakRate, PCM: make([]int16, rtc.SpeakRate/1000)}, nil) {
				return
			}
		}
	}
}

// ears understand what the test says, segment by segment.
type ears struct{ texts chan string }

func (e *ears) Transcribe(ctx context.Context, _ llm.Segment) iter.Seq2[llm.Transcript, error] {
	return func(yield func(llm.Transcript, error) bool) {
		select {
		case text := <-e.texts:
			if text == "fail" {
				yield(llm.Transcript{}, errors.New("deaf"))
				return
			}
			yield(llm.Transcript{Text: text, Final: true}, nil)
		case <-ctx.Done():
			yield(llm.Transcript{}, ctx.Err())
		}
	}
}

// talk opens a dialogue on SQLite.
func talk(t *testing.T, settings string, change ...func(d *dialogue)) *dialogue {
	t.Helper()
	return newDialogue(t, file(t), settings, change...)
}

func newDialogue(t *testing.T, db *store.DB, settings string, change ...func(d *dialogue)) *dialogue {
	t.Helper()
	s := newStudio(t, db)
	s.settings(settings)
	d := &dialogue{studio: s, stage: newStage(s.clock.Now), model: &llm.Scripted{}, mouth: &mouth{}, ears: &ears{texts: make(chan string, 8)}}
	table, err := llm.NewTable(llm.TableConfig{Builtin: d.model})
	s.must(err)
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	if os.Getenv("VERBOSE") != "" {
		logger = slog.Default()
	}
	d.engine = &chat.Engine{DB: db, Library: &retrieval.Library{DB: db.SQL()}, Models: table, Now: s.clock.Now, Logger: logger, Owner: s.Desk.Owner, Hub: &chat.Hub{}}
	d.clerk = &chat.Clerk{DB: db, Hub: d.engine.Hub, Now: s.clock.Now, Logger: logger, Stop: d.engine.Stop}
	d.talker = &voice.Talker{DB: db, Engine: d.engine, Clerk: d.clerk, Synthesizer: d.mouth, Transcriber: d.ears, Now: s.clock.Now, Logger: logger,
		Meter: &voice.Meter{}, Tick: 2 * time.Millisecond}
	d.talker.Join = func(context.Context, *parley.VoiceSession) (rtc.Transport, error) { return d.stage, nil }
	for _, f := range change {
		f(d)
	}
	s.Desk.Talk = d.talker.Talk
	d.live = s.studioLive(s.start(voice.Ask{Timezone: "Europe/Berlin"}))
	return d
}

func (s *studio) studioLive(o *voice.Opened) *voice.Live { return s.live(o) }

// join brings the customer in, with a microphone.
func (d *dialogue) join() {
	d.events <- rtc.Event{Kind: rtc.EventJoined}
	d.events <- rtc.Event{Kind: rtc.EventMicOn}
}

// voiceFor has the customer make the sound of speech; silence follows unless they go on.
func (d *dialogue) voiceFor(length time.Duration) {
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
		d.sound(frame)
	}
}

func (d *dialogue) hush(length time.Duration) {
	for range int(length / rtc.FrameTime) {
		d.sound(make([]int16, 320))
	}
}

// says has the customer say something, and fall silent.
func (d *dialogue) says(text string, length time.Duration) {
	d.ears.texts <- text
	d.voiceFor(length)
	d.hush(time.Second)
}

func (d *dialogue) types(text string) { d.events <- rtc.Event{Kind: rtc.EventText, Text: text} }

func (d *dialogue) answers(texts ...string) {
	for _, text := range texts {
		d.model.Then(llm.Say(text))
	}
}

func (d *dialogue) shows(want string) {
	d.Helper()
	want = strings.TrimPrefix(strings.ReplaceAll(want, "\t", ""), "\n")
	d.eventually(func() bool { return d.transcript() == want }, func() string { return "the transcript is\n" + d.transcript() + "and not\n" + want })
}

func (d *dialogue) is(state string) {
	d.Helper()
	d.eventually(func() bool { return d.state() == state }, func() string { return "the agent is " + d.state() + " and not " + state })
}

func (d *dialogue) does(call string) {
	d.Helper()
	d.eventually(func() bool { return d.done(call) }, func() string { return "it does not " + call })
}

func (d *dialogue) eventually(done func() bool, why func() string) {
	d.Helper()
	until := time.Now().Add(5 * time.Second)
	for tick := time.NewTicker(time.Millisecond); !done(); <-tick.C {
		if time.Now().After(until) {
			d.Fatal(why())
		}
	}
}

// stores awaits the conversation as it is stored: "role: text", cut ones with an ellipsis.
func (d *dialogue) stores(want string) {
	d.Helper()
	want = strings.TrimPrefix(strings.ReplaceAll(want, "\t", ""), "\n")
	d.eventually(func() bool { return d.history() == want }, func() string { return "stored is\n" + d.history() + "and not\n" + want })
}

func (d *dialogue) history() string {
	page, err := d.DB.Messages(d, d.account.ID, d.agent, d.live.ConversationID, parley.PageAsk{Limit: 100})
	d.must(err)
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

// over awaits the end of the session and gives it as stored.
func (d *dialogue) over(reason parley.SessionEnd) *parley.VoiceSession {
	d.Helper()
	s := d.ended(d.live)
	if s.Reason != reason || d.reason != string(reason) {
		d.Errorf("the session ended for %q, the room was told %q; want %q", s.Reason, d.reason, reason)
	}
	return s
}

func TestTalk(t *testing.T) {
	dbs.EachStore(t, func(t *testing.T, db *store.DB) {
		d := newDialogue(t, db, `{"initialMessage":"Hello, how can I help?"}`, func(d *dialogue) {
			d.change(func(a *parley.Agent) {
				a.ChannelInstructions = json.RawMessage(`{"api":{"chat":"Write long.","voice":"Speak like a pirate."}}`)
			})
		})
		d.join()
		d.shows(`
			agent: Hello, how can I help?
		`)
		d.is("listening")
		d.answers("You can return it within **30 days**. See [the rules](https://example.com/r).")
		d.says("Can I return my order?", time.Second)
		d.shows(`
			agent: Hello, how can I help?
			user: Can I return my order?
			agent: You can return it within **30 days**. See [the rules](https://example.com/r).
		`)
		d.is("listening")
		d.stores(`
			assistant: Hello, how can I help?
			user: Can I return my order?
			assistant: You can return it within **30 days**. See [the rules](https://example.com/r).
		`)
		if got := strings.Join(d.mouth.texts[1:], "|"); got != "You can return it within 30 days.|See the rules." {
			t.Errorf("spoken: %q", got)
		}
		system := d.model.Requests()[0].System
		if !strings.Contains(system, "pirate") || strings.Contains(system, "Write long") || !strings.Contains(system, "Europe/Berlin, it is Tuesday, 10 November 2026, 13:00") {
			t.Errorf("the model was told %q", system)
		}
		if d.says("thanks", 600*time.Millisecond); !strings.Contains(d.transcript(), "30 days") {
			t.Error("gone")
		}
		d.shows(`
			agent: Hello, how can I help?
			user: Can I return my order?
			agent: You can return it within **30 days**. See [the rules](https://example.com/r).
			user: thanks
			agent: thanks
		`)
		d.events <- rtc.Event{Kind: rtc.EventLeft}
		d.over(parley.EndClientLeft)
		if m := d.talker.Meter.Read(); m.Talks != 0 || m.Spoken != 2 {
			t.Errorf("measured: %+v", m)
		}
	})
}
