package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
)

type erasure struct {
	User  httpapi.ID  `json:"user_id" required:"true"` // The user to remove.
	After page.Cursor `json:"after"`                   // The next of the previous answer.
}

// Erasure is the progress of an erasure.
type Erasure struct {
	Erased int          `json:"erased" minimum:"0"` // The number of orders that this request has changed.
	Next   *page.Cursor `json:"next"`               // Where to continue, or null when no order names the user any more.
}

// erase serves POST /oserve/v3/order/erase/.
func (g *Group) erase(ctx context.Context, in erasure) (v Erasure, err error) {
	erased, next, err := g.Orders.Erase(ctx, httpapi.Scope(ctx), int64(in.User), in.After)
	return Erasure{erased, httpapi.OrNull(next)}, err
}
