package helpdesk

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// maxSavedReplies is how many saved replies an account may have.
const maxSavedReplies = 500

// Placeholders lists what stands in saved replies for names that are known once one is used.
func Placeholders() []string { return []string{"customer.name", "agent.name", "member.name"} }

// placeholderPattern is a placeholder, such as {{customer.name}}, or {{customer.name|there}}, which says what is
// written where there is no name.
var placeholderPattern = regexp.MustCompile(`\{\{([^{}|]*)(\|[^{}]*)?\}\}`)

// checkPlaceholders returns what is wrong with the placeholders of a text; empty if nothing is.
func checkPlaceholders(text string) string {
	for _, found := range placeholderPattern.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(Placeholders(), strings.TrimSpace(found[1])) {
			return fmt.Sprintf("has an unknown placeholder %s; there are {{%s}}", found[0],
				strings.Join(Placeholders(), "}}, {{"))
		}
	}
	if strings.Contains(placeholderPattern.ReplaceAllString(text, ""), "{{") {
		return "has {{ without a placeholder behind it"
	}
	return ""
}

func checkSavedReply(r *parley.SavedReply) error {
	faults := map[string]string{}
	checkLabel(faults, "name", r.Name)
	size := utf8.RuneCountInString(r.Text)
	if problem := checkPlaceholders(r.Text); problem != "" {
		faults["text"] = problem
	}
	if size > MaxReply || strings.TrimSpace(r.Text) == "" {
		faults["text"] = fmt.Sprintf("must have 1 to %d characters", MaxReply)
	}
	return parley.InvalidFields(faults)
}

// AddSavedReply adds a saved reply with a name and a text to an account. Fails with ACCOUNT_NOT_FOUND and
// VALIDATION_INVALID_BODY.
func (s *Service) AddSavedReply(ctx context.Context, account parley.AccountID,
	name, text string) (*parley.SavedReply, error) {
	now := s.now()
	r := &parley.SavedReply{ID: parley.SavedReplyID(parley.NewUUID()), AccountID: account, Name: name, Text: text,
		CreatedAt: now}
	return r, s.writeSavedReply(ctx, r, now, parley.EventSavedReplyAdded, func(*store.DB) error { return nil })
}

// SavedReplyChange is what changes of a saved reply; what is nil stays.
type SavedReplyChange struct{ Name, Text *string }

// ChangeSavedReply changes a saved reply. Fails with NOT_FOUND and VALIDATION_INVALID_BODY.
func (s *Service) ChangeSavedReply(ctx context.Context, account parley.AccountID, id parley.SavedReplyID,
	change SavedReplyChange) (*parley.SavedReply, error) {
	r := &parley.SavedReply{ID: id, AccountID: account}
	return r, s.writeSavedReply(ctx, r, s.now(), parley.EventSavedReplyChanged, func(tx *store.DB) error {
		current, err := tx.SavedReply(ctx, account, id)
		if err != nil {
			return err
		}
		*r = *current
		if change.Name != nil {
			r.Name = *change.Name
		}
		if change.Text != nil {
			r.Text = *change.Text
		}
		return nil
	})
}

// writeSavedReply writes a saved reply once prepare has run, which is called with the account locked.
func (s *Service) writeSavedReply(ctx context.Context, r *parley.SavedReply, now time.Time, kind parley.EventKind,
	prepare func(*store.DB) error) error {
	return s.changeAccount(ctx, r.AccountID, func(tx *store.DB) error {
		if err := prepare(tx); err != nil {
			return err
		}
		r.Name, r.Text, r.UpdatedAt = strings.TrimSpace(parley.StorableText(r.Name)), parley.StorableText(r.Text), now
		if err := checkSavedReply(r); err != nil {
			return err
		}
		if err := checkOtherReplies(ctx, tx, r); err != nil {
			return err
		}
		if err := tx.PutSavedReply(ctx, r); err != nil {
			return err
		}
		if err := tx.CompleteClaim(ctx, "savedreply:"+string(r.ID)); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, r.AccountID, now, store.NewEvent{Kind: kind, Subject: string(r.ID)})
	})
}

// checkOtherReplies checks that the account has no other saved reply of the name, and not too many.
func checkOtherReplies(ctx context.Context, tx *store.DB, r *parley.SavedReply) error {
	list, err := tx.SavedReplies(ctx, r.AccountID)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(list, func(other parley.SavedReply) bool { return other.ID == r.ID })
	if slices.ContainsFunc(others, func(other parley.SavedReply) bool { return strings.EqualFold(other.Name, r.Name) }) {
		return parley.Invalid("name", "is that of another saved reply")
	}
	if len(others) >= maxSavedReplies {
		return parley.Invalid("name", fmt.Sprintf("is one too many: an account has at most %d saved replies",
			maxSavedReplies))
	}
	return nil
}

// RemoveSavedReply removes a saved reply. Fails with NOT_FOUND.
func (s *Service) RemoveSavedReply(ctx context.Context, account parley.AccountID, id parley.SavedReplyID) error {
	return s.changeAccount(ctx, account, func(tx *store.DB) error {
		if err := tx.DeleteSavedReply(ctx, account, id); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, account, s.now(), store.NewEvent{Kind: parley.EventSavedReplyRemoved,
			Subject: string(id)})
	})
}

// changeAccount runs a change of what belongs to an account as a whole, one after the other.
func (s *Service) changeAccount(ctx context.Context, account parley.AccountID, change func(*store.DB) error) error {
	return s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockAccount(ctx, account); err != nil {
			return err
		}
		return change(tx)
	})
}
