//go:build unix

package redact_test

import (
	"testing"

	"parley/internal/testkit/hostile"
	"parley/internal/text/redact"
)

// The work to mask what is personal in a text grows with it, and no more than that.
func TestWork(t *testing.T) { hostile.ForEachText(t, func(text string) { redact.Text(text) }) }
