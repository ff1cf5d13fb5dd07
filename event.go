package parley

// EventKind is the kind of an event in an account's log. The kinds are stored: none is ever renamed.
type EventKind string

// The kinds of events. Where an event has a subject, it is the thing that the kind names first.
const (
	EventAgentCreated EventKind = "agent.created"
	EventAgentUpdated EventKind = "agent.updated"
	EventAgentDeleted EventKind = "agent.deleted"

	EventSourceCreated EventKind = "source.created"
	EventSourceUpdated EventKind = "source.updated"
	EventSourceTrained EventKind = "source.trained"
	EventSourceFailed  EventKind = "source.failed"
	EventSourceDeleted EventKind = "source.deleted"

	EventConversationCreated    EventKind = "conversation.created"
	EventConversationPaused     EventKind = "conversation.paused"
	EventConversationResumed    EventKind = "conversation.resumed"
	EventConversationTakenOver  EventKind = "conversation.taken_over"
	EventConversationHandedBack EventKind = "conversation.handed_back"
	EventConversationEnded      EventKind = "conversation.ended"
	EventConversationDeleted    EventKind = "conversation.deleted"
	EventConversationInsight    EventKind = "conversation.insight" // its insight has changed

	EventMessageCreated  EventKind = "message.created"
	EventMessageFeedback EventKind = "message.feedback"
	EventMessageCut      EventKind = "message.cut" // an answer that was spoken in part only

	EventTurnDone        EventKind = "turn.done" // without an answer that is stored
	EventTurnFailed      EventKind = "turn.failed"
	EventTurnInterrupted EventKind = "turn.interrupted"

	EventToolAnswered       EventKind = "tool.answered"
	EventToolIgnored        EventKind = "tool.ignored"
	EventProcedureEnded     EventKind = "procedure.ended"
	EventProcedureAbandoned EventKind = "procedure.abandoned"

	EventVoiceStarted EventKind = "voice.started"
	EventVoiceJoined  EventKind = "voice.joined"
	EventVoiceEnded   EventKind = "voice.ended"

	EventTicketCreated EventKind = "ticket.created"
	EventTicketUpdated EventKind = "ticket.updated"
	EventTicketMessage EventKind = "ticket.message"

	// EventLeadsSubmit is the event of a lead that was submitted or completed (docs/interface/webhooks.md#lead-submitted).
	EventLeadsSubmit EventKind = "leads.submit"
)
