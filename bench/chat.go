package main

import "context"

const connectionCount = 16

var (
	atMostThreefold = atMostTimes(3)
	atMostTwofold   = atMostTimes(2)
	atLeastHalf     = atLeastTimes(0.5)
)

// requestWholeJSON makes the floor ask the model for one JSON. Parley always asks for a stream, so that a turn can be cut short and
// its words kept; such a floor shows what that costs.
func requestWholeJSON(r *baselineRequest) { r.Whole = true }

func (b *bench) baselineContender(q chatRequest, change func(*baselineRequest)) *contender {
	return &contender{chatTarget: b.baseline.baselineTarget(change), chatRequest: q, process: b.baseline}
}

func (b *bench) parleyContender(q chatRequest) *contender {
	return &contender{chatTarget: b.parley.newTarget(), chatRequest: q, process: b.parley.serverProcess}
}

func (b *bench) modelContender(q chatRequest) *contender {
	return &contender{chatTarget: b.modelTarget(), chatRequest: q, process: b.stub}
}

// measureLatency is of one connection that wants one JSON. What the model itself takes is subtracted.
func measureLatency(ctx context.Context, b *bench) ([]row, error) {
	json, stream := chatRequest{model: instantModel}, chatRequest{model: instantModel, stream: true}
	following := b.parleyContender(json)
	following.continuesConversation = true
	s := b.runInTurns(ctx, 1, []*contender{b.modelContender(stream), b.modelContender(json), b.baselineContender(json, nil), b.baselineContender(json, requestWholeJSON), b.parleyContender(json), following})
	model, lean, floor, leanFloor, ours, thread := s[0].totalQuantile(.5), s[1].totalQuantile(.5), s[2], s[3], s[4], s[5]
	failed, why := ours.failures()
	rows := []row{
		comparedRow("added latency of a plain turn, 1 connection, p50", "ms", floor.totalQuantile(.5)-model, ours.totalQuantile(.5)-model, &atMostThreefold).withFailures(failed, why),
		comparedRow("… p99", "ms", floor.totalQuantile(.99)-model, ours.totalQuantile(.99)-model, nil),
		comparedRow("… p50, beside a floor that asks the model for one JSON", "ms", leanFloor.totalQuantile(.5)-lean, ours.totalQuantile(.5)-lean, &atMostThreefold),
		comparedRow("… p50, continuing a conversation", "ms", floor.totalQuantile(.5)-model, thread.totalQuantile(.5)-model, nil).withFailures(thread.failures()),
		{Measure: "the model alone, streamed and as one JSON, p50", Unit: "ms", Baseline: &model, Parley: &lean},
	}
	rows[4].Note = "These two are what has been subtracted: the stream in the first column, the JSON in the second."
	return rows, nil
}

// measureFirstToken is of one connection that wants a stream.
func measureFirstToken(ctx context.Context, b *bench) ([]row, error) {
	q := chatRequest{model: instantModel, stream: true}
	s := b.runInTurns(ctx, 1, []*contender{b.modelContender(q), b.baselineContender(q, nil), b.parleyContender(q)})
	model, floor, ours := s[0].firstTokenQuantile(.5), s[1], s[2]
	return []row{
		comparedRow("added time to first token, 1 connection, p50", "ms", floor.firstTokenQuantile(.5)-model, ours.firstTokenQuantile(.5)-model, &atMostThreefold).withFailures(ours.failures()),
		comparedRow("… p99", "ms", floor.firstTokenQuantile(.99)-model, ours.firstTokenQuantile(.99)-model, &atMostThreefold),
		comparedRow("whole stream, 1 connection, p50", "ms", floor.totalQuantile(.5), ours.totalQuantile(.5), nil),
	}, nil
}

// measureTurns is how many plain turns sixteen connections get done.
func measureTurns(ctx context.Context, b *bench) ([]row, error) {
	q := chatRequest{model: instantModel}
	s := b.runInTurns(ctx, connectionCount, []*contender{b.baselineContender(q, nil), b.baselineContender(q, requestWholeJSON), b.parleyContender(q)})
	floor, lean, ours := s[0], s[1], s[2]
	return []row{
		comparedRow("plain turns, 16 connections", "/s", floor.rate(), ours.rate(), &atLeastHalf).withFailures(ours.failures()),
		comparedRow("… p50", "ms", floor.totalQuantile(.5), ours.totalQuantile(.5), nil),
		comparedRow("… p99", "ms", floor.totalQuantile(.99), ours.totalQuantile(.99), &atMostThreefold),
		comparedRow("… processor time of the server for each", "ms", floor.cpuPerAnswer(), ours.cpuPerAnswer(), nil),
		comparedRow("plain turns, beside a floor that asks the model for one JSON", "/s", lean.rate(), ours.rate(), &atLeastHalf),
		comparedRow("… p99", "ms", lean.totalQuantile(.99), ours.totalQuantile(.99), &atMostThreefold),
	}, nil
}

// measureStreams is how many streams sixteen connections read to their end.
func measureStreams(ctx context.Context, b *bench) ([]row, error) {
	q := chatRequest{model: instantModel, stream: true}
	s := b.runInTurns(ctx, connectionCount, []*contender{b.baselineContender(q, nil), b.parleyContender(q)})
	floor, ours := s[0], s[1]
	return []row{
		comparedRow("full streams, 16 connections", "/s", floor.rate(), ours.rate(), &atLeastHalf).withFailures(ours.failures()),
		comparedRow("… first token p50", "ms", floor.firstTokenQuantile(.5), ours.firstTokenQuantile(.5), nil),
		comparedRow("… p99 of the whole", "ms", floor.totalQuantile(.99), ours.totalQuantile(.99), nil),
		comparedRow("… processor time of the server for each", "ms", floor.cpuPerAnswer(), ours.cpuPerAnswer(), nil),
	}, nil
}
