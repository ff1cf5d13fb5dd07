package main

import (
	"context"
	"time"

	"parley/internal/api/admin"
	"parley/internal/server"
)

// lockTimeout is how long a command waits for another one to give the data directory back.
const lockTimeout = 5 * time.Second

// runAdmin does an operator's verb on the data that the settings name.
func runAdmin[In, Out any](p *process, v admin.Command[In, Out], in In) (Out, error) {
	return admin.Run(p, p.adminClient(), v, in)
}

func (p *process) adminClient() *admin.Client {
	s := p.commandLine.StorageConfig
	r := &admin.Client{DataDir: s.Data, LockTimeout: lockTimeout, Holder: "parley " + p.kong.Command()}
	if s.DatabaseURL == "" {
		r.DatabaseFile = server.SQLiteFile
	}
	r.Open = func(ctx context.Context) (*admin.Service, error) {
		log, err := p.newLogger("text,warn")
		if err != nil {
			return nil, err
		}
		return server.OpenAdmin(ctx, server.Config{StorageConfig: s, Now: time.Now, Logger: log})
	}
	return r
}
