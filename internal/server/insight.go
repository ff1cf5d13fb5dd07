package server

import "parley/internal/insight"

// insightWorkers is how many conversations are judged at a time.
const insightWorkers = 2

func (b *builder) newInsight() *insight.Service {
	return &insight.Service{
		DB: b.db, Queue: b.queue, Model: b.models.Lookup, Now: b.cfg.Now, Logger: b.cfg.Logger, QuietTime: b.cfg.InsightWait,
	}
}
