package tokenizer

import (
	"errors"
	"fmt"
	"strings"
)

// VocabularySettings are what tokenizer_config.json says of a vocab.txt.
type VocabularySettings struct {
	KeepsCase       bool
	StripsAccents   *bool // nil where the case is not kept
	JoinsIdeographs bool
}

// ParseVocabulary reads a vocab.txt: a piece on each line, whose number is that of the line.
func ParseVocabulary(data []byte, s VocabularySettings) (*Tokenizer, error) {
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) > maxPieces {
		return nil, fmt.Errorf("it has %d pieces, at most %d", len(lines), maxPieces)
	}
	m := &wordPiece{pieces: newTrie(), maxRunes: 100}
	for id, line := range lines {
		if err := m.pieces.add(strings.TrimSuffix(line, "\r"), int32(id)); err != nil {
			return nil, err
		}
	}
	n := bertNormalizer{cleans: true, separatesIdeographs: !s.JoinsIdeographs, stripsAccents: !s.KeepsCase,
		lowers: !s.KeepsCase}
	if s.StripsAccents != nil {
		n.stripsAccents = *s.StripsAccents
	}
	t := &Tokenizer{normalizers: []normalizer{n.normalize}, splitters: []splitter{splitBERT},
		highest: int32(len(lines) - 1)}
	m.setContinuation("##")
	m.unknown, t.model = m.pieces.find("[UNK]"), m
	start, end := m.pieces.find("[CLS]"), m.pieces.find("[SEP]")
	if start < 0 || end < 0 || m.unknown < 0 {
		return nil, errors.New("it lacks one of the pieces [CLS], [SEP] and [UNK]")
	}
	t.prefix, t.suffix = []int32{start}, []int32{end}
	return t, nil
}
