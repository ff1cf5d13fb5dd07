package bus

import (
	"encoding/json"
	"maps"
	"slices"
)

// A message of PostgreSQL has at most 8,000 bytes. Ids are UUIDs and the kinds of jobs.
const (
	maxIDs      = 100
	maxIDLength = 60
	maxPending  = 10_000 // ids of a topic that wait to be published; of more, all of the topic is
)

// message is what servers tell each other: ids of one topic, or all of it.
type message struct {
	From  string   `json:"from"` // the server
	Topic Topic    `json:"topic"`
	IDs   []string `json:"ids,omitempty"` // none: all
}

func (m message) text() string {
	text, _ := json.Marshal(m) // never fails
	return string(text)
}

func parseMessage(text string) (m message, err error) {
	err = json.Unmarshal([]byte(text), &m)
	return m, err
}

// signals are what is to be published of a topic.
type signals struct {
	ids   map[string]bool
	isAll bool
}

func (s *signals) add(ids []string) {
	for _, id := range ids {
		s.ids[id] = true
		s.isAll = s.isAll || len(id) > maxIDLength
	}
	s.isAll = s.isAll || len(ids) == 0 || len(s.ids) > maxPending
	if s.isAll {
		clear(s.ids)
	}
}

// messages returns the signals as messages of a server.
func (s *signals) messages(from string, topic Topic) (list []message) {
	if s.isAll {
		return []message{{From: from, Topic: topic}}
	}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(s.ids)), maxIDs) {
		list = append(list, message{From: from, Topic: topic, IDs: ids})
	}
	return list
}
