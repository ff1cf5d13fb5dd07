package house

import (
	"time"

	"parley/internal/insight"
	"parley/internal/jobs"
	"parley/internal/store"
)

// judges is how many conversations are judged at a time.
const judges = 2

// judge makes what finds out about conversations after the talk. It has a runner of its own: a model may be slow.
func (h *House) judge() {
	h.Insight = h.cfg.keeper(h.DB)
	h.Insight.Queue, h.Insight.Model = h.Queue, h.Models.Lookup
	h.Judges = &jobs.Runner{DB: h.DB.SQL(), Queue: h.Queue, Logger: h.cfg.Logger, Handlers: h.Insight.Handlers(), Workers: judges, Lease: 15 * time.Second}
}

// keeper makes insight without models.
func (c Config) keeper(db *store.DB) *insight.Keeper {
	return &insight.Keeper{DB: db, Queue: &jobs.Queue{Now: c.Now}, Now: c.Now, Logger: c.Logger, Wait: c.InsightWait}
}
