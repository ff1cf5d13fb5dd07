package rtc

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// JoinGrant says who may join which room, and until when.
type JoinGrant struct {
	Room      string
	Identity  string    // at most 256 bytes
	ExpiresAt time.Time // Proxy refuses the token from then on; another LiveKit server accepts it for up to a minute more
}

// AgentIdentity is the agent's identity in every room. No user's id has a colon, so that none can take its place.
const AgentIdentity = "parley:agent"

// tokenClaims are the claims of a token, as LiveKit names them.
type tokenClaims struct {
	Issuer    string     `json:"iss"`
	Subject   string     `json:"sub,omitempty"`
	NotBefore int64      `json:"nbf"`
	Expires   int64      `json:"exp"`
	Kind      string     `json:"kind,omitempty"`
	Video     videoGrant `json:"video"`
	URL       string     `json:"url,omitempty"` // ours: where to connect, for clients that get only the token
}

// videoGrant is what a token allows, as LiveKit names it; what is left out is not allowed.
type videoGrant struct {
	RoomCreate bool   `json:"roomCreate,omitempty"`
	RoomJoin   bool   `json:"roomJoin,omitempty"`
	Room       string `json:"room,omitempty"`
	// without any of these, everything may be published and subscribed to
	CanPublish           *bool    `json:"canPublish,omitempty"`
	CanSubscribe         *bool    `json:"canSubscribe,omitempty"`
	CanPublishData       *bool    `json:"canPublishData,omitempty"`
	CanPublishSources    []string `json:"canPublishSources,omitempty"`
	CanUpdateOwnMetadata *bool    `json:"canUpdateOwnMetadata,omitempty"`
	Agent                bool     `json:"agent,omitempty"` // it may join as an agent
}

// joinVideoGrant returns a grant to join a room and to publish a microphone and nothing else. An agent may change its
// own attributes.
func joinVideoGrant(room string, isAgent bool) videoGrant {
	return videoGrant{RoomJoin: true, Room: room, CanPublish: new(true), CanSubscribe: new(true),
		CanPublishData: new(true), CanPublishSources: []string{"microphone"}, CanUpdateOwnMetadata: &isAgent,
		Agent: isAgent}
}

// UserToken returns a token with which a browser can join one room, speak, listen and write. It may not change its
// attributes, since the agent's state is one. The claim "url" is the address to connect to.
func (s *Server) UserToken(p JoinGrant) string {
	return s.signToken(tokenClaims{Subject: p.Identity, Expires: p.ExpiresAt.Unix(),
		Video: joinVideoGrant(p.Room, false), URL: s.ClientURL})
}

// AgentToken returns a token with which the agent can join one room, as AgentIdentity unless the grant names another
// identity.
func (s *Server) AgentToken(p JoinGrant) string {
	return s.signToken(tokenClaims{Subject: cmp.Or(p.Identity, AgentIdentity), Kind: "agent",
		Expires: p.ExpiresAt.Unix(), Video: joinVideoGrant(p.Room, true)})
}

// adminToken returns a token that may create and delete rooms; it is sent to the media server only.
func (s *Server) adminToken() string {
	return s.signToken(tokenClaims{Expires: s.Now().Add(time.Minute).Unix(), Video: videoGrant{RoomCreate: true}})
}

// signToken returns the claims as a JSON web token, signed with HS256.
func (s *Server) signToken(c tokenClaims) string {
	key, secret := s.credentials()
	c.Issuer, c.NotBefore = key, s.Now().Unix()
	body, _ := json.Marshal(c) // strings, numbers and booleans
	text := encodeBase64([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encodeBase64(body)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return text + "." + encodeBase64(mac.Sum(nil))
}

func encodeBase64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// maxUnixSeconds is the latest time, in Unix seconds, that a token can name: beyond it numbers of JSON are not exact.
const maxUnixSeconds = 1 << 53

// tokenExpiry returns when a token expires, in Unix seconds; 0 if it is not in the compact form or does not say. It
// does not check the signature.
func tokenExpiry(token string) int64 {
	parts := strings.Split(strings.Join(strings.Fields(token), ""), ".")
	if len(parts) != 3 {
		return 0
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return 0
	}
	var c struct {
		Expires float64 `json:"exp"`
	}
	if json.Unmarshal(body, &c) != nil || c.Expires < 0 || c.Expires > maxUnixSeconds {
		return 0
	}
	return int64(c.Expires)
}
