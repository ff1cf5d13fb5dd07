package search

import (
	"math"

	"parley"
	"parley/internal/store"
)

// Explained are the statements of a search on SQLite, with arguments to explain them with.
func Explained() map[string][]any {
	all := map[string][]any{
		fts{}.findQuery(byBucket):  {`"a" AND "b"`, int64(0), int64(math.MaxInt64), 10},
		fts{}.findQuery(byMessage): {`"a" AND "b"`, int64(0), int64(math.MaxInt64), 10},
		fts{}.heldQuery(byMessage): {int64(0), int64(math.MaxInt64), 10},
		newestQuery:                {int64(1), int64(5), "x", int64(0), 10},
	}
	numbers := make([]any, docsTogether+1)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	all[docsQuery], all[glanceQuery] = numbers, numbers
	return all
}

// PostgresFind is the statement that asks PostgreSQL's index, with an expression for an agent.
func PostgresFind(agent int64, word string) (query, text string) {
	return tsv{}.findQuery(byMessage), expr{groups: [][]string{{agentToken(agent)}, {word}}}.text("'", " & ", " | ")
}

// SnippetOf is the snippet of a text for a query.
func SnippetOf(text, query string) *Snippet {
	return snippetOf(&store.Said{Author: parley.ByUser, Text: text}, asked(query))
}

// Asked gives the words of a query.
func Asked(query string) []string { return asked(query) }

// Held tells whether the words of a query all stand in a text.
func Held(text, query string) bool {
	has := map[string]bool{}
	for t := range tokens(text) {
		has[t.word] = true
	}
	for _, w := range asked(query) {
		if !has[w] {
			return false
		}
	}
	return true
}
