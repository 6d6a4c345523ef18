package table_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/table"
)

// TestRestoresAccess: a table of profiles that was stored without access has that of a new one.
func TestRestoresAccess(t *testing.T) {
	want, stored := table.Profiles(), table.Profiles()
	for i := range stored.Columns {
		stored.Columns[i].ACL = nil
	}
	stored.Columns[0].ACL = &table.ACL{} // of the avatar, as an application has set it
	want.Columns[0].ACL = &table.ACL{}
	if err := stored.Restore(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Error(diff)
	}
}
