// Package person exports and erases what an account holds of one person, by their e-mail address or by the id that the
// client has given them.
package person

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

// Service exports and erases. Its functions are those of other services.
type Service struct {
	DB  *store.DB
	Now func() time.Time

	// MarkKey is the key of the marks that stand for people in the audit chain. It stays in the installation.
	MarkKey []byte

	// DeleteConversations deletes conversations of an agent: nothing finds them any more, and their rows are erased later.
	DeleteConversations func(ctx context.Context, ref parley.AgentRef, ids []parley.ConversationID,
		idle *time.Time) (int, error)
	// ReadFile returns the bytes of a stored file.
	ReadFile func(ctx context.Context, blob *store.Blob) ([]byte, error)
	// DeleteUnusedFiles deletes the files of an agent that nothing refers to.
	DeleteUnusedFiles func(ctx context.Context, ref parley.AgentRef) error
	// ForgetWords has the words of conversations that are about to be erased leave what automatic topics are found by.
	ForgetWords func(ctx context.Context, ref parley.AgentRef, ids []parley.ConversationID) error
	// PurgeSearch has the words of what was deleted leave the index of searches.
	PurgeSearch func(ctx context.Context, account parley.AccountID) error
}

// Who names a person of an account. One of the two may be empty.
type Who struct {
	Account parley.AccountID
	Email   string
	UserID  string // the client's own id
	Actor   string // who asks, for the audit chain
}

func (w Who) check() error {
	if strings.TrimSpace(w.Email) == "" && w.UserID == "" {
		return parley.Invalid("email", "must be there, or userId")
	}
	return nil
}

func (w Who) keys() store.PersonKeys {
	return store.NewPersonKeys(strings.TrimSpace(w.Email), w.UserID)
}

// mark returns what stands for a person in the audit chain. It tells people apart and does not say who they are: nobody
// without the key can tell whether it is that of somebody whom they guess.
func (s *Service) mark(w Who) string {
	mac := hmac.New(sha256.New, s.MarkKey)
	mac.Write([]byte("person in the audit log\x00" + string(w.Account) + "\x00" +
		strings.ToLower(strings.TrimSpace(w.Email)) + "\x00" + w.UserID))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// findKeys returns by what the person is known to any agent of the account: whoever is found by an address at one may
// have an id by which another one knows them.
func (s *Service) findKeys(ctx context.Context, w Who) (store.PersonKeys, error) {
	agents, err := s.DB.AgentIDs(ctx, w.Account.AgentRef(""))
	if err != nil {
		return store.PersonKeys{}, err
	}
	keys := w.keys()
	for isMore := true; isMore; {
		isMore = false
		for _, agent := range agents {
			all, err := s.DB.AddPersonKeys(ctx, w.Account.AgentRef(agent), keys)
			if err != nil {
				return store.PersonKeys{}, err
			}
			isMore = isMore || all.Count() > keys.Count()
			keys = all
		}
	}
	return keys, nil
}

// eachAgent calls f with what each agent of the account holds of the person with the keys, and does nothing for the
// others.
func (s *Service) eachAgent(ctx context.Context, account parley.AccountID, keys store.PersonKeys,
	f func(ref parley.AgentRef, d *store.PersonData) error) error {
	agents, err := s.DB.AgentIDs(ctx, account.AgentRef(""))
	if err != nil {
		return err
	}
	for _, agent := range agents {
		ref := account.AgentRef(agent)
		d, err := s.DB.PersonData(ctx, ref, keys)
		if err != nil {
			return err
		}
		if d.IsEmpty() {
			continue
		}
		if err := f(ref, d); err != nil {
			return err
		}
	}
	return nil
}
