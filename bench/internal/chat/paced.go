package chat

import (
	"context"
	"fmt"

	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
)

const pacedRounds = 3

// MeasurePaced opens many streams at the same moment whose model sends a token every 20 ms. Each must deliver every
// token.
func MeasurePaced(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	q := load.Request{Model: stub.SteadyModel, Stream: true}
	baseline, measured := b.BaselineContender(q, nil), b.ParleyContender(q)
	var onBaseline, onParley load.Series
	for range min(b.Rounds, pacedRounds) {
		onBaseline = append(onBaseline, baseline.AskAtOnce(ctx, b.PacedStreams))
		onParley = append(onParley, measured.AskAtOnce(ctx, b.PacedStreams))
	}
	all := report.AtLeast(float64(b.PacedStreams), "")
	complete := func(s load.Series) float64 {
		return s.MedianOf(func(b *load.Batch) float64 { return float64(len(b.Totals)) })
	}
	// How much later than the model sent it the last token came, in the 99th percentile of the streams.
	late := func(s load.Series) float64 {
		return s.TotalQuantile(.99) - report.Milliseconds((stub.SteadyTokens-1)*stub.SteadyPace)
	}
	return []report.Row{
		report.ComparedRow(fmt.Sprintf("%d paced streams, complete and to the word", b.PacedStreams), "",
			complete(onBaseline), complete(onParley), &all).WithFailures(onParley.Failures()),
		report.ComparedRow("… first token p50", "ms", onBaseline.FirstTokenQuantile(.5), onParley.FirstTokenQuantile(.5),
			&maxPacedMedian),
		report.ComparedRow("… first token p99", "ms", onBaseline.FirstTokenQuantile(.99),
			onParley.FirstTokenQuantile(.99), nil),
		report.ComparedRow("… last token behind the model's pace, p99", "ms", late(onBaseline), late(onParley), nil),
		report.ComparedRow("… processor time of the server for each", "ms", onBaseline.CPUPerAnswer(),
			onParley.CPUPerAnswer(), nil),
	}, nil
}
