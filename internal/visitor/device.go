package visitor

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"

	"github.com/google/uuid"

	"parley"
	"parley/internal/contact"
	"parley/internal/sqldb"
)

// Device is an installation of an app, which names itself by an id that nobody else knows, and the user who is signed
// in there, if the app shows one.
type Device struct {
	ID    string
	Token string // HS256 JWT of the user; empty for nobody
}

// OfDevice returns the visitor that a device is. The same device with another user, or with none, is another visitor.
// admitNew is asked before a new visitor is written. Fails with AUTH_IDENTITY_REFUSED where the token is not accepted.
func (s *Service) OfDevice(ctx context.Context, agent *parley.Agent, d Device,
	admitNew func() error) (*parley.Visitor, error) {
	v := s.newVisitor(agent.Ref(), "", "")
	if d.Token != "" {
		id, err := Proof{Token: d.Token}.check(s.secrets(agent), s.Now())
		if err != nil {
			return nil, err
		}
		v.UserID = id.userID
	}
	v.ID = s.deviceVisitor(agent.ID, d.ID, v.UserID)
	found, err := s.findDevice(ctx, v)
	if err != nil || found != nil {
		return found, err
	}
	if err := admitNew(); err != nil {
		return nil, err
	}
	if err := s.DB.CreateVisitor(ctx, v); sqldb.IsDuplicate(err) { // another request was faster
		return s.findDevice(ctx, v)
	} else if err != nil {
		return nil, err
	}
	return v, nil
}

func (s *Service) findDevice(ctx context.Context, v *parley.Visitor) (*parley.Visitor, error) {
	found, err := s.DB.FindVisitor(ctx, v.AccountID.AgentRef(v.AgentID), v.ID)
	if err != nil || found == nil {
		return nil, err
	}
	if now := s.Now(); now.Sub(found.LastSeenAt) > seenInterval {
		err = s.DB.TouchVisitor(ctx, found, now)
	}
	return found, err
}

// deviceVisitor returns the id of a device's visitor. The device's own id cannot be told from it.
func (s *Service) deviceVisitor(agent parley.AgentID, device string, user parley.EndUserID) parley.VisitorID {
	mac := hmac.New(sha256.New, s.Key)
	mac.Write([]byte("device\x00" + string(agent) + "\x00" + device + "\x00" + string(user)))
	id := uuid.UUID(mac.Sum(nil)[:uuidBytes])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // a random UUID, version 4
	return parley.VisitorID(id.String())
}

// Verify returns who a proof shows a user to be, and stores what it says besides as the contact's. Fails as Identify
// does.
func (s *Service) Verify(ctx context.Context, agent *parley.Agent, p Proof) (parley.EndUserID, error) {
	id, err := p.check(s.secrets(agent), s.Now())
	if err != nil {
		return "", err
	}
	if id.isNamed {
		_, err = s.Contacts.Put(ctx, agent.Ref(), []contact.Change{id.contact})
	}
	return id.userID, err
}
