package start

import (
	"context"
	"net/http"
	"os"
	"time"

	"parley/bench/internal/baseline"
	"parley/bench/internal/corpus"
	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/process"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
)

// startTimes collects what several starts took, in milliseconds, and the memory after the first answer.
type startTimes struct{ ready, answer, memory []float64 }

// MeasureStarts measures from the start of the process to its first answer: on an empty data directory, with an account
// and an agent created meanwhile as an operator does it, and on a prepared one.
func MeasureStarts(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	var onBaseline, empty, full startTimes
	prepared, err := b.NewServer(ctx, "prepared")
	if err != nil {
		return nil, err
	}
	prepared.Stop()
	for range b.StartCount {
		for _, begin := range []func() error{
			func() error { return startBaselineOnce(ctx, b, &onBaseline) },
			func() error { return startEmptyOnce(ctx, b, &empty) },
			func() error { return startPreparedOnce(ctx, b, prepared, &full) },
		} {
			if err := begin(); err != nil {
				return nil, err
			}
		}
	}
	second, small := report.AtMost(1000, "ms"), report.AtMost(50, "MB")
	return []report.Row{
		report.ComparedRow("start on an empty data directory to the first answer", "ms", report.Median(onBaseline.answer),
			report.Median(empty.answer), &second),
		report.ComparedRow("… to health", "ms", report.Median(onBaseline.ready), report.Median(empty.ready), nil),
		report.ComparedRow("start with an agent that has learned 40 kB to the first answer", "ms",
			report.Median(onBaseline.answer), report.Median(full.answer), &second),
		report.ComparedRow("resident memory after that answer", "MB", report.Median(onBaseline.memory),
			report.Median(full.memory), &small),
	}, nil
}

func startBaselineOnce(ctx context.Context, b *harness.Run, into *startTimes) error {
	c, err := b.StartBaseline(ctx, "start")
	if err != nil {
		return err
	}
	defer c.Stop()
	into.ready = append(into.ready, report.Milliseconds(time.Since(c.Started)))
	return into.addFirstAnswer(ctx, c, baseline.NewTarget(c.URL, nil))
}

func startEmptyOnce(ctx context.Context, b *harness.Run, into *startTimes) error {
	data, err := b.NewDir("empty")
	if err != nil {
		return err
	}
	s := &harness.Server{DataDir: data, Client: load.NewClient(), Agents: map[string]string{}}
	if s.Server, err = b.StartServer(ctx, b.Binary, data); err != nil {
		return err
	}
	defer s.Stop()
	if err := waitUntilHealthy(ctx, s, into); err != nil {
		return err
	}
	if err := s.CreateAccount(ctx, b.Binary); err != nil {
		return err
	}
	if s.Agents[stub.InstantModel], err = s.CreateAgent(ctx, stub.InstantModel); err != nil {
		return err
	}
	return into.addFirstAnswer(ctx, s.Server, s.NewTarget())
}

func startPreparedOnce(ctx context.Context, b *harness.Run, prepared *harness.Server, into *startTimes) (err error) {
	if prepared.Server, err = b.StartServer(ctx, b.Binary, prepared.DataDir); err != nil {
		return err
	}
	defer prepared.Stop()
	return into.addFirstAnswer(ctx, prepared.Server, prepared.NewTarget())
}

func waitUntilHealthy(ctx context.Context, s *harness.Server, into *startTimes) error {
	var reply map[string]any
	if err := s.CallAPI(ctx, http.MethodGet, "/health", nil, &reply); err != nil {
		return err
	}
	into.ready = append(into.ready, report.Milliseconds(time.Since(s.Started)))
	return nil
}

func (s *startTimes) addFirstAnswer(ctx context.Context, c *process.Server, t *load.Target) error {
	if _, err := t.AskExactly(ctx, load.Request{Model: stub.InstantModel, Message: corpus.Questions[0]},
		stub.ScriptText(stub.InstantModel)); err != nil {
		return err
	}
	s.answer = append(s.answer, report.Milliseconds(time.Since(c.Started)))
	size, err := c.Status("VmRSS")
	s.memory = append(s.memory, size/report.Megabyte)
	return err
}

// MeasurePeakMemory measures the most memory that was resident during the measures before it.
func MeasurePeakMemory(_ context.Context, b *harness.Run) ([]report.Row, error) {
	onBaseline, err := b.Baseline.Status("VmHWM")
	if err != nil {
		return nil, err
	}
	measured, err := b.Parley.Status("VmHWM")
	if err != nil {
		return nil, err
	}
	maxMemory := report.AtMost(180, "MB")
	return []report.Row{report.ComparedRow("most resident memory under the above", "MB", onBaseline/report.Megabyte,
		measured/report.Megabyte, &maxMemory)}, nil
}

func MeasureBinarySize(_ context.Context, b *harness.Run) ([]report.Row, error) {
	info, err := os.Stat(b.Binary)
	if err != nil {
		return nil, err
	}
	maxMemory := report.AtMost(85, "MB")
	return []report.Row{report.SingleRow("size of the binary", "MB", float64(info.Size())/report.Megabyte, &maxMemory)},
		nil
}
