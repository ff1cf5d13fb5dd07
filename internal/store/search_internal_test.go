package store

import (
	"encoding/json"
	"testing"

	"parley"
)

// TestTextOfParts checks that a text is read as a decoder reads it, whatever it is.
func TestTextOfParts(t *testing.T) {
	stored := []string{"", "[]", "null", `[{"type":"text","text":""}]`, `[{"type":"text","text":"a`,
		"[{\"type\":\"text\",\"text\":\"\xff\"}]", "[{\"type\":\"text\",\"text\":\"a\nb\"}]",
		`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, `[{"type":"text","text":"a","toolName":"b"}]`}
	for _, text := range []string{"plain", "Crème brûlée 家庭", `"quoted"`, `back\slash`, "a\nb", "<a&b>", "\u2028",
		"👩‍👩‍👧"} {
		b, err := json.Marshal([]parley.Part{{Type: "text", Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, string(b))
	}
	for _, parts := range stored {
		var m parley.Message
		want := ""
		if json.Unmarshal([]byte(parts), &m.Parts) == nil {
			want = m.Text()
		}
		if got := textOfParts(parts); got != want {
			t.Errorf("%s: %q, not %q", parts, got, want)
		}
	}
}
