package api

import (
	"context"
	"strings"
	"sync/atomic"

	"minicloud/shared/cache"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Ahead is a store of rows that begins the first scan of a list of an end user's rows while the session is verified: the
// list otherwise reads the session, the index of readers and the rows one after the other. It begins the scan that the
// same list made last, of any user, for the user in the token. ScanIndex uses the result only for exactly this scan of a
// table with exactly the schema for which it was learned.
type Ahead struct {
	table.RowStore

	lists cache.Map[listed, learned]
}

type aheadKey struct{}

// ahead is the scan of the index of readers that a request will probably make first.
type ahead struct {
	list  listed
	entry string // of the user
	seen  atomic.Bool

	begun learned
	done  chan struct{} // nil = nothing was begun
	step  table.IndexStep
	err   error
}

// listed identifies a list: for every user it has the same plan.
type listed struct {
	scope        tenant.Scope
	table, query string // as the request names them
}

// maxQuery is the maximum length of a query string that is remembered, in bytes.
const maxQuery = 200

// learned is the first scan that such a list made. The scan has no entry at the start of From and To.
type learned struct {
	table    table.ID
	revision int64 // of the schema
	scan     table.IndexScan
}

// of returns the scan for an entry.
func (l learned) of(entry string) table.IndexScan {
	scan := l.scan
	scan.From, scan.To = entry+scan.From, entry+scan.To
	return scan
}

// Begin begins the scan of a list of rows whose session is not verified yet. tableName and query are those of the
// request. The scan ends with ctx.
func (h *Ahead) Begin(ctx context.Context, scope tenant.Scope, tableName, query string, user int64) context.Context {
	if len(query) > maxQuery {
		return ctx
	}
	a := &ahead{list: listed{scope, tableName, query}, entry: permission.OfUser(user)}
	if begun, known := h.lists.Get(a.list); known {
		a.begun, a.done = begun, make(chan struct{})
		go func() {
			defer close(a.done)
			of := table.Table{ID: begun.table}
			a.step, a.err = h.RowStore.ScanIndex(ctx, scope, of, table.ReadersIndex, begun.of(a.entry))
		}()
	}
	return context.WithValue(ctx, aheadKey{}, a)
}

// ScanIndex returns the result of a scan that the request has begun, or scans the index.
func (h *Ahead) ScanIndex(
	ctx context.Context, scope tenant.Scope, t table.Table, index string, scan table.IndexScan,
) (table.IndexStep, error) {
	if index == table.ReadersIndex {
		if step, ok := h.begun(ctx, scope, t, scan); ok {
			return step, nil
		}
	}
	return h.RowStore.ScanIndex(ctx, scope, t, index, scan)
}

// begun returns the result of a scan of the index of readers if the request has begun it, and learns the scan otherwise.
func (h *Ahead) begun(
	ctx context.Context, scope tenant.Scope, t table.Table, scan table.IndexScan,
) (step table.IndexStep, ok bool) {
	a, _ := ctx.Value(aheadKey{}).(*ahead)
	if a == nil || a.list.scope != scope {
		return step, false
	}
	from, begins := strings.CutPrefix(scan.From, a.entry+table.Separator)
	to, ends := strings.CutPrefix(scan.To, a.entry)
	// Ranges of groups are others', and the next scans of the same range depend on what the first one finds.
	if !begins || !ends || a.seen.Swap(true) {
		return step, false
	}

	now := learned{table: t.ID, revision: t.Revision, scan: scan}
	now.scan.From, now.scan.To = table.Separator+from, to
	// The schema had this revision when the scan was learned and has it now, so also in between, when it was begun.
	if a.done == nil || a.begun != now {
		h.lists.Put(a.list, now)
		return step, false
	}
	select {
	case <-a.done:
		return a.step, a.err == nil
	case <-ctx.Done():
		return step, false
	}
}
