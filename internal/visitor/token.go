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

// A token names a visitor of one agent. It is "v1." with the visitor's id and the time of issue, and a MAC of these and
// of the agent, in base64 without padding.
const (
	tokenPrefix = "v1."
	uuidBytes   = 16
	timeBytes   = 8
	tokenBytes  = uuidBytes + timeBytes + sha256.Size

	tokenLifetime = parley.VisitorTokenLifetime
	renewAfter    = tokenLifetime / 2
)

// newToken returns a token of the visitor.
func (s *Service) newToken(v *parley.Visitor, now time.Time) (string, error) {
	id, err := uuid.Parse(string(v.ID))
	if err != nil {
		return "", err
	}
	content := binary.BigEndian.AppendUint64(id[:], uint64(now.Unix())) //nolint:gosec // no time before 1970
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(append(content, s.sign(v.AgentID, content)...)), nil
}

// readToken returns the visitor that a token names and when it was issued; ok is false unless this server has issued it
// for the agent and it has not expired.
func (s *Service) readToken(agent parley.AgentID, token string, now time.Time) (id parley.VisitorID, issued time.Time,
	ok bool) {
	text, ok := strings.CutPrefix(token, tokenPrefix)
	all, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil || len(all) != tokenBytes {
		return "", issued, false
	}
	content, mac := all[:uuidBytes+timeBytes], all[uuidBytes+timeBytes:]
	if !hmac.Equal(mac, s.sign(agent, content)) {
		return "", issued, false
	}
	issued = time.Unix(int64(binary.BigEndian.Uint64(content[uuidBytes:])), 0) //nolint:gosec // as it was written
	return parley.VisitorID(uuid.UUID(content[:uuidBytes]).String()), issued, now.Sub(issued) < tokenLifetime
}

func (s *Service) sign(agent parley.AgentID, content []byte) []byte {
	mac := hmac.New(sha256.New, s.Key)
	mac.Write([]byte("visitor token\x00" + string(agent) + "\x00"))
	mac.Write(content)
	return mac.Sum(nil)
}
