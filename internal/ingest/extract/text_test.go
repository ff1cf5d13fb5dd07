package extract_test

import (
	"strings"
	"testing"

	"parley/internal/ingest/extract"
)

func TestWideTableIsRecords(t *testing.T) {
	long := strings.Repeat("so it is said in many words ", 20)
	doc, err := extract.ReadFile(t.Context(), extract.CSV, "a.csv",
		[]byte("Question,Answer\nHow long?,\""+long+"\"\nHow hot?,\""+long+"\"\n"))
	if err != nil || !strings.HasPrefix(doc.Text, "- Question: How long?; Answer: so it") ||
		strings.Count(doc.Text, "\n- Question: ") != 1 {
		t.Error(doc.Text, err)
	}
}
