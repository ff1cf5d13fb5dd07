package access_test

import (
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/rig/dbs"
	"parley/internal/store"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// door is an office and a gate over one store, with a clock that the test turns.
type door struct {
	testing.TB
	*access.Office
	Gate  *access.Gate
	clock atomic.Int64
}

func each(t *testing.T, f func(d *door)) {
	t.Helper()
	dbs.EachStore(t, func(t *testing.T, db *store.DB) {
		plans, err := access.LoadPlans("")
		if err != nil {
			t.Fatal(err)
		}
		d := &door{TB: t}
		d.Office = &access.Office{DB: db, Plans: plans, Now: d.now}
		d.Gate = &access.Gate{DB: db, Plans: plans, Now: d.now}
		f(d)
	})
}

func (d *door) now() time.Time       { return noon.Add(time.Duration(d.clock.Load())) }
func (d *door) turn(t time.Duration) { d.clock.Add(int64(t)) }

func (d *door) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *door) fails(err error, code parley.Code, fields ...string) {
	d.Helper()
	if !parley.IsCode(err, code) {
		d.Errorf("got %v, want %s", err, code)
		return
	}
	for _, f := range fields {
		if parley.ErrorOf(err).Details[f] == "" {
			d.Errorf("the details do not name %s: %v", f, parley.ErrorOf(err).Details)
		}
	}
}

func (d *door) account(plan string) (*parley.Account, string) {
	d.Helper()
	a, key, err := d.CreateAccount(d.Context(), access.NewAccount{Name: "Acme", Plan: plan})
	d.must(err)
	return a, key
}
