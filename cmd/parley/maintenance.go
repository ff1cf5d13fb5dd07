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
	on := true
	return p.setMaintenance(&on)
}

func (maintenanceOffCmd) Run(p *process) error {
	return p.setMaintenance(new(bool))
}

func (maintenanceStatusCmd) Run(p *process) error {
	return p.setMaintenance(nil)
}

func (p *process) setMaintenance(on *bool) error {
	out, err := runAdmin(p, admin.Maintenance, admin.MaintenanceChange{Enabled: on})
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
