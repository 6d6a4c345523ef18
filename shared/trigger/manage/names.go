package manage

import (
	"context"
	"strconv"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/draft"
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

var _ draft.Names = (*Names)(nil)

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

// Has implements draft.Names. An application without SMS settings has no signature and no template (G26).
func (n *Names) Has(ctx context.Context, scope tenant.Scope, thing draft.Thing) (bool, error) {
	var err error
	switch thing.Kind {
	case draft.ThingFunction:
		_, err = n.Functions.Read(ctx, scope, thing.Name)
	case draft.ThingGroup:
		number, bad := strconv.ParseInt(thing.Name, 10, 64)
		if bad != nil {
			return false, nil
		}
		_, err = n.Groups.Group(ctx, scope, user.GroupID(number))
	case draft.ThingSMSSignature, draft.ThingSMSTemplate:
		return n.hasSMS(ctx, scope, thing)
	default:
		return false, nil
	}

	if errs.Is(err, errs.KindNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (n *Names) hasSMS(ctx context.Context, scope tenant.Scope, thing draft.Thing) (found bool, err error) {
	setting, err := n.Settings.SMS(ctx, scope)
	if thing.Kind == draft.ThingSMSSignature {
		_, found = setting.Signature(thing.Name)
	} else {
		_, found = setting.Template(thing.Name)
	}
	return found && err == nil, err
}
