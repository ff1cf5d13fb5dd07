package server_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/server"
	"parley/internal/speech"
	"parley/internal/speech/local"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/sfus"
	"parley/internal/voice/rtc"
)

// synthesizeSpeech returns speech of flite at 48 kHz for a customer.
func synthesizeSpeech(t *testing.T, text string) []int16 {
	t.Helper()
	program, err := exec.LookPath("flite")
	if err != nil {
		t.Skip("SKIP: flite is not installed")
	}
	var samples []int16
	sound := (&local.Flite{Program: program}).Synthesize(t.Context(), speech.Utterance{Text: text, Voice: "rms"})
	for part, err := range speech.Resample(rtc.OutputRate, sound) {
		check.Must(t, err)
		samples = append(samples, part...)
	}
	return samples
}

// startVoiceCall opens a server with a configuration and an agent that is trained on the texts, and calls it. Short
// gaps in the customer's speech, as there are on a busy machine, do not end a segment.
func startVoiceCall(t *testing.T, change func(*server.Config), prepare func(*testkit.Server),
	texts ...string) (srv *testkit.Server, agent parley.AgentID, s session, c *voiceClient) {
	t.Helper()
	exe, err := os.Executable()
	check.Must(t, err)
	srv = testkit.Open(t, testkit.WithConfig(func(c *server.Config) { c.SFUProgram = exe }), testkit.WithConfig(change))
	srv.Media.Args = []string{sfus.Command}
	prepare(srv)
	id := srv.NewAgent(t, srv.Key, texts...)
	check.Must(t, srv.DB.UpdateAgent(t.Context(), parley.AccountID(srv.Account).AgentRef(parley.AgentID(id)),
		func(a *parley.Agent) error {
			a.Voice = json.RawMessage(`{"voice":{"voiceName":"Sarah","speed":1},` +
				`"transcriber":{"model":"deepgram/nova-3","language":"en","minSilenceDuration":1.5}}`)
			return nil
		}))
	var out struct{ Data session }
	srv.Do(t, "POST", "/agents/"+id+"/voice/sessions", srv.Key, `{}`).Decode(t, http.StatusOK, &out)
	c = joinRoom(t, strings.Replace(srv.URL, "http", "ws", 1), out.Data.ParticipantToken)
	t.Cleanup(c.disconnect)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the transcript is %q", c.transcript())
		}
	})
	c.publishMicrophone()
	c.waitForState(rtc.Listening)
	return srv, parley.AgentID(id), out.Data, c
}

// storedTexts returns the texts of a conversation's messages.
func storedTexts(t *testing.T, srv *testkit.Server, agent parley.AgentID, s session) (texts []string) {
	t.Helper()
	page, err := srv.DB.Messages(t.Context(), parley.AccountID(srv.Account).AgentRef(agent).
		ConversationRef(parley.ConversationID(s.ConversationID)), parley.PageRequest{Limit: 10})
	check.Must(t, err)
	for _, m := range page.Items {
		texts = append(texts, m.Text())
	}
	return texts
}

// A synthesized question goes through the media server, is recognised and answered from a source, and the answer is
// spoken.
func TestVoiceSessionWithRealEngines(t *testing.T) {
	for _, program := range []string{"flite", "pocketsphinx_continuous"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIP: %s is not installed", program)
		}
	}
	h, agent, s, c := startVoiceCall(t, func(c *server.Config) { c.STT = "pocketsphinx" }, func(*testkit.Server) {},
		"## Where is my order?\n\nYou can follow your order on the page Parcels. An order takes three days to "+
			"Norway and two days to Denmark.")
	c.speak(synthesizeSpeech(t, "Where is my order?"))
	testkit.Eventually(t, "an answer", func() bool { return len(strings.Split(c.transcript(), "|")) == 2 })
	c.waitForAgentSpeech(time.Second)
	c.waitForState(rtc.Listening)
	t.Log(c.transcript())
	if texts := storedTexts(t, h, agent, s); len(texts) != 2 || !strings.Contains(texts[0], "where is my") ||
		!strings.Contains(texts[0], "order") || !strings.Contains(texts[1], "the page Parcels") {
		t.Errorf("stored: %q", texts)
	}
}
