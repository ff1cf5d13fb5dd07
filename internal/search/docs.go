package search

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"parley"
	"parley/internal/sqldb"
)

// doc is what is in the index of a conversation.
type doc struct {
	agent, number int64
	id            parley.ConversationID
	seq           int64 // of the last message in the index; leaving where the conversation is on its way out
	replaced      int64 // messages that had been replaced by then
	buckets       int64
	needsCheck    bool // a word of its buckets may be gone, or in another bucket than the next: ask the messages
	title         string
	facets        string // tokens, in order, with a space between them
	created       int64
	active        int64
}

// seqDeleting stands for the last message of a conversation that is being removed.
const seqDeleting = -1

const docColumns = `
  agent,
  number,
  conversation_id,
  seq,
  replaced,
  buckets,
  doubtful,
  title,
  facets,
  created_at,
  last_activity`

// columns are where the columns of docColumns go.
func (d *doc) columns() []any {
	return []any{
		&d.agent,
		&d.number,
		(*string)(&d.id),
		&d.seq,
		&d.replaced,
		&d.buckets,
		&d.needsCheck,
		&d.title,
		&d.facets,
		&d.created,
		&d.active,
	}
}

func scanDoc(scan sqldb.Scan) (d doc, err error) {
	err = scan(d.columns()...)
	return d, err
}

// findDoc returns the row of a conversation in the index; nil if there is none.
func findDoc(ctx context.Context, db *sqldb.DB, agent int64, id parley.ConversationID) (*doc, error) {
	d, err := sqldb.One(ctx, db, scanDoc, docByIDQuery, agent, id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &d, err
}

// findDocs returns the rows of conversations in the index, as far as there are any.
func findDocs(ctx context.Context, db *sqldb.DB, agent int64,
	ids []parley.ConversationID) (map[parley.ConversationID]*doc, error) {
	all := map[parley.ConversationID]*doc{}
	for len(ids) > 0 {
		some := ids[:min(buildBatchSize, len(ids))]
		ids = ids[len(some):]
		var args []any
		for i := range buildBatchSize {
			args = append(args, agent, some[min(i, len(some)-1)])
		}
		list, err := sqldb.All(ctx, db, scanDoc, docsByIDQuery, args...)
		if err != nil {
			return nil, err
		}
		for i := range list {
			all[list[i].id] = &list[i]
		}
	}
	return all, nil
}

// docsByIDQuery asks for one after the other: for a list PostgreSQL reads all conversations of the agent while its
// statistics are those of an empty table.
var docsByIDQuery = strings.Repeat(docByIDQuery+` union all `, buildBatchSize-1) + docByIDQuery

const docByIDQuery = `
	select ` + docColumns + `
	from search_docs
	where agent = ? and conversation_id = ?`

// saveDocs writes the rows of conversations, each of which may be there once.
func saveDocs(ctx context.Context, tx *sqldb.DB, list []*doc) error {
	return inChunks(list, func(some []*doc) error {
		args := make([]any, 0, 11*len(some))
		for _, d := range some {
			args = append(args, d.agent, d.number, d.id, d.seq, d.replaced, d.buckets, d.needsCheck, d.title, d.facets,
				d.created, d.active)
		}
		return tx.Queue(ctx, `insert into search_docs (`+docColumns+`)
			values `+repeatPlaceholders("(?"+strings.Repeat(", ?", 10)+")", len(some))+`
			on conflict (agent, number) do update set
			  seq = excluded.seq,
			  replaced = excluded.replaced,
			  buckets = excluded.buckets,
			  doubtful = excluded.doubtful,
			  title = excluded.title,
			  facets = excluded.facets,
			  last_activity = excluded.last_activity`, args...)
	})
}

func (d *doc) erase(ctx context.Context, tx *sqldb.DB) error {
	return tx.Queue(ctx, `delete from search_docs where agent = ? and number = ?`, d.agent, d.number)
}

// docBatchSize is how many conversations one statement reads; a list is filled up to it, so that there is one statement
// to prepare.
const docBatchSize = 100

var docsQuery = `
	select ` + docColumns + ` from search_docs where agent = ? and number in (` + repeatPlaceholders("?",
	docBatchSize) + `)`

// manyDocsQuery is docsQuery for any number of conversations, on PostgreSQL.
var manyDocsQuery = `
	select ` + docColumns + `
	from search_docs
	where agent = ? and number = any(cast(? as bigint[]))`

// The summaries are what ranking needs of a thousand conversations: few columns, for each costs.
const summariesQuery = `
	select number, last_activity * 2 + doubtful, created_at, seq, title
	from search_docs
	where agent = ? and `

var (
	summaryQuery       = summariesQuery + `number in (` + repeatPlaceholders("?", docBatchSize) + `)`
	manySummariesQuery = summariesQuery + `number = any(cast(? as bigint[]))` // on PostgreSQL
)

const docIDsQuery = `
	select number, conversation_id
	from search_docs
	where agent = ? and `

var (
	someDocIDsQuery = docIDsQuery + `number in (` + repeatPlaceholders("?", docBatchSize) + `)`
	manyDocIDsQuery = docIDsQuery + `number = any(cast(? as bigint[]))` // on PostgreSQL
)

const summaryRangeQuery = summariesQuery + `number between ? and ?`

// maxSkippedDocs is how many rows a range may have for each one that is asked for: to look one up costs as much as to
// pass by some.
const maxSkippedDocs = 3

// docReader reads rows of search_docs.
type docReader struct {
	row     doc   // the one that is being read
	columns []any // of it
	list    []doc
}

func newDocReader() *docReader {
	r := &docReader{}
	r.columns = r.row.columns()
	return r
}

// newSummaryReader returns a reader of what summariesQuery selects.
func newSummaryReader() *docReader {
	r := &docReader{}
	r.columns = []any{&r.row.number, &r.row.active, &r.row.created, &r.row.seq, &r.row.title}
	return r
}

// newIDReader returns a reader of what docIDsQuery selects.
func newIDReader() *docReader {
	r := &docReader{}
	r.columns = []any{&r.row.number, (*string)(&r.row.id)}
	return r
}

func (r *docReader) read(ctx context.Context, db *sqldb.DB, query string, args ...any) error {
	return sqldb.Each(ctx, db, r.columns, func() { r.list = append(r.list, r.row) }, query, args...)
}

// readMany reads the conversations with the numbers: on PostgreSQL with the statement many, else some with each
// statement.
func (r *docReader) readMany(ctx context.Context, db *sqldb.DB, some, many string, agent int64, numbers []int64) error {
	r.list = make([]doc, 0, len(numbers))
	if db.Dialect() == sqldb.Postgres && len(numbers) > 0 {
		return r.read(ctx, db, many, agent, arrayText(numbers))
	}
	args := make([]any, docBatchSize+1)
	args[0] = agent
	for len(numbers) > 0 {
		pending := numbers[:min(docBatchSize, len(numbers))]
		numbers = numbers[len(pending):]
		for i := range docBatchSize {
			args[i+1] = pending[min(i, len(pending)-1)]
		}
		if err := r.read(ctx, db, some, args...); err != nil {
			return err
		}
	}
	return nil
}

// byNumber returns what has been read.
func (r *docReader) byNumber() map[int64]*doc {
	all := make(map[int64]*doc, len(r.list))
	for i := range r.list {
		all[r.list[i].number] = &r.list[i]
	}
	return all
}

// loadDocs reads the conversations with the numbers, by number.
func loadDocs(ctx context.Context, db *sqldb.DB, agent int64, numbers []int64) (map[int64]*doc, error) {
	r := newDocReader()
	err := r.readMany(ctx, db, docsQuery, manyDocsQuery, agent, numbers)
	return r.byNumber(), err
}

// loadDocIDs is loadDocs of nothing but the ids.
func loadDocIDs(ctx context.Context, db *sqldb.DB, agent int64, numbers []int64) (map[int64]*doc, error) {
	r := newIDReader()
	err := r.readMany(ctx, db, someDocIDsQuery, manyDocIDsQuery, agent, numbers)
	return r.byNumber(), err
}

// loadSummaries is loadDocs without ids and facets. The numbers descend. There may be more than
// are asked for.
func loadSummaries(ctx context.Context, db *sqldb.DB, agent int64, numbers []int64) (map[int64]*doc, error) {
	r := newSummaryReader()
	var err error
	if n := len(numbers); n > 1 && numbers[0]-numbers[n-1] < int64(n*maxSkippedDocs) {
		r.list = make([]doc, 0, numbers[0]-numbers[n-1]+1)
		err = r.read(ctx, db, summaryRangeQuery, agent, numbers[n-1], numbers[0])
	} else {
		err = r.readMany(ctx, db, summaryQuery, manySummariesQuery, agent, numbers)
	}
	for i := range r.list {
		d := &r.list[i]
		d.agent, d.active, d.needsCheck = agent, d.active>>1, d.active&1 == 1
	}
	return r.byNumber(), err
}

// newestQuery lists conversations by their activity, in the order of an index.
const newestQuery = `
	select ` + docColumns + `
	from search_docs
	where agent = ? and (last_activity, conversation_id) < (?, ?) and last_activity >= ?
	order by last_activity desc, conversation_id desc
	limit ?`

// newestDocs lists conversations that were active before a place and since a moment, the latest first.
func newestDocs(ctx context.Context, db *sqldb.DB, agent int64, before parley.Cursor, since int64, limit int) ([]doc,
	error) {
	r := newDocReader()
	err := r.read(ctx, db, newestQuery, agent, before.SortValue, before.ID, since, limit)
	return r.list, err
}

// bucket is a part of the distinct words of a conversation.
type bucket struct {
	id    int64
	words string // with a space between them
}

// loadBuckets reads the distinct words of a conversation.
func loadBuckets(ctx context.Context, db *sqldb.DB, agent, number int64) ([]bucket, error) {
	in := conversationRange(agent, number, number)
	return sqldb.All(ctx, db, func(scan sqldb.Scan) (b bucket, err error) {
		err = scan(&b.id, &b.words)
		return b, err
	}, `select id, words from search_buckets where id between ? and ? order by id`, in.from, in.to)
}

func saveBuckets(ctx context.Context, tx *sqldb.DB, list []bucket) error {
	return inChunks(list, func(some []bucket) error {
		args := make([]any, 0, 2*len(some))
		for _, b := range some {
			args = append(args, b.id, b.words)
		}
		return tx.Queue(ctx, `
			insert into search_buckets (id, words)
			values `+repeatPlaceholders("(?, ?)", len(some))+`
			on conflict (id) do update set words = excluded.words`, args...)
	})
}
