package v2

import (
	"context"

	"parley/internal/httpapi"
)

// Health says that the service is up.
type Health struct {
	Status    string `json:"status" enum:"ok"`
	Timestamp int64  `json:"timestamp" doc:"Epoch seconds."`
}

func (s *server) getHealth(context.Context, *httpapi.Call, *httpapi.NoInput) (*Health, error) {
	return &Health{Status: "ok", Timestamp: s.Now().Unix()}, nil
}
