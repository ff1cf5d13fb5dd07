package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

// FirstSaid gives the first message of the user in a conversation; nil where there is none.
func (db *DB) FirstSaid(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) (*parley.Message, error) {
	return db.said(ctx, account, agent, conversation, "asc")
}

// LastSaid gives the newest message of the user in a conversation; nil where there is none.
func (db *DB) LastSaid(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) (*parley.Message, error) {
	return db.said(ctx, account, agent, conversation, "desc")
}

func (db *DB) said(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, order string) (*parley.Message, error) {
	m, err := scanMessage(db.sql.QueryRow(ctx, `select `+messageColumns+` from messages where conversation_id = ? and agent_id = ? and account_id = ? and author = 'user'
		and type = 'reply' and superseded_at is null order by seq `+order+` limit 1`, conversation, agent, account))
	if sqldb.NotFound(err) {
		return nil, nil
	}
	return m, err
}

// LeadOf gives the newest lead with an e-mail address that a conversation has left; nil where there is none.
func (db *DB) LeadOf(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) (*parley.Lead, error) {
	l, err := sqldb.One(ctx, db.sql, scanLead, `select `+leadColumns+` from leads where conversation_id = ? and agent_id = ? and account_id = ? and email <> ''
		order by created_at desc, id desc limit 1`, conversation, agent, account)
	if sqldb.NotFound(err) {
		return nil, nil
	}
	return &l, err
}
