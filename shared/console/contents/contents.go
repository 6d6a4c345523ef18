// Package contents says whether an environment is empty.
package contents

import (
	"context"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/file"
	"minicloud/shared/order"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Checker checks whether an environment is empty.
type Checker struct {
	Functions *cloudfunction.Service
	Tables    *manage.Service
	Triggers  trigger.Store
	Orders    *order.Service
}

// Holds returns the kinds of objects in an environment, nil if it is empty. Jobs and logs do not count, because they
// expire by themselves.
func (c *Checker) Holds(ctx context.Context, scope tenant.Scope) ([]string, error) {
	one := page.Request{Limit: 1}
	var kinds []string
	looks := []struct {
		kind string
		any  func() (bool, error)
	}{
		{"functions", func() (bool, error) {
			got, err := c.Functions.List(ctx, scope, cloudfunction.Filter{}, one)
			return len(got.Objects) > 0, err
		}},
		{"tables", func() (bool, error) {
			got, err := c.Tables.AllTables(ctx, scope, table.TableFilter{})
			// Every environment lists the built-in table of users.
			return len(got) > 0 && got[0].ID != table.UserProfiles, err
		}},
		{"triggers", func() (bool, error) {
			got, err := c.Triggers.Triggers(ctx, scope)
			return len(got) > 0, err
		}},
		{"users", func() (bool, error) {
			profiles, err := c.Tables.Table(ctx, scope, table.UserProfiles)
			if err != nil {
				return false, err
			}
			return c.rows(ctx, scope, profiles)
		}},
		{"files", func() (bool, error) { return c.rows(ctx, scope, file.Table()) }},
		{"orders", func() (bool, error) {
			got, err := c.Orders.List(ctx, scope, order.Filter{}, one)
			return len(got.Objects) > 0, err
		}},
	}

	for _, look := range looks {
		there, err := look.any()
		if err != nil {
			return nil, err
		}
		if there {
			kinds = append(kinds, look.kind)
		}
	}
	return kinds, nil
}

// rows reports whether a table has rows.
func (c *Checker) rows(ctx context.Context, scope tenant.Scope, t table.Table) (bool, error) {
	got, err := c.Tables.Find(ctx, scope, t, table.Query{Page: page.Request{Limit: 1}})
	return len(got.Objects) > 0, err
}
