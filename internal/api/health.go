package api

import (
	"context"

	"parley/internal/wire"
)

// Health says that the service is up.
type Health struct {
	Status    string `json:"status" enum:"ok"`
	Timestamp int64  `json:"timestamp" doc:"Epoch seconds."`
}

func (s *server) health(context.Context, *wire.Call, *wire.None) (*Health, error) {
	return &Health{Status: "ok", Timestamp: s.Now().Unix()}, nil
}
