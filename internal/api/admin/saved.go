package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/search"
	"parley/internal/store"
)

// SavedReply is a text that members of an account write to customers with.
type SavedReply struct {
	ID        string    `json:"savedReplyId"`
	Name      string    `json:"name"`
	Text      string    `json:"text"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// FieldDocs returns the docs that are too long for tags.
func (SavedReply) FieldDocs() map[string]string {
	return map[string]string{
		"text": "Placeholders stand for names: {{customer.name}}, {{agent.name}} and {{member.name}}. What follows a | is " +
			"written where there is no name: {{customer.name|there}}.",
	}
}

// SavedReplyList is what an account has of saved replies.
type SavedReplyList struct {
	SavedReplies []SavedReply `json:"savedReplies" doc:"By their names."`
}

// NewSavedReply is a saved reply that is to be added.
type NewSavedReply struct {
	AccountID string `path:"accountId" json:"-"`
	Name      string `json:"name" max:"100"`
	Text      string `json:"text" max:"10000"`
}

// SavedReplyRef names a saved reply.
type SavedReplyRef struct {
	AccountID string `path:"accountId" json:"-"`
	ID        string `path:"savedReplyId" json:"-"`
}

// SavedReplyChange says what a saved reply is to be; nil stays.
type SavedReplyChange struct {
	SavedReplyRef
	Name *string `json:"name,omitempty" max:"100"`
	Text *string `json:"text,omitempty" max:"10000"`
}

func newSavedReply(r *parley.SavedReply) SavedReply {
	return SavedReply{ID: string(r.ID), Name: r.Name, Text: r.Text, UpdatedAt: r.UpdatedAt}
}

func (s *Service) listSavedReplies(ctx context.Context, in InboxAccount) (SavedReplyList, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return SavedReplyList{}, err
	}
	list, err := s.DB.SavedReplies(ctx, account)
	return SavedReplyList{httpapi.ConvertList(list, newSavedReply)}, err
}

func (s *Service) addSavedReply(ctx context.Context, in NewSavedReply) (SavedReply, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return SavedReply{}, err
	}
	r, err := s.Helpdesk.AddSavedReply(ctx, account, in.Name, in.Text)
	if err != nil {
		return SavedReply{}, err
	}
	return newSavedReply(r), nil
}

func (s *Service) changeSavedReply(ctx context.Context, in SavedReplyChange) (SavedReply, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return SavedReply{}, err
	}
	r, err := s.Helpdesk.ChangeSavedReply(ctx, account, parley.SavedReplyID(in.ID),
		helpdesk.SavedReplyChange{Name: in.Name, Text: in.Text})
	if err != nil {
		return SavedReply{}, err
	}
	return newSavedReply(r), nil
}

func (s *Service) removeSavedReply(ctx context.Context, in SavedReplyRef) (NoOutput, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return NoOutput{}, err
	}
	return NoOutput{}, s.Helpdesk.RemoveSavedReply(ctx, account, parley.SavedReplyID(in.ID))
}

// SavedView is a filter of the inbox under a name.
type SavedView struct {
	ID        string          `json:"savedViewId"`
	Name      string          `json:"name"`
	IsShared  bool            `json:"shared" doc:"All members of the account have it."`
	CanChange bool            `json:"canChange" doc:"The member may change and remove it."`
	Filter    SavedViewFilter `json:"filter"`
	Gone      []string        `json:"gone" item:"enum=agentId|memberId" doc:"What the filter names that is no more."`
	UpdatedAt time.Time       `json:"updatedAt"`
}

// SavedViewFilter is what a saved view narrows the inbox by. What is left out narrows nothing.
type SavedViewFilter struct {
	View             string `json:"view,omitempty" enum:"waiting,mine,unassigned,unread,snoozed,live,ended,all"`
	AgentID          string `json:"agentId,omitempty" max:"100"`
	MemberID         string `json:"memberId,omitempty" max:"100" doc:"Who answers."`
	Order            string `json:"order,omitempty" enum:"active,longest" doc:"As of the inbox."`
	Query            string `json:"query,omitempty" max:"512"`
	Source           string `json:"source,omitempty" max:"200"`
	Sentiment        string `json:"sentiment,omitempty" max:"50"`
	Feedback         string `json:"feedback,omitempty" max:"50"`
	Topic            string `json:"topic,omitempty" max:"200"`
	Escalated        string `json:"escalated,omitempty" max:"10"`
	Tool             string `json:"tool,omitempty" max:"200"`
	ToolOutcome      string `json:"toolOutcome,omitempty" max:"50"`
	Procedure        string `json:"procedure,omitempty" max:"200"`
	ProcedureOutcome string `json:"procedureOutcome,omitempty" max:"50"`
	HasVoice         string `json:"hasVoice,omitempty" max:"10"`
	StartDate        string `json:"startDate,omitempty" max:"10"`
	EndDate          string `json:"endDate,omitempty" max:"10"`
}

func newSavedViewFilter(f parley.InboxFilter) SavedViewFilter {
	return SavedViewFilter{View: f.View, AgentID: string(f.AgentID), MemberID: string(f.MemberID), Query: f.Query,
		Source: f.Source, Sentiment: f.Sentiment, Feedback: f.Feedback, Topic: f.Topic, Escalated: f.Escalated,
		Tool: f.Tool, ToolOutcome: f.ToolOutcome, Procedure: f.Procedure, ProcedureOutcome: f.ProcedureOutcome,
		HasVoice: f.HasVoice, StartDate: f.StartDate, EndDate: f.EndDate, Order: f.Order}
}

func (f *SavedViewFilter) stored() parley.InboxFilter {
	return parley.InboxFilter{View: f.View, AgentID: parley.AgentID(f.AgentID), MemberID: parley.UserID(f.MemberID),
		Query: f.Query, Source: f.Source, Sentiment: f.Sentiment, Feedback: f.Feedback, Topic: f.Topic,
		Escalated: f.Escalated, Tool: f.Tool, ToolOutcome: f.ToolOutcome, Procedure: f.Procedure,
		ProcedureOutcome: f.ProcedureOutcome, HasVoice: f.HasVoice, StartDate: f.StartDate, EndDate: f.EndDate,
		Order: f.Order}
}

// SavedViewList is what a member has of saved views: their own and the shared ones.
type SavedViewList struct {
	SavedViews []SavedView `json:"savedViews" doc:"By their names."`
}

// NewSavedView is a saved view that is to be added.
type NewSavedView struct {
	AccountID string          `path:"accountId" json:"-"`
	Name      string          `json:"name" max:"100"`
	IsShared  bool            `json:"shared"`
	Filter    SavedViewFilter `json:"filter"`
}

// SavedViewRef names a saved view.
type SavedViewRef struct {
	AccountID string `path:"accountId" json:"-"`
	ID        string `path:"savedViewId" json:"-"`
}

// SavedViewChange says what a saved view is to be; nil stays.
type SavedViewChange struct {
	SavedViewRef
	Name     *string          `json:"name,omitempty" max:"100"`
	IsShared *bool            `json:"shared,omitempty"`
	Filter   *SavedViewFilter `json:"filter,omitempty"`
}

// viewEditor returns who changes saved views of an account.
func (s *Service) viewEditor(account parley.AccountID) helpdesk.ViewEditor {
	return helpdesk.ViewEditor{Account: account, Member: parley.UserID(s.author()),
		CanManage: s.member == nil || access.May(s.member.Role, parley.PermissionHelpdeskWrite)}
}

func (s *Service) newSavedView(v *parley.SavedView) SavedView {
	by := s.viewEditor(v.AccountID)
	isWriter := s.member == nil || access.May(s.member.Role, parley.PermissionConversationsWrite)
	return SavedView{ID: string(v.ID), Name: v.Name, IsShared: v.IsShared,
		CanChange: isWriter && (by.CanManage || v.OwnerID == by.Member), Filter: newSavedViewFilter(v.Filter),
		Gone: []string{}, UpdatedAt: v.UpdatedAt}
}

func (s *Service) listSavedViews(ctx context.Context, in InboxAccount) (SavedViewList, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return SavedViewList{}, err
	}
	list, err := s.DB.SavedViews(ctx, account, parley.UserID(s.author()))
	if err != nil {
		return SavedViewList{}, err
	}
	out := SavedViewList{httpapi.ConvertList(list, s.newSavedView)}
	for i := range out.SavedViews {
		if out.SavedViews[i].Gone, err = s.findGone(ctx, account, list[i].Filter); err != nil {
			return SavedViewList{}, err
		}
	}
	return out, nil
}

// findGone names what a filter narrows by that is no more.
func (s *Service) findGone(ctx context.Context, account parley.AccountID, f parley.InboxFilter) ([]string, error) {
	missing := []string{}
	if f.AgentID != "" {
		err := s.DB.CheckAgent(ctx, account.AgentRef(f.AgentID), s.Now())
		if parley.IsCode(err, parley.CodeAgentNotFound) {
			missing, err = append(missing, "agentId"), nil
		}
		if err != nil {
			return nil, err
		}
	}
	if f.MemberID != "" {
		_, err := s.DB.Member(ctx, account, f.MemberID, parley.CodeMemberNotFound)
		if parley.IsCode(err, parley.CodeMemberNotFound) {
			missing, err = append(missing, "memberId"), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return missing, nil
}

func (s *Service) addSavedView(ctx context.Context, in NewSavedView) (SavedView, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return SavedView{}, err
	}
	v, err := s.Helpdesk.AddSavedView(ctx, s.viewEditor(account),
		helpdesk.NewSavedView{Name: in.Name, IsShared: in.IsShared, Filter: in.Filter.stored()})
	if err != nil {
		return SavedView{}, err
	}
	return s.newSavedView(v), nil
}

func (s *Service) changeSavedView(ctx context.Context, in SavedViewChange) (SavedView, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return SavedView{}, err
	}
	change := helpdesk.SavedViewChange{Name: in.Name, IsShared: in.IsShared}
	if in.Filter != nil {
		filter := in.Filter.stored()
		change.Filter = &filter
	}
	v, err := s.Helpdesk.ChangeSavedView(ctx, s.viewEditor(account), parley.SavedViewID(in.ID), change)
	if err != nil {
		return SavedView{}, err
	}
	return s.newSavedView(v), nil
}

func (s *Service) removeSavedView(ctx context.Context, in SavedViewRef) (NoOutput, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return NoOutput{}, err
	}
	return NoOutput{}, s.Helpdesk.RemoveSavedView(ctx, s.viewEditor(account), parley.SavedViewID(in.ID))
}

// InboxMemberList is who may answer customers.
type InboxMemberList struct {
	Members []InboxMember `json:"members" doc:"The longest standing first."`
}

func (s *Service) listInboxMembers(ctx context.Context, in InboxAccount) (out InboxMemberList, err error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return out, err
	}
	list, err := s.DB.Members(ctx, account)
	out.Members = []InboxMember{}
	for i := range list {
		if access.May(list[i].Role, parley.PermissionConversationsWrite) {
			out.Members = append(out.Members, InboxMember{string(list[i].User.ID), list[i].User.Name})
		}
	}
	return out, err
}

// MemberFile is a file that a member has uploaded, to be sent with a reply or a note.
type MemberFile struct {
	ID        string `json:"fileId"`
	Name      string `json:"name"`
	MediaType string `json:"mediaType" doc:"Told by the content."`
	Size      int64  `json:"size" doc:"Bytes."`
}

// NewMemberFile is an upload of one file.
type NewMemberFile struct {
	AgentID string `path:"agentId" json:"-"`
	Upload  *httpapi.Upload
}

// MemberFileRef names a file that was uploaded and not sent.
type MemberFileRef struct {
	AgentID string `path:"agentId" json:"-"`
	ID      string `path:"fileId" json:"-"`
}

// memberFileForm is one file of up to 10 MB.
var memberFileForm = &httpapi.Form{RequiredPart: "file", MinFileBytes: 1, MaxFileBytes: helpdesk.MaxVisitorFile,
	FileDescription: "A file of any kind, 1 byte to 10 MB."}

func (s *Service) uploadMemberFile(ctx context.Context, in NewMemberFile) (MemberFile, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return MemberFile{}, err
	}
	if in.Upload == nil || in.Upload.File == nil {
		return MemberFile{}, parley.Invalid("file", "is required")
	}
	f := in.Upload.File
	stored, err := s.Helpdesk.AddMemberFile(ctx, ref, parley.UserID(s.author()),
		helpdesk.File{Name: f.Name, Path: f.Path, Size: f.Size, Hash: f.Hash})
	if err != nil {
		return MemberFile{}, err
	}
	return MemberFile{ID: string(stored.ID), Name: stored.Name, MediaType: stored.MediaType, Size: stored.Size}, nil
}

func (s *Service) removeMemberFile(ctx context.Context, in MemberFileRef) (NoOutput, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return NoOutput{}, err
	}
	return NoOutput{}, s.Helpdesk.RemoveMemberFile(ctx, ref, parley.UserID(s.author()), parley.AttachmentID(in.ID))
}

// findMemberFiles returns the files that the member who writes has uploaded before.
func (s *Service) findMemberFiles(ctx context.Context, ref parley.AgentRef, ids []string) ([]parley.Attachment, error) {
	list := httpapi.ConvertList(ids, func(id *string) parley.AttachmentID { return parley.AttachmentID(*id) })
	return s.Helpdesk.FindMemberFiles(ctx, ref, parley.UserID(s.author()), list)
}

// NewReadMark says that the member has read a conversation, or marks it as unread.
type NewReadMark struct {
	ID       string `path:"conversationId" json:"-"`
	IsUnread bool   `json:"unread"`
	Seen     int64  `json:"seen,omitempty" min:"0" doc:"The number of the newest entry that the member has seen."`
}

// ReadMarkResult says whether a conversation is unread for the member.
type ReadMarkResult struct {
	IsUnread bool `json:"unread" doc:"It stays so where the customer has written something that was not seen."`
}

func (s *Service) saveReadMark(ctx context.Context, in NewReadMark) (ReadMarkResult, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return ReadMarkResult{}, err
	}
	isRead, member := false, parley.UserID(s.author())
	if in.IsUnread {
		err = s.Conversations.MarkUnread(ctx, ref, member)
	} else {
		isRead, err = s.Conversations.MarkRead(ctx, ref, member, in.Seen)
	}
	if parley.IsCode(err, parley.CodeResourceNotFound) { // it has just been deleted
		err = parley.NewError(parley.CodeConversationNotFound)
	}
	return ReadMarkResult{!isRead}, err
}

// UnreadQuery asks which of some conversations are unread.
type UnreadQuery struct {
	AccountID string   `path:"accountId" json:"-"`
	IDs       []string `query:"conversationIds" max:"100"`
}

// UnreadConversation is a conversation that is unread for the member who asks.
type UnreadConversation struct {
	ID string `json:"conversationId"`
}

// listUnread lists those of the conversations that are unread. Those that are gone are not.
func (s *Service) listUnread(ctx context.Context, in UnreadQuery) ([]UnreadConversation, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return nil, err
	}
	ids := httpapi.ConvertList(in.IDs, func(id *string) parley.ConversationID { return parley.ConversationID(*id) })
	list, err := s.DB.AccountConversations(ctx, account, ids)
	if err != nil {
		return nil, err
	}
	unread, err := s.findUnread(ctx, account, list)
	found := []UnreadConversation{}
	for _, id := range in.IDs {
		if unread[parley.ConversationID(id)] {
			found = append(found, UnreadConversation{id})
		}
	}
	return found, err
}

// keepsReadMarks reports whether whoever asks answers customers: for others nothing is unread.
func (s *Service) keepsReadMarks() bool {
	return s.member == nil || access.May(s.member.Role, parley.PermissionConversationsWrite)
}

// findUnread returns which of some conversations of an account are unread for the member who asks.
func (s *Service) findUnread(ctx context.Context, account parley.AccountID,
	list []parley.Conversation) (map[parley.ConversationID]bool, error) {
	unread := map[parley.ConversationID]bool{}
	if !s.keepsReadMarks() {
		return unread, nil
	}
	ids := httpapi.ConvertList(list, func(c *parley.Conversation) parley.ConversationID { return c.ID })
	marks, err := s.DB.ReadMarks(ctx, account, parley.UserID(s.author()), ids)
	if err != nil {
		return nil, err
	}
	for i := range list {
		unread[list[i].ID] = marks[list[i].ID].IsUnread(&list[i])
	}
	return unread, nil
}

// InboxSearch asks for those of an account's conversations that a search of all agents, or of one, finds. What is left
// out narrows nothing.
type InboxSearch struct {
	AccountID        string `path:"accountId" json:"-"`
	AgentID          string `query:"agentId" doc:"Leaves the conversations with one agent."`
	Query            string `query:"query" max:"512"`
	Source           string `query:"source"`
	Sentiment        string `query:"sentiment"`
	Topic            string `query:"topic"`
	Feedback         string `query:"feedback"`
	Escalated        string `query:"escalated" enum:"true"`
	Tool             string `query:"tool"`
	ToolOutcome      string `query:"toolOutcome"`
	Procedure        string `query:"procedure"`
	ProcedureOutcome string `query:"procedureOutcome"`
	HasVoice         string `query:"hasVoice" enum:"true,false"`
	StartDate        string `query:"startDate"`
	EndDate          string `query:"endDate"`
	Cursor           string `query:"cursor" doc:"The cursor of the page before."`
	Limit            int    `query:"limit" min:"1" max:"25" default:"25" doc:"Most items on the page."`
}

// FieldDocs returns the docs that are too long for tags.
func (InboxSearch) FieldDocs() map[string]string {
	return map[string]string{
		"query": "Words of messages or of the title, each of which must be there, or the beginning of the customer's " +
			"name or e-mail address.",
	}
}

// FoundRow is a conversation that a search has found.
type FoundRow struct {
	InboxRow
	Snippet []SnippetPart `json:"snippet" doc:"Joined, an excerpt of the best message; empty without one."`
}

// SnippetPart is a part of an excerpt.
type SnippetPart struct {
	Text  string `json:"text"`
	IsHit bool   `json:"hit" doc:"It is one of the words that were asked for."`
}

// FoundRowPage is one page of what a search has found.
type FoundRowPage struct {
	Data       []FoundRow `json:"data" doc:"With words the best first, else the last active."`
	Pagination Pagination `json:"pagination"`
	Withheld   int        `json:"withheld" doc:"Agents whose words are not searched: they mask personal data."`
}

func (in *InboxSearch) searchQuery() search.Query {
	return search.Query{WithoutTrials: true, Text: in.Query, Source: in.Source, Sentiment: in.Sentiment, Topic: in.Topic,
		Feedback: in.Feedback, Escalated: in.Escalated, Tool: in.Tool, ToolOutcome: in.ToolOutcome,
		Procedure: in.Procedure, ProcedureOutcome: in.ProcedureOutcome, HasVoice: in.HasVoice, StartDate: in.StartDate,
		EndDate: in.EndDate, Limit: in.Limit, Cursor: in.Cursor}
}

func (s *Service) searchInbox(ctx context.Context, in InboxSearch) (FoundRowPage, error) {
	id, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return FoundRowPage{}, err
	}
	account, err := s.DB.Account(ctx, id)
	if err != nil {
		return FoundRowPage{}, err
	}
	page, err := s.findConversations(ctx, account, &in)
	if err != nil {
		return FoundRowPage{}, err
	}
	rows, err := s.newInboxRows(ctx, id,
		httpapi.ConvertList(page.Hits, func(h *search.Hit) parley.Conversation { return h.Conversation }))
	if err != nil {
		return FoundRowPage{}, err
	}
	out := FoundRowPage{Data: make([]FoundRow, len(rows)), Withheld: page.Withheld,
		Pagination: Pagination{Cursor: page.Cursor, HasMore: page.Cursor != nil}}
	for i := range rows {
		out.Data[i] = FoundRow{rows[i], newSnippetParts(page.Hits[i].Snippet)}
	}
	return out, nil
}

// findConversations searches the conversations of all agents, or of one.
func (s *Service) findConversations(ctx context.Context, account *parley.Account,
	in *InboxSearch) (*search.AgentsPage, error) {
	query := in.searchQuery()
	query.ByCustomer = s.member == nil || access.SeesPersonalData(*s.member) // what is found would tell what is masked
	if in.AgentID == "" {
		return s.Search.FindAll(ctx, account, query)
	}
	agent, err := s.DB.Agent(ctx, account.ID.AgentRef(parley.AgentID(in.AgentID)), s.Search.Now())
	if err != nil {
		return nil, err
	}
	page, err := s.Search.Find(ctx, account, agent, query)
	if err != nil {
		return nil, err
	}
	return &search.AgentsPage{Page: *page}, nil
}

func newSnippetParts(snippet *search.Snippet) []SnippetPart {
	parts := []SnippetPart{}
	if snippet != nil {
		for _, part := range snippet.Highlights {
			parts = append(parts, SnippetPart{part.Value, part.Hit})
		}
	}
	return parts
}

// removePersonal removes what a member of an account alone has: drafts, read marks and saved views.
func removePersonal(ctx context.Context, tx *store.DB, account parley.AccountID, user parley.UserID) error {
	if err := tx.DeleteDraftsOf(ctx, account, user); err != nil {
		return err
	}
	if err := tx.DeleteReadMarksOf(ctx, account, user); err != nil {
		return err
	}
	return tx.DeletePrivateViews(ctx, account, user)
}
