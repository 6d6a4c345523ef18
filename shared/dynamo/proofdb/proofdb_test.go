package proofdb_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/proofdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/proof/smscode"
	"minicloud/shared/tenant"
	"minicloud/shared/user/login"
)

var (
	shop       = tenant.Scope{App: 7, Env: tenant.Production}
	bank       = tenant.Scope{App: 8, Env: tenant.Production}
	noon       = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	errRefused = errs.Invalid("spent")
)

func proof(k smscode.Kept, by string) login.Proof {
	return login.Proof{Key: k.ProofKey(), ID: k.ID, By: by, Refused: errRefused}
}

// TestCodeIsSpentOnce: a code is spent once, in its environment, after a few tries; the request that spent it succeeds
// again, and a later code replaces it.
func TestCodeIsSpentOnce(t *testing.T) {
	s, ctx := &proofdb.Codes{Client: dynamotest.Start(t, "UsersTable"), Table: "UsersTable"}, t.Context()
	kept := smscode.Kept{ID: "c", Phone: "+492", User: 5, Hash: []byte("hash"), Key: []byte("key"), Expires: noon.Add(time.Minute)}
	if _, err := s.TryCode(ctx, shop, kept.Phone, noon); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("a code that was never sent: %v", err)
	}
	if err := s.SpendCode(ctx, shop, proof(kept, "one")); !errors.Is(err, errRefused) {
		t.Errorf("spent before it was sent: %v", err)
	}
	if err := s.PutCode(ctx, shop, kept); err != nil {
		t.Fatal(err)
	}
	if _, err := s.TryCode(ctx, bank, kept.Phone, noon); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("another application: %v", err)
	}
	if err := s.SpendCode(ctx, bank, proof(kept, "one")); !errors.Is(err, errRefused) {
		t.Errorf("another application spends it: %v", err)
	}
	if err := s.SpendCode(ctx, shop, proof(kept, "one")); err != nil {
		t.Fatal(err)
	}
	spent, err := s.TryCode(ctx, shop, kept.Phone, noon)
	if err != nil || spent.Spent != "one" || spent.User != 5 || s.SpendCode(ctx, shop, proof(kept, "one")) != nil ||
		!errors.Is(s.SpendCode(ctx, shop, proof(kept, "two")), errRefused) {
		t.Errorf("%+v, %v", spent, err)
	}

	next := kept
	next.ID = "d"
	if err := s.PutCode(ctx, shop, next); err != nil {
		t.Fatal(err)
	}
	if err := s.SpendCode(ctx, shop, proof(kept, "one")); !errors.Is(err, errRefused) {
		t.Errorf("a code that was replaced: %v", err)
	}
	if _, err := s.TryCode(ctx, shop, kept.Phone, kept.Expires); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("a code that is over: %v", err)
	}
	for range smscode.MaxTries {
		if _, err := s.TryCode(ctx, shop, kept.Phone, noon); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.TryCode(ctx, shop, kept.Phone, noon); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("one try more: %v", err)
	}
}

// TestReturnsDatabaseErrors: whichever call fails, its error is returned, and a damaged item is an error.
func TestReturnsDatabaseErrors(t *testing.T) {
	client, ctx, n := dynamotest.Start(t, "UsersTable"), t.Context(), 0
	dynamotest.FailEach(t, client, func(c *dynamodb.Client) error {
		n++
		s, kept := &proofdb.Codes{Client: c, Table: "UsersTable"}, smscode.Kept{ID: "c", Phone: fmt.Sprint("+49", n), Expires: noon.Add(time.Hour)}
		if err := s.PutCode(ctx, shop, kept); err != nil {
			return err
		}
		if tried, err := s.TryCode(ctx, shop, kept.Phone, noon); err != nil || !tried.Expires.Equal(kept.Expires) {
			return errors.Join(err, fmt.Errorf("%+v", tried))
		}
		return s.SpendCode(ctx, shop, proof(kept, "one"))
	})

	damaged := dynamo.Key(userdb.ProofPK(shop, "number#+491"), userdb.ProofSK)
	damaged["secret_id"], damaged["valid_until"] = dynamo.Number(1), dynamo.Number(noon.Add(time.Minute).UnixMilli())
	if _, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: new("UsersTable"), Item: damaged}); err != nil {
		t.Fatal(err)
	}
	if code, err := (&proofdb.Codes{Client: client, Table: "UsersTable"}).TryCode(ctx, shop, "+491", noon); err == nil {
		t.Errorf("%+v", code)
	}
}

// TestLostAnswerOfSpending: a secret is spent although the answer to the first attempt is lost, and only once.
func TestLostAnswerOfSpending(t *testing.T) {
	lossy, ctx := &dynamotest.Lossy{}, t.Context()
	s := &proofdb.WebLogins{Client: lossy.Over(dynamotest.Start(t, "UsersTable")), Table: "UsersTable"}
	if err := s.PutSecret(ctx, shop, "state", []byte("value"), noon.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	lossy.Cut.Store(true)
	if value, err := s.SpendSecret(ctx, shop, "state", noon); err != nil || string(value) != "value" || lossy.Lost != 1 {
		t.Errorf("%q, %v after %d lost answers", value, err, lossy.Lost)
	}
	if _, err := s.SpendSecret(ctx, shop, "state", noon); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("once more: %v", err)
	}
}
