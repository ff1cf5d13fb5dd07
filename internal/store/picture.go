package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

// PictureBlob finds the icon of an agent, or its profile picture. Everybody may see them, and so it asks for no account. Fails with
// AGENT_NOT_FOUND, also where the agent has none.
func (db *DB) PictureBlob(ctx context.Context, agent parley.AgentID, icon bool) (*Blob, error) {
	column := "picture_blob"
	if icon {
		column = "icon_blob"
	}
	b, err := sqldb.One(ctx, db.sql, scanBlob, `select `+blobColumns+` from agents a join blobs b on b.id = a.`+column+` and b.agent_id = a.id and b.account_id = a.account_id
		where a.id = ? and a.deleted_at is null`, agent)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeAgentNotFound)
	}
	return &b, nil
}
