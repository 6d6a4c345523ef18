package appdb_test

import (
	"testing"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/appdb"
)

// TestLostAnswers: a write repeated after a lost answer succeeds and has one effect.
func TestLostAnswers(t *testing.T) {
	lossy, ctx := &dynamotest.Lossy{}, t.Context()
	client := lossy.Over(dynamotest.Start(t, applicationsTable))
	s := &appdb.Applications{Client: client, Table: applicationsTable}
	a, _ := newApplication(t, client)
	handle := a.ClientID.Handle()
	for i, do := range []func() error{
		func() error { return s.ReplaceSecret(ctx, handle, "digest") },
		func() error { return s.ReplaceKey(ctx, handle, a.SigningKey, app.SigningKey("next"), issuedAt) },
		func() error { return s.AddEnvironment(ctx, handle, "test", "staging") },
		func() error { return s.RemoveEnvironment(ctx, handle, "test") },
	} {
		lossy.Cut.Store(true)
		if err := do(); err != nil || lossy.Lost != i+1 {
			t.Errorf("write %d: %v after %d lost answers", i, err, lossy.Lost)
		}
	}

	now, err := s.Application(ctx, a.ID)
	if err != nil || now.Generation != a.Generation+1 || string(now.SigningKey) != "next" {
		t.Errorf("%+v, %v", now, err)
	}
}
