package store_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func TestAuditChainShowsTampering(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		for _, err := range runConcurrently(6, func(int) error {
			return fx.AppendAuditEvent(fx, fx.Account.ID, testTime, "operator", "key.create", "k", map[string]any{"name": "ci"})
		}) {
			fx.must(err)
		}
		rows, last, err := fx.VerifyAuditChain(fx, fx.Account.ID)
		fx.must(err)
		if rows != 6 || len(last) != 64 {
			fx.Error(rows, last)
		}
		list, err := fx.AuditEvents(fx, fx.Account.ID, 4, 10)
		fx.must(err)
		if len(list) != 2 || list[1].Hash != last || list[0].Details != `{"name":"ci"}` || !list[0].At.Equal(testTime) {
			fx.Errorf("%+v", list)
		}
		fx.wantCode(fx.AppendAuditEvent(fx, "nobody", testTime, "operator", "x", "y", nil), parley.CodeAccountNotFound)

		_, err = fx.SQL().Exec(fx, `update audit_events set actor = 'somebody' where seq = 3`)
		fx.must(err)
		if _, _, err = fx.VerifyAuditChain(fx, fx.Account.ID); err == nil || !strings.Contains(err.Error(), "row 3") {
			fx.Error("a changed row:", err)
		}
		_, err = fx.SQL().Exec(fx, `delete from audit_events where seq = 2`)
		fx.must(err)
		if _, _, err = fx.VerifyAuditChain(fx, fx.Account.ID); err == nil || !strings.Contains(err.Error(), "row 2") {
			fx.Error("a missing row:", err)
		}
	})
}

// TestListPlans checks that what members page through is read by its index: no list is walked and none is sorted.
func TestListPlans(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		if fx.SQL().Dialect() == sqldb.Postgres {
			for _, fill := range []string{
				`insert into accounts (id, name, plan, created_at, updated_at)
					select 'a' || i, '', '', 0, 0 from generate_series(1, 2000) i`,
				`insert into users (id, email, name, created_at) select 'u' || i, 'u' || i, '', 0 from generate_series(1, 9000) i`,
				`insert into passkeys (id, user_id, credential_id, public_key, sign_count, aaguid, flags, name, created_at)
					select 'p' || i, 'u' || i, 'p' || i, '', 0, '', 0, '', i from generate_series(1, 9000) i`,
				`insert into sso_links (issuer, subject, user_id, created_at)
					select 'o', 's' || i, 'u' || i, i from generate_series(1, 9000) i`,
				`insert into memberships (account_id, user_id, role, created_at)
					select 'a' || i % 2 + 1, 'u' || i, 'agent', i from generate_series(1, 9000) i`,
				`insert into invites (id, kind, account_id, email, hash, invited_by, created_at, expires_at)
					select 'i' || i, '', 'a' || i % 2 + 1, '', 'h' || i, '', i, 1 from generate_series(1, 9000) i`,
				`insert into api_keys (id, account_id, name, hash, hint, created_at, revoked_at)
					select 'k' || i, 'a' || i % 2 + 1, '', 'h' || i, '', i, nullif(i % 3, 0) from generate_series(1, 9000) i`,
				`insert into audit_events (account_id, seq, at, actor, action, subject, details, previous_hash, hash)
					select 'a' || i % 2 + 1, i, i, 'x' || i % 7, 'y' || i % 5, '', '{}', '', '' from generate_series(1, 9000) i`,
				`analyze`,
			} {
				_, err := fx.SQL().Exec(fx, fill)
				fx.must(err)
			}
		}
		for query, args := range store.ListQueries() {
			steps := fx.explain(query, args...)
			for _, step := range steps {
				// What is found one after the other is scanned: each value once.
				if strings.HasPrefix(step, "SCAN") && step != "SCAN found" || strings.Contains(step, "Seq Scan") ||
					strings.Contains(step, "B-TREE") || strings.Contains(step, "Sort Key") {
					t.Errorf("%s\n%q in %q", query, step, steps)
				}
			}
		}
	})
}

func TestAuditPagesAndFilters(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		for i, act := range []string{"user:1 key.create", "user:2 key.create", "user:1 member.add", "operator key.revoke"} {
			actor, action, _ := strings.Cut(act, " ")
			fx.must(fx.AppendAuditEvent(fx, fx.Account.ID, testTime.Add(time.Duration(i)*time.Hour), actor, action, "s", nil))
		}
		read := func(f store.AuditFilter) (found string) {
			for ask := (parley.PageRequest{Limit: 2}); ; {
				page, err := fx.AuditPage(fx, fx.Account.ID, f, ask)
				fx.must(err)
				for _, a := range page.Items {
					found += strconv.FormatInt(a.Seq, 10)
				}
				if ask.After = page.Next; page.Next == nil {
					return found
				}
			}
		}
		for want, f := range map[string]store.AuditFilter{
			"4321": {}, "31": {Actor: "user:1"}, "21": {Action: "key.create"},
			"1":  {Actor: "user:1", Action: "key.create"},
			"32": {From: testTime.Add(time.Hour), Before: testTime.Add(3 * time.Hour)},
			"":   {Actor: "nobody"}, "2": {Action: "key.create", From: testTime.Add(time.Minute)},
		} {
			if got := read(f); got != want {
				fx.Errorf("%+v: %q, want %q", f, got, want)
			}
		}
		actors, err := fx.AuditActors(fx, fx.Account.ID, 2)
		fx.must(err)
		actions, err := fx.AuditActions(fx, fx.Account.ID, 10)
		fx.must(err)
		if got := strings.Join(append(actors, actions...), " "); got != "operator user:1 key.create key.revoke member.add" {
			fx.Error(got)
		}
	})
}
