package house

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
	demoName  = "Demo"
	demoAgent = "Parley manual"
)

// Demo makes the demo's account and agent, or finds those of an earlier run, and returns when the agent answers from every
// page of the manual. The background work must be running. progress hears what is being done.
func (h *House) Demo(ctx context.Context, manual fs.FS, progress func(format string, args ...any)) (Demo, error) {
	kept, err := h.keptDemo(ctx)
	if err != nil {
		return Demo{}, err
	}
	account, key, err := h.demoAccount(ctx, &kept)
	if err != nil {
		return Demo{}, err
	}
	plan, ok := h.Plans.Plan(account.Plan)
	if !ok {
		return Demo{}, fmt.Errorf("the demo account's plan %q is not among the plans", account.Plan)
	}
	agent, err := h.demoAgent(ctx, account, plan, &kept)
	if err != nil {
		return Demo{}, err
	}
	if err := h.demoVoice(ctx, account, plan, agent); err != nil {
		return Demo{}, err
	}
	began := h.cfg.Now()
	n, err := h.teach(ctx, account, plan, agent, manual)
	if err != nil {
		return Demo{}, err
	}
	if n > 0 {
		progress("reading %d pages of the manual …", n)
	}
	if err := h.trained(ctx, account.ID, agent); err != nil {
		return Demo{}, err
	}
	progress("the agent has read its manual (%s)", h.cfg.Now().Sub(began).Round(time.Millisecond))
	h.page.Open(h.calls(agent, key))
	return Demo{account.ID, agent, key}, nil
}

// teach adds the pages that the agent does not have as they are, and gives their number.
func (h *House) teach(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, manual fs.FS) (int, error) {
	list, err := pages(manual, func(string, string) {})
	if err != nil {
		return 0, err
	}
	n := 0
	for _, p := range list {
		known, err := h.known(ctx, account, agent, p)
		if err != nil || known {
			if err != nil {
				return n, err
			}
			continue
		}
		if _, err := h.Ingest.AddText(ctx, account, plan, agent, title(p), p.text); err != nil {
			return n, fmt.Errorf("%s: %w", p.name, err)
		}
		n++
	}
	return n, nil
}

// known reports whether the agent has the page; an older state of it, left by an older program, is deleted.
func (h *House) known(ctx context.Context, account parley.Account, agent parley.AgentID, p page) (bool, error) {
	found, err := h.DB.Sources(ctx, account.ID, agent, store.SourceFilter{Name: title(p)}, parley.PageAsk{Limit: 100})
	if err != nil {
		return false, err
	}
	for _, s := range found.Items {
		if s.Name != title(p) {
			continue
		}
		v, err := h.DB.Version(ctx, account.ID, agent, s.ID, s.Wanted)
		if err != nil || v.Hash == p.hash {
			return err == nil, err
		}
		if _, err := h.Ingest.Delete(ctx, account, agent, s.ID); err != nil {
			return false, err
		}
	}
	return false, nil
}

// title names a page by its first heading, else by its file.
func title(p page) string {
	for line := range strings.Lines(p.text) {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(heading)
		}
	}
	return path.Base(p.name)
}

// trained waits until the agent has read everything it was given.
func (h *House) trained(ctx context.Context, account parley.AccountID, agent parley.AgentID) error {
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
