package api

import (
	"context"
	"encoding/json"
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/user"
)

// clientRoutes are the endpoints for end users (client API, 3). Versions 2.0 and 2.1 always count the users of a list.
func (g *Group) clientRoutes() (routes []httpapi.Route) {
	for _, version := range []string{"2.0", "2.1", "2.2", "2.5"} {
		counts := version < "2.2"
		list := func(ctx context.Context, in listedInfo) (httpapi.Envelope[user.Info], error) {
			in.Total = in.Total || counts
			return g.listInfo(ctx, in)
		}
		path := "/hserve/v" + version + "/user/info"
		routes = append(routes, httpapi.Alike(httpapi.Route{Keys: true, Expand: true}, []httpapi.Route{
			{Method: http.MethodGet, Path: path + "/{id}", Call: httpapi.Call(g.readInfo)},
			{Method: http.MethodGet, Path: path, Call: httpapi.Call(list)},
			{Method: http.MethodPost, Path: path + "/query", Call: httpapi.Query(httpapi.Call(list)), Reads: true, Fresh: true},
		})...)
		routes = append(routes, httpapi.Route{Method: http.MethodPut, Path: path, Call: httpapi.Call(g.updateInfo)})
	}
	return httpapi.Alike(httpapi.Route{Access: httpapi.Client, Needs: httpapi.LoggedIn, Acts: true}, routes)
}

// shownInfo holds the parameters that select the fields of a user.
type shownInfo struct {
	Keys   string `query:"keys" ref:"keys"`
	Expand string `query:"expand" ref:"expand"`
}

func (s shownInfo) view(ctx context.Context) user.View {
	caller := httpapi.From(ctx)
	return user.View{
		Reader: table.Reader{Subject: caller.Subject(), Key: caller.Application.CursorKey()}, Keys: s.Keys, Expand: s.Expand,
	}
}

type infoOf struct {
	byID
	shownInfo
}

// readInfo serves GET /hserve/v2.5/user/info/:id/.
func (g *Group) readInfo(ctx context.Context, in infoOf) (user.Info, error) {
	return g.Users.ProfileFor(ctx, httpapi.Scope(ctx), in.ID, in.view(ctx))
}

type listedInfo struct {
	shownInfo
	Where   string `query:"where" ref:"whereText"`
	OrderBy string `query:"order_by" ref:"orderBy"`
	Page    page.Request
	Total   bool `query:"return_total_count" ref:"returnTotalCount"`
}

// listInfo serves GET /hserve/v2.2/user/info/.
func (g *Group) listInfo(ctx context.Context, in listedInfo) (answer httpapi.Envelope[user.Info], err error) {
	found, err := g.Users.ProfilesFor(ctx, httpapi.Scope(ctx), user.ClientQuery{
		View: in.view(ctx), Where: in.Where, OrderBy: in.OrderBy, Page: in.Page, Total: in.Total,
	})
	if err != nil {
		return answer, err
	}
	httpapi.Explain(ctx, found.Plan, found.Scanned)
	return httpapi.ListOf(ctx, in.Page, found.Page, func(u user.Info) user.Info { return u }), nil
}

type changeInfo struct {
	Body json.RawMessage `body:"Update"`
}

// updateInfo serves PUT /hserve/v2.5/user/info/.
func (g *Group) updateInfo(ctx context.Context, in changeInfo) (user.Info, error) {
	return g.Users.UpdateOwn(ctx, httpapi.Scope(ctx), httpapi.From(ctx).Subject(), in.Body, source{}.origin(ctx))
}
