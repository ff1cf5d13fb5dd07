package chat

import (
	"context"
	"encoding/json"
	"slices"

	"parley"
	"parley/internal/model"
	"parley/internal/model/quote"
	"parley/internal/text/words"
)

// HandOverFunc hands the conversation of a running turn over to a person; the turn goes on to its end.
type HandOverFunc func(ctx context.Context, turn parley.Turn, reason string) error

// handoverToolName is the name of the tool call that hands over where the agent has no action of its own for that.
// Models are not offered it.
const handoverToolName = "escalate_to_human"

// maxReasonRunes is how many characters of the customer's message become the reason of a hand-over.
const maxReasonRunes = 500

// handoverWish is a customer's explicit request for a person.
type handoverWish struct{ language words.Language }

// detectHandoverWish returns the request for a person in the message to answer; nil if there is none, or no way to
// hand over.
func (e *Engine) detectHandoverWish(t *Turn) *handoverWish {
	if e.HandOver == nil || t.request.Continue || t.request.isUnsaved() {
		return nil
	}
	language, ok := quote.AsksForPerson(t.question, t.earlierUserTexts)
	if !ok {
		return nil
	}
	return &handoverWish{language}
}

// earlierUserTexts returns what the user has written so far.
func (t *Turn) earlierUserTexts() (texts []string) {
	for i := range t.history {
		if t.history[i].Author == parley.AuthorUser {
			texts = append(texts, t.history[i].Text())
		}
	}
	return texts
}

// handOverNow hands the conversation over before any model is called, and tells the customer. It returns false if
// the model has to answer: the agent's help desk does not hand over by itself, the agent's own action needs more than a
// reason, or it failed.
func (e *Engine) handOverNow(t *Turn, a *answer, tools []Tool) (granted bool, err error) {
	if !t.awaitBegin() {
		return false, errNothingToAnswer
	}
	if on, err := e.DB.HandoverEnabled(t.ctx, t.AccountID.AgentRef(t.AgentID)); err != nil || !on {
		return false, err
	}
	tool := e.handoverTool(tools)
	if needsMoreInputs(tool) {
		return false, nil
	}
	a.firstOutput = e.Now()
	e.runTools(t, a, []Tool{tool}, []model.ToolCall{{Name: tool.Name,
		Input: reasonInput(t.redactText(parley.ClipText(t.question, maxReasonRunes)))}})
	if err := t.ctx.Err(); err != nil {
		return false, err
	}
	t.eventLog.append(Event{Kind: NextRound})
	if a.calls[0].Status != parley.ToolSuccess {
		return false, nil
	}
	text := tool.HandoverText
	if text == "" {
		text = quote.HandoverText(t.handoverWish.language)
	}
	a.text.WriteString(text)
	t.eventLog.append(Event{Kind: Text, Text: text})
	confidence := 1.0
	a.finish = &model.Finish{Reason: "stop", Score: &confidence}
	return true, nil
}

// handoverTool returns the agent's first action that hands over, or a tool that only does that.
func (e *Engine) handoverTool(tools []Tool) Tool {
	own := slices.IndexFunc(tools, func(tool Tool) bool { return tool.Kind == parley.ActionEscalate && tool.Run != nil })
	if own >= 0 {
		return tools[own]
	}
	return Tool{Tool: model.Tool{Name: handoverToolName, IsHandover: true}, Kind: parley.ActionEscalate,
		Run: func(ctx context.Context, call Call) Output {
			var in struct{ Reason string }
			if err := json.Unmarshal(call.Input, &in); err != nil {
				return failedOutput("the reason is no text")
			}
			if err := e.HandOver(ctx, call.Turn, in.Reason); err != nil {
				e.Logger.Error("a conversation could not be handed over", "turn", call.Turn.ID, "conversation",
					call.Turn.ConversationID, "err", err)
				return failedOutput("the conversation could not be handed over")
			}
			return Output{ToolOutput: parley.ToolOutput{Status: parley.ToolSuccess}}
		}}
}

// needsMoreInputs reports whether a tool requires more than a reason: the model asks the customer for it then.
func needsMoreInputs(tool Tool) bool {
	var schema struct{ Required []string }
	if len(tool.Parameters) > 0 && json.Unmarshal(tool.Parameters, &schema) != nil {
		return true
	}
	return slices.ContainsFunc(schema.Required, func(name string) bool { return name != "reason" })
}

func reasonInput(text string) json.RawMessage {
	b, err := json.Marshal(map[string]string{"reason": text})
	if err != nil {
		panic(err) // a text always encodes
	}
	return b
}
