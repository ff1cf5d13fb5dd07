package agents

import (
	"context"
	"errors"
	"fmt"

	"parley"
	"parley/internal/ingest"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// CreateWithContent makes an agent together with what it is to read, or nothing at all. Fails with AGENT_LIMIT_REACHED, with
// VALIDATION_INVALID_BODY for addresses that cannot be read (see ingest.NewContent) or with SOURCE_SIZE_LIMIT_EXCEEDED.
func (k *Service) CreateWithContent(ctx context.Context, account parley.Account, plan parley.Plan, n NewAgent, c ingest.Content) (parley.AgentID, error) {
	a := n.Agent(account.ID, k.Now())
	content, err := k.newContent(account, plan, a.ID, c)
	if err != nil {
		return "", err
	}
	err = k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := CheckLimit(ctx, tx, account.ID, plan); err != nil {
			return err
		}
		if err := tx.CreateAgent(ctx, a); err != nil {
			return err
		}
		if err := tx.RecordEvents(ctx, account.ID, a.CreatedAt, store.NewEvent{Kind: "agent.created", AgentID: a.ID, Subject: string(a.ID)}); err != nil {
			return err
		}
		return content.Create(ctx, tx)
	})
	if err != nil {
		return "", err
	}
	return a.ID, nil
}

// ReplaceContent puts content in the place of the texts and links that an agent has, and gives it another name unless name is empty; it does
// all of that or nothing. The old content answers until the new one does. Fails with AGENT_NOT_FOUND and as CreateWhole does.
func (k *Service) ReplaceContent(ctx context.Context, account parley.Account, plan parley.Plan, id parley.AgentID, name string, c ingest.Content) error {
	if err := k.DB.ShareLockAgent(ctx, account.ID, id); err != nil {
		return err
	}
	content, err := k.newContent(account, plan, id, c)
	if err != nil {
		return err
	}
	now := k.Now()
	return k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		err := tx.UpdateAgent(ctx, account.ID, id, func(a *parley.Agent) error {
			return ApplyChange(a, plan, now, func(a *parley.Agent) error {
				if name != "" {
					a.Name = name
				}
				return nil
			})
		})
		if err == nil {
			err = tx.RecordEvents(ctx, account.ID, now, store.NewEvent{Kind: "agent.updated", AgentID: id, Subject: string(id)})
		}
		if err != nil && !errors.Is(err, ErrUnchanged) {
			return err
		}
		return content.Replace(ctx, tx)
	})
}

func (k *Service) newContent(account parley.Account, plan parley.Plan, id parley.AgentID, c ingest.Content) (*ingest.NewContent, error) {
	if k.Ingest == nil {
		return nil, fmt.Errorf("agents: there is nobody to read content")
	}
	return k.Ingest.NewContent(account, plan, id, c)
}
