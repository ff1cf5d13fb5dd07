package sqldb_test

import (
	"testing"

	"parley/internal/rig"
	"parley/internal/rig/dbs"
	"parley/internal/sqldb"
)
