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
			return serve(ctx, stdout, newStub())
		case "floor":
			return runFloor(ctx, args[1:], stdout)
		case "voicestub":
			return serve(ctx, stdout, newVoiceStub())
		case "callers":
			return runCallers(ctx, stdout)
		}
	}
	opt, err := parse(args, stderr)
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
		return rep.asJSON(stdout)
	}
	return rep.asMarkdown(stdout)
}

// options says what to measure and how long.
type options struct {
	json    bool
	only    map[string]bool // names of measures; empty for all of the usual ones
	long    bool
	parley  string // a built binary; empty builds one
	profile string // folder for profiles of the server
	dir     string // where databases are made
	args    string // as given, for the report

	retrieval bool   // measure the search in large agents, and nothing else
	search    bool   // measure conversation search, and nothing else
	searchURL string // PostgreSQL, to measure it there
	messages  int
	voice     bool // measure voice sessions, and nothing else
	sizes
}

// sizes bound the work of each measure.
type sizes struct {
	rounds  int           // of each target in turn
	span    time.Duration // one target's share of a round
	paced   int           // streams open together
	starts  int           // of a process
	edits   int           // sources written and asked about
	ingest  int           // bytes of text
	idle    int           // streams open together
	silence time.Duration // how long the idle streams are watched
}

var (
	usual = sizes{rounds: 5, span: 2 * time.Second, paced: 400, starts: 5, edits: 60, ingest: 20 * partSize, idle: 10_000, silence: 50 * time.Second}
	quick = sizes{rounds: 3, span: 500 * time.Millisecond, paced: 400, starts: 3, edits: 15, ingest: 4 * partSize, idle: 1_000, silence: 20 * time.Second}
)

func parse(args []string, stderr io.Writer) (options, error) {
	opt := options{sizes: usual, args: strings.Join(args, " "), only: map[string]bool{}}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.BoolVar(&opt.json, "json", false, "print JSON")
	f.BoolVar(&opt.long, "long", false, "measure idle streams and turns during an ingest, too")
	f.BoolVar(&opt.retrieval, "retrieval", false, "measure the search in agents of up to 200,000 passages, and nothing else")
	f.BoolVar(&opt.search, "search", false, "measure conversation search, and nothing else")
	f.StringVar(&opt.searchURL, "search-url", "", "an empty PostgreSQL database (postgres://…) to measure conversation search on, in place of SQLite")
	f.IntVar(&opt.messages, "messages", 1_000_000, "messages that conversation search is measured on")
	f.BoolVar(&opt.voice, "voice", false, "measure voice sessions, and nothing else")
	f.StringVar(&opt.parley, "parley", "", "measure this binary; by default one is built")
	f.StringVar(&opt.profile, "profile", "", "folder for profiles of the server")
	f.StringVar(&opt.dir, "dir", "", "folder for databases; by default a temporary one")
	brief := f.Bool("quick", false, "take about a minute")
	only := f.String("only", "", "measure only these, separated by commas: "+strings.Join(names(), ", "))
	rounds := f.Int("rounds", 0, "rounds of each measure")
	f.IntVar(&opt.idle, "idle", 0, "idle streams open together")
	if err := f.Parse(args); err != nil {
		return opt, err
	}
	idle := opt.idle
	if *brief {
		opt.sizes = quick
	} else {
		opt.sizes = usual
	}
	opt.rounds, opt.idle = or(*rounds, opt.rounds), or(idle, opt.idle)
	for name := range strings.SplitSeq(*only, ",") {
		if name != "" {
			opt.only[name] = true
		}
	}
	if f.NArg() > 0 {
		return opt, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return opt, opt.known()
}

// or gives n, or the other when n is not set.
func or(n, other int) int {
	if n > 0 {
		return n
	}
	return other
}
