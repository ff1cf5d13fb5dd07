//go:build unix

package httpclient

import (
	"strings"
	"testing"
	"testing/iotest"

	"parley/internal/testkit/hostile"
)

// The time to read a stream is linear in its size.
func TestWorkOfReadingLines(t *testing.T) {
	hostile.Readers(t, map[string]func(text string){"lines": readLines})
}

func readLines(text string) {
	l := NewLineReader(iotest.HalfReader(strings.NewReader(text)))
	defer l.Release()
	for l.Fill() == nil {
		for line, ok := l.NextLine(); ok; line, ok = l.NextLine() {
			ParseEventLine(line)
		}
	}
}
