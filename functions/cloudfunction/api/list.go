package api

import (
	"context"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/httpapi"
	"minicloud/shared/page"
)

// listFunctions accepts only -function_code in keys: the other members are in one record, which is read anyway.
type listFunctions struct {
	Page page.Request
	Name string `query:"name__contains" ref:"nameContains"`
	Keys string `query:"keys" enum:"-function_code"` // `-function_code` leaves the code out.
}

// list serves endpoint 6. If the code of all functions would make the response too large, the page is shorter than
// the limit.
func (g *Group) list(ctx context.Context, in listFunctions) (answer httpapi.Envelope[ListedFunction], err error) {
	filter := cloudfunction.Filter{Name: in.Name, NoCode: in.Keys != ""}
	got, err := g.Functions.List(ctx, httpapi.Scope(ctx), filter, in.Page)
	if err != nil {
		return answer, err
	}

	views := page.Page[ListedFunction]{Total: got.Total, Next: got.Next}
	for _, each := range got.Objects {
		view, err := listed(each)
		if err != nil {
			return answer, err
		}
		views.Objects = append(views.Objects, view)
	}
	return httpapi.ListOf(ctx, in.Page, views, func(v ListedFunction) ListedFunction { return v }), nil
}
