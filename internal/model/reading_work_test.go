//go:build unix

package model

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"parley/internal/testkit/hostile"
)

// pieces hands a text on as a provider sends it, a few bytes at a time.
func pieces(text string, each func(piece []byte)) {
	for piece := range slices.Chunk([]byte(text), 5) {
		each(piece)
	}
}

// asJSON is a text within an event of a provider.
func asJSON(text string) []byte {
	b, err := json.Marshal(strings.ToValidUTF8(text, ""))
	if err != nil {
		panic(err) // a text always encodes
	}
	return b
}

// The work to read what models, providers and sources write grows with it, and no more than that.
func TestWorkOfReading(t *testing.T) {
	passages := shop(nil).Passages
	hostile.Readers(t, map[string]func(text string){
		"aloud": func(text string) { spellOutForSpeech(text, "en"); spellOutForSpeech(text, "de") },
		"fence": func(text string) { _ = fenceText(text) + fenceName(text) },
		"marks": func(text string) {
			m := markerFilter{passages: passages}
			pieces(text, func(piece []byte) { m.feed(piece) })
			m.finish(nil)
		},
		"thought": func(text string) { think(text); think("<think>" + text) },
		"repair": func(text string) {
			var r utf8Repairer
			pieces(text, func(piece []byte) { r.appendValid(nil, piece) })
		},
		"lines": readLines,
		"event": func(text string) { new(streamDelta).decode([]byte(text)) },
		"text of events": func(text string) {
			new(streamDelta).decode([]byte(`{"choices":[{"delta":{"content":` + string(asJSON(text)) + `}}]}`))
		},
		"blocks":     func(text string) { new(anthropicDecoder).decode(&streamDelta{}, []byte(text)) },
		"embeddings": func(text string) { _, _ = (&OpenAIEmbedder{}).parseResponse([]byte(`{"data":[{"embedding":`+text), 1) },
		"remark":     func(text string) { IsSmallTalk(text) },
	})
}

func think(text string) {
	var th thoughtFilter
	pieces(text, func(piece []byte) { th.strip(piece) })
	th.flush()
}

func readLines(text string) {
	l := newLineReader(iotest.HalfReader(strings.NewReader(text)))
	defer l.release()
	for l.fill() == nil {
		for line, ok := l.nextLine(); ok; line, ok = l.nextLine() {
			parseField(line)
		}
	}
}

// White space without an end is held back before an answer, and read once.
func TestWorkOfSpaceBeforeAnswer(t *testing.T) {
	hostile.RequireLinear(t, 256<<10, hostile.Made("spaces", "", " ", ""), think)
	var th thoughtFilter
	for _, piece := range []string{" ", "\n ", "<th", "ink>so</think>", " \n", "Yes"} {
		if got := string(th.strip([]byte(piece))); got != "" && got != "Yes" {
			t.Errorf("%q of a thought is said", got)
		}
	}
}

func FuzzReadingWork(f *testing.F) {
	for _, s := range []string{"$1 ", "a@b.c 3-5 ", "[1] ", "<source ", "{\"a\":", " \n", "(http://a.example/b) "} {
		f.Add(s)
	}
	passages := shop(nil).Passages
	f.Fuzz(func(t *testing.T, unit string) {
		hostile.RequireBounded(t, unit, func(text string) {
			spellOutForSpeech(text, "en")
			fenceText(text)
			think(text)
			new(streamDelta).decode([]byte(text))
			m := markerFilter{passages: passages}
			m.finish([]byte(text))
		})
	})
}
