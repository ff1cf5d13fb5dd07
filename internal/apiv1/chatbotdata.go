package apiv1

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/ingest"
	"parley/internal/wire"
)

// ChatbotData replaces what a chatbot reads.
type ChatbotData struct {
	Body ChatbotDataBody
}

// ChatbotDataBody is the new content, text or pages or both, and a new name (facts 4.10).
type ChatbotDataBody struct {
	ChatbotID    string   `json:"chatbotId" min:"1"`
	ChatbotName  string   `json:"chatbotName,omitempty" doc:"The name stays where this is missing."`
	SourceText   string   `json:"sourceText,omitempty" doc:"What it is to answer from. The plan's storage bounds it."`
	URLsToScrape []string `json:"urlsToScrape,omitempty" max:"200" doc:"Pages to read, one by one."`
}

func (s *server) updateChatbotData(ctx context.Context, c *wire.Call, in *ChatbotData) (*ChatbotID, error) {
	who, b := caller(c), &in.Body
	if b.SourceText == "" && len(b.URLsToScrape) == 0 {
		if _, err := s.chatbot(ctx, c, b.ChatbotID); err != nil {
			return nil, err
		}
		return nil, wire.Invalid("sourceText", "is required where there are no urlsToScrape")
	}
	err := s.Agents.Replace(ctx, who.Account, who.Plan, parley.AgentID(b.ChatbotID), b.ChatbotName, ingest.Content{Text: b.SourceText, URLs: b.URLsToScrape})
	if err != nil {
		return nil, fmt.Errorf("replace a chatbot's content: %w", ofContent(err))
	}
	return &ChatbotID{b.ChatbotID}, nil
}
