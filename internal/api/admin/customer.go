package admin

import (
	"context"
	"time"

	"parley"
)

// CustomerQuery asks for an agent's customers, newest first.
type CustomerQuery struct {
	AgentID string `path:"agentId"`
	Limit   int    `query:"limit" default:"50" min:"1"` // most of them
}

// Customer is somebody whom an agent's tickets are about.
type Customer struct {
	ID         string    `json:"customerId"`
	Email      string    `json:"email,omitempty"`
	Name       string    `json:"name,omitempty"`
	Phone      string    `json:"phoneNumber,omitempty"`
	ExternalID string    `json:"userId,omitempty"` // the client's own id
	CreatedAt  time.Time `json:"createdAt"`
}

func newCustomer(p *parley.Person) Customer {
	return Customer{
		ID:         string(p.ID),
		Email:      p.Email,
		Name:       p.Name,
		Phone:      p.Phone,
		ExternalID: p.ExternalID,
		CreatedAt:  p.CreatedAt,
	}
}

func (s *Service) listCustomers(ctx context.Context, in CustomerQuery) ([]Customer, error) {
	account, agent, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	page, err := s.DB.People(ctx, account.AgentRef(agent), parley.PageRequest{Limit: in.Limit})
	list := make([]Customer, len(page.Items))
	for i := range page.Items {
		list[i] = newCustomer(&page.Items[i])
	}
	return list, err
}
