package consoledb_test

import (
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/console"
	"minicloud/shared/errs"
)

func (p *platform) verify(cookie console.Cookie) bool {
	p.Helper()
	_, _, err := p.Verify(p.Context(), cookie)
	if err != nil && !errs.Is(err, errs.KindUnauthenticated) {
		p.Error(err)
	}
	return err == nil
}

// TestExpiredSessionsDoNotCount: an expired session is invalid before DynamoDB deletes it.
func TestExpiredSessionsDoNotCount(t *testing.T) {
	p := newPlatform(t)
	ada := p.account("ada", console.Owner)
	cookie, session, err := p.signIn("ada")
	p.must(err)
	p.later(console.SessionIdle - time.Second)
	if !p.verify(cookie) {
		t.Error("it is over before its time")
	}
	p.later(console.SessionIdle)
	if p.verify(cookie) {
		t.Error("it is good after 12 hours without a request")
	}
	all, err := p.store.Sessions(t.Context(), ada.ID)
	if err != nil || len(all) != 1 || all[0].Digest != session.Digest {
		t.Errorf("the test's session was swept: %v, %v", all, err)
	}

	// A session ends after seven days even if it is used all the time.
	begun := p.Clock()
	cookie, _, err = p.signIn("ada")
	p.must(err)
	for p.Clock().Before(begun.Add(console.SessionMost - 10*time.Hour)) {
		p.later(10 * time.Hour)
		if !p.verify(cookie) {
			t.Fatalf("it is over after %v", p.Clock().Sub(begun))
		}
	}
	p.at(begun.Add(console.SessionMost))
	if p.verify(cookie) {
		t.Error("it is good after seven days")
	}
}

// TestEndedSessionsStayEnded: a concurrent request does not restore a session.
func TestEndedSessionsStayEnded(t *testing.T) {
	p := newPlatform(t)
	p.account("owner", console.Owner)
	ada := p.account("ada", console.Viewer)
	cookie, session, err := p.signIn("ada")
	p.must(err)
	p.must(p.SignOut(t.Context(), session))
	p.must(p.store.TouchSession(t.Context(), session))
	if all, err := p.store.Sessions(t.Context(), ada.ID); p.verify(cookie) || err != nil || len(all) != 0 {
		t.Errorf("a request that came late brought it back: %v, %v", all, err)
	}

	cookie, session, err = p.signIn("ada")
	p.must(err)
	p.must(p.Delete(t.Context(), ada.ID))
	if p.verify(cookie) {
		t.Error("the session of an account that was removed is good")
	}
	if all, err := p.store.Sessions(t.Context(), ada.ID); err != nil || len(all) != 0 {
		t.Errorf("sessions of nobody: %v, %v", all, err)
	}
	if err := p.store.InsertSession(t.Context(), session, ada.Password); !errs.Is(err, errs.KindConflict) {
		t.Errorf("a sign-in that was on its way: %v", err)
	}
}

// TestOldPasswordOpensNoSession: a sign-in with the old password during a change gets no session, or one that the
// change ends.
func TestOldPasswordOpensNoSession(t *testing.T) {
	p := newPlatform(t)
	ada := p.account("ada", console.Owner)
	_, mine, err := p.signIn("ada")
	p.must(err)
	begun := func(i int) console.Session {
		return console.Session{
			Account: ada.ID, Digest: app.DigestOf(string(rune('a' + i))), CreatedAt: p.Clock(), SeenAt: p.Clock(),
		}
	}
	got := atOnce(12, func(i int) error {
		if i == 5 {
			return p.ChangePassword(t.Context(), mine, secret, "another one altogether")
		}
		time.Sleep(time.Duration(8*i) * time.Millisecond) // at each stage of the change
		err := p.store.InsertSession(t.Context(), begun(i), ada.Password)
		if errs.Is(err, errs.KindConflict) {
			err = nil
		}
		return err
	})
	if got[nil] != 12 {
		t.Fatalf("%v", got)
	}
	left, err := p.store.Sessions(t.Context(), ada.ID)
	if err != nil || len(left) != 1 || left[0].Digest != mine.Digest {
		t.Errorf("%d sessions are left, %v: want the one that changed the password", len(left), err)
	}
	if err := p.store.InsertSession(t.Context(), begun(99), ada.Password); !errs.Is(err, errs.KindConflict) {
		t.Errorf("who began with the password before: %v", err)
	}
}

// TestFinishesHalfChangedPassword: the password is stored, but ending the other sessions fails. The repeated request
// completes the change, although the old password is no longer valid.
func TestFinishesHalfChangedPassword(t *testing.T) {
	p := newPlatform(t)
	ada := p.account("ada", console.Owner)
	_, mine, err := p.signIn("ada")
	p.must(err)
	elsewhere, _, err := p.signIn("ada")
	p.must(err)

	const next = "another one altogether"
	busy := p.on(dynamotest.Faulty(p.client, times(6, "Query", dynamotest.Throttled)))
	if err := busy.ChangePassword(t.Context(), mine, secret, next); !errs.Is(err, errs.KindUnavailable) {
		t.Fatalf("throttled: %v", err)
	}
	if !p.verify(elsewhere) || p.read(ada).Revision != 2 {
		t.Fatal("the test has not changed half of it")
	}
	p.must(busy.ChangePassword(t.Context(), mine, secret, next))
	if p.verify(elsewhere) {
		t.Error("the other session goes on")
	}
	if err := p.ChangePassword(t.Context(), mine, secret, "a third one altogether"); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("with the password before: %v", err)
	}
}
