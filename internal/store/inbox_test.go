package store_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// The states of the conversations that addConversations inserts: what the lists show, and what they are not to read.
const (
	isOngoing  = `'ongoing', null, null`
	isEnded    = `'ended', null, null`
	isAnnes    = `'taken_over', 'ann', case when n % 2 = 0 then n end`
	isBobs     = `'taken_over', 'bob', n`
	isNobodies = `'taken_over', null, case when n % 2 = 0 then n end`
)

// addConversations inserts conversations of an agent with the numbers from first to last, all in one state: the status,
// who answers, and since when the customer waits. Three at a time have the same activity.
func (fx *fixture) addConversations(agent *parley.Agent, state string, first, last int) {
	fx.Helper()
	_, err := fx.SQL().Exec(fx, `
		insert into conversations (id, account_id, agent_id, face, channel, created_at, last_activity, status, claimed_by,
		  waiting_since)
		select `+fmt.Sprintf(`'%.3s `, agent.ID)+`' || n, ?, ?, 'v2', 'API', n, n / 3, `+state+`
		from (
		  with recursive c(n) as (
		    select `+strconv.Itoa(first)+` union all select n + 1 from c where n < `+strconv.Itoa(last)+`)
		  select n from c) many`, fx.Account.ID, agent.ID)
	fx.must(err)
}

// inbox returns what is on the pages of a list of ann's.
func (fx *fixture) inbox(f store.InboxFilter, limit int) (list []parley.Conversation) {
	fx.Helper()
	f.Member = "ann"
	ask := parley.PageRequest{Limit: limit}
	for {
		page, err := fx.Inbox(fx, fx.Account.ID, f, ask)
		fx.must(err)
		list = append(list, page.Items...)
		if ask.After = page.Next; page.Next == nil {
			return list
		}
	}
}

func conversationIDs(list []parley.Conversation) (ids []parley.ConversationID) {
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	return ids
}

// Lists that are read in parts are in one order, whatever the length of their pages, and hold each conversation once.
func TestInboxIsOrdered(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		for i, state := range []string{isOngoing, isEnded, isAnnes, isBobs, isNobodies} {
			fx.addConversations(fx.Agent, state, 20*i+1, 20*i+20)
		}
		for _, c := range []struct {
			f    store.InboxFilter
			want int
		}{
			{store.InboxFilter{View: store.InboxLive}, 80},
			{store.InboxFilter{View: store.InboxAll, Agent: fx.Agent.ID}, 100},
			{store.InboxFilter{View: store.InboxAll, ClaimedBy: "bob"}, 20},
			{store.InboxFilter{View: store.InboxAll, LongestFirst: true}, 40},
			{store.InboxFilter{View: store.InboxEnded}, 20},
			{store.InboxFilter{View: store.InboxEnded, ClaimedBy: "bob"}, 0},
			{store.InboxFilter{View: store.InboxMine}, 20},
			{store.InboxFilter{View: store.InboxUnassigned, LongestFirst: true}, 10},
			{store.InboxFilter{View: store.InboxUnread}, 20},
			{store.InboxFilter{View: store.InboxUnread, Agent: "x"}, 0},
		} {
			all := fx.inbox(c.f, 200)
			isSorted := slices.IsSortedFunc(all, func(a, b parley.Conversation) int {
				if c.f.LongestFirst || c.f.View == store.InboxUnread {
					return a.WaitingSince.Compare(*b.WaitingSince)
				}
				return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.ID, a.ID))
			})
			if len(all) != c.want || !isSorted {
				fx.Errorf("%+v: %d, want %d: %v", c.f, len(all), c.want, conversationIDs(all))
			}
			c.f.Member = "ann"
			if n, err := fx.CountInbox(fx, fx.Account.ID, c.f, 30); err != nil || n != min(c.want, 30) {
				fx.Errorf("%+v: counted %d of %d (%v)", c.f, n, c.want, err)
			}
			for _, limit := range []int{1, 7} {
				if got := fx.inbox(c.f, limit); !slices.Equal(conversationIDs(got), conversationIDs(all)) {
					fx.Errorf("%+v, %d at a time: %v, want %v", c.f, limit, conversationIDs(got), conversationIDs(all))
				}
			}
		}
	})
}

// What is put aside is listed by when it comes back, and in what a member has, and not in what waits for somebody.
func TestSnoozedConversations(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		fx.addConversations(fx.Agent, isAnnes, 1, 6)
		ids := func(numbers ...int) (ids []parley.ConversationID) {
			for _, n := range numbers {
				ids = append(ids, parley.ConversationID(fmt.Sprintf("%.3s %d", fx.Agent.ID, n)))
			}
			return ids
		}
		check := func(f store.InboxFilter, want ...int) {
			fx.Helper()
			for _, limit := range []int{1, 10} {
				if got := conversationIDs(fx.inbox(f, limit)); !slices.Equal(got, ids(want...)) {
					fx.Errorf("%+v: %v, want %v", f, got, ids(want...))
				}
			}
		}
		ref := func(n int) parley.ConversationRef {
			return fx.Account.ID.AgentRef(fx.Agent.ID).ConversationRef(ids(n)[0])
		}
		fx.must(fx.SnoozeConversation(fx, ref(2), time.UnixMilli(900)))
		fx.must(fx.SnoozeConversation(fx, ref(4), time.UnixMilli(800)))
		check(store.InboxFilter{View: store.InboxSnoozed}, 4, 2)
		check(store.InboxFilter{View: store.InboxSnoozed, Agent: fx.Agent.ID, ClaimedBy: "ann"}, 4, 2)
		check(store.InboxFilter{View: store.InboxSnoozed, ClaimedBy: "bob"})
		check(store.InboxFilter{View: store.InboxMine, LongestFirst: true}, 6)
		check(store.InboxFilter{View: store.InboxUnread}, 6)
		for _, f := range []store.InboxFilter{{View: store.InboxLive}, {View: store.InboxLive, ClaimedBy: "ann"}} {
			if got := fx.inbox(f, 2); len(got) != 6 {
				fx.Errorf("%+v: %v", f, conversationIDs(got))
			}
		}
		due, err := fx.DueConversations(fx, time.UnixMilli(899), 10)
		if fx.must(err); len(due) != 1 || due[0] != ref(4) {
			fx.Errorf("due are %v", due)
		}
		fx.must(fx.WakeConversation(fx, ref(4)))
		check(store.InboxFilter{View: store.InboxSnoozed}, 2)
		check(store.InboxFilter{View: store.InboxMine, LongestFirst: true}, 4, 6)
	})
}

// What is unread is what the customer waits with and the member has not seen, unless somebody else answers, and what is
// marked.
func TestUnreadConversations(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		fx.addConversations(fx.Agent, isOngoing, 1, 1)
		fx.addConversations(fx.Agent, isAnnes, 2, 2)
		fx.addConversations(fx.Agent, isNobodies, 4, 4)
		fx.addConversations(fx.Agent, isBobs, 6, 6)
		id := func(n int) parley.ConversationID {
			return parley.ConversationID(fmt.Sprintf("%.3s %d", fx.Agent.ID, n))
		}
		ref := func(n int) parley.ConversationRef {
			return fx.Account.ID.AgentRef(fx.Agent.ID).ConversationRef(id(n))
		}
		check := func(event string, want ...int) {
			fx.Helper()
			var ids []parley.ConversationID
			for _, n := range want {
				ids = append(ids, id(n))
			}
			got := fx.inbox(store.InboxFilter{View: store.InboxUnread}, 3)
			all := fx.inbox(store.InboxFilter{View: store.InboxAll}, 100)
			marks, err := fx.ReadMarks(fx, fx.Account.ID, "ann", conversationIDs(all))
			fx.must(err)
			n := 0
			for i := range all {
				if marks[all[i].ID].IsUnread(&all[i]) {
					n++
				}
			}
			if !slices.Equal(conversationIDs(got), ids) || n != len(ids) {
				fx.Errorf("%s: %v are unread, want %v; %d of all", event, conversationIDs(got), ids, n)
			}
		}
		at := func(ms int64) time.Time { return time.UnixMilli(ms) }
		check("at first", 2, 4)
		fx.must(fx.SaveReadMark(fx, ref(2), "ann", at(0))) // its activity
		fx.must(fx.SaveReadMark(fx, ref(4), "bob", at(9)))
		check("one is read", 4)
		fx.must(fx.MarkUnread(fx, ref(1), "ann", at(3)))
		fx.must(fx.MarkUnread(fx, ref(6), "ann", at(5)))
		fx.must(fx.MarkUnread(fx, ref(6), "ann", at(9)))
		check("two are marked", 1, 4, 6)
		fx.must(fx.SaveReadMark(fx, ref(1), "ann", at(1)))
		fx.must(fx.SaveReadMark(fx, ref(4), "ann", at(0))) // earlier than its activity
		check("one is read until before", 4, 6)
		fx.must(fx.DeleteReadMarksOf(fx, fx.Account.ID, "ann"))
		check("without marks", 2, 4)
	})
}

// However many conversations there are that a list does not show, it reads none of them.
func TestInboxReadsNothingElse(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		file := dbs.NewSQLitePath(t)
		dbs.WriteMigratedSQLite(t, file)
		fx := newFixture(t, store.New(dbs.Open(t, file)))
		checkInboxQueries(fx, func(query string, args ...any) int { return dbs.CountSteps(t, file, query, args...) })
	})
	t.Run("postgres", func(t *testing.T) {
		fx := newFixture(t, store.New(dbs.Open(t, dbs.SharedPostgres(t).NewStore(t))))
		checkInboxQueries(fx, fx.countConversationRows)
	})
}

// mostShown is how many conversations the lists have at most that are not of what has ended.
const mostShown = 300

// checkInboxQueries counts what the lists of an agent read, as count does, first with few conversations of others, then
// with many; those that have ended, and that the member has read, are of others in the lists that do not show them.
func checkInboxQueries(fx *fixture, count func(query string, args ...any) int) {
	fx.Helper()
	other := fx.createAgent(fx.Account, testTime)
	for i, state := range []string{isOngoing, isEnded, isAnnes, isNobodies} {
		fx.addConversations(fx.Agent, state, 100*i+1, 100*i+100)
	}
	queries := store.InboxQueries(fx.Account.ID.AgentRef(fx.Agent.ID), "ann")
	countAll := func(isOf func(name string) bool) map[string]int {
		if fx.SQL().Dialect() == sqldb.Postgres {
			_, err := fx.SQL().Exec(fx, `analyze conversations`)
			fx.must(err)
		}
		counts := map[string]int{}
		for name, query := range queries {
			if isOf(name) {
				counts[name] = count(query.Text, query.Args...)
			}
		}
		return counts
	}
	compare := func(few map[string]int, isOf func(name string) bool) {
		fx.Helper()
		for name, n := range countAll(isOf) {
			if n > max(few[name], mostShown) { // PostgreSQL may choose to read all that are shown
				fx.Errorf("%s: %d are read with many others, %d with few", name, n, few[name])
			}
		}
	}
	isShort := func(name string) bool { return !strings.HasPrefix(name, string(store.InboxEnded)) }
	few := countAll(isShort)
	fx.addConversations(fx.Agent, isEnded, 1001, 4000)
	fx.addConversations(fx.Agent, isBobs, 4001, 4100)
	_, err := fx.SQL().Exec(fx, `
		insert into read_marks (user_id, conversation_id, account_id, agent_id, seen_until)
		select 'ann', id, account_id, agent_id, last_activity
		from conversations
		where status = 'ended'`)
	fx.must(err)
	isNotBobs := func(name string) bool {
		return isShort(name) && !strings.HasPrefix(name, string(store.InboxWaiting)) && !strings.HasPrefix(name, "taken_over")
	}
	compare(few, isNotBobs)
	isOfAgent := func(name string) bool { return strings.Contains(name, string(fx.Agent.ID)) }
	few = countAll(isOfAgent)
	for i, state := range []string{isOngoing, isEnded, isAnnes, isNobodies, isBobs} {
		fx.addConversations(other, state, 5001+1000*i, 6000+1000*i)
	}
	compare(few, isOfAgent)
}

var conversationRows = regexp.MustCompile(`on conversations \(actual rows=(\d+)[.\d]* loops=(\d+)\)|` +
	`Rows Removed by Filter: (\d+)`)

// countConversationRows returns how many conversations PostgreSQL reads for a query, with those that it leaves out
// afterwards.
func (fx *fixture) countConversationRows(query string, args ...any) (n int) {
	fx.Helper()
	number := func(text string) int {
		value, _ := strconv.Atoi(text) // the pattern takes digits only, or nothing
		return value
	}
	fx.must(fx.Transact(fx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.SQL().Exec(fx, `set local enable_seqscan = off`); err != nil {
			return err
		}
		plan, err := sqldb.All(fx, tx.SQL(), sqldb.Column[string],
			`explain (analyze, costs off, timing off, summary off) `+query, args...)
		for _, m := range conversationRows.FindAllStringSubmatch(strings.Join(plan, "\n"), -1) {
			n += number(m[1])*number(m[2]) + number(m[3])
		}
		return err
	}))
	return n
}
