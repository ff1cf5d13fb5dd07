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

// SubmitToolResult takes the result of a call that ran at the client; a chat without a message goes on with it (facts 4.3). output
// may be any JSON, or nil. Fails with CONVERSATION_NOT_FOUND, or with RESOURCE_TOOL_CALL_NOT_FOUND unless the call waits.
func (e *Engine) SubmitToolResult(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, call string, output json.RawMessage) error {
	if !parley.IsUUID(string(conversation)) {
		return parley.NewError(parley.CodeConversationNotFound)
	}
	if len(output) > maxResultBytes {
		fail := parley.NewError(parley.CodeInvalidBody)
		fail.Details = map[string]string{"output": fmt.Sprintf("must be at most %d kB", maxResultBytes>>10)}
		return fail
	}
	now := e.Now()
	return e.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, account, agent, conversation)
		if parley.IsCode(err, parley.CodeResourceNotFound) || err == nil && c.API != parley.APIV2 {
			return parley.NewError(parley.CodeConversationNotFound)
		}
		if err != nil {
			return err
		}
		redact, err := tx.AgentRedacts(ctx, account, agent)
		if err != nil {
			return err
		}
		out := parseToolOutput(output)
		if redact {
			out = redactOutput(out)
		}
		if err := tx.SaveToolResult(ctx, account, agent, conversation, call, out, now); err != nil {
			return err
		}
		if err := tx.CompleteClaim(ctx, "tool-result:"+call); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, account, now, store.NewEvent{Kind: "tool.answered", AgentID: agent, ConversationID: conversation, Subject: call})
	})
}

// parseToolOutput returns a client's output the interface's shape (2.4): one that has it already is taken as it is, anything else is
// the data of a success (decision 12).
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

// isNull reports an output or data that is absent: null says no more than that.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// errorText returns an error's text; one that is no text is shown as the JSON it is.
func errorText(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
