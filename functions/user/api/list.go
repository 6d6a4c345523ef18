package api

import (
	"context"
	"net/url"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/user"
)

// selection holds the parameters that select users: every field of users can be a parameter.
type selection struct {
	Where   string `query:"where" ref:"whereText"`
	Page    page.Request
	Total   bool       `query:"return_total_count" ref:"returnTotalCount"`
	Filters url.Values `query:"*"`
}

func (s selection) query(ctx context.Context) user.Query {
	return user.Query{
		Where: s.Where, Filters: s.Filters, Page: s.Page, Total: s.Total, Opaque: httpapi.From(ctx).Run != nil,
	}
}

type listed struct {
	selection
	Login   string `query:"_login"` // Only users with this username, email address or phone number, whatever its letter case.
	OrderBy string `query:"order_by" ref:"orderBy"`
	Keys    string `query:"keys" ref:"keys"`
}

// list serves endpoint 14.
func (g *Group) list(ctx context.Context, in listed) (answer httpapi.Envelope[user.Profile], err error) {
	q := in.query(ctx)
	q.Login, q.OrderBy, q.Keys = in.Login, in.OrderBy, in.Keys
	found, err := g.Users.Profiles(ctx, httpapi.Scope(ctx), q)
	if err != nil {
		return answer, err
	}
	if err := g.withAccounts(ctx, in.Keys, found.Objects...); err != nil {
		return answer, err
	}
	httpapi.Explain(ctx, found.Plan, found.Scanned)
	return httpapi.ListOf(ctx, q.Page, found.Page, func(p user.Profile) user.Profile { return p }), nil
}
