package provider

import (
	"strings"
	"time"

	"parley/internal/httpclient"
)

// SetTimeouts sets how long a client waits for a provider that misbehaves as a test says by its name. It waits briefly
// for what never comes, and for everything else so long that this only guards against hanging.
func SetTimeouts(c *httpclient.Client, test string) {
	const short, long = 150 * time.Millisecond, time.Minute
	c.FirstByteTimeout, c.IdleTimeout, c.Backoff = long, long, time.Millisecond
	switch {
	case strings.HasPrefix(test, "stall before"):
		c.FirstByteTimeout = short
	case strings.HasPrefix(test, "stall after"):
		c.IdleTimeout = short
	}
}
