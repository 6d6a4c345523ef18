// Package people generates users whose names, places and custom fields resemble real users of mini-programs. The same
// seed generates the same users.
package people

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// columns are the custom fields of generated users.
var columns = []table.Column{
	{Column: value.Column{Name: "level", Type: value.Integer, Indexed: true}, Description: "1 to 60, most are low"},
	{Column: value.Column{Name: "points", Type: value.Integer}, Description: "collected so far"},
	{Column: value.Column{Name: "vip", Type: value.Boolean}, Description: "one in ten"},
	{Column: value.Column{Name: "tags", Type: value.Array, Items: value.String}, Description: "what they like"},
	{Column: value.Column{Name: "birthday", Type: value.Date}},
	{Column: value.Column{Name: "about", Type: value.String}, Description: "a sentence about themselves"},
	{Column: value.Column{Name: "settings", Type: value.Object}},
}

// Prepare adds the custom fields to the users of an environment and returns their table. If there are no users yet,
// the indexes are complete at once.
func Prepare(
	ctx context.Context, schemas table.TableStore, rows table.RowStore, scope tenant.Scope, now time.Time,
) (table.Table, error) {
	tables := &manage.Service{Schemas: schemas, Rows: rows, Worker: nobody{}, Clock: func() time.Time { return now }}
	t, err := tables.Table(ctx, scope, table.UserProfiles)
	if err != nil {
		return table.Table{}, err
	}
	if _, done := t.Column(columns[0].Name); done {
		return t, nil
	}

	there, err := rows.ScanRows(ctx, scope, t, table.RowScan{Limit: 1, IDsOnly: true})
	if err != nil {
		return table.Table{}, err
	}
	if len(there.Rows) > 0 {
		return table.Table{}, errs.Invalid("there are users already: they have no entries for the new indexes")
	}
	if t, err = tables.Modify(ctx, scope, table.UserProfiles, table.Definition{Columns: columns}); err != nil {
		return table.Table{}, err
	}

	ready := t
	ready.Revision++
	ready.Columns = nil
	for _, c := range t.Columns {
		if c.Index != nil {
			c.Index = &table.Index{ID: c.Index.ID}
		}
		ready.Columns = append(ready.Columns, c)
	}

	return ready, schemas.ReplaceTable(ctx, scope, t, ready)
}

// nobody is a worker that drops tasks: without rows, there are no indexes to build.
type nobody struct{}

// Submit implements manage.Worker.
func (nobody) Submit(context.Context, table.Task, int) error { return nil }

// Person returns a random user who was created at the time in the id. t is the result of Prepare.
func Person(random *rand.Rand, t table.Table, user id.ID) table.Row {
	place := pick(random, places)
	gender := []int64{0, 1, 1, 1, 1, 2, 2, 2, 2, 2}[random.IntN(10)]
	fields := map[string]any{
		"nickname": nickname(random, gender), "gender": gender,
		"country": "China", "province": place.province, "city": pick(random, place.cities),
		"language": pick(random, []string{"zh_CN", "zh_CN", "zh_CN", "zh_CN", "en", "zh_TW"}),
		"avatar":   "https://example.com/avatars/" + letters(random, 32) + "/132",
		"openid":   "o" + letters(random, 27), "user_group": []any{}, "is_authorized": random.IntN(10) < 8,
		"level": 1 + min(random.Int64N(60), random.Int64N(60), random.Int64N(60)), "points": random.Int64N(5000),
		"vip":  random.IntN(10) == 0,
		"tags": tags(random), "birthday": birthday(random), "about": about(random),
		"settings": map[string]any{"theme": pick(random, []string{"light", "dark"}), "font": float64(12 + random.IntN(8))},
	}
	if random.IntN(5) < 3 {
		fields["unionid"] = "u" + letters(random, 27)
	}

	return table.Row{
		ID: table.RowID(user.Key()), UpdatedAt: user.Time().Unix(), CreatedBy: int64(user),
		Perm: t.DefaultRowPerm, Fields: fields, Revision: 1,
	}
}

func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

func letters(random *rand.Rand, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(text)
}

func nickname(random *rand.Rand, gender int64) string {
	given := pick(random, givenNames[:])
	if gender > 0 && random.IntN(2) == 0 {
		given = givenNames[(gender-1)*int64(len(givenNames)/2)+random.Int64N(int64(len(givenNames)/2))]
	}
	switch random.IntN(4) {
	case 0:
		return pick(random, words) + pick(random, creatures)
	case 1:
		return given
	}
	return pick(random, surnames) + given
}

func tags(random *rand.Rand) []any {
	list := make([]any, 0, 3)
	for _, i := range random.Perm(len(interests))[:random.IntN(4)] {
		list = append(list, interests[i])
	}
	return list
}

func birthday(random *rand.Rand) string {
	day := time.Date(1960, 1, 1, 0, 0, 0, 0, time.FixedZone("", 8*3600)).AddDate(0, 0, random.IntN(50*365))
	return value.FormatDate(day)
}

func about(random *rand.Rand) string {
	var sentence strings.Builder
	for range 2 + random.IntN(4) {
		fmt.Fprintf(&sentence, "%s%s，", pick(random, verbs), pick(random, interests))
	}
	return strings.TrimSuffix(sentence.String(), "，") + "。"
}
