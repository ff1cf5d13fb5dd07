package store_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

func TestWhatIsOlderThanItIsKeptIsCounted(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		ref := fx.Account.ID.AgentRef(fx.Agent.ID)
		fx.createEmptyConversation()
		v := &parley.Visitor{ID: parley.VisitorID(parley.NewUUID()), AccountID: ref.Account, AgentID: ref.Agent, Locale: "en",
			CreatedAt: testTime, LastSeenAt: testTime}
		fx.must(fx.CreateVisitor(fx, v))
		count := func(name string, e store.Expired, err error, want int) {
			fx.Helper()
			fx.must(err)
			if e.Count != want || (e.Oldest != nil) != (want > 0) || e.Oldest != nil && !e.Oldest.Equal(testTime) {
				fx.Errorf("%s: %d, the oldest of %v, want %d", name, e.Count, e.Oldest, want)
			}
		}
		for at, want := range map[time.Time]int{testTime: 0, testTime.Add(time.Second): 1} {
			e, err := fx.ExpiredConversations(fx, ref, at)
			count("conversations", e, err, want)
			e, err = fx.ExpiredVisitors(fx, ref, at)
			count("visitors", e, err, want)
			e, err = fx.ExpiredFiles(fx, ref, at)
			count("files", e, err, 0)
			e, err = fx.ExpiredRecordings(fx, ref, at)
			count("recordings", e, err, 0)
		}
		fx.must(fx.NoteExpired(fx, ref, testTime, testTime, "conversations", 0))
		fx.must(fx.NoteExpired(fx, ref, testTime, testTime, "conversations", 7))
		list, err := fx.AuditEvents(fx, ref.Account, 0, 10)
		fx.must(err)
		if len(list) != 1 || list[0].Action != "retention.delete" || list[0].Subject != string(ref.Agent) ||
			!strings.Contains(list[0].Details, `"conversations":7`) {
			fx.Errorf("the audit log holds %+v", list)
		}
	})
}

func TestVisitorsAndFilesGoAfterATimeOfTheirOwn(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		ref, days := fx.Account.ID.AgentRef(fx.Agent.ID), int64(7)
		fx.must(fx.UpdateAgent(fx, ref, func(a *parley.Agent) error {
			a.FileRetentionDays = &days
			return nil
		}))
		list, err := fx.RowRetentions(fx)
		fx.must(err)
		if len(list) != 1 || list[0].Agent != ref || list[0].Files == nil || *list[0].Files != 7 || list[0].Visitors != nil {
			fx.Fatalf("the retentions are %+v", list)
		}
		columns := fx.tableColumns()["attachments"]
		fx.insertMarkedRows("attachments", columns, fx.Agent.ID, "planted-a", 3) // created at 0, 1 and 2
		n, err := fx.DropFiles(fx, ref, time.UnixMilli(2), 10)
		fx.must(err)
		if left := fx.queryCount(`select count(*) from attachments`); n != 2 || left != 1 {
			fx.Errorf("%d files were deleted, %d are left", n, left)
		}
		v := &parley.Visitor{ID: parley.VisitorID(parley.NewUUID()), AccountID: ref.Account, AgentID: ref.Agent, Locale: "en",
			CreatedAt: testTime, LastSeenAt: testTime}
		fx.must(fx.CreateVisitor(fx, v))
		for i, at := range []time.Time{testTime, testTime.Add(time.Second)} {
			n, err := fx.DropVisitors(fx, ref, at, 10)
			fx.must(err)
			if n != int64(i) {
				fx.Errorf("%d visitors who were not seen since %v were deleted", n, at)
			}
		}
	})
}
