package faults

import (
	"cmp"
	"flag"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/rig/dbs"
)

var cyclesFlag = flag.Int("cycles", 0, "how often each loop kills or hangs up; 0 takes PARLEY_KILL_CYCLES, or a number for each")

func TestMain(m *testing.M) {
	dbs.Main(m, func() error { return goleak.Find() }, binary.remove)
}

// cycles is how often a loop does its harm: in `make test`, and in `make test-long`.
func cycles(t *testing.T, short, long int) int {
	t.Helper()
	asked, _ := strconv.Atoi(os.Getenv("PARLEY_KILL_CYCLES"))
	if os.Getenv("PARLEY_LONG") == "1" {
		short = long
	}
	return cmp.Or(*cyclesFlag, asked, short)
}

// notUnderRace skips a loop that is about the server's process or about volume, neither of which the race detector sees.
func notUnderRace(t *testing.T) {
	t.Helper()
	if race {
		t.Skip("SKIP: runs without the race detector")
	}
}
