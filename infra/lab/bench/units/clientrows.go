package units

import (
	"context"
	"fmt"

	"minicloud/infra/local/api"
)

// clientRows returns the requests of an end user for rows that only their creator may read and write, among as many of
// others.
func (b *Bench) clientRows(ctx context.Context, user *api.Client) ([]Request, error) {
	const notes = "/hserve/v2.4/table/notes/record/"
	const schema = `{"name":"notes","schema":{"fields":[{"name":"city","type":"string"},{"name":"height","type":"number"},
		{"name":"text","type":"string"}]},"row_read_perm":["user:{created_by}"],"row_write_perm":["user:{created_by}"]}`
	if _, err := b.client.Call(ctx, "POST", "/oserve/v1.8/table/", schema); err != nil {
		return nil, err
	}

	var made struct {
		ID string `json:"id"`
	}
	n := 0
	next := func() any {
		n++
		return map[string]any{"city": fmt.Sprintf("city %d", n), "text": fmt.Sprintf("%0300d", n)}
	}
	for range history {
		if err := b.client.Send(ctx, "POST", fmt.Sprintf(rows, "notes"), draft(n), nil); err != nil {
			return nil, err
		}
		if err := user.Send(ctx, "POST", notes, next(), &made); err != nil {
			return nil, err
		}
	}

	city := func() any {
		n++
		return map[string]any{"city": fmt.Sprintf("city %d", n)}
	}
	return []Request{
		{Name: "own rows, first page", send: as(user, "GET", notes, nil)},
		{Name: "own row read", send: as(user, "GET", notes+made.ID+"/", nil)},
		{Name: "own row update, no index", send: as(user, "PUT", notes+made.ID+"/", city)},
		{Name: "own rows update, 20", send: as(user, "PUT", notes+"?limit=20", city)},
		{Name: "own row create, 0.5 KB, no index", send: as(user, "POST", notes, next)},
	}, nil
}
