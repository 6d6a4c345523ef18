package bench

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"minicloud/infra/local/api"
)

// BenchmarkLeaks compares how long answers take that must look alike: a wrong password of a name that exists and of one
// that does not, a row that is hidden and one that is missing. They take turns, so that both have the same machine. The
// medians differ by less than a quarter; on a busy machine they differ by a tenth either way.
func BenchmarkLeaks(b *testing.B) {
	const names, addresses, turns = 48, 4, 400
	p := start(b)
	p.open(b)
	own, _ := p.register(b, "reader")
	for i := range names {
		p.register(b, fmt.Sprint("known", i))
	}
	p.makeTable(b, "notes", "text string")
	var hidden struct{ ID string }
	p.call(b, "POST", fmt.Sprintf(rowsPath, "notes"), object{"text": "x", "read_perm": []string{"user:1"}}, &hidden)
	missing := hidden.ID[:20] + "ffff"

	// refused sends a request that must fail with a status.
	refused := func(from *api.Client, status int, method, path string, body any) func() {
		return func() {
			if err := from.Send(b.Context(), method, path, body, nil); err == nil || !strings.Contains(err.Error(), fmt.Sprint("status ", status)) {
				b.Fatalf("%s %s: want %d, got %v", method, path, status, err)
			}
		}
	}
	login := func(from *api.Client, name string) func() {
		body := object{"username": name, "password": "wrong horse"}
		return refused(from, 400, "POST", "/hserve/v2.1/login/username/", body)
	}
	row := func(id string) func() {
		return refused(own, 404, "GET", "/hserve/v2.4/table/notes/record/"+id+"/", nil)
	}

	once(b, func() {
		var pairs [4]series
		turn := func(pair, n int, one, other func()) {
			do := [2]func(){one, other}
			for k := range do {
				at := (n + k) % 2 // who is first alternates, because the second finds warm caches
				pairs[2*pair+at] = append(pairs[2*pair+at], timed(do[at]))
			}
		}
		// An address has 100 failed passwords, and a name 10 from each (C10).
		for address := range addresses {
			from := p.anyone()
			dial := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(address+1))}}
			from.HTTP = http.Client{Transport: &http.Transport{DialContext: dial.DialContext}}
			for i := range names {
				turn(0, i, login(from, fmt.Sprint("known", i)), login(from, fmt.Sprintf("unknown%d-%d", address, i)))
			}
		}
		for i := range turns {
			turn(1, i, row(hidden.ID), row(missing))
		}
		for i, name := range []string{"known/unknown", "hidden/missing"} {
			ratio := float64(pairs[2*i].median()) / float64(pairs[2*i+1].median())
			b.ReportMetric(ratio, name)
			if ratio < 0.8 || ratio > 1.25 {
				b.Errorf("%s: the medians are %v and %v", name, pairs[2*i].median(), pairs[2*i+1].median())
			}
		}
	})
}
