// Package synonym proposes groups of synonyms to the operator of an agent: a word of questions that the agent has
// refused and that no source holds, beside a word of the sources with which they would be answered.
package synonym

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley"
	"parley/internal/agents"
	"parley/internal/insight"
	"parley/internal/retrieval"
	"parley/internal/store"
	"parley/internal/text/words"
)

// Service proposes groups of synonyms, and adds those that the operator accepts.
type Service struct {
	DB      *store.DB
	Indexes *retrieval.Indexes
	Insight *insight.Service // knows the questions that were not answered
	Agents  *agents.Service
	Now     func() time.Time

	// ApplySettings changes an agent by a JSON object of settings. It fails with VALIDATION_INVALID_BODY.
	ApplySettings func(a *parley.Agent, settings json.RawMessage) error
}

// Proposals are the groups that are worth a look.
type Proposals struct {
	Withheld  bool       `json:"withheld"`  // texts of conversations do not show up: there are no proposals
	Questions int        `json:"questions"` // unanswered ones that were read, the newest
	Proposals []Proposal `json:"proposals"` // those behind which most questions are come first
}

// Proposal is a group of two words.
type Proposal struct {
	Words     []string `json:"words"`     // that of the questions, and that of the sources
	Questions int      `json:"questions"` // unanswered ones with the word
	Answers   []Answer `json:"answers"`   // what some of them would be answered with
}

// Answer is what a question that was not answered would be answered with.
type Answer struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Source   string `json:"source"` // name of the source that it cites first
}

// Bounds of the work.
const (
	maxQuestions      = 500 // unanswered ones, the newest
	maxAnsweredTurns  = 500 // the newest
	maxWords          = 20  // of unanswered questions, those of most questions
	maxExamples       = 4   // questions that are answered again for a word
	maxCandidateWords = 3   // of the sources, that are tried for a word
)

// minQuestions is how many different questions must have a word: of a single one it is often what the question is
// about, and the sources say nothing of it. A word that is spelled like one of the sources needs no second question.
const minQuestions = 2

// Propose returns proposals for an agent. The same questions and sources have the same proposals. Fails with
// AGENT_NOT_FOUND.
func (s *Service) Propose(ctx context.Context, account *parley.Account, id parley.AgentID) (*Proposals, error) {
	a, err := s.DB.Agent(ctx, account.ID.AgentRef(id), s.Now())
	if err != nil {
		return nil, err
	}
	open, withheld, err := s.Insight.NewestOpenQuestions(ctx, account, a, maxQuestions)
	out := &Proposals{Withheld: withheld, Questions: len(open), Proposals: []Proposal{}}
	if err != nil || len(open) == 0 {
		return out, err
	}
	p := &proposer{Service: s, agent: a}
	list, err := p.unknownWords(ctx, open)
	if err != nil {
		return nil, err
	}
	for _, w := range list {
		proposal, err := p.propose(ctx, w)
		if err != nil {
			return nil, err
		}
		if proposal != nil {
			out.Proposals = append(out.Proposals, *proposal)
		}
	}
	return out, nil
}

// Accept adds a group to the agent's, and returns all of them. Groups that share a word with it become one with it.
// Fails with AGENT_NOT_FOUND, and with VALIDATION_INVALID_BODY where the settings take no such group.
func (s *Service) Accept(ctx context.Context, caller parley.Caller, id parley.AgentID,
	group []string) (groups [][]string, err error) {
	err = s.Agents.Change(ctx, caller, id, func(a *parley.Agent) error {
		settings, err := json.Marshal(map[string][][]string{"synonyms": addGroup(a.Synonyms, group)})
		if err != nil {
			return err
		}
		if err := s.ApplySettings(a, settings); err != nil {
			return err
		}
		groups = a.Synonyms
		return nil
	})
	return groups, err
}

// addGroup returns the groups with another one, which takes in those that share a word with it.
func addGroup(groups [][]string, group []string) [][]string {
	var merged []string
	var others [][]string
	at := -1
	for _, g := range groups {
		if !slices.ContainsFunc(g, func(word string) bool { return hasMember(group, word) }) {
			others = append(others, g)
			continue
		}
		if at < 0 {
			at = len(others)
		}
		merged = addMembers(merged, g)
	}
	if at < 0 {
		at = len(others)
	}
	return slices.Insert(others, at, addMembers(merged, group))
}

func addMembers(group, more []string) []string {
	for _, word := range more {
		if !hasMember(group, word) {
			group = append(group, word)
		}
	}
	return group
}

// hasMember reports whether the group has the word, in whatever case and with or without accents.
func hasMember(group []string, word string) bool {
	return slices.ContainsFunc(group, func(member string) bool { return words.Fold(member) == words.Fold(word) })
}
