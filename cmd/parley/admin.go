package main

import (
	"context"
	"fmt"
	"time"

	"parley/internal/api/admin"
	"parley/internal/server"
)

// lockTimeout is how long a command waits for another one to unlock the data directory.
const lockTimeout = 5 * time.Second

// runAdmin calls an operation of the operator's API on the data directory of the settings.
func runAdmin[In, Out any](p *process, op admin.Operation[In, Out], in In) (Out, error) {
	return admin.Run(p, p.adminClient(server.ModelConfig{}), op, in)
}

// adminClient returns a client of the operator's API. The models matter only where no server runs: a server has its
// own.
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

// printAdmin calls an operation and prints its answer: as JSON for programs, with print for people.
func printAdmin[In, Out any](p *process, op admin.Operation[In, Out], in In, print func(Out) error) error {
	out, err := runAdmin(p, op, in)
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	return print(out)
}

// printAdminJSON calls an operation and prints its answer as JSON, for people too. Where the answer holds a secret that
// is not shown again, secret names it, and a person at a terminal is warned.
func printAdminJSON[In, Out any](p *process, op admin.Operation[In, Out], in In, secret string) error {
	out, err := runAdmin(p, op, in)
	if err != nil {
		return err
	}
	if secret != "" && isTerminal(p.stderr) && !p.commandLine.JSON {
		fmt.Fprintln(p.stderr, "Keep the "+secret+": it is shown only this once.")
	}
	return p.printJSON(out)
}
