package openai

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// Model is an agent. Name is ours; some clients show it in place of the id.
type Model struct {
	ID      string `json:"id"`
	Object  string `json:"object" enum:"model"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
	Name    string `json:"name"`
}

// Models are all agents of an account.
type Models struct {
	Object string  `json:"object" enum:"list"`
	Data   []Model `json:"data"`
}

// ModelRequest names a model.
type ModelRequest struct {
	Model string `path:"model"`
}

// owner is who has made the models, as clients show it.
const owner = "parley"

// modelBatchSize is how many agents are read at a time.
const modelBatchSize = 100

func newModel(a *parley.Agent) Model {
	return Model{ID: string(a.ID), Object: "model", Created: a.CreatedAt.Unix(), OwnedBy: owner, Name: a.Name}
}

// listModels lists all agents in one reply, as clients expect it. The account's plan bounds their number.
func (s *server) listModels(ctx context.Context, c *call, _ *httpapi.NoInput) (*Models, error) {
	all := &Models{Object: "list", Data: []Model{}}
	for request := (parley.PageRequest{Limit: modelBatchSize}); ; {
		page, err := s.DB.Agents(ctx, callerOf(c).Account.ID, s.Now(), request)
		if err != nil {
			return nil, fmt.Errorf("list models: %w", err)
		}
		for i := range page.Items {
			all.Data = append(all.Data, newModel(&page.Items[i]))
		}
		if request.After = page.Next; page.Next == nil {
			return all, nil
		}
	}
}

func (s *server) retrieveModel(ctx context.Context, c *call, in *ModelRequest) (*Model, error) {
	agent, err := s.DB.Agent(ctx, callerOf(c).AgentRef(parley.AgentID(in.Model)), s.Now())
	if err != nil {
		return nil, err
	}
	model := newModel(agent)
	return &model, nil
}
