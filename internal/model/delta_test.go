package model

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const deltaEvent = `{"id":"chatcmpl-B1","object":"chat.completion.chunk","created":1760000000,"model":"gpt-5.2","choices":` +
	`[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null}`

// The decoder accepts exactly what encoding/json accepts of objects, and reads the same text.
func FuzzDelta(f *testing.F) {
	for _, s := range []string{
		deltaEvent, `{}`, `{"choices":[]}`, `{"choices":[{"delta":{"content":"a\ud83d\ude00\n\"\u00e9"}}]}`, `{"a":[1,-2.5e+3,true,null,{}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"x","function":{"name":"n","arguments":"{}"}}]}}]}`, `{"a":01}`, `[`, `{"a"}`,
		`{"error":{"message":"no"}}`, `{"usage":{"prompt_tokens":3,"completion_tokens":1e2}}`, `{"choices":{"delta":3}}`, "{\"a\":\"\xff\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var d streamDelta
		ok := d.decode(data)
		valid := json.Valid(data) && strings.HasPrefix(strings.TrimLeft(string(data), " \t\r\n"), "{")
		if ok && !valid {
			t.Fatalf("accepts %q", data)
		}
		if !ok && valid && strings.Count(string(data), "[")+strings.Count(string(data), "{") < maxDepth {
			t.Fatalf("refuses %q", data)
		}
	})
}

func FuzzDeltaText(f *testing.F) {
	f.Add("plain", 3)
	f.Add("a\"b\\c\n\u2028é😀\x00", 5)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "?")
		}
		quoted, _ := json.Marshal(text)
		var d streamDelta
		if !d.decode([]byte(`{"choices":[{"delta":{"content":`+string(quoted)+`}}]}`)) || string(d.text) != text {
			t.Fatalf("reads %q of %q", d.text, text)
		}
		at = min(max(at, 0), len(text))
		var r utf8Repairer
		got := r.appendValid(r.appendValid(nil, []byte(text[:at])), []byte(text[at:]))
		if want := strings.ReplaceAll(text, "\x00", "\uFFFD"); string(got)+string(r.flush()) != want {
			t.Fatalf("cut at %d: %q of %q", at, got, want)
		}
	})
}

// Whatever bytes arrive in whatever pieces, what is handed on is valid UTF-8, piece by piece and the same in sum.
func FuzzRepair(f *testing.F) {
	f.Add([]byte("\xe2\x82\xac\xed\xa0\xbd\xed\xb8\x80\xff\x00\xed\xa0"), 4)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		at = min(max(at, 0), len(data))
		var whole, cut utf8Repairer
		want := append(whole.appendValid(nil, data), whole.flush()...)
		first := cut.appendValid(nil, data[:at])
		second := append(cut.appendValid(nil, data[at:]), cut.flush()...)
		if !utf8.Valid(first) || !utf8.Valid(second) || string(want) != string(first)+string(second) {
			t.Fatalf("%q cut at %d: %q + %q, want %q", data, at, first, second, want)
		}
	})
}

// The spans of evidence stay inside the answer and the passage, whatever the model writes and however it arrives.
func FuzzMarks(f *testing.F) {
	f.Add("Open [1]. See [2][1, 2] `x[1]` [1](y)\n- [9] ok", 5)
	passages := make([]Passage, 2)
	passages[0].Text, passages[0].End = "Open the menu.", 14
	f.Fuzz(func(t *testing.T, text string, at int) {
		text = strings.ToValidUTF8(text, "?")
		at = runeFloor([]byte(text), min(max(at, 0), len(text)))
		read := func(pieces ...string) (string, []Citation) {
			m := markerFilter{passages: passages}
			var said string
			var cites []Citation
			for _, p := range pieces {
				more, found := m.feed([]byte(p))
				said, cites = said+more, append(cites, found...)
			}
			more, found := m.finish(nil)
			return said + more, append(cites, found...)
		}
		said, cites := read(text)
		said2, cites2 := read(text[:at], text[at:])
		if said != said2 || !slices.Equal(cites, cites2) || !utf8.ValidString(said) {
			t.Fatalf("%q cut at %d: %q %v, whole %q %v", text, at, said2, cites2, said, cites)
		}
		for _, c := range cites {
			p := passages[c.PassageIndex]
			if c.AnswerStart < 0 || c.AnswerEnd > len(said) || c.AnswerStart >= c.AnswerEnd || c.Start < p.Start || c.End > p.End || c.Start > c.End {
				t.Fatalf("%q: span %+v", text, c)
			}
		}
	})
}

func BenchmarkDelta(b *testing.B) {
	line := []byte(deltaEvent)
	var d streamDelta
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		d.text = d.text[:0]
		if !d.decode(line) {
			b.Fatal("refused")
		}
	}
}

func BenchmarkAnswer(b *testing.B) {
	stream := strings.Repeat("data: "+deltaEvent+"\n\n", 32) + "data: [DONE]\n\n"
	b.ReportAllocs()
	for b.Loop() {
		l := newLineReader(strings.NewReader(stream))
		a := newAnswerReader(Request{})
		for end := error(nil); end == nil && !a.isDone; {
			end = l.fill()
			if err := a.consume(l, end); err != nil {
				b.Fatal(err)
			}
			a.flush(func(Chunk, error) bool { return true })
		}
		l.release()
	}
}

// One whole call over loopback, the stub included.
func BenchmarkCall(b *testing.B) {
	stream := []byte(strings.Repeat("data: "+deltaEvent+"\n\n", 32) + "data: [DONE]\n\n")
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write(stream)
	}))
	defer web.Close()
	m := &OpenAI{BaseURL: web.URL}
	defer m.Close()
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range m.Stream(b.Context(), Request{Messages: []Message{{Role: "user", Text: "How?"}}}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
