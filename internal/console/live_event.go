package console

import (
	"cmp"
	"encoding/json"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// liveKind is what members see of a kind of event.
type liveKind struct {
	name   string // of the event in the stream
	change string // what has happened to what the event names
}

// Names of events in the stream.
const (
	liveAgent        = "agent"
	liveConversation = "conversation"
	liveMember       = "member"
	liveMessage      = "message"
	liveModelServer  = "modelServer"
	livePresence     = "presence"
	liveReadMark     = "readMark"
	liveSavedReply   = "savedReply"
	liveSavedView    = "savedView"
	liveSource       = "source"
	liveTicket       = "ticket"
	liveTraining     = "training"
)

// liveKinds is the one table of what members see of the event log.
var liveKinds = map[parley.EventKind]liveKind{
	parley.EventAgentCreated:           {liveAgent, "created"},
	parley.EventAgentUpdated:           {liveAgent, "changed"},
	parley.EventAgentDeleted:           {liveAgent, "deleted"},
	parley.EventSourceCreated:          {liveSource, "created"},
	parley.EventSourceUpdated:          {liveSource, "changed"},
	parley.EventSourceTrained:          {liveSource, "trained"},
	parley.EventSourceFailed:           {liveSource, "failed"},
	parley.EventSourceDeleted:          {liveSource, "deleted"},
	parley.EventSourceProgress:         {liveTraining, "progress"},
	parley.EventConversationCreated:    {liveConversation, "created"},
	parley.EventConversationPaused:     {liveConversation, "paused"},
	parley.EventConversationResumed:    {liveConversation, "resumed"},
	parley.EventConversationTakenOver:  {liveConversation, "takenOver"},
	parley.EventConversationHandedBack: {liveConversation, "handedBack"},
	parley.EventConversationEnded:      {liveConversation, "ended"},
	parley.EventConversationDeleted:    {liveConversation, "deleted"},
	parley.EventConversationInsight:    {liveConversation, "insight"},
	parley.EventConversationSnoozed:    {liveConversation, "snoozed"},
	parley.EventConversationWoken:      {liveConversation, "woken"},
	parley.EventConversationImported:   {liveConversation, "created"},
	parley.EventMessageCreated:         {liveMessage, "created"},
	parley.EventMessageFeedback:        {liveMessage, "feedback"},
	parley.EventMessageCut:             {liveMessage, "changed"},
	parley.EventTurnDone:               {liveConversation, "answer"},
	parley.EventTurnFailed:             {liveConversation, "answer"},
	parley.EventTurnInterrupted:        {liveConversation, "answer"},
	parley.EventToolAnswered:           {liveConversation, "tool"},
	parley.EventToolIgnored:            {liveConversation, "tool"},
	parley.EventProcedureEnded:         {liveConversation, "procedure"},
	parley.EventProcedureAbandoned:     {liveConversation, "procedure"},
	parley.EventVoiceStarted:           {liveConversation, "voice"},
	parley.EventVoiceJoined:            {liveConversation, "voice"},
	parley.EventVoiceEnded:             {liveConversation, "voice"},
	parley.EventLeadsSubmit:            {liveConversation, "lead"},
	parley.EventFormsSubmit:            {liveConversation, "form"},
	parley.EventTicketCreated:          {liveTicket, "created"},
	parley.EventTicketUpdated:          {liveTicket, "changed"},
	parley.EventTicketMessage:          {liveTicket, "message"},
	parley.EventTicketOverdue:          {liveTicket, "overdue"},
	parley.EventMemberAdded:            {liveMember, "added"},
	parley.EventMemberChanged:          {liveMember, "changed"},
	parley.EventMemberRemoved:          {liveMember, "removed"},
	parley.EventSavedReplyAdded:        {liveSavedReply, "added"},
	parley.EventSavedReplyChanged:      {liveSavedReply, "changed"},
	parley.EventSavedReplyRemoved:      {liveSavedReply, "removed"},
	parley.EventSavedViewAdded:         {liveSavedView, "added"},
	parley.EventSavedViewChanged:       {liveSavedView, "changed"},
	parley.EventSavedViewRemoved:       {liveSavedView, "removed"},
	parley.EventReadMarkChanged:        {liveReadMark, "changed"},
	parley.EventModelServerAdded:       {liveModelServer, "added"},
	parley.EventModelServerChanged:     {liveModelServer, "changed"},
	parley.EventModelServerRemoved:     {liveModelServer, "removed"},
	parley.EventModelServerState:       {liveModelServer, "state"},
}

// livePermissions is what a role must have to see the events of a name.
var livePermissions = map[string]parley.Permission{
	liveAgent:        parley.PermissionAgentsRead,
	liveConversation: parley.PermissionConversationsRead,
	liveMember:       parley.PermissionMembersRead,
	liveMessage:      parley.PermissionConversationsRead,
	liveModelServer:  parley.PermissionModelsRead,
	liveReadMark:     parley.PermissionConversationsRead,
	liveSavedReply:   parley.PermissionHelpdeskRead,
	liveSavedView:    parley.PermissionConversationsRead,
	liveSource:       parley.PermissionSourcesRead,
	liveTicket:       parley.PermissionTicketsRead,
	liveTraining:     parley.PermissionSourcesRead,
}

// liveEvent is an event as members see it: what has changed, and never what it says.
type liveEvent struct {
	name string

	ID             string                `json:"id"`
	AgentID        parley.AgentID        `json:"agentId,omitempty"`
	ConversationID parley.ConversationID `json:"conversationId,omitempty"`
	Change         string                `json:"change"`
}

// newLiveEvent returns what a member with the role sees of an event, and whether they see it.
func newLiveEvent(e store.Event, user parley.UserID, role parley.Role) (out liveEvent, isVisible bool) {
	kind, known := liveKinds[e.Kind]
	if !known || !access.May(role, livePermissions[kind.name]) {
		return out, false
	}
	if (kind.name == liveSavedView || kind.name == liveReadMark) && !isForMember(e.Payload, user) {
		return out, false
	}
	out = liveEvent{name: kind.name, ID: e.Subject, AgentID: e.AgentID, Change: kind.change}
	switch kind.name {
	case liveConversation: // the subject may be a part of it
		out.ID = cmp.Or(string(e.ConversationID), e.Subject)
	case liveMessage, liveTicket:
		out.ConversationID = e.ConversationID
	case liveSource:
		if site := parentSource(e.Payload); site != "" { // a page is shown with its website
			out.name, out.ID, out.Change = liveTraining, site, "progress"
		}
	}
	return out, true
}

// isForMember reports whether a member may know of a saved view or a read mark: it is theirs, or all have it.
func isForMember(payload string, user parley.UserID) bool {
	var p struct {
		UserID parley.UserID `json:"userId"`
	}
	return json.Unmarshal([]byte(payload), &p) == nil && (p.UserID == "" || p.UserID == user)
}

// parentSource returns the website that the source of an event is a page of; empty if it is no page.
func parentSource(payload string) string {
	var p struct {
		Parent string `json:"parent"`
	}
	if json.Unmarshal([]byte(payload), &p) != nil {
		return ""
	}
	return p.Parent
}

// latestOnly leaves the last of those events that say the same, in their order.
func latestOnly(list []liveEvent) (out []liveEvent) {
	type key struct{ name, id, change string }
	last := map[key]int{}
	for i, e := range list {
		last[key{e.name, e.ID, e.Change}] = i
	}
	for i, e := range list {
		if last[key{e.name, e.ID, e.Change}] == i {
			out = append(out, e)
		}
	}
	return out
}
