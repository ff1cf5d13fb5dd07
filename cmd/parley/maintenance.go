package main

import (
	"fmt"

	"parley/internal/api/admin"
)

type (
	maintenanceOnCmd     struct{}
	maintenanceOffCmd    struct{}
	maintenanceStatusCmd struct{}
)

func (maintenanceOnCmd) Run(p *process) error {
	return p.printMaintenance(runAdmin(p, admin.SetMaintenance, admin.MaintenanceState{Enabled: true}))
}

func (maintenanceOffCmd) Run(p *process) error {
	return p.printMaintenance(runAdmin(p, admin.SetMaintenance, admin.MaintenanceState{Enabled: false}))
}

func (maintenanceStatusCmd) Run(p *process) error {
	return p.printMaintenance(runAdmin(p, admin.GetMaintenance, admin.NoInput{}))
}

func (p *process) printMaintenance(out admin.MaintenanceState, err error) error {
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	text := "Maintenance mode is off."
	if out.Enabled {
		text = "Maintenance mode is on: every request under /api but health is refused."
	}
	_, err = fmt.Fprintln(p.stdout, text)
	return err
}
