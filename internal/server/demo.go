package server

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

// Demo is an account with an agent that has read the manual.
type Demo struct {
	Account parley.AccountID
	Agent   parley.AgentID
	Key     string // made anew each time, and the one before is revoked: keys are not stored
}

const (
	demoAccountName = "Demo"
	demoAgentName   = "Parley manual"
)

// SetUpDemo makes the demo's account and agent, or finds those of an earlier run, and returns when the agent answers from every
// page of the manual. The background work must be running. progress hears what is being done.
func (h *Server) SetUpDemo(ctx context.Context, manual fs.FS, progress func(format string, args ...any)) (Demo, error) {
	kept, err := h.loadDemo(ctx)
	if err != nil {
		return Demo{}, err
	}
	account, key, err := h.ensureDemoAccount(ctx, &kept)
	if err != nil {
		return Demo{}, err
	}
	plan, ok := h.Plans.Plan(account.Plan)
	if !ok {
		return Demo{}, fmt.Errorf("the demo account's plan %q is not among the plans", account.Plan)
	}
	agent, err := h.ensureDemoAgent(ctx, account, plan, &kept)
	if err != nil {
		return Demo{}, err
	}
	if err := h.enableDemoVoice(ctx, account, plan, agent); err != nil {
		return Demo{}, err
	}
	began := h.cfg.Now()
	n, err := h.addPages(ctx, account, plan, agent, manual)
	if err != nil {
		return Demo{}, err
	}
	if n > 0 {
		progress("reading %d pages of the manual …", n)
	}
	if err := h.waitUntilTrained(ctx, account.ID, agent); err != nil {
		return Demo{}, err
	}
	progress("the agent has read its manual (%s)", h.cfg.Now().Sub(began).Round(time.Millisecond))
	h.voicePage.EnableSessions(h.demoCallHandler(agent, key))
	return Demo{account.ID, agent, key}, nil
}

// addPages adds the pages that the agent does not have as they are, and gives their number.
func (h *Server) addPages(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, manual fs.FS) (int, error) {
	list, err := readPages(manual, func(string, string) {})
	if err != nil {
		return 0, err
	}
	n := 0
	for _, p := range list {
		known, err := h.hasPage(ctx, account, agent, p)
		if err != nil || known {
			if err != nil {
				return n, err
			}
			continue
		}
		if _, err := h.Ingest.AddText(ctx, account, plan, agent, pageTitle(p), p.text); err != nil {
			return n, fmt.Errorf("%s: %w", p.name, err)
		}
		n++
	}
	return n, nil
}

// hasPage reports whether the agent has the page; an older state of it, left by an older program, is deleted.
func (h *Server) hasPage(ctx context.Context, account parley.Account, agent parley.AgentID, p folderPage) (bool, error) {
	found, err := h.DB.Sources(ctx, account.ID, agent, store.SourceFilter{Name: pageTitle(p)}, parley.PageRequest{Limit: 100})
	if err != nil {
		return false, err
	}
	for _, s := range found.Items {
		if s.Name != pageTitle(p) {
			continue
		}
		v, err := h.DB.Version(ctx, account.ID, agent, s.ID, s.WantedVersion)
		if err != nil || v.Hash == p.hash {
			return err == nil, err
		}
		if _, err := h.Ingest.Delete(ctx, account, agent, s.ID); err != nil {
			return false, err
		}
	}
	return false, nil
}

// pageTitle names a page by its first heading, else by its file.
func pageTitle(p folderPage) string {
	for line := range strings.Lines(p.text) {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(heading)
		}
	}
	return path.Base(p.name)
}

// waitUntilTrained waits until the agent has read everything it was given.
func (h *Server) waitUntilTrained(ctx context.Context, account parley.AccountID, agent parley.AgentID) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		a, err := h.DB.Agent(ctx, account, agent, h.cfg.Now())
		switch {
		case err != nil:
			return err
		case a.Status() == parley.AgentTrained:
			return nil
		case a.Status() == parley.AgentFailed:
			return fmt.Errorf("the agent could not read %d of its pages", a.Sources.Failed)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
