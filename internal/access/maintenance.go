package access

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley"
)

const (
	maintenanceInterval   = 500 * time.Millisecond // how soon a server sees that maintenance was switched on another one
	maintenanceTimeout    = 5 * time.Second
	maintenanceRetryAfter = 30 * time.Second // after which a refused client may try again
	maintenanceSetting    = "maintenance"    // of the setting
	maintenanceOn         = "on"
)

// maintenance holds whether requests are refused. Requests read it from memory.
type maintenance struct {
	enabled atomic.Bool
	mu      sync.Mutex // serializes changes: a value that was read earlier is not set later
}

// CheckMaintenance returns SERVICE_UNDER_MAINTENANCE while the service is under maintenance, and nil otherwise. Every
// API calls it first; what runs already goes on.
func (g *Authenticator) CheckMaintenance() error {
	if !g.maintenance.enabled.Load() {
		return nil
	}
	e := parley.NewErrorf(parley.CodeUnderMaintenance, "The service is under maintenance. Try again later.")
	e.RetryAfter = maintenanceRetryAfter
	return e
}

// SetMaintenance switches maintenance on this server at once. The setting is stored already.
func (g *Authenticator) SetMaintenance(on bool) {
	g.maintenance.mu.Lock()
	defer g.maintenance.mu.Unlock()
	g.setMaintenanceLocked(on)
}

func (g *Authenticator) setMaintenanceLocked(on bool) {
	if g.maintenance.enabled.Swap(on) == on {
		return
	}
	if on {
		g.logger().Warn("maintenance mode is on: requests are refused, what runs is finished")
	} else {
		g.logger().Warn("maintenance mode is off")
	}
}

// RefreshMaintenance reads whether the service is under maintenance. While the database is not available, nothing
// changes.
func (g *Authenticator) RefreshMaintenance(ctx context.Context) error {
	g.maintenance.mu.Lock()
	defer g.maintenance.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, maintenanceTimeout)
	defer stop()
	value, err := g.DB.FindSetting(ctx, maintenanceSetting)
	if err == nil {
		g.setMaintenanceLocked(value == maintenanceOn)
	}
	return err
}

// SetMaintenance switches maintenance on all servers of the database. Each sees it within a second.
func (o *Accounts) SetMaintenance(ctx context.Context, on bool) error {
	value := "off"
	if on {
		value = maintenanceOn
	}
	return o.DB.SetSetting(ctx, maintenanceSetting, value)
}

// Maintenance reports whether the service is under maintenance.
func (o *Accounts) Maintenance(ctx context.Context) (bool, error) {
	value, err := o.DB.FindSetting(ctx, maintenanceSetting)
	return value == maintenanceOn, err
}
