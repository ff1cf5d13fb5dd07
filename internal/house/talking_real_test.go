package house_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/house"
	"parley/internal/llm"
	"parley/internal/pcm"
	"parley/internal/rig"
	"parley/internal/rig/sfus"
	"parley/internal/voice/rtc"
)

// fluent makes 48 kHz speech with flite, for a customer to say.
func fluent(t *testing.T, text string) []int16 {
	t.Helper()
	program, err := exec.LookPath("flite")
	if err != nil {
		t.Skip("SKIP: flite is not installed")
	}
	var said []int16
	speech := (&llm.Flite{Program: program}).Speak(t.Context(), llm.Utterance{Text: text, Voice: "rms"})
	for part, err := range llm.At(rtc.SpeakRate, speech) {
		must(t, err)
		said = append(said, part...)
	}
	return said
}

// conversing opens a house whose speech is as configured, or prepared, with an agent that has read the texts, and calls it.
func conversing(t *testing.T, change func(*house.Config), prepare func(*rig.House), texts ...string) (h *rig.House, agent parley.AgentID, s session, c *caller) {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	h = rig.Open(t, rig.With(func(c *house.Config) { c.SFU = exe }), rig.With(change))
	h.Media.Args = []string{sfus.Word}
	prepare(h)
	id := h.NewAgent(t, h.Key, texts...)
	must(t, h.DB.UpdateAgent(t.Context(), parley.AccountID(h.Account), parley.AgentID(id), func(a *parley.Agent) error {
		a.Voice = json.RawMessage(`{"voice":{"voiceName":"Sarah","speed":1},"transcriber":{"model":"deepgram/nova-3","language":"en"}}`)
		return nil
	}))
	var out struct{ Data session }
	h.Do(t, "POST", "/agents/"+id+"/voice/sessions", h.Key, `{}`).Decode(t, http.StatusOK, &out)
	c = call(t, strings.Replace(h.URL, "http", "ws", 1), out.Data.ParticipantToken)
	t.Cleanup(c.gone)
	c.publish()
	c.awaitsState(rtc.Listening)
	return h, parley.AgentID(id), out.Data, c
}

// stored gives the texts of a conversation's messages.
func stored(t *testing.T, h *rig.House, agent parley.AgentID, s session) (texts []string) {
	t.Helper()
	page, err := h.DB.Messages(t.Context(), parley.AccountID(h.Account), agent, parley.ConversationID(s.ConversationID), parley.PageAsk{Limit: 10})
	must(t, err)
	for _, m := range page.Items {
		texts = append(texts, m.Text())
	}
	return texts
}

// A question that a program speaks is heard by another one through the media server, answered from a source, and the answer spoken.
func TestTalkWithRealEngines(t *testing.T) {
	for _, program := range []string{"flite", "pocketsphinx_continuous"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIP: %s is not installed", program)
		}
	}
	h, agent, s, c := conversing(t, func(c *house.Config) { c.STT = "pocketsphinx" }, func(*rig.House) {},
		"## Where is my order?\n\nYou can follow your order on the page Parcels. An order takes three days to Norway and two days to Denmark.")
	question := fluent(t, "Where is my order?")
	c.says(question)
	rig.Eventually(t, "an answer", func() bool { return len(strings.Split(c.transcript(), "|")) == 2 })
	rig.Eventually(t, "the agent's voice", c.hears)
	c.awaitsState(rtc.Listening)
	c.mu.Lock()
	latency, length := c.first.Sub(c.spoke), c.loud.Sub(c.first)
	c.mu.Unlock()
	t.Logf("%v of speech, first sound %v after its end, %v of answer: %s", pcm.Duration(len(question), rtc.SpeakRate), latency, length, c.transcript())
	if length < time.Second {
		t.Errorf("the answer was heard for %v", length)
	}
	if texts := stored(t, h, agent, s); len(texts) != 2 || !strings.Contains(texts[0], "where is my") || !strings.Contains(texts[0], "order") || !strings.Contains(texts[1], "three days") {
		t.Errorf("stored: %q", texts)
	}
}
