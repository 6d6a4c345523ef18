package consoledb

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/compress"
	"minicloud/shared/console"
	"minicloud/shared/console/promotion"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Promotions is the promotion.Store, in the table of Store:
//
//	pk = promotion#<application>        sk = <id>   a promotion, swept by TTL
//	pk = promotion#<application>#<id>   sk = <n>    part n of what there was before, swept with it
type Promotions struct {
	Client *dynamodb.Client
	Table  string
}

var _ promotion.Store = (*Promotions)(nil)

// beforePart is how many bytes one item has of what there was before; an item ends at 400 KB.
const beforePart = 300 << 10

func promotionsPK(a tenant.AppID) string { return "promotion#" + strconv.FormatInt(int64(a), 10) }

func beforePK(r promotion.Record) string { return promotionsPK(r.App) + "#" + r.ID.Key() }

type promotionItem struct {
	SK       string `dynamodbav:"sk"`
	Record   []byte `dynamodbav:"promotion"` // compressed JSON
	Parts    int    `dynamodbav:"parts"`     // of what there was before
	Revision int64  `dynamodbav:"revision"`
	Expires  int64  `dynamodbav:"expires_at"` // Unix seconds
}

type beforeItem struct {
	Part    []byte `dynamodbav:"part"`
	Expires int64  `dynamodbav:"expires_at"` // Unix seconds
}

func expires(r promotion.Record) int64 { return time.Unix(r.CreatedAt, 0).Add(promotion.Kept).Unix() }

func packPromotion(r promotion.Record) ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("promotion %d: %w", r.ID, err)
	}
	return compress.Gzip(text), nil
}

// Insert is one write for each 300 KB of what there was before, and one for the promotion: it is there last.
func (s *Promotions) Insert(ctx context.Context, r promotion.Record, before []byte) error {
	parts := slices.Collect(slices.Chunk(before, beforePart))
	for n, part := range parts {
		it := dynamo.Encode(beforePK(r), strconv.Itoa(n), beforeItem{part, expires(r)})
		if _, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.Table, Item: it}); err != nil {
			return dynamo.Wrap("keep what was before a promotion", err)
		}
	}

	packed, err := packPromotion(r)
	if err != nil {
		return err
	}
	condition := dynamo.NotExists + " OR promotion = :record" // a try whose answer was lost
	_, err = s.Client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.Table, ConditionExpression: &condition,
		ExpressionAttributeValues: dynamo.Item{":record": dynamo.Binary(packed)},
		Item: dynamo.Encode(promotionsPK(r.App), r.ID.Key(), promotionItem{
			Record: packed, Parts: len(parts), Revision: r.Revision, Expires: expires(r),
		}),
	})
	if dynamo.ConditionFailed(err) {
		return errs.Conflict("this promotion is being made by another request")
	}
	return dynamo.Wrap("insert promotion", err)
}

// Update is one conditional write. What is there already was written by a try of this one whose answer was lost.
func (s *Promotions) Update(ctx context.Context, r promotion.Record) error {
	packed, err := packPromotion(r)
	if err != nil {
		return err
	}
	_, err = dynamo.UpdateItem(ctx, s.Client, dynamo.Update(s.Table, promotionsPK(r.App), r.ID.Key(),
		"SET promotion = :record, revision = :next", "revision = :old OR revision = :next AND promotion = :record",
		dynamo.Item{
			":record": dynamo.Binary(packed), ":next": dynamo.Number(r.Revision), ":old": dynamo.Number(r.Revision - 1),
		}))
	if dynamo.ConditionFailed(err) {
		return errs.Conflict("another request is at work on this promotion, try again")
	}
	return dynamo.Wrap("update promotion", err)
}

func (s *Promotions) get(ctx context.Context, a tenant.AppID, number id.ID) (promotionItem, error) {
	it, err := dynamo.Get[promotionItem](ctx, s.Client, s.Table, promotionsPK(a), number.Key())
	if errs.Is(err, errs.KindNotFound) {
		return it, errs.NotFound("promotion not found")
	}
	return it, err
}

// Promotion is one read.
func (s *Promotions) Promotion(ctx context.Context, a tenant.AppID, number id.ID) (promotion.Record, error) {
	it, err := s.get(ctx, a, number)
	if err != nil {
		return promotion.Record{}, err
	}
	return it.record(a)
}

func (it promotionItem) record(a tenant.AppID) (r promotion.Record, err error) {
	text, err := compress.Gunzip(it.Record)
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return r, fmt.Errorf("promotion %s: %w", it.SK, err)
	}
	number, _ := strconv.ParseInt(it.SK, 10, 64) // as Key wrote it
	r.ID, r.App, r.Revision = id.ID(number), a, it.Revision
	return r, nil
}

// Before is one read of the promotion, and one for each 300 KB.
func (s *Promotions) Before(ctx context.Context, r promotion.Record) (before []byte, err error) {
	it, err := s.get(ctx, r.App, r.ID)
	if err != nil {
		return nil, err
	}
	for n := range it.Parts {
		part, err := dynamo.Get[beforeItem](ctx, s.Client, s.Table, beforePK(r), strconv.Itoa(n))
		if err != nil {
			return nil, fmt.Errorf("what was before promotion %d: %w", r.ID, err)
		}
		before = append(before, part.Part...)
	}
	return before, nil
}

// Promotions is one query.
func (s *Promotions) Promotions(
	ctx context.Context, a tenant.AppID, req page.Request,
) (page.Page[promotion.Record], error) {
	got, skip := page.Page[promotion.Record]{Total: -1}, req.Offset
	if req.After != "" {
		skip = 0
	}
	_, last, err := bounds(console.AuditFilter{}, req.After)
	if err != nil {
		return got, err
	}

	query := dynamo.Query(s.Table, promotionsPK(a), id.ID(0).Key(), last.Key(), true, 0)
	for it, err := range dynamo.Items(ctx, s.Client, query) {
		if err != nil {
			return got, err
		}
		stored, err := dynamo.Decode[promotionItem](it)
		if err != nil {
			return got, err
		}
		if skip > 0 {
			skip--
			continue
		}
		if len(got.Objects) == req.Limit {
			got.Next = page.Cursor(got.Objects[req.Limit-1].ID.Key())
			return got, nil
		}
		record, err := stored.record(a)
		if err != nil {
			return got, err
		}
		got.Objects = append(got.Objects, record)
	}
	return got, nil
}
