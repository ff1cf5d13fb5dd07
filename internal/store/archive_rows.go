package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// CountArchiveRows counts the rows of an account that an archive holds of a table.
func (db *DB) CountArchiveRows(ctx context.Context, t *ArchiveTable, account parley.AccountID) (int64, error) {
	where := t.rowsCondition()
	return sqldb.One(ctx, db.sql, sqldb.Column[int64], `select count(*) from `+t.Name+` t where `+where,
		repeatArg(account, where)...)
}

// repeatArg returns a value once for each parameter of a text.
func repeatArg(value any, text string) []any {
	args := make([]any, strings.Count(text, "?"))
	for i := range args {
		args[i] = value
	}
	return args
}

// EachArchiveRow calls a function with the archived columns of each row of an account that an archive holds, in the
// order of the archive: texts, int64, float64 and nil. The function keeps nothing of the row.
func (db *DB) EachArchiveRow(ctx context.Context, t *ArchiveTable, account parley.AccountID,
	each func(row []any) error) error {
	query := t.selectText(db.sql.Dialect())
	rows, err := db.sql.Query(ctx, query, repeatArg(account, query)...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	row, dests := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range row {
		dests[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(dests...); err != nil {
			return err
		}
		for i, v := range row {
			if text, ok := v.([]byte); ok {
				row[i] = string(text)
			}
		}
		if err := each(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// ArchivedFile is the bytes of files that an account has, which lie in one place.
type ArchivedFile struct {
	Hash     string
	Size     int64
	Location string
}

// ArchivedFiles lists the files of an account behind a hash, in the order of their hashes, at most limit.
func (db *DB) ArchivedFiles(ctx context.Context, account parley.AccountID, after string,
	limit int) ([]ArchivedFile, error) {
	where, collate := FindArchiveTable("blobs").rowsCondition(), ""
	if db.sql.Dialect() == sqldb.Postgres {
		collate = ` collate "C"`
	}
	args := append(repeatArg(account, where), after, limit)
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (f ArchivedFile, err error) {
		err = scan(&f.Hash, &f.Size, &f.Location)
		return f, err
	}, `
		select t.hash, min(t.size), min(t.place)
		from blobs t
		where `+where+` and t.hash`+collate+` > ?
		group by t.hash
		order by t.hash`+collate+`
		limit ?`, args...)
}

// CountArchivedFiles counts them.
func (db *DB) CountArchivedFiles(ctx context.Context, account parley.AccountID) (int64, error) {
	where := FindArchiveTable("blobs").rowsCondition()
	return sqldb.One(ctx, db.sql, sqldb.Column[int64], `select count(distinct t.hash) from blobs t where `+where,
		repeatArg(account, where)...)
}

// TakenArchiveIDs returns those of some ids of a table that a row of another account has. It is the operator's
// question.
func (db *DB) TakenArchiveIDs(ctx context.Context, t *ArchiveTable, account parley.AccountID, ids []string) ([]string,
	error) {
	if len(ids) == 0 {
		return nil, nil
	}
	where, args := `id in `+placeholders(len(ids)), toAny(ids)
	if t.namesAccount() {
		where, args = where+` and account_id <> ?`, append(args, account)
	}
	return sqldb.All(ctx, db.sql, sqldb.Column[string], `
		select id
		from `+t.Name+`
		where `+where+`
		order by id`, args...)
}

// ArchiveInsert writes rows of an archive for an account.
type ArchiveInsert struct {
	Account   parley.AccountID
	Now       time.Time
	PlaceOf   func(hash string) string // where the installation keeps the file of a hash
	NewSecret func() string
}

// MaxArchiveRows is the most rows that one statement writes.
const MaxArchiveRows = 50

// Insert writes rows of a table, each with the values of its archived columns.
func (a *ArchiveInsert) Insert(ctx context.Context, tx *DB, t *ArchiveTable, rows [][]any) error {
	columns := make([]string, 0, len(t.Columns)+len(t.filled)+1)
	for _, c := range t.Columns {
		columns = append(columns, c.Name)
	}
	for _, f := range t.filled {
		columns = append(columns, f.name)
	}
	if t.namesAccount() {
		columns = append(columns, "account_id")
	}
	args := make([]any, 0, len(rows)*len(columns))
	for _, row := range rows {
		args = append(args, row...)
		for _, f := range t.filled {
			args = append(args, a.fill(t, f, row))
		}
		if t.namesAccount() {
			args = append(args, a.Account)
		}
	}
	return tx.exec(ctx, insertQuery(t.Name, strings.Join(columns, ", "), len(columns), len(rows)), args...)
}

// fill returns what a column gets that is not archived.
func (a *ArchiveInsert) fill(t *ArchiveTable, f filledColumn, row []any) any {
	text := func(column string) string { return row[t.ColumnIndex(column)].(string) }
	switch f.value {
	case "null":
		return nil
	case "now":
		return millis(a.Now)
	case "secret":
		return a.NewSecret()
	case "place":
		return a.PlaceOf(text("hash"))
	case "draft":
		d := Draft{UserID: parley.UserID(text("user_id")), Kind: text("kind")}
		return d.id(parley.ConversationID(text("conversation_id")))
	}
	if quoted, ok := strings.CutPrefix(f.value, "'"); ok {
		return strings.TrimSuffix(quoted, "'")
	}
	n, err := strconv.ParseInt(f.value, 10, 64)
	if err != nil {
		panic(err) // archiveSpec is part of the program
	}
	return n
}

// CheckArchiveReferences fails if a row of an account names another one that is not there, or that is of another agent:
// among the tables that are written ahead, or among those and the others. Which agents and users there are is known
// from the archive.
func (db *DB) CheckArchiveReferences(ctx context.Context, account parley.AccountID, agents []parley.AgentID,
	ahead bool) error {
	for _, t := range archiveTables {
		for _, c := range t.Columns {
			if c.References == "" || c.References == "users" || c.References == "agents" ||
				ahead != (t.IsWrittenAhead() && FindArchiveTable(c.References).IsWrittenAhead()) {
				continue
			}
			if err := t.eachAgents(agents, func(some []any) error {
				return db.checkReference(ctx, t, c, account, some)
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachAgents calls do with the agents of an account in groups: rows are found by their agents. Where rows have no agent
// it calls do once, with none.
func (t *ArchiveTable) eachAgents(agents []parley.AgentID, do func(some []any) error) error {
	if !t.hasAgent() {
		return do(nil)
	}
	return inGroups(agents, do)
}

// ofAgents returns the condition that a row is of one of some agents; empty for none.
func ofAgents(alias string, some []any) string {
	if len(some) == 0 {
		return ""
	}
	return " and " + alias + "agent_id in " + placeholders(len(some))
}

func (db *DB) checkReference(ctx context.Context, t *ArchiveTable, c ArchiveColumn, account parley.AccountID,
	agents []any) error {
	sameAgent := ""
	if t.hasAgent() && FindArchiveTable(c.References).hasAgent() {
		sameAgent = " and r.agent_id = t.agent_id"
	}
	found, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `
		select t.`+c.Name+`
		from `+t.Name+` t
		where t.account_id = ?`+ofAgents("t.", agents)+` and t.`+c.Name+` <> ''
		  and not exists (select 1 from `+c.References+` r
		  where r.id = t.`+c.Name+` and r.account_id = ?`+sameAgent+`)
		limit 1`, slices.Concat([]any{account}, agents, []any{account})...)
	if err == nil && len(found) > 0 {
		err = &ArchiveReferenceError{Table: t, Column: c, ID: found[0]}
	}
	return err
}

// ArchiveReferenceError says that a row names another one that is not there, or that is of another agent.
type ArchiveReferenceError struct {
	Table  *ArchiveTable
	Column ArchiveColumn
	ID     string // that it names, as it is in the installation
}

func (e *ArchiveReferenceError) Error() string {
	return fmt.Sprintf("%s: %s", e.Table.Name, e.Explain(e.ID))
}

// Explain says what is wrong, with the id as the reader knows it.
func (e *ArchiveReferenceError) Explain(id string) string {
	return fmt.Sprintf("%s names %q, which is not among the %s of the same agent", e.Column.Name, id, e.Column.References)
}

// FindConversationBehind returns a conversation of an account that has a message with a higher number than the last one
// that it knows; empty if there is none.
func (db *DB) FindConversationBehind(ctx context.Context, account parley.AccountID,
	agents []parley.AgentID) (id string, err error) {
	err = inGroups(agents, func(some []any) error {
		if id != "" {
			return nil
		}
		found, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `
			select c.id
			from conversations c
			where c.account_id = ?`+ofAgents("c.", some)+` and c.last_seq < coalesce((
			  select max(m.seq)
			  from messages m
			  where m.agent_id = c.agent_id and m.conversation_id = c.id), 0)
			limit 1`, slices.Concat([]any{account}, some)...)
		if err == nil && len(found) > 0 {
			id = found[0]
		}
		return err
	})
	return id, err
}

func (t *ArchiveTable) hasAgent() bool {
	return slices.ContainsFunc(t.Columns, func(c ArchiveColumn) bool {
		return c.Name == "agent_id" && c.Kind == ArchiveID && !c.IsNullable
	})
}

// archiveReaders read all rows of an account as those who work with them do. What cannot be read fails with its id.
var archiveReaders = map[string]archiveReader{
	"accounts":              readAll(accountTable, "where id = ?"),
	"users":                 readAll(profileTable, "where id in (select user_id from memberships where account_id = ?)"),
	"agents":                readAll(agentTable, byAccount, "2000-01"), // a month whose credits it counts
	"agent_versions":        readAll(agentVersionTable, byAccount),
	"model_servers":         readAll(modelServerTable, byAccount),
	"webhooks":              readAll(webhookTable, byAccount),
	"actions":               readAll(actionTable, byAccount),
	"procedures":            readAll(procedureTable, byAccount),
	"blobs":                 readAll(blobTable, byAccount),
	"sources":               readAll(sourceTable, byAccount),
	"source_versions":       readAll(versionTable, byAccount),
	"people":                readAll(contactTable, byAccount),
	"custom_attributes":     readAll(attributeTable, byAccount),
	"visitors":              readAll(visitorTable, byAccount),
	"conversations":         readAll(conversationTable, byAccount),
	"move_ins":              readAll(moveInTable, byAccount),
	"move_in_agents":        readAll(moveInAgentTable, byAccount),
	"move_in_items":         readAll(moveInItemTable, byAccount),
	"messages":              readAll(messageTable, byAccount),
	"tool_calls":            readAll(toolCallTable, byAccount),
	"procedure_runs":        readAll(runTable, byAccount),
	"leads":                 readAll(leadTable, byAccount),
	"drafts":                readAll(draftTable, byAccount),
	"saved_views":           readAll(savedViewTable, byAccount),
	"saved_replies":         readAll(savedReplyTable, byAccount),
	"read_marks":            readAll(readMarkTable, byAccount),
	"ticket_statuses":       readAll(statusTable, byAccount),
	"teams":                 readAll(teamTable, byAccount),
	"routing_rules":         readAll(ruleTable, byAccount),
	"tickets":               readAll(ticketTable, "where t.account_id = ?"),
	"voice_sessions":        readAll(voiceTable, byAccount),
	"voice_recordings":      readAll(recordingTable, byAccount),
	"conversation_insights": readAll(insightTable, byAccount),
	"insight_questions":     readAll(openQuestionTable, byAccount),
}

const byAccount = "where account_id = ?"

// archiveReader reads rows of a table as those who work with them do.
type archiveReader struct {
	// readAll reads the rows of an account, and of some of its agents where rows have one.
	readAll  func(ctx context.Context, db *DB, account parley.AccountID, agents []any) error
	newCheck func(t *ArchiveTable) func(row []any) error // of rows of an archive
}

// readAll returns what reads all rows of an account, which is the last parameter of where.
func readAll[T any](t table[T], where string, first ...any) archiveReader {
	return archiveReader{
		readAll:  newAccountReader(t, where, first),
		newCheck: func(a *ArchiveTable) func(row []any) error { return newRowCheck(t, a) },
	}
}

func newAccountReader[T any](t table[T], where string, first []any) func(context.Context, *DB, parley.AccountID,
	[]any) error {
	alias := ""
	if strings.Contains(where, "t.") {
		alias = "t."
	}
	return func(ctx context.Context, db *DB, account parley.AccountID, agents []any) error {
		rows, err := db.sql.Query(ctx, t.selectText(where+ofAgents(alias, agents)),
			slices.Concat(first, []any{account}, agents)...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		read := t.reader()
		for rows.Next() {
			if _, err := read(rows.Scan); err != nil {
				return fmt.Errorf("cannot be read: %w", err)
			}
		}
		return rows.Err()
	}
}

// ReadArchiveRows fails if a row of an account cannot be read by those who work with it: of the tables that are written
// ahead, or of the others.
func (db *DB) ReadArchiveRows(ctx context.Context, account parley.AccountID, agents []parley.AgentID,
	ahead bool) error {
	for _, t := range archiveTables {
		reader, ok := archiveReaders[t.Name]
		if !ok || t.IsWrittenAhead() != ahead {
			continue
		}
		if err := t.eachAgents(agents, func(some []any) error {
			return reader.readAll(ctx, db, account, some)
		}); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return nil
}

// FinishArchive writes what an archive does not hold and what follows from it: the counters of the conversations of an
// account, which customers wait and which tickets were replied to, which older archives do not say, and the sign for
// running servers that its servers of models are to be read.
func (db *DB) FinishArchive(ctx context.Context, account parley.AccountID) error {
	if err := db.setModelServerRevision(ctx); err != nil {
		return err
	}
	if err := db.exec(ctx, `
		update conversations set waiting_since = last_activity
		where account_id = ? and status = 'taken_over' and deleted_at is null and waiting_since is null
		  and snoozed_until is null
		  and `+lastAuthor+` <> 'human'`, account); err != nil {
		return err
	}
	if err := db.exec(ctx, `
		update tickets set replied_at = (
		  select min(m.created_at)
		  from messages m
		  where m.agent_id = tickets.agent_id and m.conversation_id = tickets.conversation_id
		    and m.account_id = tickets.account_id and m.author = 'human' and m.type = 'reply')
		where account_id = ? and replied_at is null and worked_ms is null
		  and conversation_id is not null`, account); err != nil {
		return err
	}
	return db.exec(ctx, `
		insert into conversation_counts (agent_id, account_id, total, api)
		select agent_id, account_id, count(*), sum(case when channel = ? then 1 else 0 end)
		from conversations
		where agent_id in (select id from agents where account_id = ?) and account_id = ? and deleted_at is null
		group by agent_id, account_id`, parley.ChannelAPI, account, account)
}

// UntrainedSources lists the sources of an agent behind one that are not trained yet, at most limit.
func (db *DB) UntrainedSources(ctx context.Context, ref parley.AgentRef, after parley.Source, limit int) (
	[]parley.Source, error) {
	return sourceTable.list(ctx, db, `
		where agent_id = ? and account_id = ? and (created_at, id) > (?, ?) and deleted_at is null and status in (?, ?)
		order by created_at, id
		limit ?`, ref.Agent, ref.Account, millis(after.CreatedAt), after.ID, parley.SourceUntrained, parley.SourceUpdated,
		limit)
}

// UnanalyzedConversation is a conversation of which nothing is known since its last activity.
type UnanalyzedConversation struct {
	parley.ConversationRef
	LastActivity time.Time
}

// UnanalyzedConversations lists those of an account behind one, at most limit, the least active first. Those of each
// status are read by themselves: each has an index.
func (db *DB) UnanalyzedConversations(ctx context.Context, account parley.AccountID, after UnanalyzedConversation,
	limit int) (list []UnanalyzedConversation, err error) {
	for _, status := range parley.ConversationStatuses() {
		found, err := db.unanalyzedInStatus(ctx, account, status, after, limit)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	slices.SortFunc(list, func(a, b UnanalyzedConversation) int {
		return cmp.Or(a.LastActivity.Compare(b.LastActivity), cmp.Compare(a.Conversation, b.Conversation))
	})
	return list[:min(limit, len(list))], nil
}

func (db *DB) unanalyzedInStatus(ctx context.Context, account parley.AccountID, status parley.ConversationStatus,
	after UnanalyzedConversation, limit int) ([]UnanalyzedConversation, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (c UnanalyzedConversation, err error) {
		c.Account = account
		err = scan(&c.Agent, &c.Conversation, timeDest{&c.LastActivity})
		return c, err
	}, `
		select agent_id, id, last_activity
		from conversations c
		where account_id = ? and status = '`+string(status)+`' and (last_activity, id) > (?, ?) and deleted_at is null
		  and not exists (select 1
		  from conversation_insights i
		  where i.conversation_id = c.id and i.made_at >= c.last_activity)
		order by last_activity, id
		limit ?`, account, millis(after.LastActivity), after.Conversation, limit)
}

// TicketsAfter lists the tickets of an agent behind a number, at most limit.
func (db *DB) TicketsAfter(ctx context.Context, ref parley.AgentRef, number int64, limit int) ([]parley.Ticket, error) {
	return ticketTable.list(ctx, db, `
		where t.agent_id = ? and t.account_id = ? and t.number > ?
		order by t.number
		limit ?`, ref.Agent, ref.Account, number, limit)
}

// The acts of those who move accounts, in the audit chain.
const (
	AccountExported    = "account.export"
	AccountImported    = "account.import"       // of the account that was made
	AccountImportBegun = "account.begin_import" // of the account whose member has sent the archive
)

// NoteArchive records one of them in the account's audit chain.
func (db *DB) NoteArchive(ctx context.Context, account parley.AccountID, now time.Time, actor, act string,
	details map[string]any) error {
	return db.AppendAuditEvent(ctx, account, now, actor, act, string(account), details)
}
