package search

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/internal/sqldb"
)

// tsvectorIndex is the index on PostgreSQL: our tokens as the lexemes of a tsvector under a GIN index. GIN knows no
// order, so each row also holds a token of its agent and one of its window, which is a thousand conversations of the
// agent: the newest rows are found by asking for the newest windows first.
type tsvectorIndex struct{}

var _ Index = tsvectorIndex{}

// windowBits is how many bits of a conversation's number tell the conversations of a window apart.
const windowBits = 10

// maxWindows is how many windows are asked for by name.
const maxWindows = 8

func agentToken(agent int64) string { return controlPrefix + "g" + strconv.FormatInt(agent, 36) }

func windowToken(agent, window int64) string {
	return controlPrefix + "w" + strconv.FormatInt(agent, 36) + controlPrefix + strconv.FormatInt(window, 36)
}

// Begin bounds what GIN has pending, through all of which every search goes. While an index is built it may be more:
// the more rows GIN takes up together, the less each costs. What is built is built again from where its state says, so
// that the transactions of a build need not wait for the disk.
func (tsvectorIndex) Begin(ctx context.Context, tx *sqldb.DB, isBuild bool) error {
	skip := func(rows *sqldb.Rows) error {
		for rows.Next() {
			continue
		}
		return nil
	}
	if !isBuild {
		return tx.QueueRead(ctx, skip, `select set_config('gin_pending_list_limit', '256kB', true)`)
	}
	return tx.QueueRead(ctx, skip, `
		select
		  set_config('gin_pending_list_limit', '4MB', true),
		  set_config('work_mem', '64MB', true),
		  set_config('synchronous_commit', 'off', true)`)
}

func (tsvectorIndex) Put(ctx context.Context, tx *sqldb.DB, t table, rows []row) error {
	return inChunks(rows, func(some []row) error {
		args := make([]any, 0, 2*len(some))
		for _, r := range some {
			agent := agentOfRow(r.id)
			tokens := append([]string{agentToken(agent), windowToken(agent, conversationOfRow(r.id)>>windowBits)}, r.tokens...)
			args = append(args, r.id, strings.Join(tokens, " "))
		}
		return tx.Queue(ctx, `
			insert into `+string(t)+` (id, words) values `+
			repeatPlaceholders(`(?, array_to_tsvector(string_to_array(?, ' ')))`, len(some))+
			` on conflict (id) do update set words = excluded.words`, args...)
	})
}

func (tsvectorIndex) Delete(ctx context.Context, tx *sqldb.DB, t table, ids []int64) error {
	return inChunks(ids, func(some []int64) error {
		return tx.Queue(ctx, `
			delete from `+string(t)+` where id in (`+repeatPlaceholders("?", len(some))+`)`, toAny(some)...)
	})
}

func (tsvectorIndex) ListIDs(ctx context.Context, db *sqldb.DB, t table, in idRange, limit int) ([]int64, error) {
	return sqldb.All(ctx, db, sqldb.Column[int64], `
		select id
		from `+string(t)+`
		where id between ? and ?
		order by id
		limit ?`, in.from, in.to, limit)
}

// findQuery keeps the planner from walking the ids: "id + 0" is no column of an index, so that only GIN is left.
func (tsvectorIndex) findQuery(t table) string {
	return `
		select id
		from ` + string(t) + `
		where words @@ cast(? as tsquery) and id + 0 between ? and ?
		order by id + 0 desc
		limit ?`
}

// findInConversationQuery looks into one conversation, whose rows may be few: there the planner may take the ids.
func (tsvectorIndex) findInConversationQuery(t table) string {
	return `
		select id
		from ` + string(t) + `
		where words @@ cast(? as tsquery) and id between ? and ?
		order by id desc
		limit ?`
}

// Find reads windows, from the newest: one, then as many as are likely to have what is missing. What is left is found
// by the token of the agent.
func (ti tsvectorIndex) Find(ctx context.Context, db *sqldb.DB, t table, e expr, in idRange, limit int) ([]int64,
	error) {
	agent := agentOfRow(in.from)
	first, last := conversationOfRow(in.from), conversationOfRow(in.to)
	if first == last {
		return ti.findTokens(ctx, db, ti.findInConversationQuery(t), e, []string{windowToken(agent, last>>windowBits)}, in,
			limit)
	}
	var found []int64
	window, oldest := last>>windowBits, first>>windowBits
	count := int64(1)
	if last&(1<<windowBits-1) < 1<<(windowBits-1) {
		count = 2 // the newest one is not half full
	}
	for window >= oldest && len(found) < limit {
		next := max(oldest, window-count+1)
		tokens := []string{agentToken(agent)}
		if window-next < maxWindows {
			tokens = windowTokens(agent, next, window)
		} else {
			next = oldest
		}
		some := idRange{max(in.from, rowID(agent, next<<windowBits, 0)),
			min(in.to, rowID(agent, window<<windowBits|(1<<windowBits-1), maxPlaces))}
		ids, err := ti.findTokens(ctx, db, ti.findQuery(t), e, tokens, some, limit-len(found))
		if err != nil {
			return nil, err
		}
		found, window = append(found, ids...), next-1
		count = likelyWindows(limit-len(found), len(found), last-next<<windowBits+1)
	}
	return found, nil
}

// findFewQuery reads all rows of some conversations: GIN would read all rows of the agent that hold the rarest word.
// The offset keeps the planner from asking GIN all the same.
func (tsvectorIndex) findFewQuery(t table) string {
	return `
		select m.id
		from unnest(cast(? as bigint[])) c (first)
		cross join lateral (
		  select id, words
		  from ` + string(t) + `
		  where id between c.first and c.first + ` + strconv.Itoa(maxPlaces) + `
		  offset 0
		) m
		where m.words @@ cast(? as tsquery)
		order by m.id desc
		limit ?`
}

// FindFew reads the rows by their ids.
func (ti tsvectorIndex) FindFew(ctx context.Context, db *sqldb.DB, t table, e expr, agent int64, numbers []int64,
	limit int) ([]int64, error) {
	first := make([]int64, len(numbers))
	for i, n := range numbers {
		first[i] = rowID(agent, n, 0)
	}
	return queryIDs(ctx, db, ti.findFewQuery(t), arrayText(first),
		e.format("'", " & ", " | "), limit)
}

// arrayText writes numbers as PostgreSQL reads them.
func arrayText(numbers []int64) string {
	text := []byte{'{'}
	for i, n := range numbers {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, n, 10)
	}
	return string(append(text, '}'))
}

// likelyWindows is in how many windows so many rows are likely to be, when so many were found in the newest
// conversations: GIN reads all rows of a window where a word is frequent.
func likelyWindows(missing, found int, conversations int64) int64 {
	if found == 0 {
		return math.MaxInt32
	}
	return (int64(missing)*conversations/int64(found)*5/4)>>windowBits + 1
}

func windowTokens(agent, first, last int64) []string {
	var list []string
	for w := first; w <= last; w++ {
		list = append(list, windowToken(agent, w))
	}
	return list
}

// findTokens adds the places' tokens, of which a row holds one, to each way of matching.
func (tsvectorIndex) findTokens(ctx context.Context, db *sqldb.DB, query string, e expr, places []string, in idRange,
	limit int) ([]int64, error) {
	var texts []string
	for _, groups := range e.branches() {
		texts = append(texts, expr{groups: slices.Concat([][]string{places}, groups)}.format("'", " & ", " | "))
	}
	return queryIDs(ctx, db, query, strings.Join(texts, " | "), in.from, in.to, limit)
}

// branches are the ways in which a row can match, each as groups.
func (e expr) branches() [][][]string {
	all := [][][]string{e.groups}
	if len(e.looseTokens) > 0 {
		all = append(all, [][]string{{multiBucketToken}, e.looseTokens})
	}
	return all
}
