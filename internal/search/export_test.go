package search

import (
	"math"
	"slices"

	"parley"
	"parley/internal/store"
)

// ExplainStatements are the statements of a search on SQLite, with arguments to explain them with.
func ExplainStatements() map[string][]any {
	all := map[string][]any{
		fts5Index{}.findQuery(bucketTable):  {`"a" AND "b"`, int64(0), int64(math.MaxInt64), 10},
		fts5Index{}.findQuery(messageTable): {`"a" AND "b"`, int64(0), int64(math.MaxInt64), 10},
		fts5Index{}.listQuery(messageTable): {int64(0), int64(math.MaxInt64), 10},
		newestQuery:                         {int64(1), int64(5), "x", int64(0), 10},
	}
	numbers := make([]any, docBatchSize+1)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	all[docsQuery], all[summaryQuery], all[someDocIDsQuery] = numbers, numbers, numbers
	all[docByIDQuery] = []any{int64(1), "c"}
	all[summaryRangeQuery] = []any{int64(1), int64(1), int64(9)}
	return all
}

// PostgresFind is the statement that asks PostgreSQL's index, with an expression for an agent.
func PostgresFind(agent int64, word string) (query, text string) {
	return tsvectorIndex{}.findQuery(messageTable),
		expr{groups: [][]string{{agentToken(agent)}, {word}}}.format("'", " & ", " | ")
}

// SnippetOf is the snippet of a text for a query.
func SnippetOf(text, query string) *Snippet {
	return newSnippet(&store.IndexableMessage{Author: parley.AuthorUser, Text: text}, distinctForms(queryWords(query)))
}

// QueryWords returns the words of a query with their forms.
func QueryWords(query string) []string { return distinctForms(queryWords(query)) }

// ContainsAllWords reports whether a text contains all words of a query.
func ContainsAllWords(text, query string) bool {
	found := map[string]bool{}
	for t := range tokensWithForms(text) {
		found[t.word] = true
	}
	for _, w := range queryWords(query) {
		if !slices.ContainsFunc(w.forms, func(form string) bool { return found[form] }) {
			return false
		}
	}
	return true
}
