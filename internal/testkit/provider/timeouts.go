package provider

import (
	"strings"
	"testing"
	"time"

	"parley/internal/httpclient"
	"parley/internal/model"
)

// ReadBadAnswer reads the answer of a provider that misbehaves as a test says by its name, through a client of its
// model. It waits briefly for what never comes, and for everything else so long that this only guards against hanging.
// A busy machine may take longer than briefly for the text before a pause that never ends: then it waits longer.
func ReadBadAnswer(t *testing.T, m model.Model, c *httpclient.Client, test, text string) (a Answer) {
	t.Helper()
	const patience = time.Minute
	c.FirstByteTimeout, c.IdleTimeout, c.Backoff = patience, patience, time.Millisecond
	wait := &c.FirstByteTimeout
	switch {
	case strings.HasPrefix(test, "stall after"):
		wait = &c.IdleTimeout
	case !strings.HasPrefix(test, "stall before"):
		return ReadAnswer(t, m, HowRequest)
	}
	for *wait = 150 * time.Millisecond; ; *wait *= 2 {
		if a = ReadAnswer(t, m, HowRequest); strings.HasPrefix(a.Text, text) || *wait > patience {
			return a
		}
	}
}
