package v2

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/voice"
)

// NewVoiceSession asks for a voice session.
type NewVoiceSession struct {
	AgentRef
	Body NewVoiceSessionBody
}

// NewVoiceSessionBody is the body of a new voice session (interface 4.9). Null is as good as absent.
type NewVoiceSessionBody struct {
	ConversationID httpapi.Opt[string] `json:"conversationId,omitzero" id:"uuid" nullable:"true" doc:"The session goes on with this conversation, and the agent with what was said in it."`
	UserID         httpapi.Opt[string] `json:"userId,omitzero" nullable:"true" max:"128" pattern:"^[A-Za-z0-9._-]*$" doc:"The end user, by your own id. Without it, it is the conversation's, or one is made for this session."`
	Timezone       httpapi.Opt[string] `json:"timezone,omitzero" nullable:"true" min:"1" max:"64" default:"UTC" doc:"IANA time zone of the end user, such as Europe/Berlin."`
}

// VoiceSession is what a browser needs to talk to the agent (interface 2.7).
type VoiceSession struct {
	ParticipantToken   string `json:"participantToken" doc:"For this one session, and expires with it; safe to give to a browser."`
	SessionID          string `json:"sessionId" format:"uuid"`
	RoomName           string `json:"roomName"`
	MaxDurationSeconds int64  `json:"maxDurationSeconds" min:"1" doc:"The longest call, from when the end user joins."`
	ConversationID     string `json:"conversationId" format:"uuid"`
	UserID             string `json:"userId"`
}

func (s *server) createVoiceSession(ctx context.Context, c *httpapi.Call, in *NewVoiceSession) (*Data[VoiceSession], error) {
	zone := in.Body.Timezone.Ptr()
	if zone != nil && !isTimeZone(*zone) {
		return nil, parley.Invalid("timezone", "must be an IANA time zone, such as Europe/Berlin")
	}
	ask := voice.SessionRequest{Timezone: stringOrEmpty(zone), UserID: parley.EndUserID(stringOrEmpty(in.Body.UserID.Ptr()))}
	if id := in.Body.ConversationID.Ptr(); id != nil {
		ask.ContinueConversation, ask.ConversationID = true, parley.ConversationID(*id)
	}
	who := callerOf(c)
	opened, err := s.Voice.Start(ctx, who.Account, who.Plan, parley.AgentID(in.AgentID), ask)
	if err != nil {
		return nil, err
	}
	return newVoiceSession(opened), nil
}

func newVoiceSession(o *voice.AdmittedSession) *Data[VoiceSession] {
	return &Data[VoiceSession]{VoiceSession{
		ParticipantToken: o.Token, SessionID: string(o.ID), RoomName: o.Room(), MaxDurationSeconds: int64(o.MaxDuration / time.Second),
		ConversationID: string(o.ConversationID), UserID: string(o.UserID),
	}}
}

// isTimeZone reports whether there is a time zone of the name. "Local" is the server's own and nobody else's, and so is what else some systems
// keep beside the zones.
func isTimeZone(name string) bool {
	if slices.Contains([]string{"Local", "localtime", "posixrules", "Factory"}, name) || strings.HasPrefix(name, "posix/") || strings.HasPrefix(name, "right/") {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

func stringOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (s *server) replayVoiceSession(ctx context.Context, c *httpapi.Call, in any, did effect) (any, error) {
	asked := in.(*NewVoiceSession)
	opened, err := s.Voice.ReissueToken(ctx, callerOf(c).Account.ID, parley.AgentID(asked.AgentID), parley.VoiceSessionID(did.id))
	if err != nil {
		return nil, err
	}
	return newVoiceSession(opened), nil
}
