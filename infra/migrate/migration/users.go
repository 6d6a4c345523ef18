package migration

import (
	"context"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
	"minicloud/shared/user/login"
	"minicloud/shared/user/phone"
	"minicloud/shared/user/session"
)

// accountOf returns the scope of an account and the id of its user; ok is false for other items.
func accountOf(it dynamo.Item) (scope tenant.Scope, id user.ID, ok bool, err error) {
	if dynamo.TextOf(it["sk"]) != "account" {
		return scope, 0, false, nil
	}
	scope, err = dynamo.ScopeOf(dynamo.TextOf(it["pk"]))
	return scope, user.ID(dynamo.IntegerOf(it["user_id"])), true, err
}

// UserNames claims the phones and the identities at vendors that users have had since before each of them belonged to
// one user. Without its claim, another user can take an identity, and loses it when the first one gives it up. A user whose
// phone or identity another user has is refused: only the application knows whose it is.
func UserNames(accounts *userdb.Accounts) Step {
	return func(ctx context.Context, it dynamo.Item, write bool) (outcome Outcome, err error) {
		scope, id, ok, err := accountOf(it)
		if !ok || err != nil {
			return Current, err
		}
		err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
			outcome, err = claim(ctx, accounts, scope, id, write)
			return err
		})
		if errs.Is(err, errs.KindDuplicate) || errs.Is(err, errs.KindInvalid) {
			return Refused, err
		}
		return outcome, err
	}
}

// claim claims what an account has without claims. It returns errs.Duplicate for a name of another user, and errs.Invalid
// for a phone that is none.
func claim(
	ctx context.Context, accounts *userdb.Accounts, scope tenant.Scope, id user.ID, write bool,
) (Outcome, error) {
	old, err := accounts.Account(ctx, scope, id)
	if err != nil {
		return Current, err
	}
	next := old
	if old.Phone != "" && old.PhoneKey == "" {
		if next.PhoneKey, err = phone.Key(identifier.PlainPhone(old.Phone)); err != nil {
			return Current, err
		}
	}

	var missing []identifier.Name
	for _, name := range next.Names() {
		owner, err := accounts.Owner(ctx, scope, name)
		switch {
		case err != nil:
			return Current, err
		case owner == 0:
			missing = append(missing, name)
		case owner != id:
			return Current, errs.Duplicate("%s of user %d belongs to user %d", name.Kind, id, owner)
		}
	}
	if next == old && len(missing) == 0 {
		return Current, nil
	}
	if !write {
		return Migrated, nil
	}
	next.Revision++
	return Migrated, accounts.Claim(ctx, scope, old, next, missing)
}

// TemporaryUsers adds the entries by which temporary users are deleted (client API, C9). A user without a session has had
// the last one before the last change of the account.
func TemporaryUsers(sessions *userdb.Sessions) Step {
	return func(ctx context.Context, it dynamo.Item, write bool) (Outcome, error) {
		scope, id, ok, err := accountOf(it)
		_, temporary := it["temporary"] // stored only if true
		if !ok || err != nil || !temporary {
			return Current, err
		}
		all, err := sessions.Sessions(ctx, scope, id)
		if err != nil {
			return Current, err
		}
		var last time.Time
		for _, one := range all {
			if one.ExpiresAt.After(last) {
				last = one.ExpiresAt
			}
		}
		if len(all) == 0 {
			last = time.Unix(dynamo.IntegerOf(it["updated_at"]), 0).Add(session.MaxLifetime)
		}

		entry := login.Expiry{Scope: scope, User: id, At: last.Add(login.KeepTemporary)}
		if known, err := sessions.Expires(ctx, entry); known || err != nil {
			return Current, err
		}
		if !write {
			return Migrated, nil
		}
		return Migrated, sessions.AddExpiry(ctx, entry)
	}
}
