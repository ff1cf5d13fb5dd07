package chatapi

import (
	"context"
	"time"

	"parley"
	"parley/internal/api/looks"
	"parley/internal/api/once"
	"parley/internal/httpapi"
	"parley/internal/visitor"
	"parley/internal/voice"
)

// VoiceRequest asks for a voice session.
type VoiceRequest struct {
	AgentPath
	Body VoiceBody
}

// VoiceBody is the body of a request for a voice session.
type VoiceBody struct {
	ConversationID httpapi.Opt[string] `json:"conversationId,omitzero" id:"uuid" nullable:"true"`
	Timezone       httpapi.Opt[string] `json:"timezone,omitzero" nullable:"true" min:"1" max:"64" default:"UTC"`
	Page           httpapi.Opt[string] `json:"page,omitzero" nullable:"true" max:"2000"`
	Mode           httpapi.Opt[string] `json:"mode,omitzero" enum:"bubble,iframe,stage,help" name:"FrameMode"`
}

// VoiceSession is what a browser needs to join a session.
type VoiceSession struct {
	ParticipantToken   string `json:"participantToken"`
	SessionID          string `json:"sessionId" format:"uuid"`
	RoomName           string `json:"roomName"`
	MaxDurationSeconds int64  `json:"maxDurationSeconds" min:"1"`
	ConversationID     string `json:"conversationId" format:"uuid"`
	UserID             string `json:"userId"`
}

func (s *server) startVoice(ctx context.Context, c *call, in *VoiceRequest) (*Data[VoiceSession], error) {
	from, body := callerOf(c), &in.Body
	if !isVoiceShown(from.agent) {
		return nil, parley.NewError(parley.CodeVoiceNotAvailable)
	}
	if err := s.countMessage(from); err != nil {
		return nil, err
	}
	request := voice.SessionRequest{Timezone: body.Timezone.Value, Visitor: from.visitor,
		Channel: channels[body.Mode.Value], EmbedOrigin: visitor.PageAddress(body.Page.Value)}
	if _, err := time.LoadLocation(request.Timezone); err != nil || request.Timezone == "Local" {
		return nil, parley.Invalid("timezone", "must be an IANA time zone, such as Europe/Berlin")
	}
	conv, err := s.findOptionalConversation(ctx, from, body.ConversationID)
	if err != nil {
		return nil, err
	}
	if conv != nil {
		request.ContinueConversation, request.ConversationID = true, conv.ID
	} else if err := checkPage(from.agent, body.Page.Value); err != nil {
		return nil, err
	}
	session, err := s.Voice.Start(ctx, from.Caller, from.agent.ID, request)
	if err != nil {
		return nil, err
	}
	return newVoiceSession(session), nil
}

// replayVoice returns the session that the request has begun, with a new token.
func (s *server) replayVoice(ctx context.Context, c *call, _ any, done once.Effect) (any, error) {
	session, err := s.Voice.ReissueToken(ctx, callerOf(c).agent.Ref(), parley.VoiceSessionID(done.ID))
	if err != nil {
		return nil, err
	}
	return newVoiceSession(session), nil
}

func newVoiceSession(session *voice.AdmittedSession) *Data[VoiceSession] {
	return &Data[VoiceSession]{VoiceSession{ParticipantToken: session.Token, SessionID: string(session.ID),
		RoomName: session.Room(), MaxDurationSeconds: int64(session.MaxDuration / time.Second),
		ConversationID: string(session.ConversationID), UserID: string(session.UserID)}}
}

// isShown reports whether the chat or center stage of an agent shows a part that companies switch on.
func isShown(agent *parley.Agent, inChat func(*looks.ChatStyles) *bool, onStage func(*looks.StageStyles) bool) bool {
	styles := frameStyles(agent)
	return *inChat(&styles.Chat) || styles.CenterStage != nil && onStage(styles.CenterStage)
}

// areFilesShown reports whether visitors of the agent may send files.
func areFilesShown(agent *parley.Agent) bool {
	return isShown(agent, func(c *looks.ChatStyles) *bool { return c.ShowAttachments },
		func(c *looks.StageStyles) bool { return c.ShowAttachments })
}

// isVoiceShown reports whether visitors may speak with the agent, as far as the agent's settings tell.
func isVoiceShown(agent *parley.Agent) bool {
	return agent.Voice != nil && isShown(agent, func(c *looks.ChatStyles) *bool { return c.ShowVoiceMode },
		func(c *looks.StageStyles) bool { return c.ShowVoiceMode })
}

// isDictationShown reports whether visitors of the agent may dictate.
func (s *server) isDictationShown(agent *parley.Agent) bool {
	return s.Dictation.Transcriber != nil && isShown(agent, func(c *looks.ChatStyles) *bool { return c.ShowDictation },
		func(c *looks.StageStyles) bool { return c.ShowDictation })
}
