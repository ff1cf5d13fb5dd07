package events

import (
	"slices"
	"sync"

	"parley"
	"parley/internal/store"
)

// recordedAccounts are the accounts in which this process has recorded events that are to be handled.
type recordedAccounts struct {
	isUrgent func(kind string) bool // nil where none is
	urgent   chan struct{}          // receives when an urgent event is recorded

	mu       sync.Mutex
	accounts map[parley.AccountID]bool
}

func newRecordedAccounts(isUrgent func(kind string) bool) *recordedAccounts {
	return &recordedAccounts{isUrgent: isUrgent, urgent: make(chan struct{}, 1), accounts: map[parley.AccountID]bool{}}
}

// add takes note of events. Where there are urgent kinds, the others are left for the polls.
func (r *recordedAccounts) add(account parley.AccountID, events []store.NewEvent) {
	isUrgent := r.isUrgent != nil && slices.ContainsFunc(events, func(e store.NewEvent) bool { return r.isUrgent(e.Kind) })
	if r.isUrgent != nil && !isUrgent {
		return
	}
	r.putBack([]parley.AccountID{account})
	if isUrgent {
		select {
		case r.urgent <- struct{}{}:
		default: // it has a signal
		}
	}
}

func (r *recordedAccounts) putBack(accounts []parley.AccountID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, account := range accounts {
		r.accounts[account] = true
	}
}

// take returns the accounts and forgets them.
func (r *recordedAccounts) take() []parley.AccountID {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []parley.AccountID
	for account := range r.accounts {
		list = append(list, account)
	}
	clear(r.accounts)
	return list
}
