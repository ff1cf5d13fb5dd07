package quote_test

import (
	"testing"

	"go.uber.org/goleak"

	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m, func() error { return goleak.Find() }) }
