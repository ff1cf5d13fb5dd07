//go:build unix

package redact_test

import (
	"testing"

	"parley/internal/testkit/hostile"
	"parley/internal/text/redact"
)

// The time to mask personal data in a text is linear in its size.
func TestWork(t *testing.T) { hostile.ForEachText(t, func(text string) { redact.Text(text) }) }
