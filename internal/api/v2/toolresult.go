package v2

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/httpapi"
)

// ToolResultRequest brings the result of a call that ran at the client.
type ToolResultRequest struct {
	ConversationRef
	Body ToolResultBody
}

// ToolResultBody is the body of a tool's result (facts 4.3). It may hold nothing else.
type ToolResultBody struct {
	ToolCallID string          `json:"toolCallId" min:"1" doc:"The call, as the answer or its stream named it."`
	Output     json.RawMessage `json:"output,omitempty" doc:"Any JSON. An object of status and data or error is taken as it is, everything else is the data of a success."`
}

func (s *server) submitToolResult(ctx context.Context, c *httpapi.Call, in *ToolResultRequest) (*Data[Success], error) {
	if err := s.checkConversation(ctx, c, in.ConversationRef); err != nil {
		return nil, err
	}
	err := s.Chat.SubmitToolResult(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), parley.ConversationID(in.ConversationID), in.Body.ToolCallID, in.Body.Output)
	if err != nil {
		return nil, err
	}
	return &Data[Success]{Success{true}}, nil
}
