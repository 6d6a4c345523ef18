package jobdb_test

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

var (
	shop      = tenant.Scope{App: 7, Env: tenant.Production}
	shopTest  = tenant.Scope{App: 7, Env: "0123456789abcdef0123"}
	noon      = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	firstPage = page.Request{Limit: 20}
)

// incompressible returns text of n bytes that gzip cannot shrink.
func incompressible(n int) string {
	b := make([]byte, n/2)
	rand.Read(b)
	return hex.EncodeToString(b)
}
