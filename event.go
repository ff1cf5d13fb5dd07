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

	// EventSourceProgress says that the reading of a source goes on. It is recorded now and then, not for each step.
	EventSourceProgress EventKind = "source.progress"

	EventConversationCreated    EventKind = "conversation.created"
	EventConversationPaused     EventKind = "conversation.paused"
	EventConversationResumed    EventKind = "conversation.resumed"
	EventConversationTakenOver  EventKind = "conversation.taken_over"
	EventConversationHandedBack EventKind = "conversation.handed_back"
	EventConversationEnded      EventKind = "conversation.ended"
	EventConversationDeleted    EventKind = "conversation.deleted"
	EventConversationInsight    EventKind = "conversation.insight" // its insight has changed

	// EventConversationSnoozed and EventConversationWoken say that people have put a conversation aside, and that it is
	// back. What else follows conversations has nothing to do with either, so that they name it as their subject alone.
	EventConversationSnoozed EventKind = "conversation.snoozed"
	EventConversationWoken   EventKind = "conversation.woken"

	// EventConversationImported says that a conversation was written that was held elsewhere, with its messages.
	EventConversationImported EventKind = "conversation.imported"

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

	// EventTicketOverdue says that an SLA target of a ticket was missed. There is one of each target of a ticket at most.
	EventTicketOverdue EventKind = "ticket.overdue"

	EventMemberAdded   EventKind = "member.added"
	EventMemberChanged EventKind = "member.changed"
	EventMemberRemoved EventKind = "member.removed"

	EventSavedReplyAdded   EventKind = "saved_reply.added"
	EventSavedReplyChanged EventKind = "saved_reply.changed"
	EventSavedReplyRemoved EventKind = "saved_reply.removed"

	// The payload of the event of a saved view names the member who alone has it, if it is not shared.
	EventSavedViewAdded   EventKind = "saved_view.added"
	EventSavedViewChanged EventKind = "saved_view.changed"
	EventSavedViewRemoved EventKind = "saved_view.removed"

	// EventReadMarkChanged says that a member has read a conversation or marked it as unread. Its payload names the
	// member; its subject is the conversation, of which nothing has changed.
	EventReadMarkChanged EventKind = "read_mark.changed"

	EventModelServerAdded   EventKind = "model_server.added"
	EventModelServerChanged EventKind = "model_server.changed"
	EventModelServerRemoved EventKind = "model_server.removed"
	EventModelServerState   EventKind = "model_server.state" // it has begun to work, or to fail

	// EventLeadsSubmit is the event of a lead that was submitted or completed (docs/interface/webhooks.md#lead-submitted).
	EventLeadsSubmit EventKind = "leads.submit"
	// EventFormsSubmit is the event of a form of the page that a customer has filled in
	// (docs/interface/webhooks.md#form-submitted).
	EventFormsSubmit EventKind = "forms.submit"
)
