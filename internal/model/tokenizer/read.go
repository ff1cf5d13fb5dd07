package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

const (
	maxPieces     = 1 << 20
	maxComponents = 32 // normalizers, or splitters
	maxNesting    = 8
	maxAddedBytes = 64 // of what a normalizer writes in place of something
)

// file is a tokenizer.json, as far as it is used.
type file struct {
	Added         []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Model         json.RawMessage `json:"model"`
}

// addedToken is a piece that is no part of texts if it is special.
type addedToken struct {
	Content string `json:"content"`
	Special bool   `json:"special"`
}

// Parse reads a tokenizer.json.
func Parse(data []byte) (*Tokenizer, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("no tokenizer in JSON: %w", err)
	}
	t, special := &Tokenizer{}, map[string]bool{}
	for _, added := range f.Added {
		special[added.Content] = added.Special
	}
	if err := t.readModel(f.Model, special); err != nil {
		return nil, err
	}
	if err := t.readNormalizer(f.Normalizer, 0); err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	if err := t.readSplitter(f.PreTokenizer, 0); err != nil {
		return nil, fmt.Errorf("pre_tokenizer: %w", err)
	}
	if err := t.readTemplate(f.PostProcessor, 0); err != nil {
		return nil, fmt.Errorf("post_processor: %w", err)
	}
	return t, nil
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// typeOf returns the type that a component of the file names.
func typeOf(raw json.RawMessage) (string, error) {
	var c struct {
		Type string `json:"type"`
	}
	err := json.Unmarshal(raw, &c)
	return c.Type, err
}

// readModel reads the list of pieces. Older files do not name the kind of model: it shows in what they have.
func (t *Tokenizer) readModel(raw json.RawMessage, special map[string]bool) error {
	var m struct {
		Type         string          `json:"type"`
		Vocab        json.RawMessage `json:"vocab"`
		Merges       json.RawMessage `json:"merges"`
		Unknown      *string         `json:"unk_token"`
		UnknownID    *int64          `json:"unk_id"`
		Continuation *string         `json:"continuing_subword_prefix"`
		MaxRunes     *int            `json:"max_input_chars_per_word"`
		SpellsBytes  bool            `json:"byte_fallback"`
	}
	if isNull(raw) {
		return errors.New("it has no model")
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if isNull(m.Vocab) {
		return errors.New("its model has no vocab")
	}
	if m.Type == "" {
		m.Type = guessType(m.Vocab, m.Merges)
	}
	switch m.Type {
	case "WordPiece":
		words := &wordPiece{pieces: newTrie(), maxRunes: valueOr(m.MaxRunes, 100)}
		return t.readWordPieces(m.Vocab, words, valueOr(m.Unknown, ""), valueOr(m.Continuation, "##"), special)
	case "WordLevel":
		words := &wordPiece{pieces: newTrie(), maxRunes: math.MaxInt32}
		return t.readWordPieces(m.Vocab, words, valueOr(m.Unknown, ""), "", special)
	case "Unigram":
		return t.readUnigram(m.Vocab, m.UnknownID, m.SpellsBytes, special)
	}
	return fmt.Errorf("its model is of the type %q, and WordPiece, WordLevel and Unigram are supported", m.Type)
}

func guessType(vocab, merges json.RawMessage) string {
	switch {
	case !isNull(merges):
		return "BPE"
	case vocab[0] == '[':
		return "Unigram"
	}
	return "WordPiece"
}

func valueOr[T any](v *T, other T) T {
	if v == nil {
		return other
	}
	return *v
}

// readWordPieces reads pieces with their numbers.
func (t *Tokenizer) readWordPieces(vocab json.RawMessage, m *wordPiece, unknown, continuation string,
	special map[string]bool) error {
	var ids map[string]int64
	if err := json.Unmarshal(vocab, &ids); err != nil {
		return fmt.Errorf("vocab: %w", err)
	}
	if len(ids) == 0 || len(ids) > maxPieces {
		return fmt.Errorf("its vocab has %d pieces, from 1 to %d are supported", len(ids), maxPieces)
	}
	m.unknown = noPiece
	for text, id := range ids {
		if id < 0 || id >= math.MaxInt32 {
			return fmt.Errorf("vocab: the piece %.100q has the number %d", text, id)
		}
		t.highest = max(t.highest, int32(id))
		if text == unknown {
			m.unknown = int32(id)
		}
		if special[text] {
			continue
		}
		if err := m.pieces.add(text, int32(id)); err != nil {
			return err
		}
	}
	m.setContinuation(continuation)
	t.model = m
	return nil
}

// piece is an entry of the vocabulary of a Unigram model.
type piece struct {
	text  string
	score float64
}

// UnmarshalJSON reads a list of a text and a number. It is called for each of up to a million pieces.
func (p *piece) UnmarshalJSON(data []byte) (err error) {
	at := bytes.LastIndexByte(data, ',')
	if at < 0 || data[0] != '[' {
		return errPiece
	}
	if err := json.Unmarshal(data[1:at], &p.text); err != nil {
		return errPiece
	}
	number := bytes.TrimSpace(data[at+1 : len(data)-1])
	if p.score, err = strconv.ParseFloat(string(number), 64); err != nil {
		return errPiece
	}
	return nil
}

var errPiece = errors.New("a piece is not a text and a score")

func (t *Tokenizer) readUnigram(vocab json.RawMessage, unknown *int64, spellsBytes bool,
	special map[string]bool) (err error) {
	var list []piece
	if err := json.Unmarshal(vocab, &list); err != nil {
		return fmt.Errorf("vocab: %w", err)
	}
	if len(list) == 0 || len(list) > maxPieces {
		return fmt.Errorf("its vocab has %d pieces, from 1 to %d are supported", len(list), maxPieces)
	}
	unknownID := int32(noPiece)
	if unknown != nil {
		if *unknown < 0 || *unknown >= int64(len(list)) {
			return fmt.Errorf("unk_id is %d, and the vocab has %d pieces", *unknown, len(list))
		}
		unknownID = int32(*unknown)
	}
	t.highest = int32(len(list) - 1)
	t.model, err = newUnigram(list, unknownID, spellsBytes, special)
	return err
}
