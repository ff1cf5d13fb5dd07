package main

import (
	"fmt"

	"parley/internal/admin"
)

type (
	maintenanceOnCmd     struct{}
	maintenanceOffCmd    struct{}
	maintenanceStatusCmd struct{}
)

func (maintenanceOnCmd) Run(p *process) error {
	on := true
	return p.maintenance(&on)
}

func (maintenanceOffCmd) Run(p *process) error {
	return p.maintenance(new(bool))
}

func (maintenanceStatusCmd) Run(p *process) error {
	return p.maintenance(nil)
}

func (p *process) maintenance(on *bool) error {
	out, err := call(p, admin.Maintenance, admin.MaintenanceChange{On: on})
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(out)
	}
	text := "Maintenance mode is off."
	if out.On {
		text = "Maintenance mode is on: every request under /api but health is refused."
	}
	_, err = fmt.Fprintln(p.stdout, text)
	return err
}
