package consoledb

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"minicloud/shared/compress"
	"minicloud/shared/console"
	"minicloud/shared/console/promotion"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Promotions implements promotion.Store, in the table of Store:
//
//	pk = promotion#<application>        sk = <id>   a promotion, swept by TTL
//	pk = promotion#<application>#<id>   sk = <n>    part n of the state before, swept with it
type Promotions struct {
	Client *dynamo.Client
	Table  string
}

func promotionsPK(a tenant.AppID) string { return "promotion#" + strconv.FormatInt(int64(a), 10) }

func beforePK(r promotion.Record) string { return promotionsPK(r.App) + "#" + r.ID.Key() }

type promotionItem struct {
	SK       string `dynamodbav:"sk"`
	Record   []byte `dynamodbav:"promotion"` // compressed JSON
	Parts    int    `dynamodbav:"parts"`     // number of parts of the state before
	Revision int64  `dynamodbav:"revision"`
	Expires  int64  `dynamodbav:"expires_at"` // Unix seconds
}

// Insert makes one write per 300 KB of the state before, then writes the promotion, so that a stored promotion is
// complete.
func (s *Promotions) Insert(ctx context.Context, r promotion.Record, before []byte) error {
	expires := time.Unix(r.CreatedAt, 0).Add(promotion.Kept)
	parts := dynamo.Chunks(s.Table, beforePK(r), strconv.Itoa, before, expires)
	for _, part := range parts {
		if err := dynamo.Do(ctx, s.Client, "keep what was before a promotion", nil, part); err != nil {
			return err
		}
	}

	packed := compress.Gzip(dynamo.JSON(r))
	it := dynamo.Encode(promotionsPK(r.App), r.ID.Key(), promotionItem{
		Record: packed, Parts: len(parts), Revision: r.Revision, Expires: expires.Unix(),
	})
	condition := dynamo.NotExists + " OR promotion = :record" // written by a try whose answer was lost
	return dynamo.Do(ctx, s.Client, "insert promotion",
		errs.Conflict("this promotion is being made by another request"),
		dynamo.Put(s.Table, it, condition, dynamo.Item{":record": dynamo.Binary(packed)}))
}

// Update makes one conditional write. It also succeeds if an earlier try whose answer was lost has written an equal
// record.
func (s *Promotions) Update(ctx context.Context, r promotion.Record) error {
	packed := compress.Gzip(dynamo.JSON(r))
	refused := errs.Conflict("another request is at work on this promotion, try again")
	return dynamo.Do(ctx, s.Client, "update promotion", refused, dynamo.Update(s.Table, promotionsPK(r.App), r.ID.Key(),
		"SET promotion = :record, revision = :next", "revision = :old OR revision = :next AND promotion = :record",
		dynamo.Item{
			":record": dynamo.Binary(packed), ":next": dynamo.Number(r.Revision), ":old": dynamo.Number(r.Revision - 1),
		}))
}

func (s *Promotions) get(ctx context.Context, a tenant.AppID, number id.ID) (promotionItem, error) {
	return dynamo.Get[promotionItem](ctx, s.Client, s.Table, promotionsPK(a), number.Key(),
		errs.NotFound("promotion not found"))
}

// Promotion makes one read.
func (s *Promotions) Promotion(ctx context.Context, a tenant.AppID, number id.ID) (promotion.Record, error) {
	it, err := s.get(ctx, a, number)
	if err != nil {
		return promotion.Record{}, err
	}
	return it.record(a)
}

func (it promotionItem) record(a tenant.AppID) (r promotion.Record, err error) {
	if err := compress.ReadJSON(it.Record, &r); err != nil {
		return r, fmt.Errorf("promotion %s: %w", it.SK, err)
	}
	number, _ := strconv.ParseInt(it.SK, 10, 64) // always written by ID.Key
	r.ID, r.App, r.Revision = id.ID(number), a, it.Revision
	return r, nil
}

// Before makes one read of the promotion, and one per 300 KB of the state before it.
func (s *Promotions) Before(ctx context.Context, r promotion.Record) ([]byte, error) {
	it, err := s.get(ctx, r.App, r.ID)
	if err != nil {
		return nil, err
	}
	return dynamo.ReadChunks(ctx, s.Client, s.Table, beforePK(r), strconv.Itoa, it.Parts)
}

// Promotions makes one Query.
func (s *Promotions) Promotions(
	ctx context.Context, a tenant.AppID, req page.Request,
) (page.Page[promotion.Record], error) {
	_, last, err := bounds(console.AuditFilter{}, req.After)
	if err != nil {
		return page.Page[promotion.Record]{Total: -1}, err
	}
	query := dynamo.Query(s.Table, promotionsPK(a), id.ID(0).Key(), last.Key(), true, 0)
	records := dynamo.Decoded(dynamo.Items(ctx, s.Client, query), func(av dynamo.Item) (r promotion.Record, err error) {
		it, err := dynamo.Decode[promotionItem](av)
		if err == nil {
			r, err = it.record(a)
		}
		return r, err
	})
	return page.Collect(req, records, nil, func(r promotion.Record) page.Cursor {
		return page.Cursor(r.ID.Key())
	})
}
