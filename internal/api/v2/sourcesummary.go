package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// SourcesSummary counts an agent's sources by kind (facts 4.11).
type SourcesSummary struct {
	Links           KindSum `json:"links"`
	Files           KindSum `json:"files"`
	QnAs            KindSum `json:"qnas"`
	NotionPages     KindSum `json:"notionPages"`
	Texts           KindSum `json:"texts"`
	ZendeskTickets  KindSum `json:"zendeskTickets"`
	SalesforceCases KindSum `json:"salesforceCases"`
	ShouldRetrain   bool    `json:"shouldRetrain" doc:"A source is on its way in, to a newer version, or out."`
}

// KindSum counts the sources of one kind.
type KindSum struct {
	Count int   `json:"count" min:"0"`
	Size  int64 `json:"size" min:"0" doc:"Bytes."`
}

func (s *server) getSourcesSummary(ctx context.Context, c *httpapi.Call, in *AgentRef) (*SourcesSummary, error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	sums, err := s.DB.SourceSums(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID))
	if err != nil {
		return nil, fmt.Errorf("count sources: %w", err)
	}
	out := &SourcesSummary{}
	of := map[parley.SourceKind]*KindSum{parley.SourceLink: &out.Links, parley.SourceFile: &out.Files, parley.SourceQnA: &out.QnAs, parley.SourceText: &out.Texts}
	for _, sum := range sums {
		if k := of[sum.Kind]; k != nil {
			*k = KindSum{sum.Count, sum.Size}
		}
		out.ShouldRetrain = out.ShouldRetrain || sum.Pending > 0
	}
	return out, nil
}
