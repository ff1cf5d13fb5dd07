package admin

import (
	"context"

	"parley"
)

// MaintenanceState says whether the service is under maintenance: whether it refuses requests.
type MaintenanceState struct {
	Enabled bool `json:"maintenance"`
}

func (s *Service) getMaintenance(ctx context.Context, _ NoInput) (MaintenanceState, error) {
	isEnabled, err := s.Accounts.Maintenance(ctx)
	return MaintenanceState{isEnabled}, err
}

func (s *Service) setMaintenance(ctx context.Context, in MaintenanceState) (MaintenanceState, error) {
	if err := s.Accounts.SetMaintenance(ctx, in.Enabled); err != nil {
		return MaintenanceState{}, err
	}
	if s.SetMaintenance != nil {
		s.SetMaintenance(in.Enabled)
	}
	return in, nil
}

// ReindexRequest asks for the index of an account's conversations to be rebuilt.
type ReindexRequest struct {
	AccountID string `path:"accountId" json:"-"`
	Begin     bool   `json:"begin"` // else what has begun goes on
}

// ReindexState says how far the index is built. Steps are asked for until it is done, unless a server runs.
type ReindexState struct {
	Done  bool  `json:"done"`
	Built int64 `json:"built"` // conversations
	Total int64 `json:"total"`
}

// reindex works for about a second on the index; the old one answers meanwhile.
func (s *Service) reindex(ctx context.Context, in ReindexRequest) (ReindexState, error) {
	account := parley.AccountID(in.AccountID)
	if _, err := s.DB.Account(ctx, account); err != nil {
		return ReindexState{}, err
	}
	if in.Begin {
		if err := s.Indexer.Rebuild(ctx, account); err != nil {
			return ReindexState{}, err
		}
	}
	state, err := s.Indexer.Build(ctx, account)
	return ReindexState{state.Done, state.Built, state.Total}, err
}
