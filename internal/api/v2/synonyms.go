package v2

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/httpapi"
)

// maxSynonymLength is how many code points a word or phrase of a group of synonyms may have.
const maxSynonymLength = 100

// applySynonyms replaces the agent's groups of synonyms. Fails with VALIDATION_INVALID_BODY where a member is empty or too long.
func applySynonyms(a *parley.Agent, sent httpapi.Opt[[][]string]) error {
	if !sent.Present {
		return nil
	}
	a.Synonyms = nil
	details := map[string]string{}
	for i, group := range sent.Value {
		clean := make([]string, len(group))
		for j, member := range group {
			clean[j] = strings.Join(strings.Fields(member), " ")
			if n := utf8.RuneCountInString(clean[j]); n == 0 || n > maxSynonymLength {
				details[fmt.Sprintf("synonyms.%d.%d", i, j)] = fmt.Sprintf("must have 1 to %d characters", maxSynonymLength)
			}
		}
		a.Synonyms = append(a.Synonyms, clean)
	}
	if len(details) == 0 {
		return nil
	}
	fail := parley.NewError(parley.CodeInvalidBody)
	fail.Details = details
	return fail
}
