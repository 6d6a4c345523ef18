package bench

import (
	"fmt"
	"net/http"
	"testing"

	"minicloud/infra/local/api"
)

// BenchmarkOwnRows lists a table of ROWS=20000 rows, each of which one of 1,000 users may read: the first page of an
// administrator, and that of a user, which holds the user's own 20 rows. The second takes ≤ 1.3 times the first.
func BenchmarkOwnRows(b *testing.B) {
	const users, batch = 1000, 1000
	n := number(b, "ROWS", 20_000)
	p := start(b)
	// The default rate of a user ends the benchmark after 600 lists.
	p.call(b, "PUT", "/oserve/v1.8/application-setting/", object{"client_rate": object{"user": 1_000_000}}, nil)
	anyone := http.Header{"X-Service-Client-Id": {p.Credentials.ClientID}}
	var made struct {
		Token string `json:"token"`
		ID    int64  `json:"user_id"`
	}
	known := object{"username": "owner", "password": "correct horse"}
	must(b, (&api.Client{Base: p.URL, Header: anyone}).Send(b.Context(), "POST", "/hserve/v2.1/register/username/", known, &made))
	own := &api.Client{Base: p.URL, Header: anyone.Clone()}
	own.Header.Set("Authorization", "Service-r1 "+made.Token)

	tableID := p.makeTable(b, "notes", "text string", "n integer")
	rows := fmt.Sprintf(rowsPath, fmt.Sprint(tableID))
	for from := 0; from < n; from += batch {
		var drafts []object
		for i := from; i < min(from+batch, n); i++ {
			reader := fmt.Sprintf("user:%d", made.ID+int64(i%users))
			drafts = append(drafts, object{"text": fmt.Sprintf("note %0200d", i), "n": i, "read_perm": []string{reader}})
		}
		p.call(b, "POST", rows, drafts, nil)
	}

	b.Run("administrator", func(b *testing.B) {
		p.each(b, "table", func() { p.call(b, "GET", rows, nil, nil) })
	})
	b.Run("own_rows", func(b *testing.B) {
		var list struct{ Objects []object }
		p.each(b, "table", func() { must(b, own.Send(b.Context(), "GET", "/hserve/v2.4/table/notes/record/", nil, &list)) })
		if want := min(20, n/users); len(list.Objects) != want {
			b.Errorf("%d own rows, want %d", len(list.Objects), want)
		}
	})
}
