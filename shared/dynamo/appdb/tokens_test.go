package appdb_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/oauth"
)

const applicationsTable = "ApplicationsTable"

var issuedAt = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func newApplication(t *testing.T, client *dynamodb.Client) (app.Application, oauth.Credentials) {
	t.Helper()
	apps := &app.Service{
		Store: &appdb.Applications{Client: client, Table: applicationsTable},
		IDs:   &id.Source{}, Clock: clock.Fixed(issuedAt),
	}
	a, secret, err := apps.Create(t.Context(), "demo", app.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	return a, oauth.Credentials{ClientID: a.ClientID, Secret: secret}
}

// TestTokenFlowStoresNoSecrets calls endpoints 10–12, counts the database calls of each step, and then searches the
// table for every secret.
func TestTokenFlowStoresNoSecrets(t *testing.T) {
	client := dynamotest.Record(dynamotest.Start(t, applicationsTable))
	a, c := newApplication(t, client.Client)
	tokens := &appdb.Tokens{Client: client.Client, Table: applicationsTable}
	service := &oauth.Service{Store: tokens, Clock: clock.Fixed(issuedAt), Log: slog.New(slog.DiscardHandler)}
	auth := &oauth.Authenticator{Store: tokens, Clock: clock.Fixed(issuedAt)}
	client.Take()

	secrets := []string{c.Secret}
	var ticket, code string
	var pair oauth.Tokens
	for _, step := range []struct {
		name  string
		do    func() error
		calls []string
	}{
		{
			"10, POST", func() (err error) { ticket, err = service.Begin(t.Context(), c); return },
			[]string{"GetItem", "PutItem"},
		},
		{"10, first ticket", func() error {
			step, err := service.Continue(t.Context(), ticket)
			ticket = step.Ticket
			return err
		}, []string{"UpdateItem", "PutItem"}},
		{"10, second ticket", func() error {
			step, err := service.Continue(t.Context(), ticket)
			code = step.Code
			return err
		}, []string{"UpdateItem", "PutItem"}},
		{
			"11", func() (err error) { pair, err = service.Exchange(t.Context(), c, code); return },
			[]string{"BatchGetItem", "TransactWriteItems"},
		},
		{"12", func() (err error) {
			secrets = append(secrets, pair.Access, pair.Refresh)
			pair, err = service.Refresh(t.Context(), c, pair.Refresh)
			return
		}, []string{"BatchGetItem", "TransactWriteItems"}},
		{
			"authentication", func() error { _, err := auth.Authenticate(t.Context(), pair.Access); return err },
			[]string{"BatchGetItem"},
		},
		{"authentication of nonsense", func() error { _, _ = auth.Authenticate(t.Context(), "x"); return nil }, nil},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if diff := cmp.Diff(step.calls, client.Take()); diff != "" {
			t.Errorf("%s: calls %s", step.name, diff)
		}
		secrets = append(secrets, ticket, code)
	}
	items := scan(t, client.Client)
	expiring := 0
	for _, it := range items {
		for name, value := range it {
			s, _ := value.(*types.AttributeValueMemberS)
			for _, secret := range append(secrets, pair.Access, pair.Refresh) {
				if secret != "" && s != nil && strings.Contains(s.Value, secret) {
					t.Errorf("%s holds a secret", name)
				}
			}
		}
		if _, ok := it["expires_at"].(*types.AttributeValueMemberN); ok {
			expiring++
		}
	}
	// The application, the item that maps its id to its handle, and its list entry do not expire; 2 tickets, 1 code and
	// 2 token pairs do.
	if len(items) != 10 || expiring != 7 {
		t.Errorf("%d items, %d of them expire", len(items), expiring)
	}
	if a.ClientID.Handle() == "" {
		t.Error("no handle")
	}
}

func scan(t *testing.T, client *dynamodb.Client) []map[string]types.AttributeValue {
	t.Helper()
	out, err := client.Scan(
		t.Context(), &dynamodb.ScanInput{TableName: aws.String(applicationsTable), ConsistentRead: aws.Bool(true)},
	)
	if err != nil {
		t.Fatal(err)
	}
	return out.Items
}

func TestRepeatedTicketWriteSucceeds(t *testing.T) {
	store := &appdb.Tokens{Client: dynamotest.Start(t, applicationsTable), Table: applicationsTable}
	ticket := oauth.Record{
		Kind: oauth.KindTicket, Digest: app.DigestOf("t"), Stage: 1, Secret: "s", ExpiresAt: issuedAt.Add(time.Minute),
	}
	if err := store.Insert(t.Context(), "0123456789", ticket); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		claim string
		now   time.Time
		kind  errs.Kind
	}{
		{"a", issuedAt.Add(time.Minute), errs.KindNotFound}, // expired
		{"a", issuedAt, ""},
		{"a", issuedAt, ""}, // the SDK's retry after a lost answer
		{"b", issuedAt, errs.KindNotFound},
	} {
		got, err := store.SpendTicket(t.Context(), "0123456789", ticket.Digest, c.claim, c.now)
		if errs.KindOf(err) != c.kind {
			t.Errorf("claim %q at %v: %v, want kind %q", c.claim, c.now, err, c.kind)
		}
		if err == nil {
			if diff := cmp.Diff(ticket, got); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// TestRotatesAtomically: a failed rotation stores nothing, whatever the reason of the failure.
func TestRotatesAtomically(t *testing.T) {
	client := dynamotest.Start(t, applicationsTable)
	store := &appdb.Tokens{Client: client, Table: applicationsTable}
	code := func(name string) oauth.Record {
		return oauth.Record{
			Kind: oauth.KindCode, Digest: app.DigestOf(name), Secret: "s", ExpiresAt: issuedAt.Add(time.Minute),
		}
	}
	token := func(kind oauth.Kind, name string, generation int) oauth.Record {
		return oauth.Record{
			Kind: kind, Digest: app.DigestOf(name), Generation: generation, Grant: app.DigestOf("code"),
			ExpiresAt: issuedAt.Add(time.Hour),
		}
	}
	for name, spoil := range map[string]func(t *testing.T, h app.Handle, r *oauth.Rotation){
		"generation moved": func(t *testing.T, h app.Handle, r *oauth.Rotation) {
			if err := store.RevokeAll(t.Context(), h); err != nil {
				t.Fatal(err)
			}
		},
		"grant revoked": func(t *testing.T, h app.Handle, r *oauth.Rotation) {
			if err := store.RevokeGrant(t.Context(), h, r.Spent.Grant); err != nil {
				t.Fatal(err)
			}
		},
		// The revoking process dies before it deletes the tokens.
		"grant revoked, tokens there": func(t *testing.T, h app.Handle, r *oauth.Rotation) {
			ctx, die := context.WithCancel(t.Context())
			dying := &appdb.Tokens{Table: applicationsTable, Client: dynamotest.Faulty(client, func(operation string) dynamotest.Fault {
				if operation == "DeleteItem" {
					die()
					return dynamotest.Unsent
				}
				return 0
			})}
			if err := dying.RevokeGrant(ctx, h, r.Spent.Grant); err == nil {
				t.Fatal("the tokens were deleted")
			}
		},
		"refresh token gone": func(t *testing.T, h app.Handle, r *oauth.Rotation) { r.Spent.Digest = app.DigestOf("other") },
		"code gone":          func(t *testing.T, h app.Handle, r *oauth.Rotation) { r.Spent.Grant = app.DigestOf("other") },
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := newApplication(t, client)
			h := a.ClientID.Handle()
			if err := store.Insert(t.Context(), h, code("code")); err != nil {
				t.Fatal(err)
			}
			first := oauth.Redemption{
				Code: app.DigestOf("code"), Now: issuedAt, Access: token(oauth.KindAccess, "a1", 1),
				Refresh: token(oauth.KindRefresh, "r1", 1),
			}
			if err := store.Redeem(t.Context(), h, first); err != nil {
				t.Fatal(err)
			}
			if err := store.Redeem(t.Context(), h, first); !errs.Is(err, errs.KindConflict) {
				t.Errorf("redeemed twice: %v", err)
			}
			rotation := oauth.Rotation{
				Spent: first.Refresh, Salt: "x", Now: issuedAt, Access: token(oauth.KindAccess, "a2", 2),
				Refresh: token(oauth.KindRefresh, "r2", 2),
			}
			spoil(t, h, &rotation)
			before := generation(t, store, h)
			if err := store.Rotate(t.Context(), h, rotation); !errs.Is(err, errs.KindConflict) {
				t.Errorf("rotated: %v", err)
			}
			if after := generation(t, store, h); after != before {
				t.Errorf("generation %d → %d", before, after)
			}
			for _, r := range []oauth.Record{rotation.Access, rotation.Refresh} {
				if _, got, err := store.ClientAndToken(t.Context(), h, r.Kind, r.Digest); err != nil || got.Kind != "" {
					t.Errorf("the new %s token: %+v, %v", r.Kind, got, err)
				}
			}
		})
	}
}

func generation(t *testing.T, store *appdb.Tokens, h app.Handle) int {
	t.Helper()
	a, err := store.ByHandle(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	return a.Generation
}

func TestRevokesMissingTokens(t *testing.T) {
	client := dynamotest.Start(t, applicationsTable)
	store := &appdb.Tokens{Client: client, Table: applicationsTable}
	a, _ := newApplication(t, client)
	before := len(scan(t, client))
	if err := store.RevokeGrant(t.Context(), a.ClientID.Handle(), app.DigestOf("x")); err != nil {
		t.Error(err)
	}
	if _, _, err := store.ClientAndToken(
		t.Context(), "ffffffffff", oauth.KindAccess, "x",
	); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("unknown handle: %v", err)
	}
	if err := store.RevokeAll(t.Context(), "ffffffffff"); err == nil ||
		!strings.Contains(err.Error(), "ConditionalCheckFailed") {
		t.Errorf("an unknown client is revoked: %v", err)
	}
	if after := len(scan(t, client)); after != before {
		t.Errorf("%d items, then %d", before, after)
	}
}

func TestAnswersUnavailableWithoutServer(t *testing.T) {
	client := dynamodb.New(dynamotest.Start(t, applicationsTable).Options(), func(o *dynamodb.Options) {
		o.BaseEndpoint = aws.String("http://127.0.0.1:1")
		o.RetryMaxAttempts = 1
	})
	store := &appdb.Tokens{Client: client, Table: applicationsTable}
	_, _, err := store.ClientAndToken(t.Context(), "0123456789", oauth.KindAccess, "x")
	if !errs.Is(err, errs.KindUnavailable) || errs.RetryAfter(err) != 1 {
		t.Errorf("%v, want unavailable for 1 s", err)
	}
}
