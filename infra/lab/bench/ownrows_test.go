package bench

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"minicloud/infra/local/api"
)

// BenchmarkOwnRows lists a table of ROWS=1000000 rows, each of which one of ROWS/20 users may read: the first page of an
// administrator, and that of a user, which holds the user's own 20 rows. The second takes ≤ 1.3 times the first. A call
// of DynamoDB here takes less time than the processor work for it; with CALL_MS=3 it takes 3 ms more, as on AWS.
func BenchmarkOwnRows(b *testing.B) {
	n := number(b, "ROWS", 1_000_000)
	p := start(b)
	p.open(b)
	own, me := p.register(b, "owner")
	tableID := p.makeTable(b, "notes", "text string", "n integer")
	rows := fmt.Sprintf(rowsPath, fmt.Sprint(tableID))
	p.notes(b, rows, tableID, n, me)

	var every, mine series
	var list struct{ Objects []object }
	// In turns, so that both have the same machine.
	all := func() { p.call(b, "GET", rows, nil, nil) }
	some := func() { must(b, own.Send(b.Context(), "GET", "/hserve/v2.4/table/notes/record/", nil, &list)) }
	all()
	some()
	p.calls.takes = time.Duration(number(b, "CALL_MS", 0)) * time.Millisecond
	for b.Loop() {
		every, mine = append(every, timed(all)), append(mine, timed(some))
	}
	report(b, "administrator", every)
	report(b, "own", mine)
	b.ReportMetric(float64(mine.median())/float64(every.median()), "own/administrator")
	if len(list.Objects) != 20 {
		b.Errorf("%d own rows, want 20", len(list.Objects))
	}
}

func timed(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// open lifts the default rate of a user, which would end a benchmark after 600 requests.
func (p *platform) open(b *testing.B) {
	p.call(b, "PUT", "/oserve/v1.8/application-setting/", object{"client_rate": object{"user": 1_000_000}}, nil)
}

// anyone returns a client without a session.
func (p *platform) anyone() *api.Client {
	return &api.Client{Base: p.URL, Header: http.Header{"X-Service-Client-Id": {p.Credentials.ClientID}}}
}

// register registers a user and returns the user's client and id.
func (p *platform) register(b *testing.B, name string) (own *api.Client, id int64) {
	var made struct {
		Token string `json:"token"`
		ID    int64  `json:"user_id"`
	}
	own = p.anyone()
	must(b, own.Send(b.Context(), "POST", "/hserve/v2.1/register/username/", known(name), &made))
	own.Header.Set("Authorization", "Service-r1 "+made.Token)
	return own, made.ID
}

func known(name string) object { return object{"username": name, "password": "correct horse"} }
