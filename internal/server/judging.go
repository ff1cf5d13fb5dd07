package server

import (
	"time"

	"parley/internal/insight"
	"parley/internal/jobs"
	"parley/internal/store"
)

// insightWorkers is how many conversations are judged at a time.
const insightWorkers = 2

// setUpInsight makes what finds out about conversations after the talk. It has a runner of its own: a model may be slow.
func (h *Server) setUpInsight() {
	h.Insight = h.cfg.newInsight(h.DB)
	h.Insight.Queue, h.Insight.Model = h.Queue, h.Models.Lookup
	h.InsightRunner = &jobs.Runner{DB: h.DB.SQL(), Queue: h.Queue, Logger: h.cfg.Logger, Handlers: h.Insight.Handlers(), MaxWorkers: insightWorkers, LeaseDuration: 15 * time.Second}
}

// newInsight makes insight without models.
func (c Config) newInsight(db *store.DB) *insight.Service {
	return &insight.Service{DB: db, Queue: &jobs.Queue{Now: c.Now}, Now: c.Now, Logger: c.Logger, QuietTime: c.InsightWait}
}
