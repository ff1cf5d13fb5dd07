package metrics_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"parley/internal/metrics"
	"parley/internal/testkit"
)

// fakeMachine is a file system as Linux shows it.
type fakeMachine struct {
	*testing.T
	metrics.CPULoad
	now time.Time
}

func newFakeMachine(t *testing.T) *fakeMachine {
	m := &fakeMachine{T: t, now: time.UnixMilli(1_000_000)}
	m.CPULoad = metrics.CPULoad{Root: t.TempDir(), Now: func() time.Time { return m.now }, Processors: 4}
	return m
}

func (m *fakeMachine) writeFile(path, text string) {
	m.Helper()
	file := filepath.Join(m.Root, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		m.Fatal(err)
	}
}

// addProcess adds a process with its own ticks, and those of the children that it has waited for.
func (m *fakeMachine) addProcess(name string, own, waited int) {
	m.Helper()
	m.writeFile("proc/"+name+"/stat",
		fmt.Sprintf("77 (a) name) R 1 77 77 0 -1 4194560 9 9 0 0 %d %d %d %d 20 0 1 0 100 1 1\n", own/2, own-own/2,
			waited/2, waited-waited/2))
}

// wantShare checks the share of the time since the last sample.
func (m *fakeMachine) wantShare(want float64, later time.Duration) {
	m.Helper()
	m.now = m.now.Add(later)
	if got := m.Share(); math.Abs(got-want) > 1e-9 {
		m.Errorf("%v instead of %v", got, want)
	}
}

func TestLoadOfThisProgram(t *testing.T) {
	m := newFakeMachine(t)
	m.wantShare(-1, 0)
	m.wantShare(-1, time.Second)
	m.addProcess("self", 1000, 0)
	m.wantShare(-1, time.Second)
	m.addProcess("self", 1200, 0)
	m.wantShare(.5, time.Second) // two seconds of four
	m.writeFile("proc/stat", "cpu  100000 0 0 0 0 0 0 0 0 0\n")
	m.addProcess("78", 100_000, 0) // time of other processes
	m.wantShare(0, time.Second)
	m.addProcess("self", 1600, 0)
	m.wantShare(.5, 2*time.Second)
	m.addProcess("self", 9999, 0)
	m.wantShare(1, time.Second)
	m.addProcess("self", 10_000, 0)
	m.wantShare(-1, time.Minute) // too long ago
	m.addProcess("self", 1, 0)
	m.wantShare(-1, time.Second)
	for _, broken := range []string{"", "77 (name) R 1\n", "77 (name) R 1 77 77 0 -1 4194560 9 9 0 0 a b c d 20\n"} {
		m.writeFile("proc/self/stat", broken)
		m.wantShare(-1, time.Second)
		m.wantShare(-1, time.Second)
	}
}

// Child processes count while they run and after they have ended, and so do theirs.
func TestLoadOfChildren(t *testing.T) {
	m := newFakeMachine(t)
	m.addProcess("self", 100, 0)
	m.writeFile("proc/self/task/77/children", "")
	m.writeFile("proc/self/task/78/children", "90 91 ")
	m.writeFile("proc/90/task/90/children", "92 ")
	m.addProcess("90", 1000, 100)
	m.addProcess("91", 10, 0)
	m.addProcess("92", 0, 0)
	m.wantShare(-1, time.Second)
	m.addProcess("self", 140, 0)
	m.addProcess("90", 1040, 120)
	m.addProcess("92", 100, 0)
	m.wantShare(.5, time.Second)
	m.addProcess("self", 140, 10) // 91 has ended
	m.writeFile("proc/self/task/78/children", "90 ")
	m.wantShare(0, time.Second)
	m.writeFile("proc/self/task/78/children", "90 5 ") // a process that ends at this moment
	m.wantShare(0, time.Second)
}

func TestLoadOfAContainer(t *testing.T) {
	for _, group := range []string{"", "system.slice/parley.service"} {
		m := newFakeMachine(t)
		folder := filepath.Join("sys/fs/cgroup", group)
		m.writeFile("proc/self/cgroup", "1:name=systemd:/x\n0::/"+group+"\n")
		m.writeFile(filepath.Join(folder, "cpu.max"), "200000 100000\n") // two processors
		m.addProcess("self", 0, 0)
		m.wantShare(-1, 0)
		m.addProcess("self", 150, 0)
		m.wantShare(0.75, time.Second)
		m.writeFile(filepath.Join(folder, "cpu.max"), "max 100000\n")
		m.addProcess("self", 350, 0)
		m.wantShare(0.5, time.Second)
		m.writeFile(filepath.Join(folder, "cpu.max"), "900000 100000\n") // more than exist
		m.addProcess("self", 550, 0)
		m.wantShare(0.5, time.Second)
	}
}

// On the real system the load of this process is measured.
func TestLoadOfThisMachine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIP: nothing is known of the load")
	}
	l := metrics.CPULoad{Now: time.Now}
	l.Share()
	n := 0
	testkit.Eventually(t, "some load", func() bool {
		for range 10_000_000 {
			n = n*31 + len(strconv.Itoa(n))
		}
		return l.Share() > 0
	})
}
