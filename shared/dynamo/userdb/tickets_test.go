package userdb_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

func ticket(u user.ID, v messaging.Vendor, template string) consent.Ticket {
	return consent.Ticket{User: u, Vendor: v, Template: template}
}

// TestTicketsBelongToTheirUser: tickets are counted by vendor and template, each name once.
func TestTicketsBelongToTheirUser(t *testing.T) {
	s := &userdb.Tickets{Client: dynamotest.Start(t, "UsersTable"), Table: "UsersTable"}
	year := noon.Add(365 * 24 * time.Hour)
	for i, c := range []struct {
		of   consent.Ticket
		name string
		want int
	}{
		{ticket(5, messaging.Chat, "a"), "1", 1}, {ticket(5, messaging.Chat, "a"), "1", 1},
		{ticket(5, messaging.Chat, "a"), "2", 2}, {ticket(5, messaging.Chat, "b#c"), "1", 1},
		{ticket(5, messaging.Tpay, "a"), "1", 1}, {ticket(6, messaging.Chat, "a"), "1", 1},
	} {
		if got, err := s.AddTicket(t.Context(), scope, c.of, c.name, year); err != nil || got != c.want {
			t.Errorf("%d: %d, %v", i, got, err)
		}
	}

	for _, c := range []struct {
		user       user.ID
		template   string
		now        time.Time
		chat, tpay int
	}{
		{5, "a", noon, 2, 1}, {5, "b#c", noon, 1, 0}, {5, "", noon, 3, 1}, {5, "c", noon, 0, 0}, {7, "", noon, 0, 0},
		{5, "", year, 0, 0},
	} {
		got, err := s.Tickets(t.Context(), scope, c.user, c.template, c.now)
		if err != nil || got[messaging.Chat] != c.chat || got[messaging.Tpay] != c.tpay {
			t.Errorf("user %d, template %q: %v, %v", c.user, c.template, got, err)
		}
	}
	if got, err := s.Tickets(t.Context(), other, 5, "a", noon); err != nil || len(got) != 0 {
		t.Errorf("another application: %v, %v", got, err)
	}
}

// TestSpendsTicketOnce: concurrent requests spend one ticket per name; a returned ticket can be spent again.
func TestSpendsTicketOnce(t *testing.T) {
	s, of := &userdb.Tickets{Client: dynamotest.Start(t, "UsersTable"), Table: "UsersTable"}, ticket(5, messaging.Chat, "a")
	for i := range 7 {
		if _, err := s.AddTicket(t.Context(), scope, of, fmt.Sprint(i), noon); err != nil {
			t.Fatal(err)
		}
	}

	var spent atomic.Int32
	var group sync.WaitGroup
	for i := range 40 { // each name twice
		group.Go(func() {
			switch err := s.SpendTicket(t.Context(), scope, of, fmt.Sprint(i/2)); {
			case err == nil:
				spent.Add(1)
			case !errs.Is(err, errs.KindNotFound):
				t.Error(err)
			}
		})
	}
	group.Wait()
	if spent.Load() != 14 {
		t.Errorf("%d were told that they have one of 7, each twice", spent.Load())
	}
	if err := s.SpendTicket(t.Context(), scope, of, "late"); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("an eighth: %v", err)
	}

	for i := range 20 { // a name without a ticket returns none
		if err := s.ReturnTicket(t.Context(), scope, of, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Tickets(t.Context(), scope, 5, "a", noon.Add(-time.Second)); err != nil || got[messaging.Chat] != 7 {
		t.Errorf("after all were given back: %v, %v", got, err)
	}
	if err := s.VoidTickets(t.Context(), scope, of); err != nil {
		t.Fatal(err)
	}
	if err := s.SpendTicket(t.Context(), scope, of, "1"); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("a void one: %v", err)
	}
}

// TestCountsTicketsUpToAThousand: further reports do not enlarge the item, and names do not accumulate.
func TestCountsTicketsUpToAThousand(t *testing.T) {
	s, of := &userdb.Tickets{Client: dynamotest.Start(t, "UsersTable"), Table: "UsersTable"}, ticket(5, messaging.Chat, "a")
	last := 0
	for i := range consent.MaxTickets + 5 {
		var err error
		if last, err = s.AddTicket(t.Context(), scope, of, fmt.Sprint(i), noon); err != nil {
			t.Fatal(err)
		}
	}
	if last != consent.MaxTickets {
		t.Errorf("%d tickets", last)
	}
}

// TestDeletesConsents: the form ids and tickets of one user go, the account and those of others stay.
func TestDeletesConsents(t *testing.T) {
	client := dynamotest.Start(t, "UsersTable")
	accounts := &userdb.Accounts{Client: client, Table: "UsersTable"}
	forms := &userdb.FormIDs{Client: client, Table: "UsersTable"}
	tickets := &userdb.Tickets{Client: client, Table: "UsersTable"}
	year := noon.Add(365 * 24 * time.Hour)
	if err := accounts.ReplaceAccount(t.Context(), scope, user.Account{UserID: 5}, user.Account{UserID: 5, Phone: "1", Revision: 1}); err != nil {
		t.Fatal(err)
	}
	for _, u := range []user.ID{5, 6} {
		for _, template := range []string{"a", "b"} {
			if _, err := tickets.AddTicket(t.Context(), scope, ticket(u, messaging.Chat, template), "1", year); err != nil {
				t.Fatal(err)
			}
		}
		f := consent.FormID{User: u, Vendor: messaging.Chat, Kind: consent.Form, ID: "f", Sends: 1, Expires: year}
		if _, err := forms.Insert(t.Context(), scope, f); err != nil {
			t.Fatal(err)
		}
	}

	if err := accounts.DeleteConsents(t.Context(), scope, 5); err != nil {
		t.Fatal(err)
	}
	for u, want := range map[user.ID]int{5: 0, 6: 2} {
		left, err := tickets.Tickets(t.Context(), scope, u, "", noon)
		if err != nil || left[messaging.Chat] != want {
			t.Errorf("user %d has %v, %v, want %d tickets", u, left, err, want)
		}
		ids, err := forms.Of(t.Context(), scope, u, "", noon)
		if err != nil || len(ids) != want/2 {
			t.Errorf("user %d has %v, %v, want %d form ids", u, ids, err, want/2)
		}
	}
	if a, err := accounts.Account(t.Context(), scope, 5); err != nil || a.Phone != "1" {
		t.Errorf("the account is %+v, %v", a, err)
	}
}
