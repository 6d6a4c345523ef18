package api

import (
	"context"
	"net/http"

	"minicloud/shared/app"
	"minicloud/shared/console/promotion"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// PromotionItem is an object compared between two environments. The definitions of identical objects are left out.
type PromotionItem struct {
	promotion.Ref
	Change    promotion.Change `json:"change"`
	Digest    string           `json:"digest"`                              // The digest of the comparison.
	Before    any              `json:"before" schema:"PromotionDefinition"` // The definition in the target.
	After     any              `json:"after" schema:"PromotionDefinition"`  // The definition that a promotion copies.
	Needs     []promotion.Ref  `json:"needs"`                               // The objects that this one refers to and the target lacks.
	OwnFields []string         `json:"own_fields"`                          // The columns of a table that exist only in the target.
	Problem   string           `json:"problem"`                             // The reason why the object cannot be promoted. Empty when it can.
	Warnings  []string         `json:"warnings"`
}

func showItem(i promotion.Item) PromotionItem {
	view := PromotionItem{
		Ref: i.Ref, Change: i.Change, Digest: i.Digest, Needs: append([]promotion.Ref{}, i.Needs...),
		OwnFields: append([]string{}, i.OwnFields...), Problem: i.Problem, Warnings: append([]string{}, i.Warnings...),
	}
	if i.Change != promotion.Same {
		view.Before, view.After = showDefinition(i.Before), showDefinition(i.After)
	}
	return view
}

// showDefinition returns the definition of the object, whose type depends on its kind.
func showDefinition(d *promotion.Definition) any {
	switch {
	case d == nil:
		return nil
	case d.Function != nil:
		return d.Function
	case d.Table != nil:
		return d.Table
	}
	return d.Trigger
}

// Promotion is the result of a promotion.
type Promotion struct {
	ID         int64           `json:"id"` // The id, or 0 when nothing was recorded.
	CreatedAt  httpapi.Seconds `json:"created_at"`
	By         string          `json:"by"`
	From       tenant.EnvID    `json:"from"`
	To         tenant.EnvID    `json:"to"`
	Items      []PromotionStep `json:"items"`
	RevertedAt int64           `json:"reverted_at"` // Unix seconds, or 0 when never reverted.
	RevertedBy string          `json:"reverted_by"`
}

// PromotionStep is the result for one object of a promotion.
type PromotionStep struct {
	promotion.Ref
	Change      promotion.Change `json:"change"`
	Done        bool             `json:"done"`
	Pending     bool             `json:"pending"` // Whether the step was not tried, or may succeed when retried.
	Error       string           `json:"error"`   // The reason why the step failed. Empty otherwise.
	Was         *wasView         `json:"was"`     // The previous definition in the target. null for none.
	Warnings    []string         `json:"warnings"`
	Reverted    bool             `json:"reverted"`
	RevertError string           `json:"revert_error"` // The reason why the object could not be restored. Empty otherwise.
}

// wasView identifies the previous definition.
type wasView struct {
	Digest  string `json:"digest"`
	Version int    `json:"version,omitempty"` // The version of a function.
}

func showPromotion(r promotion.Record) Promotion {
	view := Promotion{
		ID: int64(r.ID), CreatedAt: httpapi.Seconds(r.CreatedAt), By: r.By, From: r.From, To: r.To,
		Items: []PromotionStep{}, RevertedAt: r.RevertedAt, RevertedBy: r.RevertedBy,
	}
	for _, s := range r.Steps {
		step := PromotionStep{
			Ref: s.Ref, Change: s.Change, Done: s.Status == promotion.Done, Pending: s.Status == promotion.Pending,
			Error: s.Error, Warnings: append([]string{}, s.Warnings...), Reverted: s.Reverted, RevertError: s.RevertError,
		}
		if s.Was != "" {
			step.Was = &wasView{s.Was, s.Version}
		}
		view.Items = append(view.Items, step)
	}
	return view
}

type compare struct {
	ofApplication
	From tenant.EnvID `query:"from" required:"true" example:"production"`
	To   tenant.EnvID `query:"to" required:"true" example:"production"`
	Page page.Request
}

// compare serves GET /console/api/application/:application/compare/.
func (g *Group) compare(ctx context.Context, in compare) (list httpapi.Envelope[PromotionItem], err error) {
	_, from, to, err := g.both(ctx, in.Application, in.From, in.To)
	if err != nil {
		return list, err
	}
	got, err := g.Promotions.Compare(ctx, from, to, in.Page)
	return httpapi.ListOf(ctx, in.Page, got, showItem), err
}

// both returns the application and the two environments that a request names.
func (g *Group) both(
	ctx context.Context, id tenant.AppID, from, to tenant.EnvID,
) (a app.Application, source, target promotion.Environment, err error) {
	if a, err = g.Applications.Get(ctx, id); err != nil {
		return a, source, target, err
	}
	if source, err = environmentOf(a, "from", from); err == nil {
		target, err = environmentOf(a, "to", to)
	}
	return a, source, target, err
}

func environmentOf(a app.Application, field string, env tenant.EnvID) (promotion.Environment, error) {
	name, known := a.Environment(env)
	if !known {
		return promotion.Environment{}, errs.Invalid("%s must be an environment of this application", field)
	}
	return promotion.Environment{Scope: tenant.Scope{App: a.ID, Env: env}, Name: name}, nil
}

type promote struct {
	ofApplication
	From   tenant.EnvID       `json:"from" required:"true"`
	To     tenant.EnvID       `json:"to" required:"true"`
	Items  []promotion.Wanted `json:"items" required:"true" minItems:"1" maxItems:"50"`
	DryRun bool               `json:"dry_run"` // Change nothing and return in `done` the changes that would be made.
}

// promoted returns the objects that a request promotes, for the audit log.
func promoted(r *http.Request) (names []string) {
	var in promote
	if httpapi.Decode(r, &in) != nil {
		return nil
	}
	names = append(names, "promotion "+string(in.From)+" → "+string(in.To))
	for _, w := range in.Items[:min(len(in.Items), promotion.MaxItems)] {
		names = append(names, string(w.Kind)+" "+w.Name)
	}
	return names
}

// promote serves POST /console/api/application/:application/promote/.
func (g *Group) promote(ctx context.Context, in promote) (view Promotion, err error) {
	a, from, to, err := g.both(ctx, in.Application, in.From, in.To)
	if err != nil {
		return view, err
	}
	do := g.Promotions.Promote
	if in.DryRun {
		do = g.Promotions.DryRun
	}
	record, err := do(ctx, from, to, authorOf(ctx, a), in.Items)
	return outcome(ctx, record, err)
}

// authorOf returns the author of changes made by a promotion.
func authorOf(ctx context.Context, a app.Application) promotion.Author {
	return promotion.Author{Name: administrator(ctx).Name, Owner: a.Owner.UserID}
}

// outcome writes the result of a promotion. If err is set too, some steps failed: the response lists them, and a
// repeated request with the same Idempotency-Key retries the pending steps.
func outcome(ctx context.Context, record promotion.Record, err error) (Promotion, error) {
	if err != nil && record.ID == 0 {
		return Promotion{}, err
	}
	w, _ := httpapi.Exchange(ctx)
	httpapi.Unsettled(w, err)
	return showPromotion(record), nil
}

type listPromotions struct {
	ofApplication
	Page page.Request
}

// listPromotions serves GET /console/api/application/:application/promotion/.
func (g *Group) listPromotions(ctx context.Context, in listPromotions) (list httpapi.Envelope[Promotion], err error) {
	got, err := g.Promotions.Store.Promotions(ctx, in.Application, in.Page)
	return httpapi.ListOf(ctx, in.Page, got, showPromotion), err
}

type revert struct {
	ofApplication
	Promotion httpapi.ID `path:"promotion"`
	promotion.Undo
}

// reverted returns the objects that a request reverts, for the audit log.
func reverted(r *http.Request) (names []string) {
	var in promotion.Undo
	if httpapi.Decode(r, &in) != nil {
		return nil
	}
	for _, ref := range in.Items[:min(len(in.Items), promotion.MaxItems)] {
		names = append(names, string(ref.Kind)+" "+ref.Name)
	}
	return names
}

// revert serves POST /console/api/application/:application/promotion/:promotion/revert/.
func (g *Group) revert(ctx context.Context, in revert) (view Promotion, err error) {
	a, err := g.Applications.Get(ctx, in.Application)
	if err != nil {
		return view, err
	}
	known, err := g.Promotions.Store.Promotion(ctx, a.ID, id.ID(in.Promotion))
	if err != nil {
		return view, err
	}
	// The environment may have been deleted since the promotion.
	to, err := environmentOf(a, "the environment of this promotion", known.To)
	if err != nil {
		return view, err
	}
	record, err := g.Promotions.Revert(ctx, known, to, authorOf(ctx, a), in.Undo)
	return outcome(ctx, record, err)
}
