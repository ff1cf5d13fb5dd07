package tokenizer

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

var errNesting = errors.New("it is nested too deeply")

// pattern is what a component looks for: a text, or a regular expression.
type pattern struct {
	String *string
	Regex  *string
}

func (p pattern) compile() (*regexp.Regexp, error) {
	switch {
	case p.Regex != nil:
		return regexp.Compile(*p.Regex)
	case p.String != nil && *p.String != "":
		return regexp.Compile(regexp.QuoteMeta(*p.String))
	}
	return nil, errors.New("the pattern is empty")
}

// readNormalizer adds a normalizer of the file, or those of a sequence.
func (t *Tokenizer) readNormalizer(raw json.RawMessage, depth int) error {
	if isNull(raw) {
		return nil
	}
	var c struct {
		Type        string            `json:"type"`
		Normalizers []json.RawMessage `json:"normalizers"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return err
	}
	if depth > maxNesting || len(t.normalizers) > maxComponents {
		return errNesting
	}
	if c.Type != "Sequence" {
		n, err := newNormalizer(c.Type, raw)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Type, err)
		}
		t.normalizers = append(t.normalizers, n)
		return nil
	}
	for _, part := range c.Normalizers {
		if err := t.readNormalizer(part, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func newNormalizer(name string, raw json.RawMessage) (normalizer, error) {
	switch name {
	case "BertNormalizer":
		return newBERTNormalizer(raw)
	case "NFC":
		return norm.NFC.String, nil
	case "NFD":
		return norm.NFD.String, nil
	case "NFKC":
		return norm.NFKC.String, nil
	case "NFKD":
		return norm.NFKD.String, nil
	case "Lowercase":
		return strings.ToLower, nil
	case "StripAccents":
		return stripAccents, nil
	case "Nmt":
		return normalizeNMT, nil
	}
	return newParameterNormalizer(name, raw)
}

// newParameterNormalizer returns a normalizer that has parameters.
func newParameterNormalizer(name string, raw json.RawMessage) (normalizer, error) {
	var p struct {
		Pattern  pattern `json:"pattern"`
		Content  string  `json:"content"`
		Prefix   string  `json:"prepend"`
		Charsmap *string `json:"precompiled_charsmap"`
		Left     bool    `json:"strip_left"`
		Right    bool    `json:"strip_right"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	if len(p.Content) > maxAddedBytes || len(p.Prefix) > maxAddedBytes {
		return nil, fmt.Errorf("it writes more than %d bytes", maxAddedBytes)
	}
	switch name {
	case "Strip":
		return stripSpaces(p.Left, p.Right), nil
	case "Prepend":
		return prepend(p.Prefix), nil
	case "Replace":
		return newReplacement(p.Pattern, p.Content)
	case "Precompiled":
		return newPrecompiled(p.Charsmap)
	}
	return nil, errors.New("this type is not supported")
}

func newReplacement(p pattern, content string) (normalizer, error) {
	if p.Regex == nil && p.String != nil && *p.String != "" {
		return func(text string) string { return strings.ReplaceAll(text, *p.String, content) }, nil
	}
	found, err := p.compile()
	if err != nil {
		return nil, err
	}
	return func(text string) string { return found.ReplaceAllLiteralString(text, content) }, nil
}

func newPrecompiled(encoded *string) (normalizer, error) {
	if encoded == nil || *encoded == "" {
		return func(text string) string { return text }, nil
	}
	data, err := base64.StdEncoding.DecodeString(*encoded)
	if err != nil {
		return nil, fmt.Errorf("the table of characters: %w", err)
	}
	c, err := parseCharsmap(data)
	if err != nil {
		return nil, err
	}
	return c.normalize, nil
}

func newBERTNormalizer(raw json.RawMessage) (normalizer, error) {
	p := struct {
		Cleans    bool  `json:"clean_text"`
		Separates bool  `json:"handle_chinese_chars"`
		Strips    *bool `json:"strip_accents"`
		Lowers    bool  `json:"lowercase"`
	}{Cleans: true, Separates: true, Lowers: true}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	n := bertNormalizer{cleans: p.Cleans, separatesIdeographs: p.Separates, stripsAccents: p.Lowers, lowers: p.Lowers}
	if p.Strips != nil {
		n.stripsAccents = *p.Strips
	}
	return n.normalize, nil
}

// readSplitter adds a pre-tokenizer of the file, or those of a sequence.
func (t *Tokenizer) readSplitter(raw json.RawMessage, depth int) error {
	if isNull(raw) {
		return nil
	}
	var c struct {
		Type  string            `json:"type"`
		Parts []json.RawMessage `json:"pretokenizers"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return err
	}
	if depth > maxNesting || len(t.splitters) > maxComponents {
		return errNesting
	}
	if c.Type != "Sequence" {
		s, err := newSplitter(c.Type, raw)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Type, err)
		}
		t.splitters = append(t.splitters, s)
		return nil
	}
	for _, part := range c.Parts {
		if err := t.readSplitter(part, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func newSplitter(name string, raw json.RawMessage) (splitter, error) {
	var p struct {
		Pattern  pattern `json:"pattern"`
		Behavior string  `json:"behavior"`
		Inverts  bool    `json:"invert"`
		Single   bool    `json:"individual_digits"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	switch name {
	case "BertPreTokenizer":
		return splitBERT, nil
	case "Whitespace":
		return splitRuns, nil
	case "WhitespaceSplit":
		return splitSpaces, nil
	case "Metaspace":
		return newMetaspace(raw)
	case "Digits":
		return splitDigits(p.Single), nil
	case "Punctuation":
		if p.Behavior == "" || p.Behavior == "Isolated" {
			return splitPunctuation, nil
		}
		return nil, fmt.Errorf("the behavior %q is not supported", p.Behavior)
	case "Split":
		found, err := p.Pattern.compile()
		if err == nil && p.Behavior != "Removed" && p.Behavior != "Isolated" {
			err = fmt.Errorf("the behavior %q is not supported", p.Behavior)
		}
		return splitPattern(found, p.Behavior == "Removed", p.Inverts), err
	}
	return nil, errors.New("this type is not supported")
}

func newMetaspace(raw json.RawMessage) (splitter, error) {
	p := struct {
		Sign     string  `json:"replacement"`
		Prefixes *bool   `json:"add_prefix_space"`
		Scheme   *string `json:"prepend_scheme"`
		Splits   *bool   `json:"split"`
	}{Sign: "▁"}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(p.Sign) != 1 {
		return nil, errors.New("the replacement is not one character")
	}
	m := metaspace{sign: p.Sign, prefixes: p.Prefixes == nil || *p.Prefixes,
		keepsWordsTogether: p.Splits != nil && !*p.Splits}
	if p.Scheme != nil {
		m.prefixes, m.prefixesFirst = *p.Scheme == "always", *p.Scheme == "first"
	}
	return m.split, nil
}

// readTemplate reads which pieces a text gets around it.
func (t *Tokenizer) readTemplate(raw json.RawMessage, depth int) error {
	if isNull(raw) {
		return nil
	}
	name, err := typeOf(raw)
	if err != nil {
		return err
	}
	switch name {
	case "TemplateProcessing":
		return t.readTemplateProcessing(raw)
	case "BertProcessing", "RobertaProcessing":
		return t.readPairProcessing(raw)
	case "ByteLevel":
		return nil // changes what is said of places alone
	case "Sequence":
		return t.readTemplateSequence(raw, depth)
	}
	return fmt.Errorf("%s: this type is not supported", name)
}

func (t *Tokenizer) readTemplateSequence(raw json.RawMessage, depth int) error {
	var c struct {
		Processors []json.RawMessage `json:"processors"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return err
	}
	if depth > maxNesting || len(c.Processors) > maxComponents {
		return errNesting
	}
	for _, part := range c.Processors {
		if err := t.readTemplate(part, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// readTemplateProcessing reads a list of special pieces and of the place of the text among them.
func (t *Tokenizer) readTemplateProcessing(raw json.RawMessage) error {
	var p struct {
		Single []struct {
			Special  *struct{ ID string } `json:"SpecialToken"`
			Sequence *struct{ ID string } `json:"Sequence"`
		} `json:"single"`
		Special map[string]struct {
			IDs []int64 `json:"ids"`
		} `json:"special_tokens"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	t.prefix, t.suffix = nil, nil
	isBehind := false
	for _, part := range p.Single {
		if part.Sequence != nil {
			isBehind = true
			continue
		}
		if part.Special == nil || len(p.Special[part.Special.ID].IDs) == 0 {
			return errors.New("the template names a piece that it does not have")
		}
		if err := t.addSpecial(p.Special[part.Special.ID].IDs, isBehind); err != nil {
			return err
		}
	}
	if !isBehind {
		return errors.New("the template has no place for the text")
	}
	return nil
}

// readPairProcessing reads the piece before each text and the one after it.
func (t *Tokenizer) readPairProcessing(raw json.RawMessage) error {
	var p struct {
		Start *namedID `json:"cls"`
		End   *namedID `json:"sep"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	if p.Start == nil || p.End == nil {
		return errors.New("it lacks cls or sep")
	}
	t.prefix, t.suffix = nil, nil
	return errors.Join(t.addSpecial([]int64{int64(*p.Start)}, false), t.addSpecial([]int64{int64(*p.End)}, true))
}

// namedID is a list of the text of a piece and of its number, of which the number counts.
type namedID int64

// UnmarshalJSON reads the list.
func (n *namedID) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return errors.New("a special piece is not a text and a number")
	}
	return json.Unmarshal(pair[1], (*int64)(n))
}

func (t *Tokenizer) addSpecial(ids []int64, isBehind bool) error {
	for _, id := range ids {
		if id < 0 || id >= math.MaxInt32 || len(t.prefix)+len(t.suffix) >= maxComponents {
			return fmt.Errorf("the special piece %d is not supported", id)
		}
		t.highest = max(t.highest, int32(id))
		if isBehind {
			t.suffix = append(t.suffix, int32(id))
		} else {
			t.prefix = append(t.prefix, int32(id))
		}
	}
	return nil
}
