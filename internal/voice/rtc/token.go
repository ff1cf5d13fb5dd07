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

// JoinGrant is who may join which room, and until when.
type JoinGrant struct {
	Room      string
	Identity  string    // at most 256 bytes
	ExpiresAt time.Time // our own port takes the token no longer; a LiveKit of others does, for up to a minute
}

// AgentIdentity is who the agent is in each room. No user has a colon in their id, so none can take its place.
const AgentIdentity = "parley:agent"

// tokenClaims are what a token says, in LiveKit's names.
type tokenClaims struct {
	Issuer    string     `json:"iss"`
	Subject   string     `json:"sub,omitempty"`
	NotBefore int64      `json:"nbf"`
	Expires   int64      `json:"exp"`
	Kind      string     `json:"kind,omitempty"`
	Video     videoGrant `json:"video"`
	URL       string     `json:"url,omitempty"` // ours: where the token is good, for clients that are given nothing else
}

type videoGrant struct {
	RoomCreate bool `json:"roomCreate,omitempty"`

	RoomJoin       bool     `json:"roomJoin,omitempty"`
	Room           string   `json:"room,omitempty"`
	CanPublish     *bool    `json:"canPublish,omitempty"`
	CanSubscribe   *bool    `json:"canSubscribe,omitempty"`
	CanPublishData *bool    `json:"canPublishData,omitempty"`
	PublishSources []string `json:"canPublishSources,omitempty"`
	OwnMetadata    *bool    `json:"canUpdateOwnMetadata,omitempty"`
	Agent          bool     `json:"agent,omitempty"`
}

// joinVideoGrant may publish a microphone and nothing else.
func joinVideoGrant(room string, ownMetadata bool) videoGrant {
	yes := true
	return videoGrant{RoomJoin: true, Room: room, CanPublish: &yes, CanSubscribe: &yes, CanPublishData: &yes,
		PublishSources: []string{"microphone"}, OwnMetadata: &ownMetadata}
}

// UserToken lets a browser into one room, where it can speak, listen and write. It may not change its attributes: the agent's
// state is told by one. The claim "url" names the address to connect to.
func (s *Server) UserToken(p JoinGrant) string {
	return s.signToken(tokenClaims{Subject: p.Identity, Expires: p.ExpiresAt.Unix(), Video: joinVideoGrant(p.Room, false), URL: s.ClientURL})
}

// AgentToken lets the agent into one room, as AgentIdentity unless the pass says otherwise.
func (s *Server) AgentToken(p JoinGrant) string {
	video := joinVideoGrant(p.Room, true)
	video.Agent = true
	return s.signToken(tokenClaims{Subject: cmp.Or(p.Identity, AgentIdentity), Kind: "agent", Expires: p.ExpiresAt.Unix(), Video: video})
}

// adminToken opens and ends rooms; it leaves this process only towards the media server.
func (s *Server) adminToken() string {
	return s.signToken(tokenClaims{Expires: s.Now().Add(time.Minute).Unix(), Video: videoGrant{RoomCreate: true}})
}

// signToken makes a JSON web token of the claims, with HS256.
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

// maxUnixSeconds is the last moment, in Unix seconds, that a token can name: beyond it numbers of JSON are not exact.
const maxUnixSeconds = 1 << 53

// tokenExpiry reads when a token is over, in Unix seconds; 0 where it does not say so in the compact form. Its signature is not looked at.
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
