//go:build unix

package llm

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"parley/internal/rig/hostile"
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
		"aloud": func(text string) { readable(text, "en"); readable(text, "de") },
		"fence": func(text string) { _ = fenced(text) + nameOnly(text) },
		"marks": func(text string) {
			m := marks{passages: passages}
			pieces(text, func(piece []byte) { m.feed(piece) })
			m.end(nil)
		},
		"thought": func(text string) { think(text); think("<think>" + text) },
		"repair": func(text string) {
			var r repair
			pieces(text, func(piece []byte) { r.append(nil, piece) })
		},
		"lines": readLines,
		"event": func(text string) { new(delta).decode([]byte(text)) },
		"text of events": func(text string) {
			new(delta).decode([]byte(`{"choices":[{"delta":{"content":` + string(asJSON(text)) + `}}]}`))
		},
		"blocks":     func(text string) { new(blocks).decode(&delta{}, []byte(text)) },
		"embeddings": func(text string) { _, _ = (&Embeddings{}).read([]byte(`{"data":[{"embedding":`+text), 1) },
		"remark":     func(text string) { IsRemark(text) },
	})
}

func think(text string) {
	var th thought
	pieces(text, func(piece []byte) { th.strip(piece) })
	th.end()
}

func readLines(text string) {
	l := newLines(iotest.HalfReader(strings.NewReader(text)))
	defer l.free()
	for l.fill() == nil {
		for line, ok := l.next(); ok; line, ok = l.next() {
			field(line)
		}
	}
}

// White space without an end is held back before an answer, and read once.
func TestWorkOfSpaceBeforeAnswer(t *testing.T) {
	hostile.Linear(t, 256<<10, hostile.Made("spaces", "", " ", ""), think)
	var th thought
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
		hostile.Bounded(t, unit, func(text string) {
			readable(text, "en")
			fenced(text)
			think(text)
			new(delta).decode([]byte(text))
			m := marks{passages: passages}
			m.end([]byte(text))
		})
	})
}
