package api

import (
	"context"
	"encoding/json"

	"minicloud/shared/httpapi"
	"minicloud/shared/table"
	"minicloud/shared/user"
)

// source says where a change comes from: enable_trigger=0 keeps it from triggers (D29).
type source struct {
	Fires *bool `query:"enable_trigger" ref:"enableTrigger"`
}

// origin adds to it the trace and the depth of a function that calls back (D38).
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
	return g.Users.Update(ctx, httpapi.Scope(ctx), in.ID, in.Body, in.origin(ctx))
}
