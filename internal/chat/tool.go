package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Tool is something that an agent can do besides answering. Other packages build tools; a turn runs one when the model
// calls it.
type Tool struct {
	model.Tool   // as models see it
	Kind         parley.ActionKind
	Timeout      time.Duration // of one call; 0 means 30 s
	HandoverText string        // of a tool that hands over: the text for the customer; empty for the default
	HasEffects   bool          // a call changes something outside: it is stored before it is made

	// Check normalizes the input of a tool that runs at the client, or fails with what is wrong with it. May be nil.
	Check func(input json.RawMessage) (json.RawMessage, error)

	// Run runs the tool. A failure is an Output of status error, which the model gets and the client does not. Nil for a
	// tool that runs at the client: the answer ends with the call, and continues with the client's result.
	Run func(ctx context.Context, call Call) Output

	// Form is set where the customer may give the input in a form of the chat.
	Form *ToolForm
}

// ToolForm is how a tool is called where the chat can show a form for its input: a call whose input is not whole waits
// for the client, as that of a tool that runs there.
type ToolForm struct {
	Tool     model.Tool // as models see it there
	HasInput func(input json.RawMessage) bool
}

// formChannels are those whose chat shows forms.
var formChannels = []parley.Channel{parley.ChannelWidget, parley.ChannelIframe, parley.ChannelCenterStage,
	parley.ChannelAgentPage}

// showsForms reports whether the customer can fill in a form.
func (t *Turn) showsForms() bool {
	return t.isReadByVisitor() && slices.Contains(formChannels, t.request.Channel)
}

// isLeftToClient reports whether a call of the tool waits for the client.
func (tool *Tool) isLeftToClient(t *Turn, input json.RawMessage) bool {
	return tool.Run == nil || tool.Form != nil && t.showsForms() && !tool.Form.HasInput(input)
}

// seenIn returns the tool as the model of a turn sees it.
func (tool *Tool) seenIn(t *Turn) model.Tool {
	if tool.Form != nil && t.showsForms() {
		return tool.Form.Tool
	}
	return tool.Tool
}

// Call is one call of a tool in a turn.
type Call struct {
	Turn   parley.Turn
	UserID parley.EndUserID // of the conversation; empty when anonymous
	ID     string           // as the client sees it
	// the same for every attempt under a client's Idempotency-Key, so that a service can recognize it
	IdempotencyKey string
	Redact         bool            // the agent stores no personal data
	Input          json.RawMessage // a JSON object; checked against the tool's parameters by Run
}

// Output is the result of a tool.
type Output struct {
	parley.ToolOutput
	Nested []NestedCall // calls that this one made, in order; shown and stored like calls of the model
}

// NestedCall is a call that another call made, with its result.
type NestedCall struct {
	Tool   string
	Kind   parley.ActionKind
	Input  json.RawMessage
	Output parley.ToolOutput
}

// ToolsFunc returns the tools of an agent, in the order in which models see them.
type ToolsFunc func(ctx context.Context, agent *parley.Agent) ([]Tool, error)

// SubmitToolResult stores the result of a call that ran at the client; a chat request without a message continues with
// it. output may be any JSON, or nil. Fails with CONVERSATION_NOT_FOUND, or with RESOURCE_TOOL_CALL_NOT_FOUND unless
// the call is pending.
func (e *Engine) SubmitToolResult(ctx context.Context, ref parley.ConversationRef, call string,
	output json.RawMessage) error {
	if len(output) > maxResultBytes {
		return parley.Invalid("output", fmt.Sprintf("must be at most %d kB", maxResultBytes>>10))
	}
	return e.answerCall(ctx, ref, call, parseToolOutput(output), nil)
}

// answerCall stores the result of a call that waits for the client. more returns further events to record; it may be
// nil.
func (e *Engine) answerCall(ctx context.Context, ref parley.ConversationRef, call string, out parley.ToolOutput,
	more func(c *parley.Conversation, call *parley.ToolCall, out parley.ToolOutput) []store.NewEvent) error {
	if !parley.IsUUID(string(ref.Conversation)) {
		return parley.NewError(parley.CodeConversationNotFound)
	}
	now := e.Now()
	return e.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, ref)
		if parley.IsCode(err, parley.CodeResourceNotFound) || err == nil && c.API != parley.APIV2 {
			return parley.NewError(parley.CodeConversationNotFound)
		}
		if err != nil {
			return err
		}
		redact, err := tx.AgentRedacts(ctx, ref.AgentRef)
		if err != nil {
			return err
		}
		stored := out
		if redact {
			stored = redactOutput(out)
		}
		answered, err := tx.SaveToolResult(ctx, ref, call, stored, now)
		if err != nil {
			return err
		}
		if err := tx.CompleteClaim(ctx, "tool-result:"+call); err != nil {
			return err
		}
		events := []store.NewEvent{{Kind: parley.EventToolAnswered, AgentID: ref.Agent, ConversationID: ref.Conversation,
			Subject: call}}
		if more != nil {
			events = append(events, more(c, answered, stored)...)
		}
		return tx.RecordEvents(ctx, ref.Account, now, events...)
	})
}

// parseToolOutput returns a client's output in the form {status, data, error}: one that has this form already is taken
// as it is, anything else is the data of a success.
func parseToolOutput(output json.RawMessage) parley.ToolOutput {
	if isNull(output) {
		return parley.ToolOutput{Status: parley.ToolSuccess}
	}
	var shaped struct {
		Status parley.ToolStatus `json:"status"`
		Data   json.RawMessage   `json:"data"`
		Error  json.RawMessage   `json:"error"`
	}
	ends := []parley.ToolStatus{parley.ToolSuccess, parley.ToolError, parley.ToolIgnored}
	if json.Unmarshal(output, &shaped) != nil || !slices.Contains(ends, shaped.Status) {
		return parley.ToolOutput{Status: parley.ToolSuccess, Data: output}
	}
	out := parley.ToolOutput{Status: shaped.Status}
	if out.Status == parley.ToolSuccess && !isNull(shaped.Data) {
		out.Data = shaped.Data
	}
	if out.Status == parley.ToolError {
		out.Error = errorText(shaped.Error)
	}
	return out
}

// isNull reports whether an output or its data is absent; null counts as absent.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// errorText returns the text of an error; one that is not a string is returned as JSON.
func errorText(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// MaxFormBytes is the most bytes of JSON that a form's values may have.
const MaxFormBytes = 20 << 10

// FormSubmitted is the payload of the event forms.submit (docs/interface-choices.md).
type FormSubmitted struct {
	ConversationID parley.ConversationID `json:"conversationId"`
	FormName       string                `json:"formName"`
	FormData       json.RawMessage       `json:"formData"`
	UserID         *parley.EndUserID     `json:"userId"`    // who the site has shown the customer to be; null for nobody
	Timestamp      string                `json:"timestamp"` // ISO 8601
}

// SubmitForm stores the values of a form that the page shows for a tool call, as the result of the call, and records
// forms.submit. values must be an object. Fails as SubmitToolResult does.
func (e *Engine) SubmitForm(ctx context.Context, ref parley.ConversationRef, call string,
	values json.RawMessage) error {
	values = bytes.TrimSpace(values)
	switch {
	case len(values) > MaxFormBytes:
		return parley.Invalid("values", fmt.Sprintf("must be at most %d kB", MaxFormBytes>>10))
	case len(values) == 0 || values[0] != '{':
		return parley.Invalid("values", "must be an object")
	}
	out := parley.ToolOutput{Status: parley.ToolSuccess, Data: values}
	now := e.Now()
	return e.answerCall(ctx, ref, call, out,
		func(c *parley.Conversation, answered *parley.ToolCall, out parley.ToolOutput) []store.NewEvent {
			form := FormSubmitted{ConversationID: c.ID, FormName: answered.Tool, FormData: out.Data,
				Timestamp: now.UTC().Format(time.RFC3339)}
			if c.UserID != "" {
				form.UserID = &c.UserID
			}
			return []store.NewEvent{{Kind: parley.EventFormsSubmit, AgentID: c.AgentID, ConversationID: c.ID,
				Subject: answered.ID, Payload: form}}
		})
}
