package userdb_test

import (
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/message/messaging"
	"minicloud/shared/user/consent"
)

// TestCountsOpeningsOnce: each user counts once for a stats id and a vendor, in their own environment.
func TestCountsOpeningsOnce(t *testing.T) {
	s := &userdb.Openings{Client: dynamotest.Start(t, "UsersTable"), Table: "UsersTable"}
	for _, o := range []consent.Opening{
		{User: 5, Vendor: messaging.Chat, Stats: "spring"}, {User: 5, Vendor: messaging.Chat, Stats: "spring"},
		{User: 6, Vendor: messaging.Chat, Stats: "spring"}, {User: 5, Vendor: messaging.Tpay, Stats: "spring"},
		{User: 5, Vendor: messaging.Chat, Stats: "spring#2"},
	} {
		if err := s.AddOpening(t.Context(), scope, o, noon.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.CountOpenings(t.Context(), scope, "spring")
	if err != nil || got[messaging.Chat] != 2 || got[messaging.Tpay] != 1 || got[messaging.Alt] != 0 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := s.CountOpenings(t.Context(), other, "spring"); err != nil || got[messaging.Chat] != 0 {
		t.Errorf("another application: %v, %v", got, err)
	}
}
