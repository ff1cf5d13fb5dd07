package chatapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/scripted"
)

// TestVisitorsStopAtTheAgentsDailyLimit has a crowd of visitors, each at an address of its own, ask over HTTP: a
// thousand where PARLEY_LONG is set. Some repeat their request as after a lost reply, and of some the model fails. What
// is charged is what was answered, and together with what failed it is never more than the limit.
func TestVisitorsStopAtTheAgentsDailyLimit(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		limit, size := int64(25), 100
		if os.Getenv("PARLEY_LONG") != "" {
			limit, size = 250, 1000
		}
		f.model.StepsFor = failOnRequest
		f.limit(func(l *parley.WidgetLimits) { l.DailyCredits = &limit })
		c := &crowd{chatFixture: f}
		c.askAtOnce(size)
		if c.answered.Load() > limit || c.refused.Load() == 0 {
			t.Errorf("%d answered and %d refused, at most %d may be answered", c.answered.Load(), c.refused.Load(), limit)
		}
		f.requireCharges(c.answered.Load())
		for c.refused.Store(0); c.refused.Load() == 0 && c.answered.Load() <= limit; { // what failed has cost nothing
			c.ask(f.Context(), size)
			size++
		}
		f.requireCharges(limit)
	}, testkit.WithConfig(func(c *server.Config) { c.TrustProxy = true }))
}

// failOnRequest has the model fail where the message asks for it.
func failOnRequest(r model.Request) []scripted.Step {
	if strings.Contains(r.Messages[len(r.Messages)-1].Text, "fail") {
		return []scripted.Step{{Err: errors.New("broken")}}
	}
	return []scripted.Step{scripted.Text("Yes."), scripted.Stop()}
}

// crowd are visitors who ask at the same time.
type crowd struct {
	*chatFixture
	answered, refused atomic.Int64
}

// askAtOnce has so many visitors ask, twenty at a time.
func (c *crowd) askAtOnce(size int) {
	ctx, next := c.Context(), atomic.Int64{}
	var work sync.WaitGroup
	for range 20 {
		work.Go(func() {
			for i := next.Add(1); i <= int64(size); i = next.Add(1) {
				c.ask(ctx, int(i))
			}
		})
	}
	work.Wait()
}

// ask has a new visitor ask a question, and counts what became of it. Each tenth asks for a failure, and each third
// that is answered asks again by the same key.
func (c *crowd) ask(ctx context.Context, number int) {
	var visitor struct{ Data struct{ Token string } }
	if _, text := c.postFrom(ctx, number, "/visitor", "", fields{}); json.Unmarshal(text, &visitor) != nil {
		c.Errorf("no visitor: %s", text)
		return
	}
	message := fields{"message": fmt.Sprintf("Question %d", number)}
	if number%10 == 5 {
		message["message"] = "Please fail"
	}
	status, text := c.postFrom(ctx, number, "/messages", visitor.Data.Token, message)
	switch code := (reply{body: text}).code(); {
	case code == string(parley.CodeAgentCredits):
		c.refused.Add(1)
	case code == string(parley.CodeChatStreaming) && number%10 == 5:
	case status != http.StatusOK || !bytes.Contains(text, []byte("Yes.")):
		c.Errorf("%d %s", status, text)
	default:
		c.answered.Add(1)
		if number%3 == 0 {
			c.repeat(ctx, number, visitor.Data.Token, message)
		}
	}
}

// repeat sends a request again that was answered.
func (c *crowd) repeat(ctx context.Context, number int, token string, message fields) {
	if status, text := c.postFrom(ctx, number, "/messages", token, message); !bytes.Contains(text, []byte("Yes.")) {
		c.Errorf("repeated: %d %s", status, text)
	}
}

// postFrom sends a request of the visitor of a number, from an address of its own and with a key of its own.
func (c *crowd) postFrom(ctx context.Context, number int, path, token string, body fields) (status int, text []byte) {
	content, err := json.Marshal(body)
	if err != nil {
		c.Error(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server.URL+"/api/chat/"+c.agent+path,
		bytes.NewReader(content))
	if err != nil {
		c.Error(err)
		return 0, nil
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Visitor " + token},
		"X-Forwarded-For": {fmt.Sprintf("198.18.%d.%d", number/250, number%250)}}
	if token != "" {
		r.Header.Set("Idempotency-Key", fmt.Sprint("crowd-", number))
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		c.Error(err)
		return 0, nil
	}
	defer func() { _ = res.Body.Close() }()
	text, err = io.ReadAll(res.Body)
	if err != nil {
		c.Error(err)
	}
	return res.StatusCode, text
}

// requireCharges requires that all counts agree on so many credits, each for an answer of its own, and that nothing is
// reserved any more.
func (f *chatFixture) requireCharges(credits int64) {
	f.Helper()
	sum := func(query string, args ...any) int64 {
		n, err := sqldb.One(f.Context(), f.server.DB.SQL(), sqldb.Column[int64], query, args...)
		if err != nil {
			f.Fatal(err)
		}
		return n
	}
	const ofDay = `select cast(coalesce(sum(%s), 0) as bigint) from visitor_credits where agent_id = ? and visitor_id `
	testkit.Eventually(f.T, "all is charged", func() bool {
		return sum(fmt.Sprintf(ofDay, "reserved")+`= ''`, f.agent) == 0
	})
	want := credits * int64(parley.Credit)
	for name, got := range map[string]int64{
		"of the day":  sum(fmt.Sprintf(ofDay, "used")+`= ''`, f.agent),
		"of visitors": sum(fmt.Sprintf(ofDay, "used")+`<> ''`, f.agent),
		"of the ledger": sum(`select cast(coalesce(sum(amount), 0) as bigint) from credit_ledger where agent_id = ?`,
			f.agent),
		"of answers": sum(`select count(distinct turn_id) from credit_ledger where agent_id = ?`, f.agent) *
			int64(parley.Credit),
		"of messages": sum(`select count(*) from messages m join conversations c on c.id = m.conversation_id
			where c.agent_id = ? and m.author = 'assistant' and m.state = 'complete'`, f.agent) * int64(parley.Credit),
	} {
		if got != want {
			f.Errorf("the sum %s is %d, want %d", name, got, want)
		}
	}
	used, reserved, err := f.server.DB.AccountCreditUsage(f.Context(), parley.AccountID(f.server.Account),
		store.MonthOf(time.Now()))
	if err != nil || int64(used) != want || reserved != 0 {
		f.Errorf("the account has used %d and reserved %d, want %d and nothing (%v)", used, reserved, want, err)
	}
}
