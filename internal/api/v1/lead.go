package v1

import (
	"context"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// Lead is a customer who left contact details (docs/interface/contacts.md#leads).
type Lead struct {
	ID        string  `json:"id"`
	Name      *string `json:"name"`
	Email     *string `json:"email"`
	Phone     *string `json:"phone"`
	CreatedAt string  `json:"created_at" doc:"ISO 8601."`
	ChatbotID string  `json:"chatbot_id"`
	AccountID string  `json:"account_id"`
}

// Leads is the reply to get-leads.
type Leads struct {
	CollectedCustomers []Lead `json:"collectedCustomers"`
}

type leadsQuery struct {
	ChatbotID string `query:"chatbotId" required:"true"`
	StartDate string `query:"startDate" doc:"First day, YYYY-MM-DD, UTC."`
	EndDate   string `query:"endDate" doc:"Last day, YYYY-MM-DD, UTC."`
	Page      int    `query:"page" min:"1" max:"1000000" default:"1"`
	Size      int    `query:"size" min:"1" max:"100" default:"10"`
}

func (s *server) listLeads(ctx context.Context, c *call, in *leadsQuery) (*Leads, error) {
	var filter store.LeadFilter
	var err error
	if filter.CreatedFrom, filter.CreatedBefore, err = parseDayRange(in.StartDate, in.EndDate); err != nil {
		return nil, err
	}
	list, err := s.DB.LeadsAtOffset(ctx, agentRef(c, in.ChatbotID), filter, (in.Page-1)*in.Size, in.Size)
	if err != nil {
		return nil, err
	}
	return &Leads{httpapi.ConvertList(list, newLead)}, nil
}

func newLead(l *parley.Lead) Lead {
	return Lead{ID: l.ID, Name: textOrNull(l.Name), Email: textOrNull(l.Email), Phone: textOrNull(l.Phone),
		CreatedAt: formatTime(l.CreatedAt), ChatbotID: string(l.AgentID), AccountID: string(l.AccountID)}
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
