package store

import (
	"context"
	"time"

	"parley"
)

// Pairings belong to no account until somebody has decided, and are found by codes that are secret. Their queries name
// no owner.

var pairingTable = newTable("pairings", func(p *parley.Pairing) []field {
	return []field{
		{"id", &p.ID},
		{"device_hash", &p.DeviceHash},
		{"user_code", &p.UserCode},
		{"device_name", &p.DeviceName},
		{"address", &p.Address},
		{"state", &p.State},
		{"account_id", nullableText(&p.AccountID)},
		{"decided_by", nullableText(&p.DecidedBy)},
		{"scopes", jsonOr(&p.Scopes, nil)},
		{"polled_at", timePointerDest{&p.PolledAt}},
		{"created_at", timeDest{&p.CreatedAt}},
		{"expires_at", timeDest{&p.ExpiresAt}},
	}
})

// CreatePairing writes the request of a command line. It fails as sqldb.IsDuplicate knows where another one has one of
// its codes.
func (db *DB) CreatePairing(ctx context.Context, p *parley.Pairing) error {
	return pairingTable.insert(ctx, db, "", p)
}

// PairingByCode finds the pairing with the code that the command line shows, an expired one too. Fails with NOT_FOUND.
func (db *DB) PairingByCode(ctx context.Context, userCode string) (*parley.Pairing, error) {
	return pairingTable.find(ctx, db, parley.CodeNotFound, `where user_code = ?`, userCode)
}

// UpdatePairingByCode has the pairing with the code changed that the command line shows, and writes it back. Fails with
// NOT_FOUND.
func (db *DB) UpdatePairingByCode(ctx context.Context, userCode string, change func(*parley.Pairing) error) error {
	return db.updatePairing(ctx, parley.CodeNotFound, `where user_code = ?`, userCode, change)
}

// UpdatePairingByDevice is UpdatePairingByCode by the hash of the code that only the command line has. Fails with
// PAIRING_EXPIRED.
func (db *DB) UpdatePairingByDevice(ctx context.Context, hash string, change func(*parley.Pairing) error) error {
	return db.updatePairing(ctx, parley.CodePairingExpired, `where device_hash = ?`, hash, change)
}

func (db *DB) updatePairing(ctx context.Context, missing parley.Code, where, key string,
	change func(*parley.Pairing) error) error {
	p, err := pairingTable.find(ctx, db, missing, where+db.sql.ForUpdate(), key)
	if err != nil {
		return err
	}
	if err := change(p); err != nil {
		return err
	}
	fields := pairingTable.pick(p, "state", "account_id", "decided_by", "scopes", "polled_at")
	_, err = db.update(ctx, "pairings", fields, `id = ?`, p.ID)
	return err
}

// EraseExpiredPairings erases the pairings that have expired, in chunks in the bulk lane.
func (db *DB) EraseExpiredPairings(ctx context.Context, now time.Time) error {
	return db.execInChunks(ctx, `
		delete from pairings
		where id in (select id from pairings where expires_at <= ? order by expires_at limit ?)`, millis(now))
}
