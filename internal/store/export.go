package store

import (
	"context"

	"parley"
)

// maxExportBytes is about how many bytes of messages MessagesAfter gives at once; a single message may be larger.
const maxExportBytes = 1 << 20

// MessagesAfter returns messages of a conversation behind a sequence number, oldest first, at most limit and about a megabyte of
// them: however long a conversation is, whoever reads it to its end holds no more than that. None is the end.
func (db *DB) MessagesAfter(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID, seq int64, limit int) ([]parley.Message, error) {
	rows, err := db.sql.Query(ctx, `select `+messageColumns+` from messages where agent_id = ? and conversation_id = ? and account_id = ? and seq > ?
		and type = 'reply' and superseded_at is null order by seq limit ?`, agent, conversation, account, seq, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []parley.Message
	for bytesRead := 0; bytesRead < maxExportBytes && rows.Next(); {
		m, err := scanMessage(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, *m)
		bytesRead += messageBytes(m)
	}
	return list, rows.Err()
}

// messageBytes is about how many bytes of memory a message takes.
func messageBytes(m *parley.Message) int {
	n := 500 + 250*len(m.Citations)
	for _, p := range m.Parts {
		n += 200 + len(p.Text) + len(p.Input) + len(p.Output)
	}
	return n
}
