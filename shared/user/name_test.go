package user_test

import (
	"strings"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/user"
)

// TestPhonesAreUnique: a phone belongs to one user, in whatever notation.
func TestPhonesAreUnique(t *testing.T) {
	p := newPlatform(t)
	ann, bob := p.newUser(t, scope, nil), p.newUser(t, scope, nil)
	change := func(u user.ID, phone user.Edit) error {
		t.Helper()
		_, err := p.ChangeAccount(t.Context(), scope, u, user.AccountChange{Phone: phone})
		return err
	}
	wantKind(t, "first", change(ann, user.To("138 0013-8000")), "")
	err := change(bob, user.To("+8613800138000"))
	wantKind(t, "taken", err, errs.KindDuplicate)
	if !strings.Contains(errs.Message(err), "phone") {
		t.Errorf("%q does not name the phone", errs.Message(err))
	}
	wantKind(t, "another notation of one's own", change(ann, user.To("+86 13800138000")), "")
	wantKind(t, "still taken", change(bob, user.To("13800138000")), errs.KindDuplicate)
	wantKind(t, "reset", change(ann, user.Edit{Given: true}), "")
	wantKind(t, "free again", change(bob, user.To("13800138000")), "")
}

// TestIdentitiesAreUnique: an identity at a vendor belongs to one user, until the user is deleted.
func TestIdentitiesAreUnique(t *testing.T) {
	p := newPlatform(t)
	chat := func(openid, unionid string) user.Draft {
		return user.Draft{Providers: map[string]map[string]string{"chat": {"openid": openid, "unionid": unionid}}}
	}
	first, err := p.CreateFrom(t.Context(), scope, chat("o1", "u1"))
	wantKind(t, "first", err, "")
	for what, draft := range map[string]user.Draft{"openid": chat("o1", "u2"), "unionid": chat("o2", "u1")} {
		_, err := p.CreateFrom(t.Context(), scope, draft)
		wantKind(t, "the same "+what, err, errs.KindDuplicate)
		if !strings.Contains(errs.Message(err), what) || strings.Contains(errs.Message(err), "o1") {
			t.Errorf("%s: %q", what, errs.Message(err))
		}
	}
	_, err = p.CreateFrom(t.Context(), other, chat("o1", "u1"))
	wantKind(t, "another application", err, "")
	// Another vendor may use the same text, and case matters.
	_, err = p.CreateFrom(t.Context(), scope, user.Draft{Providers: map[string]map[string]string{"tpay": {"openid": "o1"}}})
	wantKind(t, "another vendor", err, "")
	_, err = p.CreateFrom(t.Context(), scope, chat("O1", ""))
	wantKind(t, "another case", err, "")

	id, _ := first["id"].(int64)
	if err := p.Delete(t.Context(), scope, user.ID(id), table.Origin{}); err != nil {
		t.Fatal(err)
	}
	_, err = p.CreateFrom(t.Context(), scope, chat("o1", "u1"))
	wantKind(t, "freed by deletion", err, "")
}

// TestNewPasswordEndsSessions: a password that an administrator sets raises the generation, other changes do not.
func TestNewPasswordEndsSessions(t *testing.T) {
	p := newPlatform(t)
	u := p.newUser(t, scope, nil)
	generation := func(c user.AccountChange) int64 {
		t.Helper()
		a, err := p.ChangeAccount(t.Context(), scope, u, c)
		if err != nil {
			t.Fatal(err)
		}
		return a.Generation
	}
	before := generation(user.AccountChange{Username: user.To("ann"), Phone: user.To("13800138000")})
	if got := generation(user.AccountChange{NewPassword: user.To("secret")}); before != 0 || got != 1 {
		t.Errorf("generations %d and %d", before, got)
	}
}

// TestVendorID: the id that a vendor gave the user, as orders need it; nothing of another vendor or field.
func TestVendorID(t *testing.T) {
	a := user.Account{Providers: `{"alt": {"user_id": "2088102534368455"}, "chat": {"openid": "o1"}}`}
	for _, c := range []struct{ vendor, field, want string }{
		{"alt", "user_id", "2088102534368455"}, {"chat", "openid", "o1"}, {"chat", "user_id", ""}, {"tpay", "openid", ""},
	} {
		if got := a.VendorID(c.vendor, c.field); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.field, c.vendor, got, c.want)
		}
	}
}
