package admin

import (
	"context"

	"parley"
)

// ReindexRequest asks for the index of an account's conversations to be built anew.
type ReindexRequest struct {
	AccountID string `json:"accountId"`
	Begin     bool   `json:"begin"` // else what has begun goes on
}

// ReindexState tells how far it is. Somebody has to ask until it is done, unless a server runs.
type ReindexState struct {
	Done  bool  `json:"done"`
	Built int64 `json:"built"` // conversations
	Total int64 `json:"total"`
}

// Reindex works for about a second on the index of an account's conversations; the old one answers meanwhile.
var Reindex = Command[ReindexRequest, ReindexState]{"reindex", false, (*Service).reindex}

func (d *Service) reindex(ctx context.Context, in ReindexRequest) (ReindexState, error) {
	account := parley.AccountID(in.AccountID)
	if _, err := d.DB.Account(ctx, account); err != nil {
		return ReindexState{}, err
	}
	if in.Begin {
		if err := d.Indexer.Rebuild(ctx, account); err != nil {
			return ReindexState{}, err
		}
	}
	is, err := d.Indexer.Build(ctx, account)
	return ReindexState{is.Done, is.Built, is.Total}, err
}
