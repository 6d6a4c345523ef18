package people

import (
	"testing"
	"time"

	"minicloud/infra/lab/sim/clients"
)

// at is a span of minutes.
func at(from, to int) clients.Span {
	return clients.Span{From: time.Unix(int64(60*from), 0), To: time.Unix(int64(60*to), 0)}
}

// TestFate: a session that was opened while others were ended may be valid or not.
func TestFate(t *testing.T) {
	who := &person{}
	p := &people{}
	session := &token{who: who, opened: at(2, 4)}
	who.endings = []*ending{{Span: at(6, 8)}}
	for _, c := range []struct {
		asked        clients.Span
		valid, ended bool
	}{{at(5, 5), true, false}, {at(7, 7), true, true}, {at(9, 9), false, true}} {
		if valid, ended := p.fate(session, c.asked); valid != c.valid || ended != c.ended {
			t.Errorf("%v: valid %v, ended %v", c.asked, valid, ended)
		}
	}
	who.endings = []*ending{{Span: at(3, 5)}}
	if valid, ended := p.fate(session, at(9, 9)); !valid || !ended {
		t.Errorf("opened meanwhile: valid %v, ended %v", valid, ended)
	}
	who.endings = []*ending{{Span: at(6, 8), but: session}}
	if valid, ended := p.fate(session, at(9, 9)); !valid || ended {
		t.Errorf("all but this one: valid %v, ended %v", valid, ended)
	}
}
