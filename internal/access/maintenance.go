package access

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley"
)

const (
	maintenanceInterval   = 500 * time.Millisecond // between two looks at the setting, if no bus tells of changes
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
func (a *Authenticator) CheckMaintenance() error {
	if !a.maintenance.enabled.Load() {
		return nil
	}
	e := parley.NewErrorf(parley.CodeUnderMaintenance, "The service is under maintenance. Try again later.")
	e.RetryAfter = maintenanceRetryAfter
	return e
}

// SetMaintenance switches maintenance on this server at once. The setting is stored already.
func (a *Authenticator) SetMaintenance(on bool) {
	a.maintenance.mu.Lock()
	defer a.maintenance.mu.Unlock()
	a.setMaintenanceLocked(on)
}

func (a *Authenticator) setMaintenanceLocked(on bool) {
	if a.maintenance.enabled.Swap(on) == on {
		return
	}
	if on {
		a.logger().Warn("maintenance mode is on: requests are refused, what runs is finished")
	} else {
		a.logger().Warn("maintenance mode is off")
	}
}

// RefreshMaintenance reads whether the service is under maintenance. While the database is not available, nothing
// changes.
func (a *Authenticator) RefreshMaintenance(ctx context.Context) error {
	a.maintenance.mu.Lock()
	defer a.maintenance.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, maintenanceTimeout)
	defer stop()
	value, err := a.DB.FindSetting(ctx, maintenanceSetting)
	if err == nil {
		a.setMaintenanceLocked(value == maintenanceOn)
	}
	return err
}

// SetMaintenance switches maintenance on all servers of the database. Each sees it within a second, or at the latest at
// its next look, if what the bus tells is lost.
func (ac *Accounts) SetMaintenance(ctx context.Context, on bool) error {
	value := "off"
	if on {
		value = maintenanceOn
	}
	return ac.DB.SetSetting(ctx, maintenanceSetting, value)
}

// Maintenance reports whether the service is under maintenance.
func (ac *Accounts) Maintenance(ctx context.Context) (bool, error) {
	value, err := ac.DB.FindSetting(ctx, maintenanceSetting)
	return value == maintenanceOn, err
}
