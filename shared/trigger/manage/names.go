package manage

import (
	"context"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Names implements draft.Names.
type Names struct {
	Tables    *manage.Service
	Functions *cloudfunction.Service
	Groups    Groups
	Settings  SMSSettings
}

// SMSSettings reads the signatures and templates of SMS; *messaging.Settings implements it.
type SMSSettings interface {
	SMS(ctx context.Context, scope tenant.Scope) (messaging.SMS, error)
}

// Groups finds user groups.
type Groups interface {
	// Group returns a user group, errs.NotFound if it does not exist.
	Group(ctx context.Context, scope tenant.Scope, id user.GroupID) (user.Group, error)
}

// Table implements draft.Names.
func (n *Names) Table(ctx context.Context, scope tenant.Scope, idOrName string) (table.Table, error) {
	return n.Tables.Named(ctx, scope, idOrName)
}

// newestRows is the number of rows read to find columns that no row has.
const newestRows = 100

// Newest implements draft.Names.
func (n *Names) Newest(ctx context.Context, scope tenant.Scope, in table.Table) ([]table.Row, error) {
	found, err := n.Tables.Find(ctx, scope, in, table.Query{Page: page.Request{Limit: newestRows}})
	return found.Objects, err
}

// HasFunction implements draft.Names.
func (n *Names) HasFunction(ctx context.Context, scope tenant.Scope, name string) (bool, error) {
	_, err := n.Functions.Read(ctx, scope, name)
	return exists(err)
}

// HasGroup implements draft.Names.
func (n *Names) HasGroup(ctx context.Context, scope tenant.Scope, id int64) (bool, error) {
	_, err := n.Groups.Group(ctx, scope, user.GroupID(id))
	return exists(err)
}

func exists(err error) (bool, error) {
	if errs.Is(err, errs.KindNotFound) {
		return false, nil
	}
	return err == nil, err
}

// SMS implements draft.Names.
func (n *Names) SMS(ctx context.Context, scope tenant.Scope) (messaging.SMS, error) {
	return n.Settings.SMS(ctx, scope)
}
