package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

// FirstUserMessage returns the first message of the user in a conversation; nil where there is none.
func (db *DB) FirstUserMessage(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) (*parley.Message, error) {
	return db.userMessage(ctx, account, agent, conversation, "asc")
}

// LastUserMessage returns the newest message of the user in a conversation; nil where there is none.
func (db *DB) LastUserMessage(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) (*parley.Message, error) {
	return db.userMessage(ctx, account, agent, conversation, "desc")
}

func (db *DB) userMessage(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, order string) (*parley.Message, error) {
	m, err := scanMessage(db.sql.QueryRow(ctx, `select `+messageColumns+` from messages where conversation_id = ? and agent_id = ? and account_id = ? and author = 'user'
		and type = 'reply' and superseded_at is null order by seq `+order+` limit 1`, conversation, agent, account))
	if sqldb.IsNotFound(err) {
		return nil, nil
	}
	return m, err
}

// LeadOfConversation returns the newest lead with an e-mail address that a conversation has left; nil where there is none.
func (db *DB) LeadOfConversation(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) (*parley.Lead, error) {
	l, err := sqldb.One(ctx, db.sql, scanLead, `select `+leadColumns+` from leads where conversation_id = ? and agent_id = ? and account_id = ? and email <> ''
		order by created_at desc, id desc limit 1`, conversation, agent, account)
	if sqldb.IsNotFound(err) {
		return nil, nil
	}
	return &l, err
}
