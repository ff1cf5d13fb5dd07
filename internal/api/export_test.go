package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/api"
	"parley/internal/rig"
)

// long makes a conversation of n messages and gives its agent and id.
func long(t *testing.T, h *rig.House, n int) (agent, conversation string) {
	t.Helper()
	ours := furnish(t, h, parley.AccountID(h.Account), h.Key)
	agent, conversation = ours["agentId"], ours["conversationId"]
	text := strings.Repeat("All work and no play. ", 25)
	_, err := h.DB.SQL().Exec(t.Context(), `insert into messages (id, account_id, agent_id, conversation_id, seq, author, type, state, parts, created_at)
		with recursive n(i) as (select 3 union all select i + 1 from n where i < ?)
		select 'msg_' || i, ?, ?, ?, i, case i % 2 when 0 then 'assistant' else 'user' end, 'reply', 'complete', ?, 1790000000000 + i from n`,
		n, h.Account, agent, conversation, `[{"type":"text","text":"`+text+`"}]`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.DB.SQL().Exec(t.Context(), `update conversations set last_seq = ?, message_count = ? where id = ?`, n, n, conversation); err != nil {
		t.Fatal(err)
	}
	return agent, conversation
}

// download asks for an export without the client that reads replies to their end to check them.
func download(t *testing.T, h *rig.House, agent, conversation string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", h.URL+api.Base+"/agents/"+agent+"/conversations/export?conversationId="+conversation, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.Key)
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// highest watches the heap until the test says that it has seen enough, and gives the most that was in use.
func highest() (enough func() uint64) {
	var most atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(2 * time.Millisecond); ; {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapAlloc))
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-stopped
		return most.Load()
	}
}

// TestExportTakesLittleMemory exports a conversation that is many times larger than what it may hold at once.
func TestExportTakesLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIP: a hundred thousand messages")
	}
	const messages, bound = 100_000, 24 << 20
	h := rig.Open(t)
	agent, conversation := long(t, h, messages)
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	enough := highest()
	res := download(t, h, agent, conversation)
	counted := &counter{Reader: res.Body}
	n := walk(t, json.NewDecoder(counted))
	if grown := int64(enough()) - int64(before.HeapAlloc); grown > bound || counted.n < 2*bound {
		t.Errorf("%d MB of export took %d MB of heap", counted.n>>20, grown>>20)
	} else {
		t.Logf("%d MB of export took %d MB of heap", counted.n>>20, grown>>20)
	}
	if n != messages {
		t.Errorf("%d messages, want %d", n, messages)
	}
}

type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// walk reads an export token by token and counts the messages, which must come in order.
func walk(t *testing.T, dec *json.Decoder) (n int) {
	t.Helper()
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		if token != "messages" {
			continue
		}
		if _, err := dec.Token(); err != nil { // [
			t.Fatal(err)
		}
		for ; dec.More(); n++ {
			var m struct{ ID string }
			if err := dec.Decode(&m); err != nil {
				t.Fatal(err)
			}
			if n >= 2 && m.ID != fmt.Sprint("msg_", n+1) {
				t.Fatalf("message %d is %s", n+1, m.ID)
			}
		}
	}
}

// TestExportThatBreaksOffIsSeen takes the table away while the client reads: what has come must not look like all.
func TestExportThatBreaksOffIsSeen(t *testing.T) {
	h := rig.Open(t)
	agent, conversation := long(t, h, 40_000)
	res := download(t, h, agent, conversation)
	begun := make([]byte, 1000)
	if _, err := io.ReadFull(res.Body, begun); err != nil {
		t.Fatal(err)
	}
	if _, err := h.DB.SQL().Exec(t.Context(), `alter table messages rename to elsewhere`); err != nil {
		t.Fatal(err) // also: nothing holds the database while the client takes its time
	}
	rest, err := io.ReadAll(res.Body)
	if err == nil || json.Valid(slices.Concat(begun, rest)) {
		t.Errorf("%d bytes came to an end: %v", len(rest), err)
	}
	if _, err := h.DB.SQL().Exec(t.Context(), `alter table elsewhere rename to messages`); err != nil {
		t.Fatal(err)
	}
}

// TestExportKnowsNobodyElsesConversations asks for ids in the query, which the isolation test does not reach.
func TestExportKnowsNobodyElsesConversations(t *testing.T) {
	h := rig.Open(t)
	ours, theirs := furnish(t, h, parley.AccountID(h.Account), h.Key), furnish(t, h, parley.AccountID(h.Other), h.OtherKey)
	const path = "GET /agents/{agentId}/conversations/export?conversationId={conversationId}"
	nobody := knock(t, h, path, "", ours.with("conversationId", "01900000-0000-7000-8000-000000000000"))
	if !strings.HasPrefix(nobody, `200 {"data":[],`) {
		t.Error(nobody)
	}
	for _, id := range append([]string{theirs["conversationId"]}, malformed...) {
		if got := knock(t, h, path, "", ours.with("conversationId", id)); got != nobody && id != "%00" {
			t.Errorf("%q: %s", id, got)
		}
	}
}

// TestExportNamesEveryOrigin holds the query's list of origins against the house's.
func TestExportNamesEveryOrigin(t *testing.T) {
	h := rig.Open(t)
	agent := agentOf(t, h)
	for _, c := range parley.Channels() {
		if status, body := send(t, h, h.Key, "GET", "/agents/"+agent+"/conversations/export?source="+strings.ReplaceAll(string(c), " ", "%20"), ""); status != 200 {
			t.Errorf("%s: %d %s", c, status, body)
		}
	}
}
