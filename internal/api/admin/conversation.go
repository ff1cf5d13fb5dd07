package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/person"
	"parley/internal/store"
)

// ConversationQuery asks for an agent's conversations, newest first.
type ConversationQuery struct {
	AgentID string `path:"agentId"`
	UserID  string `query:"userId"`
	Limit   int    `query:"limit" default:"50" min:"1"` // most of them
}

// Conversation is a conversation as the operator sees it.
type Conversation struct {
	ID           string    `json:"conversationId"`
	AgentID      string    `json:"agentId"`
	Source       string    `json:"source"`
	UserID       string    `json:"userId,omitempty"`
	Status       string    `json:"status"`
	Paused       bool      `json:"paused"`
	Messages     int       `json:"messages"`
	CreatedAt    time.Time `json:"createdAt"`
	LastActivity time.Time `json:"lastActivity"`
}

// StateChange is what an operator does to the state of a conversation.
type StateChange struct {
	ID   string `path:"conversationId" json:"-"`
	Step string `json:"step" enum:"end,takeover,handback"`
}

// HumanReply is what a member of the team writes to a customer.
type HumanReply struct {
	ID     string `path:"conversationId" json:"-"`
	Member string `json:"member"` // e-mail address
	Text   string `json:"text"`
	Seen   int64  `json:"seen,omitempty" min:"0" doc:"The newest message that the member has seen; 0 checks nothing."`

	FileIDs []string `json:"fileIds,omitempty" max:"5" doc:"Uploaded before. Beside them the text may be empty."`
}

// MessageRef names a message.
type MessageRef struct {
	ID string `json:"messageId"`
}

func newConversation(c *parley.Conversation) Conversation {
	return Conversation{
		ID:           string(c.ID),
		AgentID:      string(c.AgentID),
		Source:       string(c.Channel),
		UserID:       string(c.UserID),
		Status:       string(c.Status),
		Paused:       c.Paused,
		Messages:     c.MessageCount,
		CreatedAt:    c.CreatedAt,
		LastActivity: c.UpdatedAt,
	}
}

func (s *Service) listConversations(ctx context.Context, in ConversationQuery) ([]Conversation, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	filter := store.ConversationFilter{User: parley.EndUserID(in.UserID)}
	page, err := s.DB.Conversations(ctx, ref, filter, parley.PageRequest{Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	return httpapi.ConvertList(page.Items, newConversation), nil
}

// findConversation returns the full id of a conversation. It fails with CONVERSATION_NOT_FOUND.
func (s *Service) findConversation(ctx context.Context, id string) (parley.ConversationRef, error) {
	account, agent, err := s.DB.OwnerOfConversation(ctx, parley.ConversationID(id))
	store.SetAuditAccount(ctx, account)
	if err == nil && s.checkAccount(account) != nil {
		return parley.ConversationRef{}, parley.NewError(parley.CodeConversationNotFound)
	}
	return account.AgentRef(agent).ConversationRef(parley.ConversationID(id)), err
}

func (s *Service) moveConversation(ctx context.Context, in StateChange) (Conversation, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return Conversation{}, err
	}
	var c *parley.Conversation
	switch in.Step {
	case "end":
		c, err = s.Conversations.End(ctx, ref, s.author())
	case "takeover":
		c, err = s.takeOver(ctx, ref)
	default: // handback
		c, err = s.Conversations.HandBack(ctx, ref, s.author())
	}
	if err != nil {
		return Conversation{}, err
	}
	return newConversation(c), nil
}

// takeOver hands a conversation over to the member who asks, unless another one answers in it: that is asked of
// claimConversation, which names whom it is taken from. The operator hands it over to whoever comes first.
func (s *Service) takeOver(ctx context.Context, ref parley.ConversationRef) (*parley.Conversation, error) {
	if s.member != nil {
		return s.Conversations.Claim(ctx, ref, s.member.User, "")
	}
	return s.Conversations.TakeOver(ctx, ref, s.author(), "", false)
}

func (s *Service) replyAsHuman(ctx context.Context, in HumanReply) (MessageRef, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return MessageRef{}, err
	}
	member, err := s.findAuthor(ctx, ref.Account, in.Member)
	if err != nil {
		return MessageRef{}, err
	}
	files, err := s.findMemberFiles(ctx, ref.AgentRef, in.FileIDs)
	if err != nil {
		return MessageRef{}, err
	}
	var m *parley.Message
	if in.Seen > 0 {
		m, err = s.Conversations.AddReplyAfter(ctx, ref, member, in.Text, in.Seen, files...)
	} else {
		m, err = s.Conversations.AddHumanReply(ctx, ref, member, in.Text, files...)
	}
	if err != nil {
		return MessageRef{}, err
	}
	return MessageRef{string(m.ID)}, nil
}

// ConversationPath names a conversation in a path.
type ConversationPath struct {
	ID string `path:"conversationId" json:"-"`
}

func (s *Service) tellTyping(ctx context.Context, in ConversationPath) (NoOutput, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return NoOutput{}, err
	}
	s.Conversations.MemberTypes(ref.Account, ref.Conversation)
	return NoOutput{}, nil
}

// Claim asks for a conversation to be answered by the member who asks.
type Claim struct {
	ID     string `path:"conversationId" json:"-"`
	Former string `json:"former,omitempty" doc:"The member, by id, from whom it is taken. Anybody else keeps it."`
}

func (s *Service) claimConversation(ctx context.Context, in Claim) (Conversation, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return Conversation{}, err
	}
	c, err := s.Conversations.Claim(ctx, ref, parley.UserID(s.author()), parley.UserID(in.Former))
	if err != nil {
		return Conversation{}, err
	}
	return newConversation(c), nil
}

// NewAssignee names the member who is to have a conversation.
type NewAssignee struct {
	ID     string `path:"conversationId" json:"-"`
	Member string `json:"memberId" doc:"Who is to answer, by id. Empty: whoever takes it over."`
	Former string `json:"former,omitempty" doc:"The member, by id, from whom it is taken. Anybody else keeps it."`
}

func (s *Service) assignConversation(ctx context.Context, in NewAssignee) (Conversation, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return Conversation{}, err
	}
	to := parley.UserID(in.Member)
	if err := s.checkAnswerer(ctx, ref.Account, to); err != nil {
		return Conversation{}, err
	}
	c, err := s.Conversations.Assign(ctx, ref, chat.Assignment{To: to, Former: parley.UserID(in.Former), By: s.author()})
	if parley.IsCode(err, parley.CodeResourceNotFound) { // it has just been deleted
		err = parley.NewError(parley.CodeConversationNotFound)
	}
	if err != nil {
		return Conversation{}, err
	}
	return newConversation(c), nil
}

// checkAnswerer fails with TEAM_MEMBER_NOT_FOUND for an id that is not of a member who may answer customers. An empty
// one, nobody's, is let through.
func (s *Service) checkAnswerer(ctx context.Context, account parley.AccountID, id parley.UserID) error {
	if id == "" {
		return nil
	}
	m, err := s.DB.Member(ctx, account, id, parley.CodeMemberNotFound)
	if err == nil && access.May(m.Role, parley.PermissionConversationsWrite) {
		return nil
	}
	if err == nil || parley.IsCode(err, parley.CodeMemberNotFound) {
		err = parley.NewErrorf(parley.CodeMemberNotFound, "No member with the id %q may answer customers.", id)
	}
	return err
}

// NewSnooze puts a conversation aside.
type NewSnooze struct {
	ID    string     `path:"conversationId" json:"-"`
	Until *time.Time `json:"until" doc:"At most a year ahead. Null takes it back."`
}

func (s *Service) snoozeConversation(ctx context.Context, in NewSnooze) (Conversation, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return Conversation{}, err
	}
	c, err := s.Conversations.Snooze(ctx, ref, in.Until, s.author())
	if parley.IsCode(err, parley.CodeResourceNotFound) { // it has just been deleted
		err = parley.NewError(parley.CodeConversationNotFound)
	}
	if err != nil {
		return Conversation{}, err
	}
	return newConversation(c), nil
}

// ReplyDraft is what a member has typed and not sent in a conversation.
type ReplyDraft struct {
	Kind      string    `json:"kind" enum:"@ticketWrittenType"`
	Text      string    `json:"text"`
	Seen      int64     `json:"seen" doc:"The number of the newest entry that the member had seen."`
	UpdatedAt time.Time `json:"updatedAt"`
}

// ReplyDraftList is what the member who asks has typed and not sent in a conversation.
type ReplyDraftList struct {
	Drafts []ReplyDraft `json:"drafts" doc:"At most one of each kind."`
}

func (s *Service) listDrafts(ctx context.Context, in ConversationPath) (ReplyDraftList, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return ReplyDraftList{}, err
	}
	list, err := s.DB.Drafts(ctx, ref, parley.UserID(s.author()))
	return ReplyDraftList{httpapi.ConvertList(list, func(d *store.Draft) ReplyDraft {
		return ReplyDraft{Kind: d.Kind, Text: d.Text, Seen: d.Seen, UpdatedAt: d.UpdatedAt}
	})}, err
}

// NewReplyDraft is what is kept in place of the member's earlier draft of its kind.
type NewReplyDraft struct {
	ID   string `path:"conversationId" json:"-"`
	Kind string `json:"kind" enum:"@ticketWrittenType"`
	Text string `json:"text" max:"20000" doc:"Empty: nothing is kept any more."`
	Seen int64  `json:"seen" min:"0"`
}

// ReplyDraftResult says what became of a draft.
type ReplyDraftResult struct {
	IsKept bool `json:"kept" doc:"No draft is kept where the agent masks personal data."`
}

func (s *Service) saveDraft(ctx context.Context, in NewReplyDraft) (ReplyDraftResult, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return ReplyDraftResult{}, err
	}
	isKept, err := s.Conversations.SaveDraft(ctx, ref, store.Draft{UserID: parley.UserID(s.author()), Kind: in.Kind,
		Text: in.Text, Seen: in.Seen})
	if parley.IsCode(err, parley.CodeResourceNotFound) { // it has just been deleted
		err = parley.NewError(parley.CodeConversationNotFound)
	}
	return ReplyDraftResult{isKept}, err
}

// findAuthor finds the member who writes, by e-mail address. Members write in their own names only. Fails with
// TEAM_MEMBER_NOT_FOUND.
func (s *Service) findAuthor(ctx context.Context, account parley.AccountID, email string) (parley.UserID, error) {
	user, err := s.findMember(ctx, account, email, parley.CodeMemberNotFound)
	if s.member != nil && (err == nil || parley.IsCode(err, parley.CodeMemberNotFound)) && user != s.member.User {
		return "", parley.NewErrorf(parley.CodeMemberNotFound, "A member writes in their own name only.")
	}
	return user, err
}

// findMember finds a member of the account by e-mail address. Fails with the code.
func (s *Service) findMember(ctx context.Context, account parley.AccountID, email string,
	otherwise parley.Code) (parley.UserID, error) {
	m, err := s.DB.MemberByEmail(ctx, account, email, otherwise)
	if parley.IsCode(err, otherwise) {
		err = parley.NewErrorf(otherwise, "Nobody in the team of the account %s has the e-mail address %s.", account, email)
	}
	if err != nil {
		return "", err
	}
	return m.User.ID, nil
}

// Selection selects conversations: those with the ids, or those of an agent that belong to a user or have had no
// activity since a time. An agent alone selects nothing.
type Selection struct {
	IDs     []string   `json:"conversationIds,omitempty" max:"1000"`
	AgentID string     `json:"agentId,omitempty"`
	UserID  string     `json:"userId,omitempty"`
	Before  *time.Time `json:"before,omitempty"`
}

// Count is a number of conversations.
type Count struct {
	Conversations int `json:"conversations"`
}

// findSelected finds the agents of the selected ids. It fails with CONVERSATION_NOT_FOUND, naming the first id that
// does not exist.
func (s *Service) findSelected(ctx context.Context, in Selection) (map[parley.AgentRef][]parley.ConversationID, error) {
	found := map[parley.AgentRef][]parley.ConversationID{}
	for _, id := range in.IDs {
		ref, err := s.findConversation(ctx, id)
		if parley.IsCode(err, parley.CodeConversationNotFound) {
			return nil, parley.NewErrorf(parley.CodeConversationNotFound, "There is no conversation %q.", id)
		}
		if err != nil {
			return nil, err
		}
		found[ref.AgentRef] = append(found[ref.AgentRef], ref.Conversation)
	}
	return found, nil
}

// selectionFilter returns the agent and the filter of a selection without ids.
func (s *Service) selectionFilter(ctx context.Context,
	in Selection) (ref parley.AgentRef, f store.ConversationFilter, err error) {
	if in.AgentID == "" || in.UserID == "" && in.Before == nil {
		return ref, f, parley.Invalid("conversationIds", "must be named, or an agent with a user or a date")
	}
	ref, err = s.findAgent(ctx, in.AgentID)
	return ref, store.ConversationFilter{User: parley.EndUserID(in.UserID), IdleSince: in.Before}, err
}

func (s *Service) countConversations(ctx context.Context, in Selection) (Count, error) {
	if len(in.IDs) > 0 {
		found, err := s.findSelected(ctx, in)
		n := 0
		for _, ids := range found {
			n += len(ids)
		}
		return Count{n}, err
	}
	ref, f, err := s.selectionFilter(ctx, in)
	if err != nil {
		return Count{}, err
	}
	n, err := s.DB.CountConversations(ctx, ref, f)
	return Count{n}, err
}

func (s *Service) deleteConversations(ctx context.Context, in Selection) (Count, error) {
	if len(in.IDs) == 0 {
		ref, f, err := s.selectionFilter(ctx, in)
		if err != nil {
			return Count{}, err
		}
		n, err := s.Conversations.DeleteAll(ctx, ref, f)
		return Count{n}, err
	}
	found, err := s.findSelected(ctx, in)
	if err != nil {
		return Count{}, err
	}
	var all Count
	for ref, ids := range found {
		n, err := s.Conversations.Delete(ctx, ref, ids, nil)
		all.Conversations += n
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// PersonQuery names a person of an account, by their e-mail address, by the id that the client has given them, or both.
type PersonQuery struct {
	AccountID string `path:"accountId" json:"-"`
	Email     string `json:"email,omitempty"`
	UserID    string `json:"userId,omitempty"`
}

// PersonExport is what an account holds of a person.
type PersonExport struct {
	Export json.RawMessage `json:"export"`
}

// PersonErased counts what was erased of a person.
type PersonErased struct {
	Conversations int  `json:"conversations"`
	Leads         int  `json:"leads"`
	People        int  `json:"people" doc:"Contacts and customers of tickets."`
	Visitors      int  `json:"visitors"`
	Texts         int  `json:"texts" doc:"Deliveries of webhooks, and replies that were kept."`
	IsComplete    bool `json:"isComplete" doc:"Whether all rows are gone; else the rest is erased soon."`
}

func (s *Service) findPerson(ctx context.Context, in PersonQuery) (person.Who, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	return person.Who{Account: account, Email: in.Email, UserID: in.UserID, Actor: s.actor()}, err
}

func (s *Service) exportPerson(ctx context.Context, in PersonQuery) (PersonExport, error) {
	person, err := s.findPerson(ctx, in)
	if err != nil {
		return PersonExport{}, err
	}
	found, err := s.People.Export(ctx, person)
	if err != nil {
		return PersonExport{}, err
	}
	text, err := json.Marshal(found)
	return PersonExport{text}, err
}

func (s *Service) erasePerson(ctx context.Context, in PersonQuery) (PersonErased, error) {
	person, err := s.findPerson(ctx, in)
	if err != nil {
		return PersonErased{}, err
	}
	out, err := s.People.Erase(ctx, person)
	if err != nil {
		return PersonErased{}, err
	}
	return PersonErased(*out), nil
}

// InboxQuery asks for a page of one of the lists of an account's inbox.
type InboxQuery struct {
	AccountID string `path:"accountId" json:"-"`
	View      string `query:"view" enum:"waiting,mine,unassigned,unread,snoozed,live,ended,all" default:"waiting"`
	AgentID   string `query:"agentId" doc:"With this agent alone."`
	MemberID  string `query:"memberId" doc:"In which this member answers."`
	Order     string `query:"order" enum:"active,longest" default:"active"`
	Paging
}

// FieldDocs returns the docs that are too long for tags.
func (InboxQuery) FieldDocs() map[string]string {
	return map[string]string{
		"view": "waiting: handed over to people, and nobody has answered the customer since; mine: the member answers; " +
			"unassigned: handed over, and nobody answers yet; unread: unread for the member, what has been it for the " +
			"longest time first, in either order; snoozed: put aside until a time, the next one first, in either order; " +
			"live: not ended; ended; all. The first three are without what is put aside.",
		"order": "active: the last active first; longest: those in which the customer waits for a person, the longest " +
			"first.",
	}
}

// InboxRow is a conversation in the inbox.
type InboxRow struct {
	Conversation
	AgentName   string        `json:"agentName"`
	Title       string        `json:"title,omitempty"`
	Customer    string        `json:"customer,omitempty" doc:"Name, e-mail address or your own id, if one is known."`
	ClaimedBy   *InboxMember  `json:"claimedBy" doc:"Who answers; null while nobody of the team does."`
	LastMessage *InboxMessage `json:"lastMessage" doc:"Null where nothing was said yet."`

	WaitingSince *time.Time `json:"waitingSince" doc:"When the customer began to wait for a person; null: they do not."`
	SnoozedUntil *time.Time `json:"snoozedUntil" doc:"Until when it is put aside; null: it is not."`
	IsUnread     bool       `json:"unread" doc:"For the member: not seen, marked so, or given to them by somebody else."`
}

// InboxMember is a member of the team.
type InboxMember struct {
	UserID string `json:"userId"`
	Name   string `json:"name" doc:"Empty of somebody who has left the account."`
}

// InboxMessage is the beginning of a message.
type InboxMessage struct {
	Seq       int64     `json:"seq" doc:"Its number in the conversation."`
	Author    string    `json:"author" enum:"user,assistant,human,system"`
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"createdAt"`
}

// maxInboxText is how many bytes of a message the inbox lists.
const maxInboxText = 200

func (s *Service) listInbox(ctx context.Context, in InboxQuery) (Page[InboxRow], error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return Page[InboxRow]{}, err
	}
	if in.AgentID != "" {
		if _, err := s.findAgent(ctx, in.AgentID); err != nil {
			return Page[InboxRow]{}, err
		}
	}
	if in.MemberID != "" {
		_, err := s.DB.Member(ctx, account, parley.UserID(in.MemberID), parley.CodeMemberNotFound)
		if err != nil {
			return Page[InboxRow]{}, err
		}
	}
	filter := store.InboxFilter{View: store.InboxView(in.View), Member: parley.UserID(s.author()),
		Agent: parley.AgentID(in.AgentID), ClaimedBy: parley.UserID(in.MemberID), LongestFirst: in.Order == "longest"}
	read := func(p parley.PageRequest) (parley.Page[parley.Conversation], error) {
		return s.DB.Inbox(ctx, account, filter, p)
	}
	purpose := []string{"inbox", in.View, s.author(), in.AgentID, in.MemberID, in.Order}
	return readPage(s, in.Paging, purpose, read, func(list []parley.Conversation) ([]InboxRow, error) {
		return s.newInboxRows(ctx, account, list)
	})
}

func (s *Service) newInboxRows(ctx context.Context, account parley.AccountID,
	list []parley.Conversation) ([]InboxRow, error) {
	ids := httpapi.ConvertList(list, func(c *parley.Conversation) parley.ConversationID { return c.ID })
	messages, err := s.DB.LastMessages(ctx, account, ids)
	if err != nil {
		return nil, err
	}
	customers, err := s.DB.CustomersOfConversations(ctx, account, ids)
	if err != nil {
		return nil, err
	}
	names, err := s.DB.SubjectNames(ctx, account, inboxSubjects(list))
	if err != nil {
		return nil, err
	}
	unread, err := s.findUnread(ctx, account, list)
	if err != nil {
		return nil, err
	}
	last := map[parley.ConversationID]*InboxMessage{}
	for i := range messages {
		last[messages[i].ConversationID] = newInboxMessage(&messages[i])
	}
	return httpapi.ConvertList(list, func(c *parley.Conversation) InboxRow {
		person := customers[c.ID]
		row := InboxRow{Conversation: newConversation(c), AgentName: names[string(c.AgentID)], Title: c.Title,
			Customer: cmp.Or(person.Name, person.Email, person.ExternalID), LastMessage: last[c.ID],
			WaitingSince: c.WaitingSince, SnoozedUntil: c.SnoozedUntil, IsUnread: unread[c.ID]}
		if c.Status == parley.ConversationTakenOver && c.ClaimedBy != "" {
			row.ClaimedBy = &InboxMember{string(c.ClaimedBy), names[string(c.ClaimedBy)]}
		}
		return row
	}), nil
}

// inboxSubjects returns the ids of the agents and the members of conversations.
func inboxSubjects(list []parley.Conversation) (ids []string) {
	for i := range list {
		ids = append(ids, string(list[i].AgentID))
		if list[i].ClaimedBy != "" {
			ids = append(ids, string(list[i].ClaimedBy))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func newInboxMessage(m *parley.Message) *InboxMessage {
	text := cmp.Or(m.Text(), parley.FileNames(m.Files()))
	return &InboxMessage{Seq: m.Seq, Author: string(m.Author), Text: parley.ClipBytes(text, maxInboxText),
		CreatedAt: m.CreatedAt}
}

// InboxAccount names the account whose inbox is counted.
type InboxAccount struct {
	AccountID string `path:"accountId" json:"-"`
}

// InboxCounts are the numbers of conversations in the views of the inbox that somebody has to look at.
type InboxCounts struct {
	Waiting    int `json:"waiting" doc:"At most 100, which stands for more as well."`
	Mine       int `json:"mine" doc:"The same."`
	Unassigned int `json:"unassigned" doc:"The same."`
	Unread     int `json:"unread" doc:"The same, for the member who asks."`
}

// maxInboxCount is how far the conversations of a view are counted.
const maxInboxCount = 100

func (s *Service) countInbox(ctx context.Context, in InboxAccount) (out InboxCounts, err error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return out, err
	}
	counts := map[store.InboxView]*int{store.InboxWaiting: &out.Waiting, store.InboxMine: &out.Mine,
		store.InboxUnassigned: &out.Unassigned}
	if s.keepsReadMarks() {
		counts[store.InboxUnread] = &out.Unread
	}
	for view, count := range counts {
		filter := store.InboxFilter{View: view, Member: parley.UserID(s.author())}
		if *count, err = s.DB.CountInbox(ctx, account, filter, maxInboxCount); err != nil {
			return out, err
		}
	}
	return out, nil
}

// ThreadQuery asks for a conversation with a part of what was said in it.
type ThreadQuery struct {
	ID     string `path:"conversationId"`
	Before int64  `query:"before" min:"0" doc:"The number of the first entry that is known; 0 asks for the newest."`
	Limit  int    `query:"limit" min:"1" max:"200" default:"50" doc:"Most entries."`
}

// Thread is a conversation with what was said in it and what happened to it.
type Thread struct {
	InboxRow
	IsAnswering  bool          `json:"answering" doc:"An answer is being written that is no entry yet."`
	HasEarlier   bool          `json:"hasEarlier"`
	Entries      []ThreadEntry `json:"entries" doc:"The oldest first."`
	Person       *Customer     `json:"person" doc:"Null where nobody knows who the customer is."`
	TicketNumber int64         `json:"ticketNumber,omitempty"`
	PageOrigin   string        `json:"pageOrigin,omitempty" doc:"The page that it began on, without the query."`
	PageTitle    string        `json:"pageTitle,omitempty"`
	Language     string        `json:"language,omitempty" doc:"Of that page (BCP 47)."`
}

// ThreadEntry is a message, a note of the team or an event.
type ThreadEntry struct {
	ID           string              `json:"messageId"`
	Seq          int64               `json:"seq"`
	Type         string              `json:"type" enum:"@ticketMessageType" doc:"The customer sees replies alone."`
	Author       string              `json:"author" enum:"user,assistant,human,system"`
	Name         string              `json:"name,omitempty" doc:"Of the member who wrote or did it."`
	State        string              `json:"state" enum:"complete,interrupted,failed"`
	Parts        []parley.Part       `json:"parts" doc:"Without files."`
	Files        []ThreadFile        `json:"files"`
	Event        *parley.TicketEvent `json:"event,omitempty"`
	Feedback     string              `json:"feedback,omitempty" enum:"@rating" name:"Rating"`
	Comment      string              `json:"comment,omitempty" doc:"What the customer wrote of the rating."`
	Score        *float64            `json:"score"`
	AnswerState  parley.AnswerState  `json:"answerState,omitempty"`
	Citations    []parley.Citation   `json:"citations"`
	FinishReason string              `json:"finishReason,omitempty"`
	CreatedAt    time.Time           `json:"createdAt"`
}

// ThreadFile is a file of a message.
type ThreadFile struct {
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`
	Size      int64  `json:"size"`
	Address   string `json:"address,omitempty" doc:"Below the API; left out for whoever is not shown personal data."`
}

func (s *Service) readThread(ctx context.Context, in ThreadQuery) (Thread, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return Thread{}, err
	}
	c, err := s.DB.Conversation(ctx, ref)
	if parley.IsCode(err, parley.CodeResourceNotFound) { // it has just been deleted
		err = parley.NewError(parley.CodeConversationNotFound)
	}
	if err != nil {
		return Thread{}, err
	}
	rows, err := s.newInboxRows(ctx, ref.Account, []parley.Conversation{*c})
	if err != nil {
		return Thread{}, err
	}
	open, err := s.DB.OpenTurn(ctx, ref)
	if err != nil {
		return Thread{}, err
	}
	out := Thread{InboxRow: rows[0], IsAnswering: open != nil, PageOrigin: c.EmbedOrigin, PageTitle: c.EmbedTitle,
		Language: c.EmbedLocale}
	if err := s.addPerson(ctx, ref, &out); err != nil {
		return Thread{}, err
	}
	return out, s.addEntries(ctx, ref, in, &out)
}

// addPerson adds who the customer is, and the ticket of the conversation.
func (s *Service) addPerson(ctx context.Context, ref parley.ConversationRef, out *Thread) error {
	person, err := s.DB.CustomerOfConversation(ctx, ref)
	if err != nil {
		return err
	}
	ticket, err := s.DB.TicketOfConversation(ctx, ref)
	switch {
	case err == nil:
		out.TicketNumber = ticket.Number
		if person == nil {
			person = &ticket.Customer
		}
	case !parley.IsCode(err, parley.CodeTicketNotFound):
		return err
	}
	if person != nil {
		customer := newCustomer(person)
		out.Person = &customer
		out.Customer = cmp.Or(out.Customer, person.Name, person.Email, person.ExternalID)
	}
	return nil
}

func (s *Service) addEntries(ctx context.Context, ref parley.ConversationRef, in ThreadQuery, out *Thread) error {
	ask := store.TicketMessagesRequest{PageRequest: parley.PageRequest{Limit: in.Limit}, Descending: true,
		SkipsTotal: true}
	if in.Before > 0 {
		ask.After = &parley.Cursor{SortValue: in.Before}
	}
	page, err := s.DB.TicketMessages(ctx, ref, ask)
	if err != nil {
		return err
	}
	ids := httpapi.ConvertList(page.Items, func(m *parley.TicketMessage) parley.MessageID { return m.ID })
	files, err := s.DB.Attachments(ctx, ref.AgentRef, ids)
	if err != nil {
		return err
	}
	people, err := s.findDoers(ctx, page.Items)
	if err != nil {
		return err
	}
	out.HasEarlier = page.Next != nil
	out.Entries = httpapi.ConvertList(page.Items, func(m *parley.TicketMessage) ThreadEntry {
		entry := newThreadEntry(m)
		if m.Event != nil {
			entry.Name = people[parley.UserID(m.Event.DoneBy)].Name
		}
		for i := range files {
			if files[i].MessageID == m.ID {
				entry.Files = append(entry.Files, s.newThreadFile(&files[i]))
			}
		}
		return entry
	})
	slices.Reverse(out.Entries)
	return nil
}

func (s *Service) newThreadFile(f *parley.Attachment) ThreadFile {
	return ThreadFile{Name: f.Name, MediaType: f.MediaType, Size: f.Size,
		Address: s.PagesURL + "/api/v2" + s.Helpdesk.AttachmentLink(f.ID)}
}

// findDoers finds the members who have done what events say.
func (s *Service) findDoers(ctx context.Context, list []parley.TicketMessage) (map[parley.UserID]parley.User, error) {
	var ids []parley.UserID
	for i := range list {
		if e := list[i].Event; e != nil && parley.IsUUID(e.DoneBy) {
			ids = append(ids, parley.UserID(e.DoneBy))
		}
	}
	slices.Sort(ids)
	return s.DB.UserNames(ctx, slices.Compact(ids))
}

func newThreadEntry(m *parley.TicketMessage) ThreadEntry {
	out := ThreadEntry{ID: string(m.ID), Seq: m.Seq, Type: m.Type, Author: string(m.Author), State: string(m.State),
		Parts: []parley.Part{}, Files: []ThreadFile{}, Event: m.Event, Feedback: m.Feedback, Comment: m.Comment,
		Score: m.Score, AnswerState: m.AnswerState, Citations: append([]parley.Citation{}, m.Citations...),
		FinishReason: m.FinishReason, CreatedAt: m.CreatedAt}
	for _, p := range m.Parts {
		if p.Type != parley.PartFile {
			out.Parts = append(out.Parts, p)
		}
	}
	if m.Author == parley.AuthorHuman {
		out.Name = m.Sender.Name
	}
	return out
}
