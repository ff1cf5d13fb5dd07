package voice

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"parley/bench/internal/load"
	"parley/bench/internal/report"
)

// For an agent that ducks, pauses and then goes on, the first soft packet counts and the last one with
// sound.
func TestFadeOfAnInterruptedAgent(t *testing.T) {
	began := time.Now()
	at := func(n, peak int) receivedPacket {
		return receivedPacket{began.Add(time.Duration(n) * time.Millisecond), peak}
	}
	list := []receivedPacket{at(-20, humAmplitude), at(10, humAmplitude), at(90, humAmplitude), at(110, humAmplitude/4),
		at(190, humAmplitude/4), at(210, 12), at(900, humAmplitude)}
	ducked, silent, err := measureFade(began, list)
	if err != nil || ducked != 110*time.Millisecond || silent != 190*time.Millisecond {
		t.Error(ducked, silent, err)
	}
	if _, _, err := measureFade(began, list[:5]); err == nil {
		t.Error("an agent that goes on did not fall silent")
	}
}

// The receiver can decode what callers send.
func TestCallerSoundsCanBeDecoded(t *testing.T) {
	s, err := newCallerSounds()
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string]audioPackets{"silence": s.silence, "voice": s.voice, "tone": s.tone} {
		c, err := newAgentListener()
		if err != nil {
			t.Fatal(err)
		}
		peak := 0
		for _, p := range list {
			peak = max(peak, c.packetPeak(p))
		}
		if loud := peak > 1000; loud != (name != "silence") {
			t.Errorf("%s: peak %d", name, peak)
		}
	}
}

func TestVoiceStub(t *testing.T) {
	stub := httptest.NewServer(NewStub())
	defer stub.Close()
	post := func(path string, body any) []byte {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.Post(stub.URL+path, "application/json", bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(path, resp.Status, err)
		}
		return answer
	}
	message := func(text string) map[string]any {
		return map[string]any{"messages": []map[string]string{{"role": "user", "content": text}}}
	}
	for question, want := range map[string]string{spokenQuestion: shortAnswer, longQuestion: longAnswer} {
		var r load.Reply
		if err := json.Unmarshal(post("/chat/completions", message(question)), &r); err != nil || r.Text() != want {
			t.Errorf("%s: %q, %v", question, r.Text(), err)
		}
	}
	if body := post("/audio/speech",
		map[string]string{"input": shortAnswer}); len(body) != len(shortAnswer)*60*stubRate/1000*2 {
		t.Errorf("%d bytes of speech", len(body))
	}
	if body := post("/audio/transcriptions", nil); string(body) != `{"text":"`+spokenQuestion+`"}` {
		t.Errorf("%s", body)
	}
}

// The baseline includes the silence, a recognition and a model.
func TestVoiceBaseline(t *testing.T) {
	stub := httptest.NewServer(NewStub())
	defer stub.Close()
	s, err := newCallerSounds()
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&callerProcess{sounds: s}).measureBaseline(context.Background(), baselineJob{stub.URL, 1})
	if err != nil || got.Spoken[0] < report.Milliseconds(turnEndSilence+recognitionDelay+modelDelay) ||
		got.Typed[0] < report.Milliseconds(modelDelay) ||
		got.Typed[0] > got.Spoken[0]-report.Milliseconds(turnEndSilence+recognitionDelay) {
		t.Errorf("%+v, %v", got, err)
	}
}
