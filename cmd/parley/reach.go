package main

import (
	"context"
	"time"

	"parley/internal/api/admin"
	"parley/internal/server"
)

// lockTimeout is how long a command waits for another one to give the data directory back.
const lockTimeout = 5 * time.Second

// runAdmin calls an operation of the operator's API on the data that the settings name.
func runAdmin[In, Out any](p *process, op admin.Operation[In, Out], in In) (Out, error) {
	return admin.Run(p, p.adminClient(server.ModelConfig{}), op, in)
}

// adminClient returns the client of the operator's API. The models count only where no server runs, which would know them.
func (p *process) adminClient(models server.ModelConfig) *admin.Client {
	storage := p.commandLine.StorageConfig
	c := &admin.Client{DataDir: storage.Data, LockTimeout: lockTimeout, Holder: "parley " + p.kong.Command()}
	if storage.DatabaseURL == "" {
		c.DatabaseFile = server.SQLiteFile
	}
	c.Open = func(ctx context.Context) (*admin.Service, error) {
		log, err := p.newLogger("text,warn")
		if err != nil {
			return nil, err
		}
		return server.OpenAdmin(ctx, server.Config{
			StorageConfig: storage,
			ModelConfig:   models,
			Now:           time.Now,
			Logger:        log,
		})
	}
	return c
}
