package sandbox

import (
	"fmt"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"

	"parley/internal/ingest/extract/draft"
)

// limitMemory bounds what the process may write to: private memory, not addresses, for Go reserves far more of those.
func limitMemory() error {
	for _, l := range []struct {
		name     string
		resource int
		most     uint64
	}{{"memory", unix.RLIMIT_DATA, maxMemoryBytes}, {"core", unix.RLIMIT_CORE, 0},
		{"file size", unix.RLIMIT_FSIZE, draft.MaxFileBytes},
		{"open files", unix.RLIMIT_NOFILE, maxOpenFiles}} {
		if err := lowerLimit(l.resource, l.most); err != nil {
			return fmt.Errorf("limit of %s: %w", l.name, err)
		}
	}
	return nil
}

func lowerLimit(resource int, most uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	most = min(most, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most})
}

// killOnCPULimit ends the process when its time is up: Go itself takes no notice of the signal.
var killOnCPULimit = sync.OnceFunc(func() {
	late := make(chan os.Signal, 1)
	signal.Notify(late, unix.SIGXCPU)
	go func() {
		<-late
		_ = unix.Kill(unix.Getpid(), unix.SIGKILL)
	}()
})

// LimitCPU grants the process the processor time of one file beyond what it has used. Where the kernel cannot say how
// much that is, the clock of the process that waits for it is the limit.
func LimitCPU() {
	killOnCPULimit()
	var used unix.Rusage
	var now unix.Rlimit
	if unix.Getrusage(unix.RUSAGE_SELF, &used) != nil || unix.Getrlimit(unix.RLIMIT_CPU, &now) != nil {
		return
	}
	now.Cur = min(uint64(used.Utime.Sec+used.Stime.Sec)+maxCPUSeconds+1, now.Max)
	_ = unix.Setrlimit(unix.RLIMIT_CPU, &now)
}
