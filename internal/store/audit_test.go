package store_test

import (
	"strings"
	"testing"

	"parley"
)

func TestAuditChainShowsWhatWasTamperedWith(t *testing.T) {
	each(t, func(w *world) {
		for _, err := range together(6, func(int) error {
			return w.Audit(w, w.Account.ID, noon, "operator", "key.create", "k", map[string]any{"name": "ci"})
		}) {
			w.must(err)
		}
		rows, last, err := w.VerifyAudit(w, w.Account.ID)
		w.must(err)
		if rows != 6 || len(last) != 64 {
			w.Error(rows, last)
		}
		list, err := w.Audits(w, w.Account.ID, 4, 10)
		w.must(err)
		if len(list) != 2 || list[1].Hash != last || list[0].Details != `{"name":"ci"}` || !list[0].At.Equal(noon) {
			w.Errorf("%+v", list)
		}
		w.fails(w.Audit(w, "nobody", noon, "operator", "x", "y", nil), parley.CodeAccountNotFound)

		_, err = w.SQL().Exec(w, `update audit_events set actor = 'somebody' where seq = 3`)
		w.must(err)
		if _, _, err = w.VerifyAudit(w, w.Account.ID); err == nil || !strings.Contains(err.Error(), "row 3") {
			w.Error("a changed row:", err)
		}
		_, err = w.SQL().Exec(w, `delete from audit_events where seq = 2`)
		w.must(err)
		if _, _, err = w.VerifyAudit(w, w.Account.ID); err == nil || !strings.Contains(err.Error(), "row 2") {
			w.Error("a missing row:", err)
		}
	})
}
