package userdb

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/user/consent"
)

// Openings implements consent.OpeningStore. One item per user makes repeats harmless and needs no counter, on which the
// users of a large campaign would wait for each other; a count reads them all, which is rare:
//
//	pk = <scope>#opened#<stats id>   sk = <vendor>#<user>
type Openings struct {
	Client *dynamo.Client
	Table  string
}

func openedPK(scope tenant.Scope, stats string) string { return scope.String() + "#opened#" + stats }

// AddOpening makes one PutItem.
func (s *Openings) AddOpening(ctx context.Context, scope tenant.Scope, o consent.Opening, expires time.Time) error {
	item := dynamo.Key(openedPK(scope, o.Stats), fmt.Sprintf("%s#%d", o.Vendor, o.User))
	item["expires_at"] = dynamo.Instant(expires)
	return dynamo.Wrap("store an opening", dynamo.Write(ctx, s.Client, dynamo.Put(s.Table, item, "", nil)))
}

// CountOpenings makes one Query per vendor, and more for each MB of items: about 10,000 users.
func (s *Openings) CountOpenings(
	ctx context.Context, scope tenant.Scope, stats string,
) (map[messaging.Vendor]int, error) {
	counts := map[messaging.Vendor]int{}
	for _, v := range messaging.Vendors {
		n, err := dynamo.Count(ctx, s.Client, dynamo.Query(
			s.Table, openedPK(scope, stats), string(v)+"#", string(v)+"#\x7f", false, 0,
		))
		if err != nil {
			return nil, err
		}
		counts[v] = n
	}
	return counts, nil
}
