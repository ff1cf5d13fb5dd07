package v1

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/ingest"
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

func (s *server) updateChatbotData(ctx context.Context, c *httpapi.Call, in *ChatbotData) (*ChatbotID, error) {
	who, b := callerOf(c), &in.Body
	if b.SourceText == "" && len(b.URLsToScrape) == 0 {
		if _, err := s.findChatbot(ctx, c, b.ChatbotID); err != nil {
			return nil, err
		}
		return nil, httpapi.InvalidField("sourceText", "is required where there are no urlsToScrape")
	}
	err := s.Agents.ReplaceContent(ctx, who.Account, who.Plan, parley.AgentID(b.ChatbotID), b.ChatbotName, ingest.Content{Text: b.SourceText, URLs: b.URLsToScrape})
	if err != nil {
		return nil, fmt.Errorf("replace a chatbot's content: %w", contentError(err))
	}
	return &ChatbotID{b.ChatbotID}, nil
}
