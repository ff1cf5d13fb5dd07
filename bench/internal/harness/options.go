package harness

import (
	"time"
)

// Options choose what to measure and for how long.
type Options struct {
	JSON         bool
	MeasureNames map[string]bool // names of measures; empty for all of the usual ones
	Long         bool
	ParleyBinary string // a built binary; empty builds one
	ProfileDir   string // folder for profiles of the server
	Dir          string // where databases are created
	Args         string // as given, for the report

	Retrieval bool   // runMeasures the search in large agents, and nothing else
	Answers   bool   // runMeasures the built-in model's answers, and nothing else
	Search    bool   // runMeasures conversation search, and nothing else
	SearchURL string // PostgreSQL, to measure it there
	Messages  int

	PostgresURL string // an empty database, to measure turns on it; empty measures none there

	Voice bool // runMeasures voice sessions, and nothing else

	WebParts map[string]bool // names of the parts of the console's measure; empty for all
	Install  bool            // measures npm ci as well, which needs a registry
	Sizes
}

// Sizes bound the work of each measure.
type Sizes struct {
	Rounds       int           // of each target in turn
	span         time.Duration // one target's share of a round
	AllInSpan    time.Duration // of turns whose later work is counted, too
	PacedStreams int           // streams open together
	StartCount   int           // of a process
	EditCount    int           // sources written and asked about
	IngestBytes  int           // bytes of text
	IdleStreams  int           // streams open together
	IdleTime     time.Duration // how long the idle streams are watched
}

// IsQuick reports whether the sizes are those of a quick run.
func (s Sizes) IsQuick() bool { return s.span == QuickSizes.span }

// PartBytes is the size of each text of an ingest.
const PartBytes = 1_000_000

var (
	UsualSizes = Sizes{Rounds: 5, span: 2 * time.Second, AllInSpan: 10 * time.Second, PacedStreams: 400, StartCount: 5,
		EditCount:   60,
		IngestBytes: 20 * PartBytes, IdleStreams: 10_000, IdleTime: 50 * time.Second}
	QuickSizes = Sizes{Rounds: 3, span: 500 * time.Millisecond, AllInSpan: 4 * time.Second, PacedStreams: 400,
		StartCount: 3, EditCount: 15,
		IngestBytes: 4 * PartBytes, IdleStreams: 1_000, IdleTime: 20 * time.Second}
)
