package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/manage"
)

type backTest struct {
	byID
	Days int `json:"days" required:"true" minimum:"1" maximum:"7"`
}

// backTest serves POST /oserve/v3/trigger/:id/back-test/.
func (g *Group) backTest(ctx context.Context, in backTest) (manage.BackTest, error) {
	return g.Triggers.BackTest(ctx, httpapi.Scope(ctx), in.ID, in.Days)
}
