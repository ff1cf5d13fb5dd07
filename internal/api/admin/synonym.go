package admin

import (
	"context"

	"parley"
	"parley/internal/synonym"
)

// NewSynonyms is a group of words or phrases that are to mean the same to an agent's search.
type NewSynonyms struct {
	AgentID string   `path:"agentId" json:"-"`
	Words   []string `json:"words"`
}

// SynonymGroups are the groups of an agent.
type SynonymGroups struct {
	Groups [][]string `json:"groups"`
}

func (s *Service) proposeSynonyms(ctx context.Context, in AgentRef) (synonym.Proposals, error) {
	account, agent, err := s.findOwner(ctx, in.ID)
	if err != nil {
		return synonym.Proposals{}, err
	}
	p, err := s.Synonyms.Propose(ctx, account, agent)
	if err != nil {
		return synonym.Proposals{}, err
	}
	return *p, nil
}

func (s *Service) acceptSynonyms(ctx context.Context, in NewSynonyms) (SynonymGroups, error) {
	account, agent, err := s.findOwner(ctx, in.AgentID)
	if err != nil {
		return SynonymGroups{}, err
	}
	plan, _ := s.Accounts.Plans.Plan(account.Plan) // synonyms are part of every plan
	groups, err := s.Synonyms.Accept(ctx, parley.Caller{Account: *account, Plan: plan}, agent, in.Words)
	s.applyChange()
	return SynonymGroups{groups}, err
}
