package access

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley"
)

const (
	lookEvery       = 500 * time.Millisecond // how soon a server sees that another one was told of maintenance
	lookTime        = 5 * time.Second
	maintenanceWait = 30 * time.Second // after which a refused client may try again
	maintenanceName = "maintenance"    // of the setting
	maintenanceOn   = "on"
)

// maintenance is whether the gate is shut. Requests read it from memory.
type maintenance struct {
	on atomic.Bool
	mu sync.Mutex // of those who set it: what was read earlier is not set later
}

// Closed gives SERVICE_UNDER_MAINTENANCE while the service is under maintenance, and nil otherwise. Every face asks before it
// does anything; what runs already goes on.
func (g *Gate) Closed() error {
	if !g.maintenance.on.Load() {
		return nil
	}
	e := parley.Failf(parley.CodeUnderMaintenance, "The service is under maintenance. Try again later.")
	e.RetryAfter = maintenanceWait
	return e
}

// Shut closes or opens this server's gate at once: for the operator's word, which is stored already.
func (g *Gate) Shut(on bool) {
	g.maintenance.mu.Lock()
	defer g.maintenance.mu.Unlock()
	g.shut(on)
}

func (g *Gate) shut(on bool) {
	if g.maintenance.on.Swap(on) == on {
		return
	}
	if on {
		g.logger().Warn("maintenance mode is on: requests are refused, what runs is finished")
	} else {
		g.logger().Warn("maintenance mode is off")
	}
}

// Look reads whether the service is under maintenance. While the database cannot say, the gate stays as it is.
func (g *Gate) Look(ctx context.Context) error {
	g.maintenance.mu.Lock()
	defer g.maintenance.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, lookTime)
	defer stop()
	value, err := g.DB.FindSetting(ctx, maintenanceName)
	if err == nil {
		g.shut(value == maintenanceOn)
	}
	return err
}

// SetMaintenance tells all servers of the database that maintenance begins or has ended. Each sees it within a second.
func (o *Office) SetMaintenance(ctx context.Context, on bool) error {
	value := "off"
	if on {
		value = maintenanceOn
	}
	return o.DB.SetSetting(ctx, maintenanceName, value)
}

// Maintenance reports whether the service is under maintenance.
func (o *Office) Maintenance(ctx context.Context) (bool, error) {
	value, err := o.DB.FindSetting(ctx, maintenanceName)
	return value == maintenanceOn, err
}
