package tokenizer_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/model/tokenizer"
)

func parse(t testing.TB, file string) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// wordPieceFile returns a tokenizer of BERT with the pieces, whose numbers are their places.
func wordPieceFile(normalizer string, pieces ...string) string {
	ids := map[string]int{}
	for id, p := range pieces {
		ids[p] = id
	}
	vocab, err := json.Marshal(ids)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"normalizer":%s,"pre_tokenizer":{"type":"BertPreTokenizer"},
		"post_processor":{"type":"BertProcessing","sep":["[SEP]",3],"cls":["[CLS]",2]},
		"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##",
			"max_input_chars_per_word":12,"vocab":%s}}`, normalizer, vocab)
}

const bertLower = `{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,` +
	`"lowercase":true}`

// The pieces are worked out by hand from the rules of BERT: clean the text, put spaces around ideographs, take accents
// and capitals away, split at spaces and signs, and take the longest piece again and again.
func TestWordPieces(t *testing.T) {
	pieces := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "affable", "cafe", "!", "中", "国",
		"a", "##b", "ab", "##c", "strasse", "ß", "$", "i", "##"}
	tok := parse(t, wordPieceFile(bertLower, pieces...))
	for _, c := range []struct {
		text string
		want string
	}{
		{"unaffable", "un ##aff ##able"},
		{"UNAFFABLE affable", "un ##aff ##able affable"},
		{"Café!!", "cafe ! !"},
		{"Cafe\u0301", "cafe"}, // the accent is a character of its own
		{"中国ab", "中 国 ab"},
		{"abc abd", "ab ##c [UNK]"}, // of abd a part is unknown, so all of it is
		{"a\x00b\u200b\ufffd\x07 a\tb", "ab a [UNK]"},
		{"ß", "ß"}, // is no s with an accent
		{"$a$", "$ a $"},
		{"İ", "i"},
		{"abababababab", "[UNK]"}, // begins with ab, and what follows has no piece
		{"unaffableunaffable", "[UNK]"},
		{"", ""},
		{" \n\u00a0\u3000", ""},
		{"[SEP]", "[UNK] [UNK] [UNK]"}, // a word like any other
		{"a\xff\xfeb", "ab"},           // bytes that are no characters are removed
	} {
		checkPieces(t, tok, pieces, c.text, append(append([]string{"[CLS]"}, strings.Fields(c.want)...), "[SEP]"))
	}
}

func checkPieces(t *testing.T, tok *tokenizer.Tokenizer, pieces []string, text string, want []string) {
	t.Helper()
	var got []string
	for _, id := range tok.Encode(text, 100) {
		got = append(got, pieces[id])
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q: %q, want %q", text, got, want)
	}
}

func TestCaseAndAccentsAreKept(t *testing.T) {
	pieces := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "Café", "cafe", "中国"}
	tok := parse(t, wordPieceFile(`{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":false,`+
		`"strip_accents":false,"lowercase":false}`, pieces...))
	checkPieces(t, tok, pieces, "Café cafe CAFE 中国", []string{"[CLS]", "Café", "cafe", "[UNK]", "中国", "[SEP]"})
}

func TestLimits(t *testing.T) {
	pieces := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##b"}
	tok := parse(t, wordPieceFile(bertLower, pieces...))
	for _, c := range []struct {
		text       string
		limit      int
		want, bare []int32
	}{
		{"a ab a", 6, []int32{2, 4, 4, 5, 4, 3}, []int32{4, 4, 5, 4}},
		{"a ab a", 5, []int32{2, 4, 4, 5, 3}, []int32{4, 4, 5, 4}},
		{"a ab a", 4, []int32{2, 4, 4, 3}, []int32{4, 4, 5, 4}},
		{"a ab a", 1, []int32{2, 3}, []int32{4}},
		{"x a x", 9, []int32{2, 1, 4, 1, 3}, []int32{4}},
	} {
		if got := tok.Encode(c.text, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("%q, at most %d: %v, want %v", c.text, c.limit, got, c.want)
		}
		if got := tok.EncodeKnown(c.text, c.limit); !slices.Equal(got, c.bare) {
			t.Errorf("%q, known, at most %d: %v, want %v", c.text, c.limit, got, c.bare)
		}
	}
	long := strings.Repeat("a ", 1<<20)
	if got := tok.Encode(long, 512); len(got) != 512 {
		t.Errorf("%d pieces", len(got))
	}
	if tok.HighestID() != 5 {
		t.Errorf("highest number %d", tok.HighestID())
	}
}

// unigramFile returns a tokenizer as that of XLM-RoBERTa, with scored pieces.
func unigramFile(charsmap string, vocab string) string {
	return fmt.Sprintf(`{"added_tokens":[{"id":0,"content":"<s>","special":true},{"id":1,"content":"<pad>","special":true},
			{"id":2,"content":"</s>","special":true},{"id":3,"content":"<unk>","special":true}],
		"normalizer":{"type":"Sequence","normalizers":[
			{"type":"Precompiled","precompiled_charsmap":%q},
			{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]},
		"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},
			{"type":"Metaspace","replacement":"▁","add_prefix_space":true}]},
		"post_processor":{"type":"TemplateProcessing",
			"single":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}},
				{"SpecialToken":{"id":"</s>","type_id":0}}],
			"special_tokens":{"<s>":{"id":"<s>","ids":[0],"tokens":["<s>"]},
				"</s>":{"id":"</s>","ids":[2],"tokens":["</s>"]}}},
		"model":{"type":"Unigram","unk_id":3,"vocab":%s}}`, charsmap, vocab)
}

// The best sum of scores wins, and not the longest piece. The sums are worked out by hand.
func TestUnigram(t *testing.T) {
	pieces := []string{"<s>", "<pad>", "</s>", "<unk>", "▁", "▁a", "b", "c", "bc", "▁ab", "▁abc", "d", "▁bc"}
	tok := parse(t, unigramFile("", `[["<s>",0],["<pad>",0],["</s>",0],["<unk>",0],["▁",-4],["▁a",-2],["b",-3],
		["c",-3],["bc",-2],["▁ab",-3],["▁abc",-4.5],["d",-1],["▁bc",-9]]`))
	for text, want := range map[string]string{
		"abc":      "▁a bc",          // -4, before ▁abc with -4.5 and ▁ab c with -6
		"ab":       "▁ab",            // -3, before ▁a b with -5
		"abcd":     "▁a bc d",        // -5
		"bc":       "▁ bc",           // -6, before ▁bc with -9
		"abc  d":   "▁a bc ▁ d",      // each word by itself
		"xyz":      "▁ <unk>",        // a run of unknown characters is one
		"axb":      "▁a <unk> b",     // and ends before a known one
		"b\u00e9":  "▁ b <unk>",      // é
		"":         "",               // nothing
		" \t\n":    "",               // nothing either
		"</s>":     "▁ <unk>",        // a text like any other, but see below
		"d d":      "▁ d ▁ d",        //
		"cccccc":   "▁ c c c c c c",  //
		"abcabc":   "▁a bc <unk> bc", // only at the beginning of a word has a a piece
		"▁abc":     "▁a bc",          // the sign itself
		"d\u3000d": "▁ d ▁ d",        // a wide space
	} {
		checkPieces(t, tok, pieces, text, append(append([]string{"<s>"}, strings.Fields(want)...), "</s>"))
	}
	if got := tok.EncodeKnown("xa", 9); !slices.Equal(got, []int32{4}) {
		t.Errorf("%v", got)
	}
}

// What has no piece is spelled by its bytes where all bytes have one.
func TestUnigramBytes(t *testing.T) {
	vocab := []any{[]any{"<unk>", 0}, []any{"a", -1}}
	for b := range 256 {
		vocab = append(vocab, []any{fmt.Sprintf("<0x%02X>", b), -20})
	}
	text, err := json.Marshal(map[string]any{"model": map[string]any{"type": "Unigram", "unk_id": 0, "vocab": vocab,
		"byte_fallback": true}})
	if err != nil {
		t.Fatal(err)
	}
	tok := parse(t, string(text))
	if got := tok.Encode("aéa", 9); !slices.Equal(got, []int32{1, 2 + 0xc3, 2 + 0xa9, 1}) {
		t.Errorf("%v", got)
	}
	if got := tok.Encode("éß", 9); !slices.Equal(got, []int32{2 + 0xc3, 2 + 0xa9, 2 + 0xc3, 2 + 0x9f}) {
		t.Errorf("%v", got)
	}
}

// charsmapOf returns a table that replaces texts, in the format of SentencePiece. The array is filled in the plainest
// way: the children of each node are put behind all that is there.
func charsmapOf(replaced map[string]string) string {
	units := slices.Repeat([]uint32{0}, 256)
	used, bases := map[int]bool{0: true}, map[int]bool{0: true}
	var replacements []byte
	place := func(children []byte) int { // where the children of a node can be
		for base := 1; ; base++ {
			isFree := !bases[base]
			for _, c := range children {
				isFree = isFree && !used[base^int(c)]
			}
			if isFree {
				bases[base] = true
				return base
			}
		}
	}
	grow := func(n int) {
		if missing := n + 257 - len(units); missing > 0 {
			units = append(units, make([]uint32, missing)...)
		}
	}
	var fill func(node int, prefix string)
	fill = func(node int, prefix string) {
		children := map[byte]bool{}
		for key := range replaced {
			if rest, ok := strings.CutPrefix(key, prefix); ok && rest != "" {
				children[rest[0]] = true
			} else if ok {
				children[0] = true // the place of its value
			}
		}
		var list []byte
		for c := range children {
			list = append(list, c)
		}
		slices.Sort(list)
		base := place(list)
		for _, c := range list {
			used[base^int(c)] = true
			grow(base ^ int(c))
		}
		units[node] |= uint32(base^node) << 10
		for _, c := range list {
			at := base ^ int(c)
			if c == 0 {
				units[node] |= 1 << 8
				units[at] = 1<<31 | uint32(len(replacements))
				replacements = append(append(replacements, replaced[prefix]...), 0)
				continue
			}
			units[at] |= uint32(c)
			fill(at, prefix+string([]byte{c}))
		}
	}
	fill(0, "")
	data := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
	for _, u := range units {
		data = binary.LittleEndian.AppendUint32(data, u)
	}
	return base64.StdEncoding.EncodeToString(append(data, replacements...))
}

func TestCharsmap(t *testing.T) {
	pieces := []string{"<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "1", "ff", "i", "2"}
	tok := parse(t, unigramFile(charsmapOf(map[string]string{"Ａ": "a", "A": "a", "ﬀ": "ff", "\t": " ", "①": "1",
		"e\u0301": "b", "e": "i", "\u200b": ""}), `[["<s>",0],["<pad>",0],["</s>",0],["<unk>",0],["▁",-1],["a",-1],
		["b",-1],["1",-1],["ff",-1],["i",-1],["2",-1]]`))
	for text, want := range map[string]string{
		"Ａ":          "▁ a", // the wide letter
		"Aa":         "▁ a a",
		"ﬀ①":         "▁ ff 1",
		"a\ta":       "▁ a ▁ a",
		"e":          "▁ i",
		"e\u0301e":   "▁ b i", // the longest text of the table
		"a\u200bb":   "▁ a b", // is replaced by nothing
		"\u200b":     "",
		"2":          "▁ 2",
		"a   \t   a": "▁ a ▁ a",
	} {
		checkPieces(t, tok, pieces, text, append(append([]string{"<s>"}, strings.Fields(want)...), "</s>"))
	}
}

func TestNormalizersAndSplitters(t *testing.T) {
	vocab := `{"[UNK]":0,"a":1,"b":2,"ab":3,"-":4,"1":5,"12":6,"a-b":7,"é":8,"e":9,"x":10,"▁a":11,"▁b":12,"a▁b":13,
		"--":14,"fi":15}`
	for _, c := range []struct {
		normalizer, splitter, text string
		want                       []int32
	}{
		{`null`, `{"type":"Whitespace"}`, "a-- b", []int32{1, 14, 2}},
		{`null`, `{"type":"WhitespaceSplit"}`, "a-b\tb", []int32{7, 2}},
		{`null`, `{"type":"Punctuation","behavior":"Isolated"}`, "a--b", []int32{1, 4, 4, 2}},
		{`null`, `{"type":"Digits","individual_digits":true}`, "a12", []int32{1, 5, 0}},
		{`null`, `{"type":"Digits","individual_digits":false}`, "a12b", []int32{1, 6, 2}},
		{`null`, `{"type":"Split","pattern":{"String":"-"},"behavior":"Removed","invert":false}`, "a-b", []int32{1, 2}},
		{`null`, `{"type":"Split","pattern":{"Regex":"-+"},"behavior":"Isolated","invert":false}`, "a--b", []int32{1, 14, 2}},
		{`null`, `{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true}`, "a b", []int32{11, 12}},
		{`null`, `{"type":"Metaspace","replacement":"▁","prepend_scheme":"never","split":true}`, "a b", []int32{1, 12}},
		{`null`, `{"type":"Metaspace","replacement":"▁","prepend_scheme":"never","split":false}`, "a b", []int32{13}},
		{`null`, `{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","replacement":"▁",
			"prepend_scheme":"first"}]}`, "a b", []int32{11, 2}},
		{`{"type":"Lowercase"}`, `null`, "AB", []int32{3}},
		{`{"type":"NFC"}`, `null`, "e\u0301", []int32{8}},
		{`{"type":"NFKC"}`, `null`, "ﬁ", []int32{15}},
		{`{"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"StripAccents"}]}`, `null`, "é", []int32{9}},
		{`{"type":"Strip","strip_left":true,"strip_right":true}`, `null`, "  ab ", []int32{3}},
		{`{"type":"Replace","pattern":{"String":"x"},"content":"a"}`, `null`, "xb", []int32{3}},
		{`{"type":"Prepend","prepend":"a"}`, `null`, "b", []int32{3}},
		{`{"type":"Nmt"}`, `{"type":"WhitespaceSplit"}`, "a\u0008b\u200bb", []int32{3, 2}},
	} {
		tok, err := tokenizer.Parse([]byte(fmt.Sprintf(`{"normalizer":%s,"pre_tokenizer":%s,"model":{"type":"WordLevel",
			"unk_token":"[UNK]","vocab":%s}}`, c.normalizer, c.splitter, vocab)))
		if err != nil {
			t.Errorf("%s, %s: %v", c.normalizer, c.splitter, err)
			continue
		}
		if got := tok.Encode(c.text, 20); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %q is %v, want %v", c.normalizer, c.splitter, c.text, got, c.want)
		}
	}
}

var faultyFiles = []struct{ file, want string }{
	{``, "no tokenizer in JSON"},
	{`[]`, "no tokenizer in JSON"},
	{`{}`, "no model"},
	{`{"model":{}}`, "no vocab"},
	{`{"model":{"vocab":{"a":0},"merges":["a b"]}}`, `"BPE"`},
	{`{"model":{"type":"WordPiece","vocab":{}}}`, "has 0 pieces"},
	{`{"model":{"type":"WordPiece","vocab":[]}}`, "vocab"},
	{`{"model":{"type":"WordPiece","vocab":{"a":-1}}}`, "the number -1"},
	{`{"model":{"type":"WordPiece","vocab":{"a":4294967296}}}`, "the number 4294967296"},
	{`{"model":{"type":"Unigram","vocab":[]}}`, "has 0 pieces"},
	{`{"model":{"type":"Unigram","vocab":[["a"]]}}`, "not a text and a score"},
	{`{"model":{"type":"Unigram","vocab":[["a",1,2]]}}`, "not a text and a score"},
	{`{"model":{"type":"Unigram","vocab":[["a","b"]]}}`, "not a text and a score"},
	{`{"model":{"type":"Unigram","vocab":[7]}}`, "not a text and a score"},
	{`{"model":{"type":"Unigram","vocab":[["a",1]],"unk_id":1}}`, "unk_id is 1"},
	{`{"model":{"type":"Unigram","vocab":[["` + strings.Repeat("a", 513) + `",1]]}}`, "513 bytes"},
	{`{"model":{"vocab":{"a":0}},"normalizer":{"type":"Replace","pattern":{"Regex":"("},"content":""}}`, "Replace"},
	{`{"model":{"vocab":{"a":0}},"normalizer":{"type":"Replace","pattern":{"String":""},"content":""}}`, "empty"},
	{`{"model":{"vocab":{"a":0}},"normalizer":{"type":"Prepend","prepend":"` + strings.Repeat("a", 65) + `"}}`,
		"more than 64 bytes"},
	{`{"model":{"vocab":{"a":0}},"normalizer":{"type":"Precompiled","precompiled_charsmap":"AAAA"}}`, "too short"},
	{`{"model":{"vocab":{"a":0}},"normalizer":{"type":"Precompiled","precompiled_charsmap":"/////w=="}}`, "length"},
	{`{"model":{"vocab":{"a":0}},"normalizer":{"type":"Precompiled","precompiled_charsmap":"!"}}`, "base64"},
	{`{"model":{"vocab":{"a":0}},"normalizer":` + strings.Repeat(`{"type":"Sequence","normalizers":[`, 20) +
		strings.Repeat(`]}`, 20) + `}`, "too deeply"},
	{`{"model":{"vocab":{"a":0}},"pre_tokenizer":{"type":"ByteLevel"}}`, "not supported"},
	{`{"model":{"vocab":{"a":0}},"pre_tokenizer":{"type":"Metaspace","replacement":""}}`, "not one character"},
	{`{"model":{"vocab":{"a":0}},"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}}]}}`,
		"does not have"},
	{`{"model":{"vocab":{"a":0}},"post_processor":{"type":"TemplateProcessing","single":[]}}`, "no place for the text"},
	{`{"model":{"vocab":{"a":0}},"post_processor":{"type":"BertProcessing","cls":["a",0]}}`, "lacks cls or sep"},
	{`{"model":{"vocab":{"a":0}},"post_processor":{"type":"BertProcessing","cls":["a",-1],"sep":["a",0]}}`, "piece -1"},
}

func TestFaultyFiles(t *testing.T) {
	for _, c := range faultyFiles {
		if _, err := tokenizer.Parse([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200s: %v, want %q", c.file, err, c.want)
		}
	}
}

func TestVocabulary(t *testing.T) {
	list := "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\nun\r\n##able\r\nÉ\r\n"
	lower, err := tokenizer.ParseVocabulary([]byte(list), tokenizer.VocabularySettings{})
	if err != nil {
		t.Fatal(err)
	}
	if got := lower.Encode("UNable É", 9); !slices.Equal(got, []int32{2, 4, 5, 1, 3}) {
		t.Errorf("%v", got)
	}
	cased, err := tokenizer.ParseVocabulary([]byte(list), tokenizer.VocabularySettings{KeepsCase: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := cased.Encode("unable UNable É", 9); !slices.Equal(got, []int32{2, 4, 5, 1, 6, 3}) {
		t.Errorf("%v", got)
	}
	if _, err := tokenizer.ParseVocabulary([]byte("a\nb\n"), tokenizer.VocabularySettings{}); err == nil ||
		!strings.Contains(err.Error(), "[CLS]") {
		t.Errorf("%v", err)
	}
}

// Whatever a file and a text hold, the numbers are of pieces, and no more than wanted.
func FuzzParse(f *testing.F) {
	f.Add(wordPieceFile(bertLower, "[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##b"), "Ab é 中")
	f.Add(unigramFile(charsmapOf(map[string]string{"A": "a", "e\u0301": "b"}),
		`[["<s>",0],["<pad>",0],["</s>",0],["<unk>",0],["▁",-1]]`), "A e\u0301\xff")
	for _, c := range faultyFiles {
		f.Add(c.file, "a")
	}
	f.Fuzz(func(t *testing.T, file, text string) {
		tok, err := tokenizer.Parse([]byte(file))
		if err != nil {
			return
		}
		for _, ids := range [][]int32{tok.Encode(text, 64), tok.EncodeKnown(text, 64)} {
			if len(ids) > 64+32 {
				t.Errorf("%d pieces", len(ids))
			}
			for _, id := range ids {
				if id < 0 || int(id) > tok.HighestID() {
					t.Errorf("the number %d of %d", id, tok.HighestID())
				}
			}
		}
	})
}

// A Unigram tokenizer takes each character into account, however naughty the text.
func FuzzUnigram(f *testing.F) {
	tok, err := tokenizer.Parse([]byte(unigramFile("", `[["<s>",-9],["<pad>",-9],["</s>",-9],["<unk>",-9],["▁",-1],
		["a",-1],["ab",-1],["▁abba",-2]]`)))
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"", "abba", "\xff", "\u0000", "▁▁", "🏳️‍🌈", "ᚠ\u0301\u0301", "\u202e\u202d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids := tok.Encode(text, 1<<20)
		if len(ids) < 2 || ids[0] != 0 || ids[len(ids)-1] != 2 {
			t.Errorf("%q: %v", text, ids)
		}
		hasContent := strings.TrimSpace(text) != ""
		if utf8.ValidString(text) && hasContent != (len(ids) > 2) {
			t.Errorf("%q: %v", text, ids)
		}
	})
}
