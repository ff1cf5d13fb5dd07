package v2

import (
	"context"
	"fmt"
	"strings"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// Exported is a conversation of any origin (docs/interface/export.md#exported-conversations).
type Exported struct {
	Conversation
	Source      string    `json:"source" doc:"Where the conversation began. The list of origins is open."`
	EmbedOrigin *string   `json:"embedOrigin"`
	Messages    []Message `json:"messages,omitempty"`
}

// FieldDocs returns the docs that are too long for tags.
func (Exported) FieldDocs() map[string]string {
	return map[string]string{
		"embedOrigin": "Page, without its query, or site where the agent was embedded when the conversation began.",
		"messages":    "The full history, oldest first; absent with include=summary. Tool calls are without their input.",
	}
}

// ExportQuery selects conversations of all origins (docs/interface/export.md#filters).
type ExportQuery struct {
	AgentRef
	Paging
	ConversationID string   `query:"conversationId" id:"uuid"`
	Include        string   `query:"include" enum:"messages,summary" default:"messages"`
	Source         []string `query:"source" item:"enum=@channel" doc:"Origins, comma-separated."`
	StartDate      string   `query:"startDate"`
	EndDate        string   `query:"endDate" doc:"Created on this day or earlier, or at this time or earlier."`
}

// FieldDocs returns the docs that are too long for tags.
func (ExportQuery) FieldDocs() map[string]string {
	return map[string]string{
		"conversationId": "Only this conversation, whatever the other filters say. An unknown one is an empty page, and " +
			"so is an empty id.",
		"include":   "Whether the messages come along.",
		"startDate": "Created on this day (YYYY-MM-DD, UTC) or later, or at this ISO 8601 time or later.",
	}
}

// exportConversations sends its reply while it reads the messages: a page may be larger than memory.
func (s *server) exportConversations(ctx context.Context, c *call, in *ExportQuery) (*Page[Exported], error) {
	purpose := "export " + in.AgentID
	page, err := s.findExported(ctx, c, in, purpose)
	if err == nil {
		err = s.recordExport(ctx, c, in)
	}
	if err != nil {
		return nil, err
	}
	out := c.StreamJSON()
	out.Text(`{"data":[`)
	for i := range page.Items {
		if i > 0 {
			out.Text(",")
		}
		if err := s.exportConversation(ctx, out, &page.Items[i], in.Include == "messages"); err != nil {
			return nil, out.End(fmt.Errorf("export conversation: %w", err))
		}
	}
	out.Text(`],"pagination":`)
	err = out.Value(s.newPagination(page.Next, page.Total, purpose))
	out.Text("}")
	return nil, out.End(err)
}

// recordExport has the audit chain say that a member exports conversations, once, with the first page. What programs
// read is not in it.
func (s *server) recordExport(ctx context.Context, c *call, in *ExportQuery) error {
	caller := callerOf(c)
	if caller.Member == nil || in.Cursor != "" {
		return nil
	}
	facts := map[string]any{"agent": in.AgentID, "include": in.Include}
	for name, value := range map[string]string{"conversation": in.ConversationID, "startDate": in.StartDate,
		"endDate": in.EndDate, "source": strings.Join(in.Source, ",")} {
		if value != "" {
			facts[name] = value
		}
	}
	return s.DB.AppendAuditEvent(ctx, caller.Account.ID, s.Now(), actorOf(caller), "conversation.export", in.AgentID,
		facts)
}

// findExported returns the conversations of the page.
func (s *server) findExported(ctx context.Context, c *call, in *ExportQuery,
	purpose string) (parley.Page[parley.Conversation], error) {
	account, agent := callerOf(c).Account.ID, parley.AgentID(in.AgentID)
	var page parley.Page[parley.Conversation]
	if in.ConversationID != "" || c.Request.URL.Query().Has("conversationId") {
		conv, err := s.DB.Conversation(ctx, account.AgentRef(agent).ConversationRef(parley.ConversationID(in.ConversationID)))
		if parley.IsCode(err, parley.CodeResourceNotFound) {
			return page, nil
		}
		if err != nil {
			return page, fmt.Errorf("find conversation: %w", err)
		}
		return parley.Page[parley.Conversation]{Items: []parley.Conversation{*conv}, Total: 1}, nil
	}
	request, err := s.pageRequest(in.Paging, purpose)
	if err != nil {
		return page, err
	}
	from, before, err := parseDateRange(in.StartDate, in.EndDate)
	if err != nil {
		return page, err
	}
	filter := store.ConversationFilter{CreatedFrom: from, CreatedBefore: before}
	for _, source := range in.Source {
		filter.Channels = append(filter.Channels, parley.Channel(source))
	}
	if page, err = s.DB.Conversations(ctx, account.AgentRef(agent), filter, request); err != nil {
		return page, fmt.Errorf("list conversations: %w", err)
	}
	return page, nil
}

// exportBatchSize is how many messages are read at once.
const exportBatchSize = 200

// exportConversation writes a conversation. Its messages are read in batches, so that no transaction is open while
// a slow client reads.
func (s *server) exportConversation(ctx context.Context, out *httpapi.JSONStream, conv *parley.Conversation,
	messages bool) error {
	summary := Exported{Conversation: newConversation(conv), Source: string(conv.Channel),
		EmbedOrigin: textOrNull(conv.EmbedOrigin)}
	if !messages {
		return out.Value(summary)
	}
	if err := out.Open(summary); err != nil {
		return err
	}
	out.Text(`,"messages":[`)
	for seq := int64(0); ; {
		messages, err := s.DB.MessagesAfter(ctx, conv.Ref(), seq, exportBatchSize)
		if err != nil || len(messages) == 0 {
			out.Text("]}")
			return err
		}
		for i := range messages {
			if seq != 0 {
				out.Text(",")
			}
			if err := out.Value(s.newExportedMessage(&messages[i])); err != nil {
				return err
			}
			seq = messages[i].Seq
		}
	}
}

// newExportedMessage returns a message without the input of its tool calls.
func (s *server) newExportedMessage(m *parley.Message) Message {
	out := s.newMessage(m)
	for i := range out.Parts {
		out.Parts[i].Input = nil
	}
	return out
}
