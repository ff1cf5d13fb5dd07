package chat

import (
	"context"
	"encoding/json"
	"slices"

	"parley"
	"parley/internal/llm"
	"parley/internal/words"
)

// TakeOver hands the conversation of a running turn to a person; the turn goes on to its end.
type TakeOver func(ctx context.Context, turn parley.Turn, reason string) error

// handOverTool is the name of the call that hands over where the agent has no action of its own for it. No model is offered it.
const handOverTool = "escalate_to_human"

// longestReason is how many characters of the customer's words are the reason of a hand-over.
const longestReason = 500

// wish is the customer's plain wish for a person.
type wish struct{ language words.Language }

// wished finds a plain wish for a person in the message to answer; nil where there is none, or nobody to hand over to.
func (e *Engine) wished(t *Turn) *wish {
	if e.TakeOver == nil || t.request.Continue || t.request.unsaved() {
		return nil
	}
	language, ok := llm.AsksForPerson(t.question, t.saidBefore)
	if !ok {
		return nil
	}
	return &wish{language}
}

// saidBefore lists what the user has written so far.
func (t *Turn) saidBefore() (texts []string) {
	for i := range t.history {
		if t.history[i].Author == parley.ByUser {
			texts = append(texts, t.history[i].Text())
		}
	}
	return texts
}

// grant does as a plain wish for a person says, before any model is asked: it makes the call that hands the conversation over, and
// tells the customer. It reports false where the model has to answer: the agent's helpdesk does not hand over by itself, the agent's own
// action needs more than a reason, or it failed.
func (e *Engine) grant(t *Turn, a *answer, tools []Tool) (granted bool, err error) {
	if <-t.promised; t.refused {
		return false, errRefused
	}
	if on, err := e.DB.Handover(t.ctx, t.AccountID, t.AgentID); err != nil || !on {
		return false, err
	}
	tool := e.handsOver(tools)
	if needsMore(tool) {
		return false, nil
	}
	a.first = e.Now()
	e.work(t, a, []Tool{tool}, []llm.ToolCall{{Name: tool.Name, Input: reasonOf(t.keepable(cutRunes(t.question, longestReason)))}})
	if err := t.ctx.Err(); err != nil {
		return false, err
	}
	t.log.append(Event{Kind: Stepped})
	if a.calls[0].Status != parley.ToolSuccess {
		return false, nil
	}
	text := tool.Says
	if text == "" {
		text = llm.HandedOver(t.wish.language)
	}
	a.text.WriteString(text)
	t.log.append(Event{Kind: Text, Text: text})
	sure := 1.0
	a.finish = &llm.Finish{Reason: "stop", Score: &sure}
	return true, nil
}

// handsOver gives the agent's first action that hands over, or one that does nothing else.
func (e *Engine) handsOver(tools []Tool) Tool {
	own := slices.IndexFunc(tools, func(tool Tool) bool { return tool.Kind == parley.ActionEscalate && tool.Run != nil })
	if own >= 0 {
		return tools[own]
	}
	return Tool{Tool: llm.Tool{Name: handOverTool, HandsOver: true}, Kind: parley.ActionEscalate, Run: func(ctx context.Context, call Call) Output {
		var in struct{ Reason string }
		if err := json.Unmarshal(call.Input, &in); err != nil {
			return failed("the reason is no text")
		}
		if err := e.TakeOver(ctx, call.Turn, in.Reason); err != nil {
			e.Logger.Error("a conversation could not be handed over", "turn", call.Turn.ID, "conversation", call.Turn.ConversationID, "err", err)
			return failed("the conversation could not be handed over")
		}
		return Output{ToolOutput: parley.ToolOutput{Status: parley.ToolSuccess}}
	}}
}

// needsMore reports that a tool requires something else than a reason: the model asks the customer for it.
func needsMore(tool Tool) bool {
	var schema struct{ Required []string }
	if len(tool.Parameters) > 0 && json.Unmarshal(tool.Parameters, &schema) != nil {
		return true
	}
	return slices.ContainsFunc(schema.Required, func(name string) bool { return name != "reason" })
}

func reasonOf(text string) json.RawMessage {
	b, err := json.Marshal(map[string]string{"reason": text})
	if err != nil {
		panic(err) // a text always encodes
	}
	return b
}

func cutRunes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	runes := []rune(text)
	return string(runes[:min(most, len(runes))])
}
