package api

import (
	"context"
	"encoding/json"

	"minicloud/shared/httpapi"
	"minicloud/shared/table"
	"minicloud/shared/user"
)

// source holds the parameter enable_trigger; 0 makes a write fire no triggers (D29).
type source struct {
	Fires *bool `query:"enable_trigger" ref:"enableTrigger"`
}

// origin returns the origin of the write, with the trace and depth of a calling function (D38).
func (s source) origin(ctx context.Context) table.Origin {
	return table.Origin{Quiet: s.Fires != nil && !*s.Fires, Trace: httpapi.Link(ctx), Depth: httpapi.From(ctx).Depth}
}

type updateUser struct {
	byID
	source
	Body json.RawMessage `body:"Update"`
}

// update serves endpoint 17.
func (g *Group) update(ctx context.Context, in updateUser) (user.Profile, error) {
	return g.Users.Update(ctx, httpapi.Scope(ctx), in.ID, in.Body, in.origin(ctx), false)
}
