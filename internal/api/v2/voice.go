package v2

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/api/once"
	"parley/internal/httpapi"
	"parley/internal/voice"
)

// NewVoiceSessionBody is the body of a new voice session. Null is the same as absent.
type NewVoiceSessionBody struct {
	ConversationID httpapi.Opt[string] `json:"conversationId,omitzero" id:"uuid" nullable:"true"`
	UserID         httpapi.Opt[string] `json:"userId,omitzero" nullable:"true" max:"128" pattern:"^[A-Za-z0-9._-]*$"`
	Timezone       httpapi.Opt[string] `json:"timezone,omitzero" nullable:"true" min:"1" max:"64" default:"UTC"`
}

// FieldDocs returns the docs that are too long for tags.
func (NewVoiceSessionBody) FieldDocs() map[string]string {
	return map[string]string{
		"conversationId": "The session goes on with this conversation, and the agent with what was said in it.",
		"userId": "The end user, by your own id. Without it, it is the conversation's, or one is made for this " +
			"session.",
		"timezone": "IANA time zone of the end user, such as Europe/Berlin.",
	}
}

// VoiceSession is what a browser needs to join a session.
type VoiceSession struct {
	ParticipantToken   string `json:"participantToken"`
	SessionID          string `json:"sessionId" format:"uuid"`
	RoomName           string `json:"roomName"`
	MaxDurationSeconds int64  `json:"maxDurationSeconds" min:"1" doc:"The longest call, from when the end user joins."`
	ConversationID     string `json:"conversationId" format:"uuid"`
	UserID             string `json:"userId"`
}

// FieldDocs returns the docs that are too long for tags.
func (VoiceSession) FieldDocs() map[string]string {
	return map[string]string{
		"participantToken": "For this one session, and expires with it; safe to give to a browser.",
	}
}

func (s *server) createVoiceSession(ctx context.Context, c *call,
	in *AgentRequest[NewVoiceSessionBody]) (*Data[VoiceSession], error) {
	caller := callerOf(c)
	timezone := in.Body.Timezone.Value // empty for null
	if timezone != "" && !isTimeZone(timezone) {
		// The route does not require the agent: the voice service itself counts what it refuses.
		if err := s.checkAgent(ctx, caller, in.AgentID); err != nil {
			return nil, err
		}
		return nil, parley.Invalid("timezone", "must be an IANA time zone, such as Europe/Berlin")
	}
	request := voice.SessionRequest{Timezone: timezone, UserID: parley.EndUserID(in.Body.UserID.Value)}
	if id := in.Body.ConversationID.Ptr(); id != nil {
		request.ContinueConversation, request.ConversationID = true, parley.ConversationID(*id)
	}
	session, err := s.Voice.Start(ctx, caller.Caller, parley.AgentID(in.AgentID), request)
	if err != nil {
		return nil, err
	}
	return newVoiceSession(session), nil
}

func newVoiceSession(o *voice.AdmittedSession) *Data[VoiceSession] {
	return &Data[VoiceSession]{VoiceSession{ParticipantToken: o.Token, SessionID: string(o.ID), RoomName: o.Room(),
		MaxDurationSeconds: int64(o.MaxDuration / time.Second), ConversationID: string(o.ConversationID),
		UserID: string(o.UserID)}}
}

// isTimeZone reports whether name is an IANA time zone. It excludes "Local", the server's own zone, and other files
// that some systems keep in the folder of zones.
func isTimeZone(name string) bool {
	if slices.Contains([]string{"Local", "localtime", "posixrules", "Factory"}, name) ||
		strings.HasPrefix(name, "posix/") || strings.HasPrefix(name, "right/") {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

func (s *server) replayVoiceSession(ctx context.Context, c *call, in any, result once.Effect) (any, error) {
	request := in.(*AgentRequest[NewVoiceSessionBody])
	session, err := s.Voice.ReissueToken(ctx, agentRef(c, request.AgentID), parley.VoiceSessionID(result.ID))
	if err != nil {
		return nil, err
	}
	return newVoiceSession(session), nil
}
