package access

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley"
)

const (
	maintenanceInterval   = 500 * time.Millisecond // how soon a server sees that another one was told of maintenance
	maintenanceTimeout    = 5 * time.Second
	maintenanceRetryAfter = 30 * time.Second // after which a refused client may try again
	maintenanceSetting    = "maintenance"    // of the setting
	maintenanceOn         = "on"
)

// maintenance is whether the gate is shut. Requests read it from memory.
type maintenance struct {
	enabled atomic.Bool
	mu      sync.Mutex // of those who set it: what was read earlier is not set later
}

// CheckMaintenance returns SERVICE_UNDER_MAINTENANCE while the service is under maintenance, and nil otherwise. Every face asks before it
// does anything; what runs already goes on.
func (g *Authenticator) CheckMaintenance() error {
	if !g.maintenance.enabled.Load() {
		return nil
	}
	e := parley.NewErrorf(parley.CodeUnderMaintenance, "The service is under maintenance. Try again later.")
	e.RetryAfter = maintenanceRetryAfter
	return e
}

// SetMaintenance closes or opens this server's gate at once: for the operator's word, which is stored already.
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

// RefreshMaintenance reads whether the service is under maintenance. While the database cannot say, the gate stays as it is.
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

// SetMaintenance tells all servers of the database that maintenance begins or has ended. Each sees it within a second.
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
