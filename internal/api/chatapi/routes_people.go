package chatapi

import (
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/limits"
	"parley/internal/voice"
)

// Limits of what visitors ask for beside answers, per address and minute.
const (
	leadLimit     = 5
	formLimit     = 20
	handoverLimit = 10
	uploadLimit   = 10 // by visitor, too
	dictateLimit  = 20
	searchLimit   = 30
)

// peopleLimiters count what visitors ask for beside answers.
type peopleLimiters struct {
	leads, forms, handovers, uploads, dictations, searches *limits.Limiter
}

func (cfg Config) newPeopleLimiters() peopleLimiters {
	return peopleLimiters{
		leads:      cfg.newLimiter("leads", leadLimit, time.Minute),
		forms:      cfg.newLimiter("forms", formLimit, time.Minute),
		handovers:  cfg.newLimiter("handovers", handoverLimit, time.Minute),
		uploads:    cfg.newLimiter("uploads", uploadLimit, time.Minute),
		dictations: cfg.newLimiter("dictations", dictateLimit, time.Minute),
		searches:   cfg.newLimiter("searches", searchLimit, time.Minute),
	}
}

// count counts a request of a device for an agent. Fails with RATE_LIMIT_TOO_MANY_REQUESTS.
func (s *server) count(limiter *limits.Limiter, c *caller) error {
	return limiter.Take(string(c.agent.ID)+" "+c.device(), s.Now()).Err()
}

// addPeopleRoutes adds what goes beyond question and answer: forms, people, files and voices.
func (s *server) addPeopleRoutes(g httpapi.Group) {
	s.addFormRoutes(g)
	s.addPersonRoutes(g)
	s.addFileRoutes(g)
	s.addVoiceRoutes(g)
}

func (s *server) addFormRoutes(g httpapi.Group) {
	httpapi.Add(g, "POST /leads", operation{
		Name:         "submitLead",
		Repeatable:   true,
		Summary:      "Leave a name, an e-mail address or a phone number",
		MaxBodyBytes: maxFormBodyBytes,
		Errors:       errorCodes{parley.CodeConversationNotFound},
	}, s.submitLead)

	httpapi.Add(g, "POST /forms/{toolCallId}", operation{
		Name:         "submitForm",
		Summary:      "Send what was filled in in a form of the page",
		MaxBodyBytes: maxFormBodyBytes,
		Errors:       errorCodes{parley.CodeConversationNotFound, parley.CodeToolCallNotFound},
	}, s.submitForm)
}

func (s *server) addPersonRoutes(g httpapi.Group) {
	httpapi.Add(g, "POST /handover", operation{
		Name:         "handOver",
		Repeatable:   true,
		Summary:      "Ask for a person",
		MaxBodyBytes: maxFormBodyBytes,
		Errors: errorCodes{parley.CodeConversationNotFound, parley.CodeNotOngoing, parley.CodeNotFound,
			parley.CodeDomainNotAllowed},
	}, s.handOver)

	httpapi.Add(g, "POST /conversation/{conversationId}/typing", operation{
		Name:       "tellTyping",
		Repeatable: true,
		Summary:    "Show the person who answers that the visitor writes",
		Errors:     errorCodes{parley.CodeConversationNotFound, parley.CodeNotTakenOver},
	}, s.tellTyping)
}

func (s *server) addFileRoutes(g httpapi.Group) {
	httpapi.Add(g, "POST /files", operation{
		Name:       "uploadFile",
		Repeatable: true,
		Summary:    "Upload a file to send with a message",
		Form:       fileForm,
		Errors:     errorCodes{parley.CodeConversationNotFound, parley.CodeNotFound},
	}, s.uploadFile)

	httpapi.Add(g, "GET /files/{fileId}", operation{
		Name:      "getFile",
		Summary:   "Get a file by its address",
		Public:    true,
		Streaming: true,
		Errors:    errorCodes{parley.CodeResourceNotFound},
	}, s.serveFile)
}

func (s *server) addVoiceRoutes(g httpapi.Group) {
	httpapi.Add(g, "POST /voice/sessions", operation{
		Name:         "startVoiceSession",
		Summary:      "Speak with the agent",
		BodyOptional: true,
		Errors: errorCodes{parley.CodeConversationNotFound, parley.CodeVoiceNotAvailable, parley.CodeNotOngoing,
			parley.CodeVoiceCredits, parley.CodeVoiceAgentCredits, parley.CodeVoiceLimit, parley.CodeSessionFailed,
			parley.CodeDomainNotAllowed},
	}, s.startVoice)

	httpapi.Add(g, "POST /dictation", operation{
		Name:         "dictate",
		Repeatable:   true,
		Summary:      "Turn speech into text",
		RawBody:      true,
		MaxBodyBytes: voice.MaxDictationBytes,
		Errors:       errorCodes{parley.CodeNotFound},
	}, s.dictate)
}
