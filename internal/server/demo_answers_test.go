package server_test

import (
	"net/http"
	"strings"
	"testing"

	"parley/docs"
	"parley/internal/testkit"
)

// What a customer of a shop would ask is not answered with an example out of the manual's code; what is asked about
// code is.
func TestDemoQuotesCodeToThoseWhoAskForIt(t *testing.T) {
	h := testkit.Open(t)
	d, err := h.SetUpDemo(t.Context(), docs.Manual, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Runner.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for question, code := range map[string]string{
		"What are your opening hours?": "", "Where is my order?": "", "Can I get a refund?": "",
		"What does a manifest look like?": "agent:\n", "How do I create an account?": "parley ",
	} {
		var answer struct {
			Data struct{ Parts []struct{ Text string } }
		}
		h.Do(t, "POST", "/agents/"+string(d.Agent)+"/chat", d.Key,
			map[string]any{"message": question, "stream": false}).Decode(t, http.StatusOK, &answer)
		text := answer.Data.Parts[0].Text
		if code == "" && (strings.Contains(text, "```") || strings.Contains(text, "key: ")) || !strings.Contains(text, code) {
			t.Errorf("%q is answered %q", question, text)
		}
	}
}
