package chat

import (
	"context"

	"parley/bench/internal/baseline"
	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
)

const connectionCount = 16

var (
	maxMedian      = report.AtMostTimes(2)   // of the latency of one connection
	maxTail        = report.AtMostTimes(3)   // its 99th percentile
	maxBusyTail    = report.AtMostTimes(2.5) // of sixteen connections
	maxPacedMedian = report.AtMostTimes(1.7) // of the first token of many streams
	minRate        = report.AtLeastTimes(0.6)
	maxTurnWork    = report.AtMost(0.52, "ms")
)

// MeasureLatency measures one connection that asks for JSON. The model's own time is subtracted.
func MeasureLatency(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	json, stream := load.Request{Model: stub.InstantModel}, load.Request{Model: stub.InstantModel, Stream: true}
	following := b.ParleyContender(json)
	following.ContinuesConversation = true
	s := b.RunInTurns(ctx, 1,
		[]*load.Contender{b.ModelContender(stream), b.ModelContender(json), b.BaselineContender(json, nil),
			b.BaselineContender(json, baseline.RequestWholeJSON), b.ParleyContender(json), following})
	model, leanModel := s[0].TotalQuantile(.5), s[1].TotalQuantile(.5)
	onBaseline, onLeanBaseline, series, thread := s[2], s[3], s[4], s[5]
	failed, firstErr := series.Failures()
	rows := []report.Row{
		report.ComparedRow("added latency of a plain turn, 1 connection, p50", "ms", onBaseline.TotalQuantile(.5)-model,
			series.TotalQuantile(.5)-model, &maxMedian).WithFailures(failed, firstErr),
		report.ComparedRow("… p99", "ms", onBaseline.TotalQuantile(.99)-model, series.TotalQuantile(.99)-model, &maxTail),
		report.ComparedRow("… p50, beside a floor that asks the model for one JSON", "ms",
			onLeanBaseline.TotalQuantile(.5)-leanModel, series.TotalQuantile(.5)-leanModel, &maxMedian),
		report.ComparedRow("… p50, continuing a conversation", "ms", onBaseline.TotalQuantile(.5)-model,
			thread.TotalQuantile(.5)-model, nil).WithFailures(thread.Failures()),
		{Measure: "the model alone, streamed and as one JSON, p50", Unit: "ms", Baseline: &model, Parley: &leanModel},
	}
	rows[4].Note = "These two are what has been subtracted: the stream in the first column, the JSON in the second."
	return rows, nil
}

// MeasureFirstToken measures one connection that asks for a stream.
func MeasureFirstToken(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	q := load.Request{Model: stub.InstantModel, Stream: true}
	s := b.RunInTurns(ctx, 1, []*load.Contender{b.ModelContender(q), b.BaselineContender(q, nil), b.ParleyContender(q)})
	model, onBaseline, measured := s[0].FirstTokenQuantile(.5), s[1], s[2]
	return []report.Row{
		report.ComparedRow("added time to first token, 1 connection, p50", "ms", onBaseline.FirstTokenQuantile(.5)-model,
			measured.FirstTokenQuantile(.5)-model, &maxMedian).WithFailures(measured.Failures()),
		report.ComparedRow("… p99", "ms", onBaseline.FirstTokenQuantile(.99)-model, measured.FirstTokenQuantile(.99)-model,
			&maxTail),
		report.ComparedRow("whole stream, 1 connection, p50", "ms", onBaseline.TotalQuantile(.5),
			measured.TotalQuantile(.5), nil),
	}, nil
}

// MeasureTurns measures how many plain turns sixteen connections complete.
func MeasureTurns(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	q := load.Request{Model: stub.InstantModel}
	s := b.RunInTurns(ctx, connectionCount, []*load.Contender{b.BaselineContender(q, nil),
		b.BaselineContender(q, baseline.RequestWholeJSON), b.ParleyContender(q)})
	onBaseline, onLeanBaseline, measured := s[0], s[1], s[2]
	return []report.Row{
		report.ComparedRow("plain turns, 16 connections", "/s", onBaseline.Rate(), measured.Rate(),
			&minRate).WithFailures(measured.Failures()),
		report.ComparedRow("… p50", "ms", onBaseline.TotalQuantile(.5), measured.TotalQuantile(.5), nil),
		report.ComparedRow("… p99", "ms", onBaseline.TotalQuantile(.99), measured.TotalQuantile(.99), &maxBusyTail),
		report.ComparedRow("… processor time of the server for each", "ms", onBaseline.CPUPerAnswer(),
			measured.CPUPerAnswer(), &maxTurnWork),
		report.ComparedRow("plain turns, beside a floor that asks the model for one JSON", "/s", onLeanBaseline.Rate(),
			measured.Rate(), &minRate),
		report.ComparedRow("… p99", "ms", onLeanBaseline.TotalQuantile(.99), measured.TotalQuantile(.99), &maxBusyTail),
	}, nil
}

// MeasureStreams measures how many streams sixteen connections read to their end.
func MeasureStreams(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	q := load.Request{Model: stub.InstantModel, Stream: true}
	s := b.RunInTurns(ctx, connectionCount, []*load.Contender{b.BaselineContender(q, nil), b.ParleyContender(q)})
	onBaseline, measured := s[0], s[1]
	return []report.Row{
		report.ComparedRow("full streams, 16 connections", "/s", onBaseline.Rate(), measured.Rate(),
			&minRate).WithFailures(measured.Failures()),
		report.ComparedRow("… first token p50", "ms", onBaseline.FirstTokenQuantile(.5),
			measured.FirstTokenQuantile(.5), nil),
		report.ComparedRow("… p99 of the whole", "ms", onBaseline.TotalQuantile(.99), measured.TotalQuantile(.99),
			&maxBusyTail),
		report.ComparedRow("… processor time of the server for each", "ms", onBaseline.CPUPerAnswer(),
			measured.CPUPerAnswer(), nil),
	}, nil
}
