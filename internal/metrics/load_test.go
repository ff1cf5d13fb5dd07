package metrics_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/internal/metrics"
)

// machine is a file system as Linux shows it.
type machine struct {
	*testing.T
	metrics.Load
	now time.Time
}

func newMachine(t *testing.T) *machine {
	m := &machine{T: t, now: time.UnixMilli(1_000_000)}
	m.Load = metrics.Load{Root: t.TempDir(), Now: func() time.Time { return m.now }}
	return m
}

func (m *machine) has(path, text string) {
	m.Helper()
	file := filepath.Join(m.Root, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		m.Fatal(err)
	}
}

// is asserts the share of the time since the last look.
func (m *machine) is(want float64, later time.Duration) {
	m.Helper()
	m.now = m.now.Add(later)
	if got := m.Share(); math.Abs(got-want) > 1e-9 {
		m.Errorf("%v instead of %v", got, want)
	}
}

func TestLoadOfAMachine(t *testing.T) {
	m := newMachine(t)
	m.is(-1, 0)
	m.is(-1, time.Second)
	m.has("proc/stat", "cpu  100 50 100 1000 20 5 5 0 90 0\ncpu0 1 1 1 1 1 1 1 1 0 0\nintr 5\n")
	m.is(-1, time.Second)
	m.has("proc/stat", "cpu  130 70 120 1100 40 10 10 10 90 0\n") // 70 busy, 20 with low priority, 100 idle, 20 waiting
	m.is(70.0/210, time.Second)
	m.is(-1, time.Second) // no tick has passed
	m.has("proc/stat", "cpu  230 70 120 1100 40 10 10 10 90 0\n")
	m.is(1, time.Second)
	m.has("proc/stat", "cpu  330 70 120 1100 40 10 10 10 90 0\n")
	m.is(-1, time.Minute) // too long ago
	for _, broken := range []string{"", "cpu 1 2 3\n", "cpu a b c d e f g h\n", "gpu 1 2 3 4 5 6 7 8 9 10\n"} {
		m.has("proc/stat", broken)
		m.is(-1, time.Second)
		m.is(-1, time.Second)
	}
}

func TestLoadOfAContainer(t *testing.T) {
	for _, group := range []string{"", "system.slice/parley.service"} {
		m := newMachine(t)
		folder := filepath.Join("sys/fs/cgroup", group)
		m.has("proc/self/cgroup", "1:name=systemd:/x\n0::/"+group+"\n")
		m.has(filepath.Join(folder, "cpu.max"), "200000 100000\n") // two processors
		m.has(filepath.Join(folder, "cpu.stat"), "usage_usec 5000000\nuser_usec 1\n")
		m.has("proc/stat", "cpu  100 0 0 1000 0 0 0 0 0 0\n")
		m.is(-1, 0)
		m.has(filepath.Join(folder, "cpu.stat"), "usage_usec 6500000\nuser_usec 1\n")
		m.has("proc/stat", "cpu  110 0 0 1090 0 0 0 0 0 0\n")
		m.is(0.75, time.Second)
		m.has("proc/stat", "cpu  200 0 0 1090 0 0 0 0 0 0\n")
		m.is(1, time.Second)
		m.has(filepath.Join(folder, "cpu.max"), "max 100000\n")
		m.has("proc/stat", "cpu  250 0 0 1140 0 0 0 0 0 0\n")
		m.is(0.5, time.Second)
	}
}
