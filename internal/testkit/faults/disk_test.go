package faults

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/testkit"
	"parley/internal/testkit/provider"
)

// On a full disk writes are refused and never stored in part, and reads work. When there is space again, writes work by
// themselves.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	model := provider.Start(t, echoAnswers(time.Millisecond))
	s := testkit.Open(t, withProvider(model), withTestLog(t))
	c := newClientGroup(t, s.URL, s.Key)
	stop := make(chan struct{})
	ended := make(chan []error, 1)
	go func() { ended <- c.chatUntil(t.Context(), stop) }()
	for i := range cycleCount(t, 2, 20) {
		c.waitForAnswers(t, 20)
		var pages int
		if err := s.DB.SQL().QueryRow(t.Context(), `select page_count from pragma_page_count()`).Scan(&pages); err != nil {
			t.Fatal(err)
		}
		if err := s.DB.SQL().SetQuota(t.Context(), pages+50); err != nil {
			t.Fatal(err)
		}
		c.fillDisk(t, fmt.Sprint("Filler of round ", i), 50)
		c.requireReadable(t)
		c.requireHealthy(t)
		if err := s.DB.SQL().SetQuota(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		c.waitForAnswers(t, clientCount)
	}
	close(stop)
	for _, err := range <-ended {
		t.Errorf("the server could not be reached: %v", err)
	}
	c.requireConsistent(t, errDatabaseAway, errConversationBusy)
	requireNothingOpenOn(t, s)
}

// fillDisk adds sources until n are refused.
func (c *clientGroup) fillDisk(t *testing.T, name string, n int) {
	t.Helper()
	text := strings.Repeat("The ferry leaves at noon. ", 800)
	for i := 0; n > 0; i++ {
		_, err := c.client.AddSource(t.Context(), c.agent, fmt.Sprint(name, " ", i), text)
		var refusal *testkit.Refusal
		switch {
		case errors.As(err, &refusal):
			n--
		case err != nil || i == 1000:
			t.Fatal("the disk is not full: ", err)
		}
	}
}

// requireReadable checks that a page of what is stored can be read.
func (c *clientGroup) requireReadable(t *testing.T) {
	t.Helper()
	for _, path := range []string{"/me", "/agents", "/agents/" + c.agent, "/agents/" + c.agent + "/sources",
		"/agents/" + c.agent + "/conversations"} {
		var any struct{}
		if err := c.client.Do(t.Context(), http.MethodGet, path, nil, &any); err != nil {
			t.Errorf("read %s: %v", path, err)
		}
	}
}
