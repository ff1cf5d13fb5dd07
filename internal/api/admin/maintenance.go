package admin

import "context"

// MaintenanceChange turns maintenance mode on or off; nil only asks.
type MaintenanceChange struct {
	Enabled *bool `json:"on,omitempty"`
}

// MaintenanceState says whether the service is under maintenance.
type MaintenanceState struct {
	Enabled bool `json:"maintenance"`
}

// Maintenance closes the service to requests, or opens it again.
var Maintenance = Command[MaintenanceChange, MaintenanceState]{"maintenance", false, (*Service).setMaintenance}

func (d *Service) setMaintenance(ctx context.Context, in MaintenanceChange) (MaintenanceState, error) {
	if in.Enabled == nil {
		on, err := d.Accounts.Maintenance(ctx)
		return MaintenanceState{on}, err
	}
	if err := d.Accounts.SetMaintenance(ctx, *in.Enabled); err != nil {
		return MaintenanceState{}, err
	}
	if d.SetMaintenance != nil {
		d.SetMaintenance(*in.Enabled)
	}
	return MaintenanceState{*in.Enabled}, nil
}
