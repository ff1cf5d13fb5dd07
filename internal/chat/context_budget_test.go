package chat_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/retrieval"
)

func smallBackend(context int) model.Backend {
	return model.Backend{Label: "m", ContextTokens: context}
}

func newMessage(author parley.AuthorKind, text string) parley.Message {
	return parley.Message{Author: author, Parts: []parley.Part{{Type: "text", Text: text}}}
}

// hit returns a passage of about a number of tokens.
func hit(name string, tokens int) retrieval.Hit {
	return retrieval.Hit{Passage: parley.Passage{SourceName: name, Text: strings.Repeat("abc ", tokens)}}
}

func requestTokens(req model.Request) int {
	n := req.FixedTokens()
	for _, m := range req.Messages {
		n += m.Tokens()
	}
	for i := range req.Passages {
		n += req.Passages[i].Tokens()
	}
	return n
}

// A conversation of any length, with messages of any size, fits into the model's context: the oldest messages are
// dropped first, a call together with its result, and the passages last.
func TestPromptFits(t *testing.T) {
	call := parley.Message{Author: parley.AuthorAssistant, Parts: []parley.Part{
		{Type: "tool-call", ToolCallID: "c1", ToolName: "look_up", Input: json.RawMessage(`{}`)},
		{Type: "tool-result", ToolCallID: "c1", ToolName: "look_up",
			Output: json.RawMessage(`"` + strings.Repeat("x ", 2000) + `"`)}, {Type: "text", Text: "Sent."}}}
	var long []parley.Message
	for i := range 20 {
		long = append(long, newMessage(parley.AuthorUser, fmt.Sprintf("Question %d. %s", i,
			strings.Repeat("word ", 150))), newMessage(parley.AuthorAssistant, fmt.Sprintf("Answer %d.", i)))
	}
	hits := []retrieval.Hit{hit("a", 400), hit("b", 400), hit("c", 400)}
	for name, c := range map[string]struct {
		history  []parley.Message
		question string
		context  int
		passages int
		newest   string // of the earlier messages that are kept
		messages int
	}{
		"all fits":        {long[:6], "And?", 32_000, 3, "Answer 2.", 7},
		"oldest go":       {long, "And?", 5000, 3, "Answer 19.", -1},
		"passages go":     {long, "And?", 2000, 2, "", 1},
		"a huge question": {long, strings.Repeat("why ", 50_000), 8000, 3, "", -1},
		"Chinese": {[]parley.Message{newMessage(parley.AuthorUser, strings.Repeat("退款", 900)),
			newMessage(parley.AuthorAssistant, "好")}, "为什么？", 4000, 3, "", 1},
		"a call":      {[]parley.Message{newMessage(parley.AuthorUser, "Where?"), call}, "And?", 32_000, 3, "Sent.", 5},
		"a call goes": {[]parley.Message{newMessage(parley.AuthorUser, "Where?"), call}, "And?", 2600, 3, "", 1},
		"a huge message": {[]parley.Message{newMessage(parley.AuthorUser, "First "+strings.Repeat("word ", 90_000)+
			"last."), newMessage(parley.AuthorAssistant, "Yes.")}, "And?", 32_000, 3, "Yes.", 3},
	} {
		t.Run(name, func(t *testing.T) {
			st := chat.StandaloneTurn{Agent: &parley.Agent{Instructions: "Be kind."}, Backend: smallBackend(c.context),
				Question: c.question, History: c.history}
			got := st.Prompt(hits)
			if n := requestTokens(got); n > c.context {
				t.Errorf("%d tokens for a context of %d", n, c.context)
			}
			if len(got.Passages) != c.passages || c.messages >= 0 && len(got.Messages) != c.messages {
				t.Errorf("%d passages and %d messages", len(got.Passages), len(got.Messages))
			}
			last := len(got.Messages) - 1
			if got.Messages[0].Role != "user" || got.Messages[last].Role != "user" ||
				!strings.HasPrefix(c.question, got.Messages[last].Text[:4]) {
				t.Errorf("begins with %s, ends with %.40q", got.Messages[0].Role, got.Messages[last].Text)
			}
			if c.newest != "" && got.Messages[last-1].Text != c.newest {
				t.Errorf("before the question comes %.40q", got.Messages[last-1].Text)
			}
			for i, m := range got.Messages {
				if m.Role == "tool" && (i == 0 || got.Messages[i-1].ToolCalls == nil) {
					t.Error("a result without its call")
				}
			}
		})
	}
}

func TestChannelInstructions(t *testing.T) {
	for text, want := range map[string]string{
		``:                           "Be kind.",
		`{"email":"Sign."}`:          "Be kind.",
		`{"api":" Be short. "}`:      "Be kind.\n\nBe short.",
		`{"api":{"chat":"Be curt"}}`: "Be kind.\n\nBe curt",
		`{"api":{"voice":"Sing"}}`:   "Be kind.",
		`[]`:                         "Be kind.",
	} {
		st := chat.StandaloneTurn{Agent: &parley.Agent{Instructions: "Be kind.",
			ChannelInstructions: json.RawMessage(text)}, Channel: parley.ChannelAPI, Question: "Hello"}
		if got := st.Prompt(nil).System; got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestConnectedModelsAreToldOfFiles(t *testing.T) {
	sent := parley.Message{Author: parley.AuthorUser, Parts: []parley.Part{{Type: "text", Text: "Here it is"},
		{Type: parley.PartFile, File: &parley.SentFile{ID: "1", Name: "a \"bill\"].pdf", MediaType: "application/pdf",
			Size: 12}}}}
	st := chat.StandaloneTurn{Agent: &parley.Agent{}, Question: "And?", History: []parley.Message{sent},
		Backend: model.Backend{Label: "connected"}}
	first := st.Prompt(nil).Messages[0].Text
	if !strings.HasPrefix(first, "Here it is\n\n[") ||
		!strings.Contains(first, `"a _bill__.pdf", application/pdf, 12 bytes`) {
		t.Errorf("a connected model reads %q", first)
	}
	st.Backend.Label = model.BuiltinName
	if first := st.Prompt(nil).Messages[0].Text; first != "Here it is" {
		t.Errorf("the built-in model reads %q", first)
	}
}
