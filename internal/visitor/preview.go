package visitor

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"

	"parley"
)

// A preview ticket lets whoever has it see the chat of one agent as it is shown to visitors, also of a private one. It
// is "p1." with the time at which it expires, and a MAC of that and of the agent, in base64 without padding.
const (
	ticketPrefix   = "p1."
	ticketBytes    = timeBytes + sha256.Size
	ticketLifetime = 10 * time.Minute
)

// NewPreviewTicket returns a ticket and when it expires.
func (s *Service) NewPreviewTicket(agent parley.AgentID) (ticket string, expires time.Time) {
	expires = s.Now().Add(ticketLifetime).Truncate(time.Second)
	content := binary.BigEndian.AppendUint64(nil, uint64(expires.Unix())) //nolint:gosec // no time before 1970
	all := append(content, s.signTicket(agent, content)...)
	return ticketPrefix + base64.RawURLEncoding.EncodeToString(all), expires
}

// IsPreviewTicket reports whether a text is a ticket of the agent that has not expired.
func (s *Service) IsPreviewTicket(agent parley.AgentID, ticket string) bool {
	text, ok := strings.CutPrefix(ticket, ticketPrefix)
	all, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil || len(all) != ticketBytes {
		return false
	}
	content, mac := all[:timeBytes], all[timeBytes:]
	expires := time.Unix(int64(binary.BigEndian.Uint64(content)), 0) //nolint:gosec // as it was written
	return hmac.Equal(mac, s.signTicket(agent, content)) && s.Now().Before(expires)
}

func (s *Service) signTicket(agent parley.AgentID, content []byte) []byte {
	mac := hmac.New(sha256.New, s.Key)
	mac.Write([]byte("preview ticket\x00" + string(agent) + "\x00"))
	mac.Write(content)
	return mac.Sum(nil)
}
