package triggers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"minicloud/infra/lab/sim/triggers/model"
	"minicloud/infra/lab/sim/triggers/outside"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	columns "minicloud/shared/language/value"
	"minicloud/shared/message/allowance"
	"minicloud/shared/message/messaging"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/table"
	scopes "minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

// plantActions stores what the actions of a tenant need.
func (g *Game) plantActions(t *model.Tenant) error {
	i, ctx := g.owner(), context.Background()
	settings := i.Backend.MessageSettings()
	sender, enabled := "shop@example.com", true
	if _, err := settings.PutMail(ctx, t.Scope, messaging.MailPatch{Sender: &sender}); err != nil {
		return err
	}
	confirmed := allowance.Sender{Address: sender, Status: allowance.CodeSent, Code: "c"}
	store := i.Backend.Allowances()
	// It is of the application: another of its environments may have confirmed it.
	err := store.AskSender(ctx, t.Scope.App, confirmed)
	if err == nil {
		err = store.ConfirmSender(ctx, t.Scope.App, confirmed, "c")
	}
	if err != nil && !errs.Is(err, errs.KindConflict) {
		return err
	}
	_, err = settings.PutSMS(ctx, t.Scope, messaging.SMSPatch{
		Enabled: &enabled, Signatures: &[]messaging.Signature{{Name: "shop", Status: messaging.Approved}},
		Templates: &[]messaging.Template{{Name: "news", Text: "{{ mark }}{{ name }}", Status: messaging.Approved}},
	})
	if err != nil {
		return err
	}

	code, err := cloudfunction.Pack("exports.main = () => 1")
	if err != nil {
		return err
	}
	err = i.Backend.Functions().Create(ctx, t.Scope, cloudfunction.Function{
		ID: id.First(g.begun) + id.ID(t.Scope.App), Name: "f", Code: code, Version: 1, Revision: 1,
		Audit: cloudfunction.AuditApproved,
	})
	if err != nil {
		return err
	}
	if err := g.plantPeople(t); err != nil {
		return err
	}
	return g.plantCounters(t)
}

// plantCounters stores the tables that actions write, and the rows they count in.
func (g *Game) plantCounters(t *model.Tenant) error {
	i, ctx := g.owner(), context.Background()
	if err := errors.Join(
		g.insertTable(t, model.MadeID, model.MadeName, "name"), g.insertTable(t, model.CountersID, model.Counters, "name"),
	); err != nil {
		return err
	}

	// They are older than any run, whose work does not begin with rows that are younger, also by a clock that is wrong.
	tables := i.Backend.Tables()
	tables.Clock, tables.IDs = func() time.Time { return time.Now().Add(-2 * outside.Skew) }, new(id.Source)
	in, err := tables.Schemas.Table(ctx, t.Scope, model.CountersID)
	if err != nil {
		return err
	}
	var drafts []map[string]any
	add := func(counter string, rows int) {
		for range rows {
			drafts = append(drafts, map[string]any{"name": counter, "n": 0.0})
		}
	}
	for number := range len(t.Triggers) + comingTriggers {
		for action := range 2 {
			counter := fmt.Sprintf("%d/%d", 101+number, 1+action)
			if slices.Contains(t.ManyRows, counter) {
				add(counter, model.ManyRows)
			} else {
				add(counter, 1)
			}
		}
	}
	for some := range slices.Chunk(drafts, 100) {
		for _, o := range tables.Insert(ctx, t.Scope, in, some, table.Author{}) {
			if o.Err != nil {
				return o.Err
			}
		}
	}
	t.Planted = true
	return nil
}

// comingTriggers are how many triggers of a tenant come while the game is played, at most.
const comingTriggers = 6

// plantPeople stores who is to get template messages, with their form ids, and the setting.
func (g *Game) plantPeople(t *model.Tenant) error {
	i, ctx := g.owner(), context.Background()
	settings := i.Backend.MessageSettings()
	settings.Sealer = secrets.Open(i.Backend)
	_, err := settings.PutVendor(ctx, t.Scope, messaging.Chat, messaging.VendorPatch{
		AppID: aws.String(t.Mark), Secrets: map[string]*string{messaging.AppSecret: aws.String("secret of " + t.Mark)},
	})
	if err != nil {
		return err
	}

	users := &user.Service{Tables: i.Backend.Tables(), Clock: clock.System}
	forms := i.Backend.FormIDs(users)
	for _, p := range outside.People {
		profile := map[string]any{"nickname": p.Name, "openid": t.OpenID(p.Name)}
		if p.Unknown {
			delete(profile, "openid")
		}
		made, err := users.Create(ctx, t.Scope, user.New{Profile: profile})
		if err != nil {
			return err
		}
		for n := range p.Singles + p.Triples {
			kind := consent.Form
			if n >= p.Singles {
				kind = consent.Payment
			}
			id := fmt.Sprintf("%s/%s/%d", t.OpenID(p.Name), kind, n)
			if _, err := forms.Add(ctx, t.Scope, made, messaging.Chat, kind, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// Plant implements game.Play: it stores the tenants and what they have.
func (g *Game) Plant() error {
	for _, scope := range model.ScopesPlayed {
		t := &model.Tenant{
			Scope: scope, Mark: fmt.Sprintf("mark-%s", scope),
			Only: g.only, Flows: g.Says("flows"), Limited: g.LimitedURL,
			App: app.Application{
				ID: scope.App, Name: "app", ClientID: app.ClientID(fmt.Sprintf("%08x%012x", int64(scope.App), 12)), Generation: 1,
				SigningKey: app.SigningKey(fmt.Sprint("key of ", scope.App)), CreatedAt: time.Now(),
				Environments: map[scopes.EnvID]string{model.ScopesPlayed[1].Env: "staging"},
			},
		}
		g.Tenants = append(g.Tenants, t)
		if scope.Env == scopes.Production {
			if err := g.owner().Backend.Applications().InsertApplication(context.Background(), t.App); err != nil {
				return err
			}
		}

		for _, s := range g.sources {
			if few := len(g.sources) < len(sources); !few && g.Random.IntN(2) == 0 {
				continue
			}
			g.played[t] = append(g.played[t], s)
			if err := s.plant(g, t, g.Random); err != nil {
				return fmt.Errorf("%T: %w", s, err)
			}
		}
		if err := g.plantActions(t); err != nil {
			return err
		}
	}
	return nil
}

// insert stores a trigger while the game is planted.
func (g *Game) insert(t *model.Tenant, planted trigger.Trigger, next time.Time) error {
	return insert(context.Background(), g.owner().Handlers.(*manage.Service), t, planted, next)
}

// insert stores a trigger with the keys of its webhooks.
func insert(ctx context.Context, s *manage.Service, t *model.Tenant, planted trigger.Trigger, next time.Time) error {
	secrets := &trigger.Secrets{Keys: map[trigger.ActionID]trigger.Key{}}
	for _, a := range planted.Actions {
		if a.Type != trigger.Webhook {
			continue
		}
		key, err := secrets.Seal(ctx, s.Sealer, t.Scope, planted.ID, a.ID, "key of "+t.Mark)
		if err != nil {
			return err
		}
		secrets.Keys[a.ID] = trigger.Key{Current: key}
		planted.Secrets = secrets
	}
	return s.Store.Insert(ctx, t.Scope, planted, next)
}

// insertSome stores so many new triggers.
func (g *Game) insertSome(t *model.Tenant, n int, add func() (trigger.Trigger, *model.Trigger)) error {
	for range n {
		planted, _ := add()
		if err := g.insert(t, planted, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// insertTable stores a table with a number, a text of that name, and more value.
func (g *Game) insertTable(t *model.Tenant, id table.ID, name, text string, more ...columns.Column) error {
	in := table.Table{ID: id, Name: name, Revision: 1}
	for _, c := range append(more, columns.Column{Name: "n", Type: columns.Integer}, columns.Column{
		Name: text, Type: columns.String,
	}) {
		in.Columns = append(in.Columns, table.Column{Column: c, Key: c.Name})
	}
	return g.owner().Backend.Schemas().InsertTable(context.Background(), t.Scope, in)
}
