package main

import (
	"context"
	"time"

	"parley/internal/admin"
	"parley/internal/house"
)

// patience is how long a command waits for another one to give the data directory back.
const patience = 5 * time.Second

// call does an operator's verb on the data that the settings name.
func call[In, Out any](p *process, v admin.Verb[In, Out], in In) (Out, error) {
	return admin.Call(p, p.reach(), v, in)
}

func (p *process) reach() *admin.Reach {
	s := p.cli.Storage
	r := &admin.Reach{Dir: s.Data, Wait: patience, Holder: "parley " + p.kong.Command()}
	if s.DatabaseURL == "" {
		r.File = house.SQLiteFile
	}
	r.Open = func(ctx context.Context) (*admin.Desk, error) {
		log, err := p.logger("text,warn")
		if err != nil {
			return nil, err
		}
		return house.OpenDesk(ctx, house.Config{Storage: s, Now: time.Now, Logger: log})
	}
	return r
}
