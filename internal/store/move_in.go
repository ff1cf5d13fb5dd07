package store

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// MoveIn is how far an account has come in taking over what another service holds.
type MoveIn struct {
	ID         string
	AccountID  parley.AccountID
	URL        string // of the service's interface
	Step       int64  // counts what was written
	Walk       MoveInWalk
	AgentsRead bool // all agents are known
	Failures   int  // attempts in a row that failed
	StartedAt  time.Time
	UpdatedAt  time.Time
	FinishedAt *time.Time
}

// MoveInWalk is a place in a list that another service sends page by page.
type MoveInWalk struct {
	Cursor string `json:"cursor,omitempty"` // of the next page; empty for the first
	Pages  int64  `json:"pages,omitempty"`  // that were read
	Empty  int    `json:"empty,omitempty"`  // pages in a row that held nothing
	Items  int64  `json:"items,omitempty"`  // that were on the pages
	Mark   string `json:"mark,omitempty"`   // a cursor that must not come again
}

var moveInTable = newTable("move_ins", func(m *MoveIn) []field {
	return append([]field{
		{"id", &m.ID},
		{"account_id", &m.AccountID},
		{"url", &m.URL},
		{"started_at", timeDest{&m.StartedAt}},
	}, moveInProgress(m)...)
})

func moveInProgress(m *MoveIn) []field {
	return []field{
		{"step", &m.Step},
		{"walk", jsonDest{&m.Walk}},
		{"agents_read", &m.AgentsRead},
		{"failures", &m.Failures},
		{"updated_at", timeDest{&m.UpdatedAt}},
		{"finished_at", timePointerDest{&m.FinishedAt}},
	}
}

// MoveIn finds how far an account has come with a service; nil where it has not begun.
func (db *DB) MoveIn(ctx context.Context, account parley.AccountID, url string) (*MoveIn, error) {
	return moveInTable.findOrNil(ctx, db, `where account_id = ? and url = ?`, account, url)
}

// CreateMoveIn writes one that begins, unless somebody else was first. Fails with ACCOUNT_NOT_FOUND.
func (db *DB) CreateMoveIn(ctx context.Context, m *MoveIn) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		if _, err := tx.LockAccount(ctx, m.AccountID); err != nil {
			return err
		}
		return moveInTable.insert(ctx, tx, ` on conflict do nothing`, m)
	})
}

// SaveMoveIn writes how far one has come and counts the step. It reports false and changes nothing where another step
// was written since this one was read.
func (db *DB) SaveMoveIn(ctx context.Context, m *MoveIn) (bool, error) {
	next := *m
	next.Step++
	n, err := db.update(ctx, "move_ins", moveInProgress(&next), `id = ? and account_id = ? and step = ?`, m.ID,
		m.AccountID, m.Step)
	return n > 0, err
}

// MoveInAgent is an agent of another service and what it has become here.
type MoveInAgent struct {
	ID       string
	MoveInID string
	Ref      parley.AgentRef
	RemoteID string
	Name     string
	Ordinal  int64 // agents are read in this order
	Stage    MoveInStage
	Walk     MoveInWalk // in the list of the stage
	Total    int64      // conversations that the service counts
	Moved    int64      // conversations that were written
	Present  int64      // conversations that were there already
	Deleted  int64      // conversations that were deleted here before
	LeftOut  []MoveInSetting
}

// MoveInSetting is a setting of an agent that could not be taken over.
type MoveInSetting struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// MoveInStage is what is read next of an agent.
type MoveInStage string

// The stages, in their order.
const (
	MoveInSources       MoveInStage = "sources"
	MoveInCount         MoveInStage = "count" // of the conversations
	MoveInConversations MoveInStage = "conversations"
	MoveInDone          MoveInStage = "done"
)

var moveInAgentTable = newTable("move_in_agents", func(a *MoveInAgent) []field {
	return append([]field{
		{"id", &a.ID},
		{"move_in_id", &a.MoveInID},
		{"account_id", &a.Ref.Account},
		{"agent_id", &a.Ref.Agent},
		{"remote_id", &a.RemoteID},
		{"name", &a.Name},
		{"ordinal", &a.Ordinal},
		{"left_out", nullableList(&a.LeftOut)},
	}, moveInAgentProgress(a)...)
})

func moveInAgentProgress(a *MoveInAgent) []field {
	return []field{
		{"stage", &a.Stage},
		{"walk", jsonDest{&a.Walk}},
		{"total", &a.Total},
		{"moved", &a.Moved},
		{"present", &a.Present},
		{"deleted", &a.Deleted},
	}
}

// MoveInAgents lists the agents of a service that are known so far, in the order in which they are read.
func (db *DB) MoveInAgents(ctx context.Context, m *MoveIn) ([]MoveInAgent, error) {
	return moveInAgentTable.list(ctx, db, `
		where move_in_id = ? and account_id = ?
		order by ordinal`, m.ID, m.AccountID)
}

// AddMoveInAgent writes an agent that has just been taken over.
func (db *DB) AddMoveInAgent(ctx context.Context, a *MoveInAgent) error {
	return moveInAgentTable.insert(ctx, db, "", a)
}

// SaveMoveInAgent writes how far an agent has come. One that was erased meanwhile is not written.
func (db *DB) SaveMoveInAgent(ctx context.Context, a *MoveInAgent) error {
	_, err := db.update(ctx, "move_in_agents", moveInAgentProgress(a), `id = ? and account_id = ?`, a.ID, a.Ref.Account)
	return err
}

// RestartMoveInAgents has all agents of a service read again from the beginning.
func (db *DB) RestartMoveInAgents(ctx context.Context, m *MoveIn) error {
	return db.exec(ctx, `
		update move_in_agents set
		  stage = ?,
		  walk = '{}',
		  total = 0,
		  moved = 0,
		  present = 0,
		  deleted = 0
		where move_in_id = ? and account_id = ?`, MoveInSources, m.ID, m.AccountID)
}

// MoveInItem is a source or a conversation of another service.
type MoveInItem struct {
	ID       string // in the order in which they were read
	MoveInID string
	Ref      parley.AgentRef
	Kind     string // source or conversation
	RemoteID string
	SourceID parley.SourceID // what it has become; empty where it is left out
	Type     string          // of a source
	Name     string
	Reason   string // why it is left out
}

// The kinds of MoveInItem.
const (
	MoveInSource       = "source"
	MoveInConversation = "conversation"
)

var moveInItemTable = newTable("move_in_items", func(i *MoveInItem) []field {
	return []field{
		{"id", &i.ID},
		{"move_in_id", &i.MoveInID},
		{"account_id", &i.Ref.Account},
		{"agent_id", &i.Ref.Agent},
		{"kind", &i.Kind},
		{"remote_id", &i.RemoteID},
		{"source_id", nullableText(&i.SourceID)},
		{"type", &i.Type},
		{"name", &i.Name},
		{"reason", nullableText(&i.Reason)},
	}
})

// AddMoveInItem writes what became of a source or a conversation, unless that is known.
func (db *DB) AddMoveInItem(ctx context.Context, i *MoveInItem) error {
	return moveInItemTable.insert(ctx, db, ` on conflict do nothing`, i)
}

// TakeMoveInItems makes what is noted of an agent part of another move-in of the account.
func (db *DB) TakeMoveInItems(ctx context.Context, ref parley.AgentRef, moveIn string) error {
	return db.exec(ctx, `
		update move_in_items set move_in_id = ?
		where agent_id = ? and account_id = ?`, moveIn, ref.Agent, ref.Account)
}

// KnownMoveInItems returns those of the ids of another service that were read before.
func (db *DB) KnownMoveInItems(ctx context.Context, ref parley.AgentRef, kind string,
	remote []string) (map[string]bool, error) {
	known := map[string]bool{}
	if len(remote) == 0 {
		return known, nil
	}
	list, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `
		select remote_id
		from move_in_items
		where agent_id = ? and account_id = ? and kind = ? and remote_id in `+placeholders(len(remote)),
		append([]any{ref.Agent, ref.Account, kind}, toAny(remote)...)...)
	for _, id := range list {
		known[id] = true
	}
	return known, err
}

// MoveInLeftOut lists what was left out behind an id, in the order in which it was read, at most limit.
func (db *DB) MoveInLeftOut(ctx context.Context, m *MoveIn, after string, limit int) ([]MoveInItem, error) {
	return moveInItemTable.list(ctx, db, `
		where move_in_id = ? and id > ? and account_id = ? and reason is not null
		order by id
		limit ?`, m.ID, after, m.AccountID, limit)
}

// MovedAgent is an agent that was taken over.
type MovedAgent struct {
	ID        parley.AgentID
	CreatedAt time.Time
}

// MovedAgents lists the agents of an account that those with an id at another service have become, through whatever
// address it was reached.
func (db *DB) MovedAgents(ctx context.Context, account parley.AccountID, remote string) ([]MovedAgent, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (a MovedAgent, err error) {
		err = scan(&a.ID, timeDest{&a.CreatedAt})
		return a, err
	}, `
		select a.id, a.created_at
		from move_ins m
		join move_in_agents g on g.move_in_id = m.id and g.account_id = m.account_id
		join agents a on a.id = g.agent_id and a.account_id = g.account_id
		where m.account_id = ? and g.remote_id = ? and a.deleted_at is null
		order by g.id`, account, remote)
}

// IsAgentIDFree reports whether no agent of any account has an id, also none that is being erased.
func (db *DB) IsAgentIDFree(ctx context.Context, id parley.AgentID) (bool, error) {
	n, err := db.count(ctx, `from agents where id = ?`, id)
	return n == 0, err
}

// OwnersOfConversations returns the agents that have conversations, of any account and also those that are being
// erased: their ids are taken.
func (db *DB) OwnersOfConversations(ctx context.Context,
	ids []parley.ConversationID) (map[parley.ConversationID]parley.AgentRef, error) {
	owners := map[parley.ConversationID]parley.AgentRef{}
	for part := range slices.Chunk(ids, 200) {
		_, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (struct{}, error) {
			var id parley.ConversationID
			var ref parley.AgentRef
			err := scan(&id, &ref.Agent, &ref.Account)
			owners[id] = ref
			return struct{}{}, err
		}, `
			select id, agent_id, account_id
			from conversations
			where id in `+placeholders(len(part)), toAny(part)...)
		if err != nil {
			return nil, err
		}
	}
	return owners, nil
}

// MovedConversations returns those of the keys that conversations of an agent have which were taken over.
func (db *DB) MovedConversations(ctx context.Context, ref parley.AgentRef, keys []string) (map[string]bool, error) {
	return db.findEach(ctx, keys, `
		select move_in_key
		from conversations
		where agent_id = ? and account_id = ? and move_in_key in `, ref.Agent, ref.Account)
}

// DeletedMoveIns returns those of the names, which are ids and keys, that conversations of an account had which were
// deleted and may have been taken over before.
func (db *DB) DeletedMoveIns(ctx context.Context, account parley.AccountID, names []string) (map[string]bool, error) {
	return db.findEach(ctx, names, `
		select conversation_id
		from move_in_deletions
		where account_id = ? and conversation_id in `, account)
}

// findEach returns those of the texts that a statement finds, which ends where a list of them is due.
func (db *DB) findEach(ctx context.Context, texts []string, statement string, args ...any) (map[string]bool, error) {
	found := map[string]bool{}
	for part := range slices.Chunk(texts, 200) {
		list, err := sqldb.All(ctx, db.sql, sqldb.Column[string], statement+placeholders(len(part)),
			slices.Concat(args, toAny(part))...)
		if err != nil {
			return nil, err
		}
		for _, text := range list {
			found[text] = true
		}
	}
	return found, nil
}

// maxClockDifference is how far the clock of a service may be ahead of ours.
const maxClockDifference = 24 * time.Hour

// noteDeletedMoveIns notes conversations of an agent that are deleted, by their ids and by their keys, so that they are
// not taken over again. One without a key that has begun here since the service was last read was not taken over, and
// is not noted.
func (db *DB) noteDeletedMoveIns(ctx context.Context, ref parley.AgentRef, ids []parley.ConversationID,
	now time.Time) error {
	args := slices.Concat([]any{ref.Agent, ref.Account}, toAny(ids),
		[]any{maxClockDifference.Milliseconds(), millis(now)})
	for _, name := range []string{"c.id", "c.move_in_key"} {
		if err := db.exec(ctx, `
			insert into move_in_deletions (account_id, conversation_id)
			select c.account_id, `+name+`
			from conversations c
			where c.agent_id || '' = ? and c.account_id || '' = ? and c.id in `+placeholders(len(ids))+`
			  and `+name+` is not null
			  and (c.move_in_key is not null or exists (select 1
			    from move_in_agents a
			    join move_ins m on m.id = a.move_in_id and m.account_id = a.account_id
			    where a.agent_id = c.agent_id and a.account_id = c.account_id
			      and (c.created_at < m.updated_at + ? or c.created_at > ?)))
			on conflict do nothing`, args...); err != nil {
			return err
		}
	}
	return nil
}

// TakenMessageIDs returns those of the ids that messages of any account have.
func (db *DB) TakenMessageIDs(ctx context.Context, ids []parley.MessageID) (map[parley.MessageID]bool, error) {
	taken := map[parley.MessageID]bool{}
	for part := range slices.Chunk(ids, 200) {
		list, err := sqldb.All(ctx, db.sql, sqldb.Column[parley.MessageID], `
			select id
			from messages
			where id in `+placeholders(len(part)), toAny(part)...)
		if err != nil {
			return nil, err
		}
		for _, id := range list {
			taken[id] = true
		}
	}
	return taken, nil
}

// movedMessageTable has messages that were written elsewhere, with their ratings.
var movedMessageTable = newTable("messages", func(m *newReply) []field {
	return append(newMessageFields(&m.Message, &m.owner),
		field{"type", MessageTypeReply},
		field{"feedback", nullableText(&m.Feedback)},
		field{"feedback_at", func() any {
			if m.Feedback == "" {
				return nil
			}
			return millis(m.CreatedAt) // the other service does not tell
		}})
})

// movedConversation is a conversation that was held elsewhere.
type movedConversation struct {
	newConversation
	key string
}

var movedConversationTable = newTable("conversations", func(c *movedConversation) []field {
	return append(newConversationTable.fields(&c.newConversation), field{"move_in_key", nullableText(&c.key)})
})

// AddMovedConversation writes a conversation that was held elsewhere, with all its messages and their times, and counts
// it with its agent. MovedConversations finds it by the key. Fails with AGENT_NOT_FOUND once the agent is deleted.
func (db *DB) AddMovedConversation(ctx context.Context, c *parley.Conversation, key string,
	messages []parley.Message) error {
	row := movedConversation{newConversation{Conversation: *c}, key}
	row.MessageCount = len(messages)
	if err := movedConversationTable.queueInsert(ctx, db, &row); err != nil {
		return err
	}
	for i := range messages {
		m := newReply{Message: messages[i], owner: c.AgentRef()}
		m.Seq = int64(i + 1)
		if err := movedMessageTable.queueInsert(ctx, db, &m); err != nil {
			return err
		}
	}
	return db.countConversation(ctx, c)
}
