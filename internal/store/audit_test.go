package store_test

import (
	"strings"
	"testing"

	"parley"
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
