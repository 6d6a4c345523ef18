package console_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"minicloud/shared/console"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// TestRolesIncludeLowerOnes; an unknown role includes none.
func TestRolesIncludeLowerOnes(t *testing.T) {
	for role, want := range map[console.Role]string{
		console.Owner: "viewer developer owner", console.Developer: "viewer developer", console.Viewer: "viewer",
		"king": "", "": "", "Owner": "",
	} {
		var may []string
		for _, least := range []console.Role{console.Viewer, console.Developer, console.Owner} {
			err := console.Administrator{Role: role}.May(least)
			if err == nil {
				may = append(may, string(least))
			} else if !errs.Is(err, errs.KindForbidden) || !strings.Contains(err.Error(), "this requires "+string(least)) {
				t.Errorf("%q as %s: %v", role, least, err)
			}
		}
		if got := strings.Join(may, " "); got != want {
			t.Errorf("%q may what is for %q, want %q", role, got, want)
		}
	}
}

// TestOnlyOwnersOfAllManageAccounts: only an owner of all applications manages accounts.
func TestOnlyOwnersOfAllManageAccounts(t *testing.T) {
	for _, c := range []struct {
		role       console.Role
		all        bool
		in         []tenant.AppID
		enters     string // which of the applications 7 and 8
		everywhere bool
	}{
		{console.Owner, true, nil, "7 8", true},
		{console.Owner, false, nil, "", false},
		{console.Owner, false, []tenant.AppID{}, "", false},
		{console.Owner, false, []tenant.AppID{7}, "7", false},
		{console.Developer, true, nil, "7 8", false},
		{console.Viewer, false, []tenant.AppID{8, 9}, "8", false},
	} {
		a := console.Administrator{Role: c.role, AllApplications: c.all, Applications: c.in}
		var enters []string
		for _, id := range []tenant.AppID{7, 8} {
			if a.Enters(id) {
				enters = append(enters, fmt.Sprint(id))
			}
		}
		if got := strings.Join(enters, " "); got != c.enters || (a.Everywhere() == nil) != c.everywhere {
			t.Errorf("%s of %v: enters %s, everywhere: %v", c.role, c.in, got, a.Everywhere())
		}
	}
}

// TestSessionExpires 12 hours after its last request, and at most 7 days after its start.
func TestSessionExpires(t *testing.T) {
	begun := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for seen, want := range map[time.Duration]time.Duration{
		0: 12 * time.Hour, 5 * time.Hour: 17 * time.Hour, 156 * time.Hour: 168 * time.Hour, 167 * time.Hour: 168 * time.Hour,
	} {
		s := console.Session{CreatedAt: begun, SeenAt: begun.Add(seen)}
		if got := s.Expires().Sub(begun); got != want {
			t.Errorf("seen after %v it is over after %v, want %v", seen, got, want)
		}
	}
}

// TestEmailsIgnoreCase, so that two accounts cannot have emails that look the same to people.
func TestEmailsIgnoreCase(t *testing.T) {
	for _, same := range [][2]string{
		{"Ada@Example.com", " ada@example.COM\t"}, {"STRASSE@x.de", "straße@x.de"}, {"ΣΑΣ@x.gr", "σας@x.gr"},
	} {
		if console.Fold(same[0]) != console.Fold(same[1]) {
			t.Errorf("%q and %q are two", same[0], same[1])
		}
	}
	if console.Fold("ada@x.de") == console.Fold("ada@x.dе") { // the last letter is Cyrillic
		t.Error("letters of two alphabets are one")
	}
}

func TestReadAccountID(t *testing.T) {
	for text, want := range map[string]console.AccountID{
		"1": 1, "9007199254740991": 1<<53 - 1, "0": 0, "-1": 0, "": 0, "x": 0, "1.0": 0, "9007199254740992": 0, "+5": 0, "05": 0,
	} {
		var got console.AccountID
		err := got.ReadText(text)
		if got != want || (err == nil) != (want != 0) || err != nil && !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

// TestCookiesAreNotLogged checks that a logged cookie is masked.
func TestCookiesAreNotLogged(t *testing.T) {
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "cookie", console.Cookie("7.topsecret"))
	if strings.Contains(log.String(), "topsecret") {
		t.Error(log.String())
	}
}
