package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/httpapi"
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
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	page, err := s.DB.People(ctx, ref, parley.PageRequest{Limit: in.Limit})
	return httpapi.ConvertList(page.Items, newCustomer), err
}
