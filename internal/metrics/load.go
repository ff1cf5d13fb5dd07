package metrics

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Load tells how busy the processors are, as Linux counts it: those of the machine, and those that this program and its children may
// use of them (a container's limit). Elsewhere nothing is known. It is not for use by several goroutines.
type Load struct {
	Now  func() time.Time
	Root string // of the file system; empty for /

	at         time.Time
	busy, all  float64 // of the machine, in ticks
	used       float64 // of the limit, in seconds
	hasMachine bool
	hasLimit   bool
}

// staleLoad is how long ago the last look may be: what is older tells nothing of now.
const staleLoad = 10 * time.Second

// Share gives the busier of the two since the last call, from 0 to 1; below 0 where nothing is known, as at first.
func (l *Load) Share() float64 {
	now, share := l.Now(), -1.0
	past := now.Sub(l.at)
	recent := past > 0 && past < staleLoad
	busy, all, ok := l.machine()
	if ok && l.hasMachine && recent && all > l.all {
		share = max(share, (busy-l.busy)/(all-l.all))
	}
	l.busy, l.all, l.hasMachine = busy, all, ok
	used, limit, ok := l.limit()
	if ok && l.hasLimit && recent {
		share = max(share, (used-l.used)/past.Seconds()/limit)
	}
	l.used, l.hasLimit, l.at = used, ok, now
	return min(share, 1)
}

// machine gives the time of all processors, in ticks since the machine started. Whatever runs with low priority gives way, and so does
// not count as busy; user includes guests.
func (l *Load) machine() (busy, all float64, ok bool) {
	const user, nice, idle, iowait, steal = 0, 1, 3, 4, 7
	first, _, _ := strings.Cut(l.read("proc/stat"), "\n")
	fields := strings.Fields(first)
	if len(fields) < steal+2 || fields[0] != "cpu" {
		return 0, 0, false
	}
	for i, text := range fields[1 : steal+2] {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, 0, false
		}
		if all += v; i != nice && i != idle && i != iowait {
			busy += v
		}
	}
	return busy, all, true
}

// limit gives the processor time that this program's group has used, in seconds, and how many processors it may use.
func (l *Load) limit() (used, processors float64, ok bool) {
	group := l.group()
	quota, period, _ := strings.Cut(strings.TrimSpace(l.read(filepath.Join(group, "cpu.max"))), " ")
	q, err1 := strconv.ParseFloat(quota, 64) // "max" where there is no limit
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0, 0, false
	}
	for line := range strings.Lines(l.read(filepath.Join(group, "cpu.stat"))) {
		if text, found := strings.CutPrefix(line, "usage_usec "); found {
			us, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			return us / 1e6, q / p, err == nil
		}
	}
	return 0, 0, false
}

// group is the folder of this program's control group (version 2). Within a container it is the root.
func (l *Load) group() string {
	const root = "sys/fs/cgroup"
	for line := range strings.Lines(l.read("proc/self/cgroup")) {
		if path, found := strings.CutPrefix(strings.TrimSpace(line), "0::"); found {
			if own := filepath.Join(root, path); l.read(filepath.Join(own, "cpu.max")) != "" {
				return own
			}
		}
	}
	return root
}

func (l *Load) read(path string) string {
	text, err := os.ReadFile(filepath.Join("/", l.Root, path))
	if err != nil {
		return "" // as on systems that have no such file
	}
	return string(text)
}
