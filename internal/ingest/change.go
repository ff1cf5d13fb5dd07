package ingest

import (
	"context"
	"errors"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// TextChange is what is to become of a text; nil fields stay.
type TextChange struct {
	Name    *string
	Content *string
}

var errUnchanged = errors.New("ingest: nothing to change")

// ChangeText changes a text. A new content is trained by a job, and the earlier version answers meanwhile; a name that changes
// alone is trained again too, for it stands in the citations. A change that changes nothing leaves no trace, unless the text has
// failed: then it is trained again. Fails with
// AGENT_NOT_FOUND, SOURCE_NOT_FOUND (also for a source that is no text), SOURCE_PENDING_DELETION, SOURCE_DUPLICATE or
// SOURCE_SIZE_LIMIT_EXCEEDED.
func (d *Service) ChangeText(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, id parley.SourceID, change TextChange) (*parley.Source, error) {
	return d.changeSource(ctx, d.textDraft(account, agent, change), id, plan)
}

// changeSource lays a draft onto a source.
func (d *Service) changeSource(ctx context.Context, draft *draft, id parley.SourceID, plan parley.Plan) (*parley.Source, error) {
	var changed *parley.Source
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		var err error
		changed, err = draft.applyTo(ctx, tx, id, plan)
		return err
	})
	if errors.Is(err, errUnchanged) {
		return d.DB.Source(ctx, draft.source.AccountID, draft.source.AgentID, id)
	}
	return changed, err
}

// addSource writes a new source, and says so to a request that may come again.
func (d *Service) addSource(ctx context.Context, draft *draft, plan parley.Plan) (*parley.Source, error) {
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := draft.create(ctx, tx, plan); err != nil {
			return err
		}
		return tx.CompleteClaim(ctx, "source:"+string(draft.source.ID))
	})
	if err != nil {
		return nil, err
	}
	return &draft.source, nil
}

// PutText makes the agent's text of that key what it is to be: it is added when there is none, changed when it differs, and
// left alone when it does not, exactly, however many do so at a time. Fails as AddText and ChangeText do.
func (d *Service) PutText(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, key, name, content string) error {
	draft := d.textDraft(account, agent, TextChange{&name, &content})
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, account.ID, agent); err != nil { // so that two cannot both find none
			return err
		}
		existing, err := tx.SourceByKey(ctx, account.ID, agent, key)
		if err == nil {
			_, err = draft.applyTo(ctx, tx, existing.ID, plan)
			return err
		}
		if !parley.IsCode(err, parley.CodeSourceNotFound) {
			return err
		}
		if err := draft.create(ctx, tx, plan); err != nil {
			return err
		}
		return tx.SetSourceKey(ctx, account.ID, agent, draft.source.ID, key)
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}
