package main

import "context"

const connections = 16

var (
	thrice = atMostTimes(3)
	twice  = atMostTimes(2)
	half   = atLeastTimes(0.5)
)

// asksWhole makes the floor ask the model for one JSON. Parley always asks for a stream, so that a turn can be cut short and
// its words kept; such a floor shows what that costs.
func asksWhole(r *floorRequest) { r.Whole = true }

func (b *bench) onFloor(q question, change func(*floorRequest)) *contender {
	return &contender{target: b.floor.ground(change), question: q, process: b.floor}
}

func (b *bench) onOurs(q question) *contender {
	return &contender{target: b.ours.target(), question: q, process: b.ours.child}
}

func (b *bench) onStub(q question) *contender {
	return &contender{target: b.direct(), question: q, process: b.stub}
}

// latency is of one connection that wants one JSON. What the model itself takes is subtracted.
func latency(ctx context.Context, b *bench) ([]row, error) {
	json, stream := question{model: instant}, question{model: instant, stream: true}
	following := b.onOurs(json)
	following.follow = true
	s := b.inTurns(ctx, 1, []*contender{b.onStub(stream), b.onStub(json), b.onFloor(json, nil), b.onFloor(json, asksWhole), b.onOurs(json), following})
	model, lean, floor, leanFloor, ours, thread := s[0].totals(.5), s[1].totals(.5), s[2], s[3], s[4], s[5]
	failed, why := ours.failures()
	rows := []row{
		beside("added latency of a plain turn, 1 connection, p50", "ms", floor.totals(.5)-model, ours.totals(.5)-model, &thrice).fault(failed, why),
		beside("… p99", "ms", floor.totals(.99)-model, ours.totals(.99)-model, nil),
		beside("… p50, beside a floor that asks the model for one JSON", "ms", leanFloor.totals(.5)-lean, ours.totals(.5)-lean, &thrice),
		beside("… p50, continuing a conversation", "ms", floor.totals(.5)-model, thread.totals(.5)-model, nil).fault(thread.failures()),
		{Measure: "the model alone, streamed and as one JSON, p50", Unit: "ms", Floor: &model, Ours: &lean},
	}
	rows[4].Note = "These two are what has been subtracted: the stream in the first column, the JSON in the second."
	return rows, nil
}

// firstToken is of one connection that wants a stream.
func firstToken(ctx context.Context, b *bench) ([]row, error) {
	q := question{model: instant, stream: true}
	s := b.inTurns(ctx, 1, []*contender{b.onStub(q), b.onFloor(q, nil), b.onOurs(q)})
	model, floor, ours := s[0].firsts(.5), s[1], s[2]
	return []row{
		beside("added time to first token, 1 connection, p50", "ms", floor.firsts(.5)-model, ours.firsts(.5)-model, &thrice).fault(ours.failures()),
		beside("… p99", "ms", floor.firsts(.99)-model, ours.firsts(.99)-model, &thrice),
		beside("whole stream, 1 connection, p50", "ms", floor.totals(.5), ours.totals(.5), nil),
	}, nil
}

// turns is how many plain turns sixteen connections get done.
func turns(ctx context.Context, b *bench) ([]row, error) {
	q := question{model: instant}
	s := b.inTurns(ctx, connections, []*contender{b.onFloor(q, nil), b.onFloor(q, asksWhole), b.onOurs(q)})
	floor, lean, ours := s[0], s[1], s[2]
	return []row{
		beside("plain turns, 16 connections", "/s", floor.rate(), ours.rate(), &half).fault(ours.failures()),
		beside("… p50", "ms", floor.totals(.5), ours.totals(.5), nil),
		beside("… p99", "ms", floor.totals(.99), ours.totals(.99), &thrice),
		beside("… processor time of the server for each", "ms", floor.cpu(), ours.cpu(), nil),
		beside("plain turns, beside a floor that asks the model for one JSON", "/s", lean.rate(), ours.rate(), &half),
		beside("… p99", "ms", lean.totals(.99), ours.totals(.99), &thrice),
	}, nil
}

// streams is how many streams sixteen connections read to their end.
func streams(ctx context.Context, b *bench) ([]row, error) {
	q := question{model: instant, stream: true}
	s := b.inTurns(ctx, connections, []*contender{b.onFloor(q, nil), b.onOurs(q)})
	floor, ours := s[0], s[1]
	return []row{
		beside("full streams, 16 connections", "/s", floor.rate(), ours.rate(), &half).fault(ours.failures()),
		beside("… first token p50", "ms", floor.firsts(.5), ours.firsts(.5), nil),
		beside("… p99 of the whole", "ms", floor.totals(.99), ours.totals(.99), nil),
		beside("… processor time of the server for each", "ms", floor.cpu(), ours.cpu(), nil),
	}, nil
}
