package visitor

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley"
)

// A token names a visitor of one agent. It is a prefix with the visitor's id and the time of issue, and a MAC of all
// these and of the agent, in base64 without padding. The prefix tells whether the site has shown who the visitor is.
const (
	strangerPrefix = "v1."
	userPrefix     = "u1."

	uuidBytes  = 16
	timeBytes  = 8
	tokenBytes = uuidBytes + timeBytes + sha256.Size

	tokenLifetime = parley.VisitorTokenLifetime
	renewAfter    = tokenLifetime / 2
)

// newToken returns a token of the visitor.
func (s *Service) newToken(v *parley.Visitor, now time.Time) (string, error) {
	id, err := uuid.Parse(string(v.ID))
	if err != nil {
		return "", err
	}
	prefix := strangerPrefix
	if v.UserID != "" {
		prefix = userPrefix
	}
	content := binary.BigEndian.AppendUint64(id[:], uint64(now.Unix())) //nolint:gosec // no time before 1970
	return prefix + base64.RawURLEncoding.EncodeToString(append(content, s.sign(prefix, v.AgentID, content)...)), nil
}

// KnownVisitor returns the visitor that a token names, where it is one that this server has issued to a user of the
// agent's site. It asks no database: the visitor may have been deleted since.
func (s *Service) KnownVisitor(agent parley.AgentID, token string) (id parley.VisitorID, ok bool) {
	if !strings.HasPrefix(token, userPrefix) {
		return "", false
	}
	id, _, ok = s.readToken(agent, token, s.Now())
	return id, ok
}

// readToken returns the visitor that a token names and when it was issued; ok is false unless this server has issued it
// for the agent and it has not expired.
func (s *Service) readToken(agent parley.AgentID, token string, now time.Time) (id parley.VisitorID, issued time.Time,
	ok bool) {
	prefix := token[:min(len(token), len(userPrefix))]
	all, err := base64.RawURLEncoding.DecodeString(token[len(prefix):])
	if prefix != strangerPrefix && prefix != userPrefix || err != nil || len(all) != tokenBytes {
		return "", issued, false
	}
	content, mac := all[:uuidBytes+timeBytes], all[uuidBytes+timeBytes:]
	if !hmac.Equal(mac, s.sign(prefix, agent, content)) {
		return "", issued, false
	}
	issued = time.Unix(int64(binary.BigEndian.Uint64(content[uuidBytes:])), 0) //nolint:gosec // as it was written
	return parley.VisitorID(uuid.UUID(content[:uuidBytes]).String()), issued, now.Sub(issued) < tokenLifetime
}

// sign returns the MAC of a token's content. What is signed of a stranger's is what it was before there were others.
func (s *Service) sign(prefix string, agent parley.AgentID, content []byte) []byte {
	mac := hmac.New(sha256.New, s.Key)
	label := "visitor token"
	if prefix == userPrefix {
		label = "token of a known visitor"
	}
	mac.Write([]byte(label + "\x00" + string(agent) + "\x00"))
	mac.Write(content)
	return mac.Sum(nil)
}
