package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// ToolResult takes the result of a call that ran at the client; a chat without a message goes on with it (facts 4.3). output
// may be any JSON, or nil. Fails with CONVERSATION_NOT_FOUND, or with RESOURCE_TOOL_CALL_NOT_FOUND unless the call waits.
func (e *Engine) ToolResult(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, call string, output json.RawMessage) error {
	if !parley.IsUUID(string(conversation)) {
		return parley.Fail(parley.CodeConversationGone)
	}
	if len(output) > maxResult {
		fail := parley.Fail(parley.CodeInvalidBody)
		fail.Details = map[string]string{"output": fmt.Sprintf("must be at most %d kB", maxResult>>10)}
		return fail
	}
	now := e.Now()
	return e.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, account, agent, conversation)
		if parley.IsCode(err, parley.CodeResourceNotFound) || err == nil && c.Face != parley.FaceV2 {
			return parley.Fail(parley.CodeConversationGone)
		}
		if err != nil {
			return err
		}
		redact, err := tx.Redacts(ctx, account, agent)
		if err != nil {
			return err
		}
		out := resultFrom(output)
		if redact {
			out = masked(out)
		}
		if err := tx.AnswerCall(ctx, account, agent, conversation, call, out, now); err != nil {
			return err
		}
		if err := tx.Did(ctx, "tool-result:"+call); err != nil {
			return err
		}
		return tx.Record(ctx, account, now, store.Event{Kind: "tool.answered", AgentID: agent, ConversationID: conversation, Subject: call})
	})
}

// resultFrom gives a client's output the interface's shape (2.4): one that has it already is taken as it is, anything else is
// the data of a success (decision 12).
func resultFrom(output json.RawMessage) parley.ToolOutput {
	if nothing(output) {
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
	if out.Status == parley.ToolSuccess && !nothing(shaped.Data) {
		out.Data = shaped.Data
	}
	if out.Status == parley.ToolError {
		out.Error = wordsOf(shaped.Error)
	}
	return out
}

// nothing reports an output or data that is absent: null says no more than that.
func nothing(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// wordsOf gives an error's text; one that is no text is shown as the JSON it is.
func wordsOf(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
