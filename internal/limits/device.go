package limits

import (
	"errors"
	"sync"
	"time"

	"parley"
)

// DeviceLimiters count messages against the limits that agents have for a device. Its zero value is ready, and counts
// on this server alone.
type DeviceLimiters struct {
	Name   string
	Shared *Shared

	mu       sync.Mutex
	limiters map[parley.DeviceLimit]*Limiter
}

const maxDeviceLimiters = 1000

// Take counts a message of a device, which the key names across all agents. It fails with RATE_LIMIT_TOO_MANY_REQUESTS
// and the agent's own words.
func (d *DeviceLimiters) Take(limit parley.DeviceLimit, key string, now time.Time) error {
	err := d.limiter(limit).Take(key, now).Err()
	var e *parley.Error
	if errors.As(err, &e) {
		e.Message = limit.Message
	}
	return err
}

// limiter returns the limiter of agents with a limit. Where there are very many limits all begin again.
func (d *DeviceLimiters) limiter(limit parley.DeviceLimit) *Limiter {
	limit.Message = ""
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.limiters[limit]
	if l == nil {
		if d.limiters == nil || len(d.limiters) >= maxDeviceLimiters {
			d.limiters = map[parley.DeviceLimit]*Limiter{}
		}
		l = &Limiter{Name: d.Name, Limit: limit.Limit, Window: time.Duration(limit.Timeframe) * time.Second,
			Shared: d.Shared}
		d.limiters[limit] = l
	}
	return l
}
