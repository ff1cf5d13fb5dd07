// Command bench measures Parley beside a floor: a bare handler that does only what cannot be avoided. One run holds a model
// stub, the floor, the real server and the load, each a process of its own on the same machine, and takes them in turns, so
// that a noisy neighbour spoils all alike. What it prints are ratios; a miss is a figure, not a failure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
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

// run measures, or is one of the processes that a measuring run starts.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "stub":
			return serveUntilDone(ctx, stdout, newStubModel())
		case "floor":
			return runBaseline(ctx, args[1:], stdout)
		case "voicestub":
			return serveUntilDone(ctx, stdout, newVoiceStub())
		case "callers":
			return runCallers(ctx, stdout)
		}
	}
	opt, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	measureThese := measureAll
	if opt.retrieval {
		measureThese = measureRetrieval
	}
	if opt.search {
		measureThese = measureSearch
	}
	if opt.voice {
		measureThese = measureVoice
	}
	rep, err := measureThese(ctx, opt, stderr)
	if err != nil {
		return err
	}
	if opt.json {
		return rep.writeJSON(stdout)
	}
	return rep.writeMarkdown(stdout)
}

// options says what to measure and how long.
type options struct {
	json         bool
	measureNames map[string]bool // names of measures; empty for all of the usual ones
	long         bool
	parleyBinary string // a built binary; empty builds one
	profileDir   string // folder for profiles of the server
	dir          string // where databases are made
	args         string // as given, for the report

	retrieval bool   // measure the search in large agents, and nothing else
	search    bool   // measure conversation search, and nothing else
	searchURL string // PostgreSQL, to measure it there
	messages  int
	voice     bool // measure voice sessions, and nothing else
	workSizes
}

// workSizes bound the work of each measure.
type workSizes struct {
	rounds       int           // of each target in turn
	span         time.Duration // one target's share of a round
	pacedStreams int           // streams open together
	startCount   int           // of a process
	editCount    int           // sources written and asked about
	ingestBytes  int           // bytes of text
	idleStreams  int           // streams open together
	idleTime     time.Duration // how long the idle streams are watched
}

var (
	usualSizes = workSizes{rounds: 5, span: 2 * time.Second, pacedStreams: 400, startCount: 5, editCount: 60, ingestBytes: 20 * partBytes, idleStreams: 10_000, idleTime: 50 * time.Second}
	quickSizes = workSizes{rounds: 3, span: 500 * time.Millisecond, pacedStreams: 400, startCount: 3, editCount: 15, ingestBytes: 4 * partBytes, idleStreams: 1_000, idleTime: 20 * time.Second}
)

func parseOptions(args []string, stderr io.Writer) (options, error) {
	opt := options{workSizes: usualSizes, args: strings.Join(args, " "), measureNames: map[string]bool{}}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.BoolVar(&opt.json, "json", false, "print JSON")
	f.BoolVar(&opt.long, "long", false, "measure idle streams and turns during an ingest, too")
	f.BoolVar(&opt.retrieval, "retrieval", false, "measure the search in agents of up to 200,000 passages, and nothing else")
	f.BoolVar(&opt.search, "search", false, "measure conversation search, and nothing else")
	f.StringVar(&opt.searchURL, "search-url", "", "an empty PostgreSQL database (postgres://…) to measure conversation search on, in place of SQLite")
	f.IntVar(&opt.messages, "messages", 1_000_000, "messages that conversation search is measured on")
	f.BoolVar(&opt.voice, "voice", false, "measure voice sessions, and nothing else")
	f.StringVar(&opt.parleyBinary, "parley", "", "measure this binary; by default one is built")
	f.StringVar(&opt.profileDir, "profile", "", "folder for profiles of the server")
	f.StringVar(&opt.dir, "dir", "", "folder for databases; by default a temporary one")
	brief := f.Bool("quick", false, "take about a minute")
	only := f.String("only", "", "measure only these, separated by commas: "+strings.Join(benchmarkNames(), ", "))
	rounds := f.Int("rounds", 0, "rounds of each measure")
	f.IntVar(&opt.idleStreams, "idle", 0, "idle streams open together")
	if err := f.Parse(args); err != nil {
		return opt, err
	}
	idle := opt.idleStreams
	if *brief {
		opt.workSizes = quickSizes
	} else {
		opt.workSizes = usualSizes
	}
	opt.rounds, opt.idleStreams = orDefault(*rounds, opt.rounds), orDefault(idle, opt.idleStreams)
	for name := range strings.SplitSeq(*only, ",") {
		if name != "" {
			opt.measureNames[name] = true
		}
	}
	if f.NArg() > 0 {
		return opt, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return opt, opt.checkNames()
}

// orDefault returns n, or the other when n is not set.
func orDefault(n, other int) int {
	if n > 0 {
		return n
	}
	return other
}
