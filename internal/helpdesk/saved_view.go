package helpdesk

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/store"
)

// maxSavedViews is how many saved views a member may have: their own and the shared ones.
const maxSavedViews = 200

// ViewEditor is who changes saved views.
type ViewEditor struct {
	Account   parley.AccountID
	Member    parley.UserID
	CanManage bool // may change what others have shared
}

// NewSavedView is a saved view that is to be added.
type NewSavedView struct {
	Name     string
	IsShared bool
	Filter   parley.InboxFilter
}

// AddSavedView adds a saved view. Fails with ACCOUNT_NOT_FOUND and VALIDATION_INVALID_BODY.
func (s *Service) AddSavedView(ctx context.Context, by ViewEditor, n NewSavedView) (*parley.SavedView, error) {
	now := s.now()
	v := &parley.SavedView{ID: parley.SavedViewID(parley.NewUUID()), AccountID: by.Account, OwnerID: by.Member,
		IsShared: n.IsShared, Name: n.Name, Filter: n.Filter, CreatedAt: now}
	return v, s.changeAccount(ctx, by.Account, func(tx *store.DB) error {
		if err := s.putSavedView(ctx, tx, v); err != nil {
			return err
		}
		if err := tx.CompleteClaim(ctx, "savedview:"+string(v.ID)); err != nil {
			return err
		}
		return s.recordView(ctx, tx, v, parley.EventSavedViewAdded, v.IsShared)
	})
}

// SavedViewChange is what changes of a saved view; what is nil stays.
type SavedViewChange struct {
	Name     *string
	IsShared *bool
	Filter   *parley.InboxFilter
}

// ChangeSavedView changes a saved view. Fails with NOT_FOUND, with AUTH_INSUFFICIENT_PERMISSIONS of one that somebody
// else has shared, and with VALIDATION_INVALID_BODY.
func (s *Service) ChangeSavedView(ctx context.Context, by ViewEditor, id parley.SavedViewID,
	change SavedViewChange) (v *parley.SavedView, err error) {
	err = s.changeAccount(ctx, by.Account, func(tx *store.DB) error {
		if v, err = by.findView(ctx, tx, id); err != nil {
			return err
		}
		wasShared := v.IsShared
		if change.Name != nil {
			v.Name = *change.Name
		}
		if change.IsShared != nil {
			v.IsShared = *change.IsShared
		}
		if change.Filter != nil {
			v.Filter = *change.Filter
		}
		if err := s.putSavedView(ctx, tx, v); err != nil {
			return err
		}
		return s.recordView(ctx, tx, v, parley.EventSavedViewChanged, wasShared || v.IsShared)
	})
	return v, err
}

// RemoveSavedView removes a saved view. Fails as ChangeSavedView does.
func (s *Service) RemoveSavedView(ctx context.Context, by ViewEditor, id parley.SavedViewID) error {
	return s.changeAccount(ctx, by.Account, func(tx *store.DB) error {
		v, err := by.findView(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := tx.DeleteSavedView(ctx, by.Account, id); err != nil {
			return err
		}
		return s.recordView(ctx, tx, v, parley.EventSavedViewRemoved, v.IsShared)
	})
}

// findView finds a saved view that the editor may change.
func (by ViewEditor) findView(ctx context.Context, tx *store.DB, id parley.SavedViewID) (*parley.SavedView, error) {
	v, err := tx.SavedView(ctx, by.Account, by.Member, id)
	if err == nil && v.OwnerID != by.Member && !by.CanManage {
		err = parley.NewErrorf(parley.CodeInsufficientScope, "Only its maker or an admin may change a shared view.")
	}
	return v, err
}

// putSavedView checks and writes a saved view.
func (s *Service) putSavedView(ctx context.Context, tx *store.DB, v *parley.SavedView) error {
	v.Name, v.UpdatedAt = strings.TrimSpace(parley.StorableText(v.Name)), s.now()
	faults := map[string]string{}
	checkLabel(faults, "name", v.Name)
	if err := parley.InvalidFields(faults); err != nil {
		return err
	}
	list, err := tx.SavedViews(ctx, v.AccountID, v.OwnerID)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(list, func(other parley.SavedView) bool { return other.ID == v.ID })
	if len(others) >= maxSavedViews {
		return parley.Invalid("name", fmt.Sprintf("is one too many: a member has at most %d saved views", maxSavedViews))
	}
	if slices.ContainsFunc(others, func(other parley.SavedView) bool {
		return other.IsShared == v.IsShared && strings.EqualFold(other.Name, v.Name)
	}) {
		return parley.Invalid("name", "is that of another saved view")
	}
	return tx.PutSavedView(ctx, v)
}

// savedViewPayload is the payload of the events of saved views.
type savedViewPayload struct {
	UserID parley.UserID `json:"userId,omitempty"` // who alone has it
}

func (s *Service) recordView(ctx context.Context, tx *store.DB, v *parley.SavedView, kind parley.EventKind,
	isShared bool) error {
	var payload savedViewPayload
	if !isShared {
		payload.UserID = v.OwnerID
	}
	return tx.RecordEvents(ctx, v.AccountID, s.now(), store.NewEvent{Kind: kind, Subject: string(v.ID),
		Payload: payload})
}
