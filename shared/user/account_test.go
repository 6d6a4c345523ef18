package user_test

import (
	"strings"
	"sync"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
)

func TestValidatesAccountValues(t *testing.T) {
	p := newPlatform(t)
	u := p.newUser(t, scope, nil)
	long := strings.Repeat("x", 5<<20)

	for _, c := range []struct {
		name   string
		change user.AccountChange
		want   string // fragment of the error, "" = accepted
	}{
		{"username", user.AccountChange{Username: user.To("Ann 安")}, ""},
		{"username of one character", user.AccountChange{Username: user.To("z")}, ""},
		{"empty username", user.AccountChange{Username: user.To("")}, "username"},
		{"username too long", user.AccountChange{Username: user.To(strings.Repeat("安", identifier.MaxUsername+1))}, "username"},
		{"username enormous", user.AccountChange{Username: user.To(long)}, "username"},
		{"username with spaces around", user.AccountChange{Username: user.To(" ann")}, "username"},
		{"username with a newline", user.AccountChange{Username: user.To("a\nb")}, "username"},
		{"username with a hidden mark", user.AccountChange{Username: user.To("a\u202eb")}, "username"},
		{"username of a hidden mark", user.AccountChange{Username: user.To("\u00ad")}, "username"},
		{"broken text", user.AccountChange{Username: user.To("a\ufffdb")}, "username"},
		{"email", user.AccountChange{Email: user.To("Ann.Lee+tag@mail.Example.com")}, ""},
		{"email of another script", user.AccountChange{Email: user.To("用户@例子.广告")}, ""},
		{"no at", user.AccountChange{Email: user.To("ann.example.com")}, "email"},
		{"display name", user.AccountChange{Email: user.To("Ann <ann@example.com>")}, "email"},
		{"two addresses", user.AccountChange{Email: user.To("a@example.com,b@example.com")}, "email"},
		{"quoted", user.AccountChange{Email: user.To(`"a b"@example.com`)}, "email"},
		{"no dot", user.AccountChange{Email: user.To("ann@localhost")}, "email"},
		{"address literal", user.AccountChange{Email: user.To("ann@[127.0.0.1]")}, "email"},
		{"numbers only", user.AccountChange{Email: user.To("ann@127.0.0.1")}, "email"},
		{"empty label", user.AccountChange{Email: user.To("ann@example..com")}, "email"},
		{"hyphen at the end", user.AccountChange{Email: user.To("ann@example-.com")}, "email"},
		{"underscore", user.AccountChange{Email: user.To("ann@exa_mple.com")}, "email"},
		{"header injection", user.AccountChange{Email: user.To("ann@example.com\r\nBcc: x@example.com")}, "email"},
		{"long local part", user.AccountChange{Email: user.To(strings.Repeat("a", 65) + "@example.com")}, "email"},
		{"email enormous", user.AccountChange{Email: user.To(long + "@example.com")}, "email"},
		{
			"email with a long fold",
			user.AccountChange{
				Email: user.To(
					strings.Repeat("\ufdfa", 20) + "@" + strings.Repeat("\ufdfa", 20) + "." + strings.Repeat("\ufdfa", 20) + ".com",
				),
			},
			"email",
		},
		{"username with a long fold", user.AccountChange{Username: user.To(strings.Repeat("\ufdfa", 128))}, "username"},
		{"empty email", user.AccountChange{Email: user.To("")}, "email"},
		{"phone, national", user.AccountChange{Phone: user.To("138 0013-8000")}, ""},
		{"phone, E.164", user.AccountChange{Phone: user.To("+14155552671")}, ""},
		{"phone of nobody", user.AccountChange{Phone: user.To("+8612")}, "phone"},
		{"phone too short", user.AccountChange{Phone: user.To("1380013800")}, "phone"},
		{"phone with letters", user.AccountChange{Phone: user.To("1-800-FLOWERS")}, "phone"},
		{"phone of another alphabet", user.AccountChange{Phone: user.To("１３８００１３８０００")}, "phone"},
		{"unknown country", user.AccountChange{Phone: user.To("+99913800138000")}, "phone"},
		{"phone enormous", user.AccountChange{Phone: user.To(strings.Repeat("1", 1<<20))}, "phone"},
		{"empty phone", user.AccountChange{Phone: user.To("")}, "phone"},
		{"password", user.AccountChange{NewPassword: user.To("密码密码密码")}, ""},
		{"longest password", user.AccountChange{NewPassword: user.To(strings.Repeat("安", 128))}, ""},
		{"short password", user.AccountChange{NewPassword: user.To("12345")}, "new_password"},
		{"long password", user.AccountChange{NewPassword: user.To(strings.Repeat("a", 129))}, "new_password"},
		{"no password", user.AccountChange{NewPassword: user.Edit{Given: true}}, "new_password"},
		{"nothing", user.AccountChange{}, ""},
	} {
		_, err := p.ChangeAccount(t.Context(), scope, u, c.change)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (!errs.Is(err, errs.KindInvalid) || !strings.Contains(errs.Message(err), c.want) ||
			len(errs.Message(err)) > 200):
			t.Errorf("%s: %v, want an invalid %s", c.name, err, c.want)
		}
	}

	_, err := p.ChangeAccount(t.Context(), scope, u+1, user.AccountChange{Username: user.To("someone")})
	wantKind(t, "unknown user", err, errs.KindNotFound)
	_, err = p.ChangeAccount(t.Context(), other, u, user.AccountChange{Username: user.To("someone")})
	wantKind(t, "another application's user", err, errs.KindNotFound)
}

// TestRefusesPhonesWithoutParser uses a service without a parser of phone numbers.
func TestRefusesPhonesWithoutParser(t *testing.T) {
	p := newPlatform(t)
	u := p.newUser(t, scope, nil)
	if _, err := p.ChangeAccount(t.Context(), scope, u, user.AccountChange{Phone: user.To("13800138000")}); err != nil {
		t.Fatal(err)
	}
	p.Phones = nil
	_, err := p.ChangeAccount(t.Context(), scope, u, user.AccountChange{Phone: user.To("13800138001")})
	wantKind(t, "set", err, errs.KindInvalid)
	_, err = p.Verify(t.Context(), scope, u, "13800138000")
	wantKind(t, "verify", err, errs.KindInvalid)
	a, err := p.ChangeAccount(t.Context(), scope, u, user.AccountChange{Phone: user.Edit{Given: true}, Username: user.To("ann")})
	if err != nil || a.Phone != "" || a.Username != "ann" {
		t.Errorf("reset: %+v, %v", a, err)
	}
}

func TestNamesAreUniquePerEnvironment(t *testing.T) {
	p := newPlatform(t)
	ann, bob := p.newUser(t, scope, nil), p.newUser(t, scope, nil)
	stranger := p.newUser(t, other, nil)
	change := func(u user.ID, c user.AccountChange) error {
		t.Helper()
		_, err := p.ChangeAccount(t.Context(), scope, u, c)
		return err
	}

	wantKind(
		t, "first", change(ann, user.AccountChange{Username: user.To("Straße"), Email: user.To("Ann@Example.com")}), "",
	)
	for _, taken := range []string{"straße", "STRASSE", "strasse", "ＳＴＲＡＳＳＥ"} {
		err := change(bob, user.AccountChange{Username: user.To(taken)})
		wantKind(t, taken, err, errs.KindDuplicate)
		if !strings.Contains(errs.Message(err), "username") {
			t.Errorf("%q does not name the username", errs.Message(err))
		}
	}

	err := change(bob, user.AccountChange{Username: user.To("bob"), Email: user.To("aNN@eXample.COM")})
	wantKind(t, "email of another", err, errs.KindDuplicate)
	if !strings.Contains(errs.Message(err), "email") {
		t.Errorf("%q does not name the email", errs.Message(err))
	}
	if a, err := p.Account(t.Context(), scope, bob); err != nil || a.Username != "" {
		t.Errorf("a refused change left %+v, %v", a, err)
	}
	wantKind(
		t, "own name in another case",
		change(ann, user.AccountChange{Username: user.To("STRASSE"), Email: user.To("ann@example.com")}), "",
	)
	_, err = p.ChangeAccount(
		t.Context(), other, stranger, user.AccountChange{Username: user.To("straße"), Email: user.To("ann@example.com")},
	)
	wantKind(t, "another application", err, "")
	wantKind(t, "reset", change(ann, user.AccountChange{Username: user.Edit{Given: true}, Email: user.Edit{Given: true}}), "")
	wantKind(
		t, "free again", change(bob, user.AccountChange{Username: user.To("strasse"), Email: user.To("ann@example.com")}),
		"",
	)
	wantKind(t, "renamed", change(bob, user.AccountChange{Username: user.To("bob")}), "")
	wantKind(t, "freed by renaming", change(ann, user.AccountChange{Username: user.To("Strasse")}), "")
	wantKind(t, "the other's", change(ann, user.AccountChange{Username: user.To("BOB")}), errs.KindDuplicate)
}

func TestChangedValuesAreUnverified(t *testing.T) {
	p := newPlatform(t)
	u := p.newUser(t, scope, nil)
	ctx := t.Context()
	set := func(c user.AccountChange) user.Account {
		t.Helper()
		a, err := p.ChangeAccount(ctx, scope, u, c)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}

	set(user.AccountChange{Email: user.To("ann@example.com"), Phone: user.To("13800138000")})
	_, err := p.Verify(ctx, scope, u, "bob@example.com")
	wantKind(t, "verify another email", err, errs.KindInvalid)
	for _, value := range []string{"Ann@example.com", "+8613800138000"} {
		if _, err := p.Verify(ctx, scope, u, value); err != nil {
			t.Fatal(err)
		}
	}

	a := set(user.AccountChange{Email: user.To("ANN@example.com"), Phone: user.To("+86 138 0013 8000")})
	if !a.EmailVerified || !a.PhoneVerified || a.Email != "ANN@example.com" || a.Phone != "+8613800138000" {
		t.Errorf("the same values again: %+v", a)
	}
	a = set(user.AccountChange{Email: user.To("ann@example.org")})
	if a.EmailVerified || !a.PhoneVerified {
		t.Errorf("a new email: %+v", a)
	}
	a = set(user.AccountChange{Phone: user.To("13800138001")})
	if a.PhoneVerified {
		t.Errorf("a new phone: %+v", a)
	}
	a = set(user.AccountChange{Phone: user.Edit{Given: true}, Email: user.Edit{Given: true}})
	if a.Phone != "" || a.Email != "" || a.PhoneVerified || a.EmailVerified {
		t.Errorf("reset: %+v", a)
	}
}

func TestConcurrentAccountChangesAreKept(t *testing.T) {
	p := newPlatform(t)
	u := p.newUser(t, scope, nil)
	changes := []user.AccountChange{
		{Username: user.To("ann")}, {Email: user.To("ann@example.com")}, {Phone: user.To("13800138000")},
		{NewPassword: user.To("secret")},
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if _, err := p.ChangeAccount(t.Context(), scope, u, changes[i%4]); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()

	a, err := p.Account(t.Context(), scope, u)
	if err != nil || a.Username != "ann" || a.Email != "ann@example.com" || a.Phone != "13800138000" {
		t.Errorf("%+v, %v", a, err)
	}
	if ok, err := p.Passwords.Matches(t.Context(), a.Password, "secret"); err != nil || !ok {
		t.Errorf("password: %t, %v", ok, err)
	}
}
