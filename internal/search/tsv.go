package search

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"parley/internal/sqldb"
)

// tsv is the index on PostgreSQL: our tokens as the lexemes of a tsvector under a GIN index. GIN knows no order, so each row also
// holds a token of its agent and one of its window, which is a thousand conversations of the agent: the newest rows are found by
// asking for the newest windows first.
type tsv struct{}

var _ Index = tsv{}

// windowBits is how many bits of a conversation's number tell the conversations of a window apart.
const windowBits = 10

func agentToken(agent int64) string { return control + "g" + strconv.FormatInt(agent, 36) }

func windowToken(agent, window int64) string {
	return control + "w" + strconv.FormatInt(agent, 36) + control + strconv.FormatInt(window, 36)
}

func (tsv) Put(ctx context.Context, tx *sqldb.DB, t table, rows []row) error {
	return inSteps(rows, func(some []row) error {
		args := make([]any, 0, 2*len(some))
		for _, r := range some {
			agent := agentOf(r.id)
			tokens := append([]string{agentToken(agent), windowToken(agent, conversationOf(r.id)>>windowBits)}, r.tokens...)
			args = append(args, r.id, strings.Join(tokens, " "))
		}
		_, err := tx.Exec(ctx, `insert into `+string(t)+` (id, words) values `+repeated(`(?, array_to_tsvector(string_to_array(?, ' ')))`, len(some))+
			` on conflict (id) do update set words = excluded.words`, args...)
		return err
	})
}

func (tsv) Drop(ctx context.Context, tx *sqldb.DB, t table, ids []int64) error {
	return inSteps(ids, func(some []int64) error {
		_, err := tx.Exec(ctx, `delete from `+string(t)+` where id in (`+repeated("?", len(some))+`)`, anys(some)...)
		return err
	})
}

func (tsv) Held(ctx context.Context, db *sqldb.DB, t table, in span, limit int) ([]int64, error) {
	return sqldb.All(ctx, db, sqldb.Column[int64], `select id from `+string(t)+` where id between ? and ? order by id limit ?`, in.from, in.to, limit)
}

// findQuery keeps the planner from walking the ids: "id + 0" is no column of an index, so that only GIN is left.
func (tsv) findQuery(t table) string {
	return `select id from ` + string(t) + ` where words @@ cast(? as tsquery) and id + 0 between ? and ? order by id + 0 desc limit ?`
}

// findInOne looks into one conversation, whose rows may be few: there the planner may take the ids.
func (tsv) findInOne(t table) string {
	return `select id from ` + string(t) + ` where words @@ cast(? as tsquery) and id between ? and ? order by id desc limit ?`
}

// Find asks for windows, from the newest: one, then more and more of them at a time, then for all that is left.
func (s tsv) Find(ctx context.Context, db *sqldb.DB, t table, e expr, in span, limit int) ([]int64, error) {
	agent := agentOf(in.from)
	if conversationOf(in.from) == conversationOf(in.to) {
		return s.find(ctx, db, s.findInOne(t), e, []string{windowToken(agent, conversationOf(in.from)>>windowBits)}, in, limit)
	}
	var found []int64
	window, oldest := conversationOf(in.to)>>windowBits, conversationOf(in.from)>>windowBits
	for count := int64(1); window >= oldest && len(found) < limit; count *= 4 {
		next := max(oldest, window-count+1)
		tokens := []string{agentToken(agent)}
		if count < 64 {
			tokens = windowTokens(agent, next, window)
		} else {
			next = oldest
		}
		some := span{max(in.from, idOf(agent, next<<windowBits, 0)), min(in.to, idOf(agent, window<<windowBits|(1<<windowBits-1), mostPlaces))}
		ids, err := s.find(ctx, db, s.findQuery(t), e, tokens, some, limit-len(found))
		if err != nil {
			return nil, err
		}
		found, window = append(found, ids...), next-1
	}
	return found, nil
}

func windowTokens(agent, first, last int64) []string {
	var list []string
	for w := first; w <= last; w++ {
		list = append(list, windowToken(agent, w))
	}
	return list
}

// find adds the places' tokens, of which a row holds one, to each way of matching.
func (tsv) find(ctx context.Context, db *sqldb.DB, query string, e expr, places []string, in span, limit int) ([]int64, error) {
	var texts []string
	for _, groups := range e.branches() {
		texts = append(texts, expr{groups: slices.Concat([][]string{places}, groups)}.text("'", " & ", " | "))
	}
	return sqldb.All(ctx, db, sqldb.Column[int64], query, strings.Join(texts, " | "), in.from, in.to, limit)
}

// branches are the ways in which a row can match, each as groups.
func (e expr) branches() [][][]string {
	all := [][][]string{e.groups}
	if len(e.loose) > 0 {
		all = append(all, [][]string{{parted}, e.loose})
	}
	return all
}
