package admin

import "context"

// MaintenanceChange turns maintenance mode on or off; nil only asks.
type MaintenanceChange struct {
	On *bool `json:"on,omitempty"`
}

// MaintenanceState says whether the service is under maintenance.
type MaintenanceState struct {
	On bool `json:"maintenance"`
}

// Maintenance closes the service to requests, or opens it again.
var Maintenance = Verb[MaintenanceChange, MaintenanceState]{"maintenance", false, (*Desk).maintenance}

func (d *Desk) maintenance(ctx context.Context, in MaintenanceChange) (MaintenanceState, error) {
	if in.On == nil {
		on, err := d.Office.Maintenance(ctx)
		return MaintenanceState{on}, err
	}
	if err := d.Office.SetMaintenance(ctx, *in.On); err != nil {
		return MaintenanceState{}, err
	}
	if d.Shut != nil {
		d.Shut(*in.On)
	}
	return MaintenanceState{*in.On}, nil
}
