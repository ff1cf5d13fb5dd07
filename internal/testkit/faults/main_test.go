package faults

import (
	"cmp"
	"flag"
	"os"
	"strconv"
	"testing"

	"parley/internal/testkit/dbs"
)

var cyclesFlag = flag.Int("cycles", 0,
	"how often each loop kills or hangs up; 0 takes PARLEY_KILL_CYCLES, or a number for each")

func TestMain(m *testing.M) {
	dbs.MainWithoutLeaks(m, parleyProgram.remove)
}

// cycleCount is the number of cycles of a loop: in `make test`, and in `make test-long`.
func cycleCount(t *testing.T, short, long int) int {
	t.Helper()
	cycles, _ := strconv.Atoi(os.Getenv("PARLEY_KILL_CYCLES"))
	if os.Getenv("PARLEY_LONG") == "1" {
		short = long
	}
	return cmp.Or(*cyclesFlag, cycles, short)
}
