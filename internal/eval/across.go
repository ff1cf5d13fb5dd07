package eval

import (
	"fmt"
	"strings"
)

// AcrossLanguages returns, for each pair of languages such as "de-en", sets that ask the questions of the one language
// against the documents of the other. They are made of sets that are translations of each other, whose names end with
// the languages (xquad.de, xquad.en), with the same ids of questions.
func AcrossLanguages(sets []Set, pairs []string) (across []Set, err error) {
	for _, p := range pairs {
		from, to, ok := strings.Cut(p, "-")
		if !ok || from == "" || to == "" {
			return nil, fmt.Errorf("%q is no pair of languages such as de-en", p)
		}
		found := false
		for _, questions := range sets {
			name, ok := strings.CutSuffix(questions.Name, "."+from)
			if !ok {
				continue
			}
			for _, documents := range sets {
				if documents.Name == name+"."+to {
					found, across = true, append(across, crossSets(questions, documents, p))
				}
			}
		}
		if !found {
			return nil, fmt.Errorf("no two sets have names that end with .%s and .%s and are otherwise the same", from, to)
		}
	}
	return across, nil
}

// crossSets returns the questions of one set about the documents of the other, without those that the other lacks.
func crossSets(questions, documents Set, pair string) Set {
	byID := make(map[string]Question, len(documents.Questions))
	for _, q := range documents.Questions {
		byID[q.ID] = q
	}
	name, _, _ := strings.Cut(documents.Name, ".")
	set := Set{Name: name + "." + pair, Docs: documents.Docs}
	for _, q := range questions.Questions {
		if same, ok := byID[q.ID]; ok {
			same.Text, same.History = q.Text, q.History
			set.Questions = append(set.Questions, same)
		}
	}
	return set
}
