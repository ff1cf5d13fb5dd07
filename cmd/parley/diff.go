package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/api/admin"
	"parley/internal/manifest"
)

type diffCmd struct{ manifestFlags }

// Run shows what apply would change. Its exit status is that of diff: 0 without differences, 1 with some, 2 for a failure.
func (c *diffCmd) Run(p *process) error {
	out, err := c.apply(p, true)
	if err == nil {
		err = p.printDifferences(out)
	}
	switch {
	case err != nil:
		panic(exitStatus(p.printError(err, 2)))
	case slices.ContainsFunc(out.Agents, func(a manifest.ApplyResult) bool { return len(a.Changes) > 0 }):
		panic(exitStatus(1))
	}
	return nil
}

func (p *process) printDifferences(out admin.ManifestResult) error {
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	for _, a := range out.Agents {
		for _, c := range a.Changes {
			if err := p.printDifference(a, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// printDifference prints a change the way diff does: the name of what changes, then its lines before and after.
func (p *process) printDifference(a manifest.ApplyResult, c manifest.Change) error {
	before, err := formatYAML(c.Before)
	if err != nil {
		return err
	}
	after, err := formatYAML(c.After)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(c.Part + " " + c.Key)
	if agent := agentName(a); c.Part != "agent" {
		name = agent + ": " + name
	}
	there, will := name, name
	if c.Op == "create" {
		there = "(none)"
	}
	if c.Op == "delete" {
		will = "(none)"
	}
	_, err = fmt.Fprintf(p.stdout, "--- %s\n+++ %s\n%s", there, will, manifest.Diff(before, after))
	return err
}

func agentName(a manifest.ApplyResult) string {
	if a.Key != "" {
		return a.Key
	}
	return string(a.Agent)
}

func formatYAML(object json.RawMessage) (string, error) {
	if object == nil || string(object) == "{}" {
		return "", nil
	}
	return manifest.Write(object)
}

// changedFields lists the names of what an update changes.
func changedFields(c manifest.Change) string {
	var after map[string]json.RawMessage
	if json.Unmarshal(c.After, &after) != nil {
		return "all of it"
	}
	return strings.Join(slices.Sorted(maps.Keys(after)), ", ")
}
