package store_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

func TestCitedSources(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		s := fx.createSource("Guide", 100, testTime)
		first := &parley.Version{ID: s.WantedVersion, AgentID: fx.Agent.ID, SourceID: s.ID, Hash: "one", Text: "Größe",
			CreatedAt: testTime}
		second := &parley.Version{ID: parley.VersionID(parley.NewUUID()), AgentID: fx.Agent.ID, SourceID: s.ID,
			Hash: "two", Text: "Maß", CreatedAt: testTime.Add(time.Minute)}
		expect := func(step, hash string, isDeleted bool, live, requested string) {
			fx.Helper()
			c, err := fx.CitedSource(fx, fx.Account.ID.AgentRef(fx.Agent.ID), s.ID, hash)
			fx.must(err)
			if c.Deleted != isDeleted || fx.versionText(s.ID, c.LiveVersion) != live ||
				fx.versionText(s.ID, c.RequestedVersion) != requested {
				fx.Errorf("%s: gone %v, live %q, asked %q", step, c.Deleted, fx.versionText(s.ID, c.LiveVersion),
					fx.versionText(s.ID, c.RequestedVersion))
			}
		}
		goLive := func(id parley.VersionID, status parley.SourceStatus) {
			fx.Helper()
			_, _, err := fx.UpdateSource(fx, fx.Account.ID.AgentRef(fx.Agent.ID), s.ID, func(s *parley.Source) error {
				s.Status, s.LiveVersion = status, id
				return nil
			})
			fx.must(err)
		}
		fx.must(fx.CreateVersion(fx, fx.Account.ID, first))
		expect("untrained", "", false, "", "")
		goLive(first.ID, parley.SourceTrained)
		expect("live", "", false, "Größe", "Größe")
		fx.must(fx.CreateVersion(fx, fx.Account.ID, second))
		goLive(second.ID, parley.SourceTrained)
		expect("changed", "one", false, "Maß", "Größe")
		expect("never there", "three", false, "Maß", "")

		other, sibling := fx.createAccount("Other"), fx.createAgent(fx.Account, testTime)
		_, err := fx.CitedSource(fx, other.ID.AgentRef(fx.Agent.ID), s.ID, "one")
		fx.wantCode(err, parley.CodeSourceNotFound)
		_, err = fx.CitedSource(fx, fx.Account.ID.AgentRef(sibling.ID), s.ID, "one")
		fx.wantCode(err, parley.CodeSourceNotFound)

		goLive("", parley.SourceDeleted)
		expect("deleted", "one", true, "", "")
	})
}

func (fx *fixture) versionText(source parley.SourceID, v *store.CitedVersion) string {
	fx.Helper()
	if v == nil {
		return ""
	}
	all, err := fx.VersionBytes(fx, fx.Account.ID.AgentRef(fx.Agent.ID), source, v.ID, 0, v.Size+1)
	fx.must(err)
	if len(all) != v.Size {
		fx.Error(len(all), v.Size)
	}
	return string(all)
}

func TestVersionBytesCountsBytes(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		s := fx.createSource("Guide", 100, testTime)
		v := &parley.Version{ID: s.WantedVersion, AgentID: fx.Agent.ID, SourceID: s.ID, Hash: "one", Text: "Größe \\ 日本",
			CreatedAt: testTime}
		fx.must(fx.CreateVersion(fx, fx.Account.ID, v))
		for start := range len(v.Text) + 1 {
			for end := start; end <= len(v.Text); end++ {
				if got, err := fx.VersionBytes(fx, fx.Account.ID.AgentRef(fx.Agent.ID), s.ID, v.ID, start,
					end); err != nil || string(got) != v.Text[start:end] {
					fx.Fatalf("%d to %d: %q %v", start, end, got, err)
				}
			}
		}
		_, err := fx.VersionBytes(fx, fx.Account.ID.AgentRef(fx.Agent.ID), s.ID, "other", 0, 1)
		fx.wantCode(err, parley.CodeSourceNotFound)
	})
}
