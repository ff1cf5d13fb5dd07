package extract

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"parley/internal/ingest/extract/draft"
	"parley/internal/text/charset"
)

func readText(_ context.Context, _ string, data []byte) (draft.Document, error) {
	text := charset.Decode(data, "")
	return draft.Document{Title: markdownTitle(text), Text: text}, nil
}

// markdownTitle returns the first heading of a Markdown text, where it stands at its beginning.
func markdownTitle(text string) string {
	lines := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.Trim(title, "# ")
		}
		if lines++; lines > 20 {
			break
		}
	}
	return ""
}

func readCSV(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	text := charset.Decode(data, "")
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.TrimLeadingSpace = delimiter(text), true, -1, true
	if first, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(first, "sep=") {
		r = csv.NewReader(strings.NewReader(rest))
		r.Comma, r.LazyQuotes, r.FieldsPerRecord = delimiter(rest), true, -1
	}
	var d draft.Builder
	t := d.NewTable()
	for n := 0; ; n++ {
		record, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			err := t.Finish()
			return draft.Document{Text: d.Text()}, err
		case err != nil: // a quote that never ends: read on as plain lines
			return draft.Document{Text: text}, nil //nolint:nilerr // it is text still
		case n%1000 == 0 && ctx.Err() != nil:
			return draft.Document{}, ctx.Err()
		}
		t.AddRow(record)
		if d.IsFull() {
			return draft.Document{}, draft.ErrTooMuchText
		}
	}
}

// delimiter finds what separates the fields: the sign that stands equally often in most of the first lines.
func delimiter(text string) rune {
	best, most := ',', 0
	for _, sign := range []rune{',', ';', '\t', '|'} {
		counts := map[int]int{}
		lines := 0
		for line := range strings.Lines(text) {
			if lines++; lines > 50 {
				break
			}
			if n := countOutsideQuotes(line, sign); n > 0 {
				counts[n]++
			}
		}
		for n, times := range counts {
			if score := times * 100 * (n + 4) / 4; score > most && times*2 >= min(lines, 50) {
				best, most = sign, score
			}
		}
	}
	return best
}

func countOutsideQuotes(line string, sign rune) (n int) {
	quoted := false
	for _, r := range line {
		switch {
		case r == '"':
			quoted = !quoted
		case r == sign && !quoted:
			n++
		}
	}
	return n
}
