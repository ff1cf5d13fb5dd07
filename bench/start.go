package main

import (
	"context"
	"net/http"
	"os"
	"time"
)

const megabyte = 1e6

// beginnings gathers what several starts took, in milliseconds, and the memory after the first answer.
type beginnings struct{ ready, answer, memory []float64 }

// starting is from the start of the process to its first answer: on an empty data directory, account and agent being made
// meanwhile as an operator makes them; and on one that has everything.
func starting(ctx context.Context, b *bench) ([]row, error) {
	var floor, empty, full beginnings
	prepared, err := b.house(ctx, "prepared")
	if err != nil {
		return nil, err
	}
	prepared.stop()
	for range b.starts {
		for _, begin := range []func() error{
			func() error { return b.beginFloor(ctx, &floor) },
			func() error { return b.beginEmpty(ctx, &empty) },
			func() error { return b.beginFull(ctx, prepared, &full) },
		} {
			if err := begin(); err != nil {
				return nil, err
			}
		}
	}
	second, small := atMost(1000, "ms"), atMost(60, "MB")
	return []row{
		beside("start on an empty data directory to the first answer", "ms", median(floor.answer), median(empty.answer), &second),
		beside("… to health", "ms", median(floor.ready), median(empty.ready), nil),
		beside("start with an agent that has learned 40 kB to the first answer", "ms", median(floor.answer), median(full.answer), &second),
		beside("resident memory after that answer", "MB", median(floor.memory), median(full.memory), &small),
	}, nil
}

func (b *bench) beginFloor(ctx context.Context, into *beginnings) error {
	c, err := b.startFloor(ctx, "start")
	if err != nil {
		return err
	}
	defer c.stop()
	into.ready = append(into.ready, ms(time.Since(c.started)))
	return into.first(ctx, c, c.ground(nil))
}

func (b *bench) beginEmpty(ctx context.Context, into *beginnings) error {
	data, err := b.folder("empty")
	if err != nil {
		return err
	}
	s := &server{data: data, client: newClient(), agents: map[string]string{}}
	if s.child, err = b.boot(ctx, b.binary, data); err != nil {
		return err
	}
	defer s.stop()
	if err := s.healthy(ctx, into); err != nil {
		return err
	}
	if err := s.account(ctx, b.binary); err != nil {
		return err
	}
	if s.agents[instant], err = s.agent(ctx, instant); err != nil {
		return err
	}
	return into.first(ctx, s.child, s.target())
}

func (b *bench) beginFull(ctx context.Context, prepared *server, into *beginnings) (err error) {
	if prepared.child, err = b.boot(ctx, b.binary, prepared.data); err != nil {
		return err
	}
	defer prepared.stop()
	return into.first(ctx, prepared.child, prepared.target())
}

func (s *server) healthy(ctx context.Context, into *beginnings) error {
	var said map[string]any
	if err := s.call(ctx, http.MethodGet, "/health", nil, &said); err != nil {
		return err
	}
	into.ready = append(into.ready, ms(time.Since(s.started)))
	return nil
}

func (into *beginnings) first(ctx context.Context, c *child, t *target) error {
	if _, err := t.exact(ctx, question{model: instant, message: questions[0]}, said(instant)); err != nil {
		return err
	}
	into.answer = append(into.answer, ms(time.Since(c.started)))
	size, err := c.status("VmRSS")
	into.memory = append(into.memory, size/megabyte)
	return err
}

// peak is the most memory that was resident while everything before it in the table was measured.
func peak(_ context.Context, b *bench) ([]row, error) {
	floor, err := b.floor.status("VmHWM")
	if err != nil {
		return nil, err
	}
	ours, err := b.ours.status("VmHWM")
	if err != nil {
		return nil, err
	}
	most := atMost(250, "MB")
	return []row{beside("most resident memory under the above", "MB", floor/megabyte, ours/megabyte, &most)}, nil
}

func binary(_ context.Context, b *bench) ([]row, error) {
	info, err := os.Stat(b.binary)
	if err != nil {
		return nil, err
	}
	most := atMost(120, "MB")
	return []row{only("size of the binary", "MB", float64(info.Size())/megabyte, &most)}, nil
}
