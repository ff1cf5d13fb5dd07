// Command bench measures Parley against a baseline: a handler that does only what cannot be avoided. One run has a
// model stub, the baseline, the real server and the load, each a process of its own on the same machine, and measures
// them in turns, so that other work on the machine slows them alike. It prints ratios; a missed threshold is a figure,
// not a failure.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"parley/bench/internal/baseline"
	"parley/bench/internal/chat"
	"parley/bench/internal/embedding"
	"parley/bench/internal/harness"
	"parley/bench/internal/ingest"
	"parley/bench/internal/process"
	"parley/bench/internal/report"
	"parley/bench/internal/retrieval"
	"parley/bench/internal/search"
	"parley/bench/internal/start"
	"parley/bench/internal/stub"
	"parley/bench/internal/voice"
	"parley/bench/internal/web"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run takes the measures, or serves as one of the processes that such a run starts.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "stub":
			return process.ServeUntilDone(ctx, stdout, stub.NewModel())
		case "baseline":
			return baseline.RunServer(ctx, args[1:], stdout)
		case "voicestub":
			return process.ServeUntilDone(ctx, stdout, voice.NewStub())
		case "callers":
			return voice.RunCallers(ctx, stdout)
		}
	}
	opt, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	rep, err := runMeasures(ctx, opt, stderr)
	if err != nil {
		return err
	}
	if opt.JSON {
		return rep.WriteJSON(stdout)
	}
	return rep.WriteMarkdown(stdout)
}

func runMeasures(ctx context.Context, opt harness.Options, log io.Writer) (*report.Report, error) {
	switch {
	case opt.Voice:
		return voice.Measure(ctx, opt, log)
	case opt.Search:
		return search.Measure(ctx, opt, log)
	case opt.Retrieval:
		return retrieval.Measure(ctx, opt, log)
	case opt.Answers:
		return retrieval.MeasureAnswers(ctx, opt, log)
	}
	return harness.MeasureAll(ctx, opt, measures, log)
}

func parseOptions(args []string, stderr io.Writer) (harness.Options, error) {
	opt := harness.Options{Args: strings.Join(args, " ")}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.BoolVar(&opt.JSON, "json", false, "print JSON")
	f.BoolVar(&opt.Long, "long", false, "measure idle streams and turns during an ingest, too")
	f.BoolVar(&opt.Retrieval, "retrieval", false,
		"measure the search in agents of up to 200,000 passages, and nothing else")
	f.BoolVar(&opt.Answers, "answers", false,
		"measure the built-in model's answers to questions to the manual, and nothing else")
	f.BoolVar(&opt.Search, "search", false, "measure conversation search, and nothing else")
	f.StringVar(&opt.SearchURL, "search-url", "",
		"an empty PostgreSQL database (postgres://…) to measure conversation search on, in place of SQLite")
	f.StringVar(&opt.PostgresURL, "postgres-url", "",
		"an empty PostgreSQL database (postgres://…) for the measure of turns on PostgreSQL")
	f.IntVar(&opt.Messages, "messages", 1_000_000, "messages that conversation search is measured on")
	f.BoolVar(&opt.Voice, "voice", false, "measure voice sessions, and nothing else")
	f.StringVar(&opt.ParleyBinary, "parley", "", "measure this binary; by default one is built")
	f.StringVar(&opt.ProfileDir, "profile", "", "folder for profiles of the server")
	f.StringVar(&opt.Dir, "dir", "", "folder for databases; by default a temporary one")
	quick := f.Bool("quick", false, "take about a minute")
	names := f.String("only", "", "measure only these, separated by commas: "+strings.Join(measureNames(), ", "))
	parts := f.String("web-parts", "", "of web measure only these, separated by commas: "+
		strings.Join(web.PartNames(), ", "))
	f.BoolVar(&opt.Install, "npm-ci", false, "of web measure npm ci, too, which needs a registry of packages")
	rounds := f.Int("rounds", 0, "rounds of each measure")
	idle := f.Int("idle", 0, "idle streams open together")
	if err := f.Parse(args); err != nil {
		return opt, err
	}
	opt.Sizes = harness.UsualSizes
	if *quick {
		opt.Sizes = harness.QuickSizes
	}
	opt.Rounds, opt.IdleStreams = cmp.Or(max(*rounds, 0), opt.Rounds), cmp.Or(max(*idle, 0), opt.IdleStreams)
	opt.MeasureNames, opt.WebParts = splitNames(*names), splitNames(*parts)
	if f.NArg() > 0 {
		return opt, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return opt, checkNames(opt)
}

func splitNames(list string) map[string]bool {
	names := map[string]bool{}
	for name := range strings.SplitSeq(list, ",") {
		if name != "" {
			names[name] = true
		}
	}
	return names
}

var measures = []harness.Measure{
	{Name: "start", Run: start.MeasureStarts},
	{Name: "latency", Run: chat.MeasureLatency},
	{Name: "first-token", Run: chat.MeasureFirstToken},
	{Name: "turns", Run: chat.MeasureTurns},
	{Name: "streams", Run: chat.MeasureStreams},
	{Name: "all-in", Run: chat.MeasureAllIn, IsThorough: true},
	{Name: "growth", Run: chat.MeasureGrowth, IsLong: true},
	{Name: "postgres", Run: chat.MeasurePostgres},
	{Name: "paced", Run: chat.MeasurePaced},
	{Name: "memory", Run: start.MeasurePeakMemory},
	{Name: "durability", Run: chat.MeasureDurability, IsThorough: true},
	{Name: "edit", Run: ingest.MeasureEdit},
	{Name: "ingest", Run: ingest.MeasureIngestion},
	{Name: "edit-large", Run: ingest.MeasureEditOver, IsThorough: true},
	{Name: "files", Run: ingest.MeasureFiles, IsThorough: true},
	{Name: "pdf", Run: ingest.MeasurePDFs, IsThorough: true},
	{Name: "embedding", Run: embedding.Measure, IsThorough: true},
	{Name: "binary", Run: start.MeasureBinarySize},
	{Name: "web", Run: web.Measure, IsThorough: true},
	{Name: "meanwhile", Run: ingest.MeasureMeanwhile, IsLong: true},
	{Name: "idle", Run: chat.MeasureIdle, IsLong: true},
}

func measureNames() []string {
	var all []string
	for _, m := range measures {
		all = append(all, m.Name)
	}
	return all
}

func checkNames(o harness.Options) error {
	known := measureNames()
	if o.Voice {
		known = voice.MeasureNames()
	}
	for name := range o.MeasureNames {
		if !slices.Contains(known, name) {
			return fmt.Errorf("-only: there is no measure %q", name)
		}
	}
	for name := range o.WebParts {
		if !slices.Contains(web.PartNames(), name) {
			return fmt.Errorf("-web-parts: there is no part %q", name)
		}
	}
	return nil
}
