package chat

import (
	"context"

	"github.com/jackc/pgx/v5"

	"parley/bench/internal/baseline"
	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/process"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
)

var atLeastThreeFifths = report.AtLeastTimes(0.6)

// MeasurePostgres measures plain turns on PostgreSQL, beside a baseline that writes the same rows into tables like
// Parley's in two transactions, each one round trip.
func MeasurePostgres(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	parleyServer, baselineServer, err := startOnPostgres(ctx, b)
	if err != nil {
		return nil, err
	}
	defer parleyServer.Stop()
	defer baselineServer.Stop()
	database, err := findPostgres(ctx, b.PostgresURL)
	if err != nil {
		return nil, err
	}
	q := load.Request{Model: stub.InstantModel}
	field := []*load.Contender{
		{Target: baseline.NewTarget(baselineServer.URL, nil), Request: q, Process: baselineServer, Database: database},
		{Target: parleyServer.NewTarget(), Request: q, Process: parleyServer.Server, Database: database}}
	one, many := b.RunInTurns(ctx, 1, field), b.RunInTurns(ctx, connectionCount, field)
	compare := func(measure, unit string, figures []load.Series, figure func(load.Series) float64,
		goal *report.Threshold) report.Row {
		return report.ComparedRow(measure, unit, figure(figures[0]), figure(figures[1]), goal).
			WithFailures(figures[1].Failures())
	}
	p50 := func(s load.Series) float64 { return s.TotalQuantile(.5) }
	p99 := func(s load.Series) float64 { return s.TotalQuantile(.99) }
	return []report.Row{
		compare("PostgreSQL: a plain turn, 1 connection, p50", "ms", one, p50, nil),
		compare("… p99", "ms", one, p99, nil),
		compare("PostgreSQL: plain turns, 16 connections", "/s", many, load.Series.Rate, &atLeastThreeFifths),
		compare("… p50", "ms", many, p50, nil),
		compare("… p99", "ms", many, p99, nil),
		compare("… processor time of the server for each", "ms", many, load.Series.CPUPerAnswer, nil),
		compare("… processor time of PostgreSQL for each", "ms", many, load.Series.DatabaseCPUPerAnswer, nil),
	}, nil
}

// startOnPostgres starts Parley and then the baseline, whose tables are copies of Parley's.
func startOnPostgres(ctx context.Context, b *harness.Run) (*harness.Server, *process.Server, error) {
	parleyServer, err := b.NewServerFrom(ctx, b.Binary, "postgres", "PARLEY_DATABASE_URL="+b.PostgresURL)
	if err != nil {
		return nil, nil, err
	}
	baselineServer, err := b.StartBaseline(ctx, "baseline-postgres", "-postgres-url", b.PostgresURL)
	if err != nil {
		parleyServer.Stop()
		return nil, nil, err
	}
	return parleyServer, baselineServer, nil
}

// findPostgres returns the processes of a PostgreSQL on this machine.
func findPostgres(ctx context.Context, url string) (process.Family, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, err
	}
	var backend int
	err = conn.QueryRow(ctx, "select pg_backend_pid()").Scan(&backend)
	family := process.Family(process.ID(backend).Parent())
	if closeErr := conn.Close(ctx); err == nil {
		err = closeErr
	}
	return family, err
}
