package report

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// machine is where the figures come from.
type machine struct {
	Cores   int     `json:"cores"`
	CPU     string  `json:"cpu"`
	Go      string  `json:"go"`
	OS      string  `json:"os"`
	SyncMS  float64 `json:"fsyncMs"` // a write of 4 kB made durable, median
	Dir     string  `json:"-"`
	Measure string  `json:"at"`
}

func DescribeMachine(dir string) machine {
	return machine{Cores: runtime.NumCPU(), CPU: cpuName(), Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH,
		SyncMS: measureFsync(dir), Dir: dir, Measure: time.Now().UTC().Format(time.RFC3339)}
}

func (m machine) String() string {
	return fmt.Sprintf("%d cores (%s), %s, %s, a write of 4 kB made durable takes %.2f ms", m.Cores, m.CPU, m.OS, m.Go,
		m.SyncMS)
}

func cpuName() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// measureFsync is the median time to append 4 kB and have them on the disk, in milliseconds; 0 when it cannot be told.
func measureFsync(dir string) float64 {
	f, err := os.Create(filepath.Join(dir, "fsync"))
	if err != nil {
		return 0
	}
	defer f.Close()
	var times []time.Duration
	page := make([]byte, 4096)
	for range 40 {
		began := time.Now()
		if _, err := f.Write(page); err != nil || f.Sync() != nil {
			return 0
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return Milliseconds(Quantile(times, 0.5))
}
