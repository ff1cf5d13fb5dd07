package main

import (
	"context"
	"net/http"
	"os"
	"time"
)

const megabyte = 1e6

// startTimes gathers what several starts took, in milliseconds, and the memory after the first answer.
type startTimes struct{ ready, answer, memory []float64 }

// measureStarts is from the start of the process to its first answer: on an empty data directory, account and agent being made
// meanwhile as an operator makes them; and on one that has everything.
func measureStarts(ctx context.Context, b *bench) ([]row, error) {
	var floor, empty, full startTimes
	prepared, err := b.newParleyServer(ctx, "prepared")
	if err != nil {
		return nil, err
	}
	prepared.stop()
	for range b.startCount {
		for _, begin := range []func() error{
			func() error { return b.startBaselineOnce(ctx, &floor) },
			func() error { return b.startEmptyOnce(ctx, &empty) },
			func() error { return b.startPreparedOnce(ctx, prepared, &full) },
		} {
			if err := begin(); err != nil {
				return nil, err
			}
		}
	}
	second, small := atMost(1000, "ms"), atMost(60, "MB")
	return []row{
		comparedRow("start on an empty data directory to the first answer", "ms", median(floor.answer), median(empty.answer), &second),
		comparedRow("… to health", "ms", median(floor.ready), median(empty.ready), nil),
		comparedRow("start with an agent that has learned 40 kB to the first answer", "ms", median(floor.answer), median(full.answer), &second),
		comparedRow("resident memory after that answer", "MB", median(floor.memory), median(full.memory), &small),
	}, nil
}

func (b *bench) startBaselineOnce(ctx context.Context, into *startTimes) error {
	c, err := b.startBaseline(ctx, "start")
	if err != nil {
		return err
	}
	defer c.stop()
	into.ready = append(into.ready, milliseconds(time.Since(c.started)))
	return into.addFirstAnswer(ctx, c, c.baselineTarget(nil))
}

func (b *bench) startEmptyOnce(ctx context.Context, into *startTimes) error {
	data, err := b.newDir("empty")
	if err != nil {
		return err
	}
	s := &parleyServer{dataDir: data, client: newClient(), agents: map[string]string{}}
	if s.serverProcess, err = b.startParley(ctx, b.binary, data); err != nil {
		return err
	}
	defer s.stop()
	if err := s.waitUntilHealthy(ctx, into); err != nil {
		return err
	}
	if err := s.createAccount(ctx, b.binary); err != nil {
		return err
	}
	if s.agents[instantModel], err = s.createAgent(ctx, instantModel); err != nil {
		return err
	}
	return into.addFirstAnswer(ctx, s.serverProcess, s.newTarget())
}

func (b *bench) startPreparedOnce(ctx context.Context, prepared *parleyServer, into *startTimes) (err error) {
	if prepared.serverProcess, err = b.startParley(ctx, b.binary, prepared.dataDir); err != nil {
		return err
	}
	defer prepared.stop()
	return into.addFirstAnswer(ctx, prepared.serverProcess, prepared.newTarget())
}

func (s *parleyServer) waitUntilHealthy(ctx context.Context, into *startTimes) error {
	var said map[string]any
	if err := s.callAPI(ctx, http.MethodGet, "/health", nil, &said); err != nil {
		return err
	}
	into.ready = append(into.ready, milliseconds(time.Since(s.started)))
	return nil
}

func (into *startTimes) addFirstAnswer(ctx context.Context, c *serverProcess, t *chatTarget) error {
	if _, err := t.askExactly(ctx, chatRequest{model: instantModel, message: manualQuestions[0]}, scriptText(instantModel)); err != nil {
		return err
	}
	into.answer = append(into.answer, milliseconds(time.Since(c.started)))
	size, err := c.status("VmRSS")
	into.memory = append(into.memory, size/megabyte)
	return err
}

// measurePeakMemory is the most memory that was resident while everything before it in the table was measured.
func measurePeakMemory(_ context.Context, b *bench) ([]row, error) {
	floor, err := b.baseline.status("VmHWM")
	if err != nil {
		return nil, err
	}
	ours, err := b.parley.status("VmHWM")
	if err != nil {
		return nil, err
	}
	most := atMost(250, "MB")
	return []row{comparedRow("most resident memory under the above", "MB", floor/megabyte, ours/megabyte, &most)}, nil
}

func measureBinarySize(_ context.Context, b *bench) ([]row, error) {
	info, err := os.Stat(b.binary)
	if err != nil {
		return nil, err
	}
	most := atMost(120, "MB")
	return []row{singleRow("size of the binary", "MB", float64(info.Size())/megabyte, &most)}, nil
}
