package store_test

import (
	"strings"
	"testing"

	"parley"
)

func TestAuditChainShowsWhatWasTamperedWith(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		for _, err := range runConcurrently(6, func(int) error {
			return w.AppendAuditEvent(w, w.Account.ID, testTime, "operator", "key.create", "k", map[string]any{"name": "ci"})
		}) {
			w.must(err)
		}
		rows, last, err := w.VerifyAuditChain(w, w.Account.ID)
		w.must(err)
		if rows != 6 || len(last) != 64 {
			w.Error(rows, last)
		}
		list, err := w.AuditEvents(w, w.Account.ID, 4, 10)
		w.must(err)
		if len(list) != 2 || list[1].Hash != last || list[0].Details != `{"name":"ci"}` || !list[0].At.Equal(testTime) {
			w.Errorf("%+v", list)
		}
		w.wantCode(w.AppendAuditEvent(w, "nobody", testTime, "operator", "x", "y", nil), parley.CodeAccountNotFound)

		_, err = w.SQL().Exec(w, `update audit_events set actor = 'somebody' where seq = 3`)
		w.must(err)
		if _, _, err = w.VerifyAuditChain(w, w.Account.ID); err == nil || !strings.Contains(err.Error(), "row 3") {
			w.Error("a changed row:", err)
		}
		_, err = w.SQL().Exec(w, `delete from audit_events where seq = 2`)
		w.must(err)
		if _, _, err = w.VerifyAuditChain(w, w.Account.ID); err == nil || !strings.Contains(err.Error(), "row 2") {
			w.Error("a missing row:", err)
		}
	})
}
