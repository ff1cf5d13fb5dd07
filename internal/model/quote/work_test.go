//go:build unix

package quote

import (
	"context"
	"strings"
	"testing"

	"parley"
	"parley/internal/model"
	"parley/internal/testkit/hostile"
)

// shop returns what an agent of a shop has read, with tools.
func shop(messages []model.Message) model.Request {
	text := strings.Repeat("We open at 9:00 and close at 17:00. To cancel an order, open **Orders** and choose "+
		"*Cancel*. It costs 5 € a month.\n\n", 14)
	req := model.Request{Messages: messages, Passages: make([]model.Passage, maxReadPassages), Tools: []model.Tool{{
		Name: "cancel", Triggers: []string{"cancel my order {number}", "a b"},
		Parameters: []byte(`{"properties": {"number": {"type": "string"}, "email": {"type": "string"}, "name": ` +
			`{"type": "string"}}, "required": ["number", "email", "name"]}`),
	}}}
	for i := range req.Passages {
		req.Passages[i] = model.Passage{Passage: parley.Passage{SourceName: "Manual", Heading: "Orders", Text: text,
			End: len(text)}, Score: 0.9}
	}
	return req
}

// The work of recognizing small talk grows with the message, and no more than that.
func TestWorkOfSmallTalk(t *testing.T) {
	hostile.Readers(t, map[string]func(text string){"small talk": func(text string) { IsSmallTalk(text) }})
}

// The work of an answer grows with the message, and no more than that.
func TestWorkOfAnswers(t *testing.T) {
	for name, messages := range map[string]func(text string) []model.Message{
		"question": func(text string) []model.Message { return userMessages(text) },
		"follow-up": func(text string) []model.Message {
			return append(append(userMessages(text), model.Message{Role: "assistant", Text: text}), userMessages("And how?")...)
		},
		"result": func(text string) []model.Message {
			return append(userMessages("Cancel it"), model.Message{Role: "tool", Text: text})
		},
		"for a tool": func(text string) []model.Message { return userMessages("Cancel my order 4711 for " + text) },
	} {
		t.Run(name, func(t *testing.T) {
			hostile.ForEachText(t, func(text string) {
				req := shop(messages(text))
				answerRequest(t.Context(), req).chunks(req)
			})
		})
	}
}

func TestWorkOfWishes(t *testing.T) {
	hostile.ForEachText(t, func(text string) { AsksForPerson(text, nil) })
}

// A question that is repeated forever asks no more than the question, and what is at the end of a long text is
// read.
func TestLongMessageIsReadAtItsEnds(t *testing.T) {
	req := shop(userMessages(strings.Repeat("When do you open? ", 20_000)))
	if r := answerRequest(t.Context(), req); !strings.Contains(r.text, "9:00") {
		t.Errorf("the answer is %q", r.text)
	}
	long := strings.Repeat("So it goes on and on. ", 20_000)
	for _, message := range []string{"Cancel my order 4711. " + long, long + "Cancel my order 4711."} {
		got := shortenMessages(userMessages(message))[0].Text
		if len(got) > 2*maxEndBytes+1 || !strings.Contains(got, "4711") {
			t.Errorf("%d bytes are read, with the number: %v", len(got), strings.Contains(got, "4711"))
		}
	}
	if whole := strings.Repeat("é", maxEndBytes); shortenMessages(userMessages(whole))[0].Text != whole {
		t.Error("a message is shortened that may be read whole")
	}
	if got := textEnds("a" + strings.Repeat("é", 2*maxEndBytes)); strings.ToValidUTF8(got, "") != got {
		t.Error("a character is cut in half")
	}
}

// What is still to be done for an answer ends with its turn.
func TestAnswerEndsWithItsTurn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req := shop(userMessages("When do you open?"))
	topic := parseQuestion(sourceQuestions(req.Messages), req.Passages)
	if pages := topic.layOutPassages(ctx, req.Passages); len(pages) > 0 {
		t.Errorf("%d passages are read after the end", len(pages))
	}
	for chunk, err := range (Model{}).Stream(ctx, req) {
		if err == nil {
			t.Errorf("%+v is said after the end", chunk)
		}
	}
}

// FuzzAnswer checks that no message is expensive however often its words are repeated, and that an answer's quotes are
// in the passages.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"When do you open? ", "cancel my order 4711, ", "how much to pay ", "a-b_c. ", "营业时间",
		"\xff\"", "é́", "no, not "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		req := shop(userMessages(message))
		r := answerRequest(t.Context(), req)
		for _, q := range r.citations {
			p := req.Passages[q.PassageIndex]
			if r.text[q.AnswerStart:q.AnswerEnd] != p.Text[q.Start-p.Start:q.End-p.Start] {
				t.Errorf("%q is answered with a quote that is none", message)
			}
		}
		hostile.RequireBounded(t, message, func(text string) { answerRequest(t.Context(), shop(userMessages(text))) })
	})
}
