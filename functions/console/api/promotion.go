package api

import (
	"net/http"
	"strconv"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/promotion"
	"minicloud/shared/tenant"
)

// itemView is a thing of two environments. Of what is the same in both the definitions are left out.
type itemView struct {
	promotion.Ref
	Change    promotion.Change `json:"change"`
	Digest    string           `json:"digest"`
	Before    any              `json:"before"` // null: the target has none
	After     any              `json:"after"`  // null: the source has none
	Needs     []promotion.Ref  `json:"needs"`
	OwnFields []string         `json:"own_fields"`
	Problem   string           `json:"problem"`
	Warnings  []string         `json:"warnings"`
}

func showItem(i promotion.Item) itemView {
	view := itemView{
		Ref: i.Ref, Change: i.Change, Digest: i.Digest, Needs: append([]promotion.Ref{}, i.Needs...),
		OwnFields: append([]string{}, i.OwnFields...), Problem: i.Problem, Warnings: append([]string{}, i.Warnings...),
	}
	if i.Change != promotion.Same {
		view.Before, view.After = showDefinition(i.Before), showDefinition(i.After)
	}
	return view
}

// showDefinition is what a definition says, by its kind.
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

type promotionView struct {
	ID         id.ID        `json:"id"` // 0: nothing was recorded
	CreatedAt  int64        `json:"created_at"`
	By         string       `json:"by"`
	From       tenant.EnvID `json:"from"`
	To         tenant.EnvID `json:"to"`
	Items      []stepView   `json:"items"`
	RevertedAt int64        `json:"reverted_at"` // 0: never
	RevertedBy string       `json:"reverted_by"`
}

type stepView struct {
	promotion.Ref
	Change      promotion.Change `json:"change"`
	Done        bool             `json:"done"`
	Pending     bool             `json:"pending"`
	Error       string           `json:"error"`
	Was         *wasView         `json:"was"` // null: the target had none
	Warnings    []string         `json:"warnings"`
	Reverted    bool             `json:"reverted"`
	RevertError string           `json:"revert_error"`
}

// wasView names what there was before.
type wasView struct {
	Digest  string `json:"digest"`
	Version int    `json:"version,omitempty"` // of a function
}

func showPromotion(r promotion.Record) promotionView {
	view := promotionView{
		ID: r.ID, CreatedAt: r.CreatedAt, By: r.By, From: r.From, To: r.To, Items: []stepView{}, RevertedAt: r.RevertedAt,
		RevertedBy: r.RevertedBy,
	}
	for _, s := range r.Steps {
		step := stepView{
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

// compare serves GET /console/api/application/:application/compare/.
func (g *Group) compare(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	_, from, to, err := g.both(r, tenant.EnvID(query.Get("from")), tenant.EnvID(query.Get("to")))
	if err != nil {
		return err
	}
	got, err := g.Promotions.Compare(r.Context(), from, to, req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, got, showItem)
	return nil
}

// both returns the two environments that a request names.
func (g *Group) both(
	r *http.Request, from, to tenant.EnvID,
) (a app.Application, source, target promotion.Environment, err error) {
	if a, err = g.Applications.Get(r.Context(), httpapi.ScopeOf(r).App); err != nil {
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

type promoteBody struct {
	From   tenant.EnvID `json:"from"`
	To     tenant.EnvID `json:"to"`
	Items  []wantedBody `json:"items"`
	DryRun bool         `json:"dry_run"`
}

type wantedBody struct {
	Kind         promotion.Kind `json:"kind"`
	Name         string         `json:"name"`
	Expect       string         `json:"expect"`
	Remove       bool           `json:"remove"`
	RemoveFields []string       `json:"remove_fields"`
	Enable       bool           `json:"enable"`
}

func (b promoteBody) wanted() (all []promotion.Wanted) {
	for _, i := range b.Items {
		all = append(all, promotion.Wanted{
			Ref: promotion.Ref{Kind: i.Kind, Name: i.Name}, Expect: i.Expect,
			Options: promotion.Options{Remove: i.Remove, RemoveFields: i.RemoveFields, Enable: i.Enable},
		})
	}
	return all
}

// promoted names what a request promotes, for the audit log.
func promoted(r *http.Request) (names []string) {
	var body promoteBody
	if httpapi.Decode(r, &body) != nil {
		return nil
	}
	names = append(names, string(body.From)+" → "+string(body.To))
	for _, w := range body.Items[:min(len(body.Items), promotion.MaxItems)] {
		names = append(names, string(w.Kind)+" "+w.Name)
	}
	return names
}

// promote serves POST /console/api/application/:application/promote/.
func (g *Group) promote(w http.ResponseWriter, r *http.Request) error {
	var body promoteBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	a, from, to, err := g.both(r, body.From, body.To)
	if err != nil {
		return err
	}

	do := g.Promotions.Promote
	if body.DryRun {
		do = g.Promotions.Foresee
	}
	record, err := do(r.Context(), from, to, authorOf(r, a), body.wanted())
	return outcome(w, record, err)
}

// authorOf is in whose name things are changed.
func authorOf(r *http.Request, a app.Application) promotion.Author {
	return promotion.Author{Name: administrator(r.Context()).Name, Owner: a.Owner.UserID}
}

// outcome answers with a promotion. An error beside one is that of a part of it: the answer tells of it, and under the
// same Idempotency-Key what is pending is tried again.
func outcome(w http.ResponseWriter, record promotion.Record, err error) error {
	if err != nil && record.ID == 0 {
		return err
	}
	httpapi.Unsettled(w, err)
	httpapi.Write(w, http.StatusOK, showPromotion(record))
	return nil
}

// listPromotions serves GET /console/api/application/:application/promotion/.
func (g *Group) listPromotions(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	got, err := g.Promotions.Promotions(r.Context(), httpapi.ScopeOf(r).App, req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, got, showPromotion)
	return nil
}

type revertBody struct {
	Items []promotion.Ref `json:"items"`
	Force bool            `json:"force"`
}

// reverted names what a request puts back, for the audit log.
func reverted(r *http.Request) (names []string) {
	var body revertBody
	if httpapi.Decode(r, &body) != nil {
		return nil
	}
	for _, ref := range body.Items[:min(len(body.Items), promotion.MaxItems)] {
		names = append(names, string(ref.Kind)+" "+ref.Name)
	}
	return names
}

// revert serves POST /console/api/application/:application/promotion/:promotion/revert/.
func (g *Group) revert(w http.ResponseWriter, r *http.Request) error {
	number, err := strconv.ParseInt(r.PathValue("promotion"), 10, 54)
	if err != nil || number <= 0 {
		return errs.NotFound("promotion not found")
	}
	var body revertBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	a, err := g.Applications.Get(r.Context(), httpapi.ScopeOf(r).App)
	if err != nil {
		return err
	}
	known, err := g.Promotions.Promotion(r.Context(), a.ID, id.ID(number))
	if err != nil {
		return err
	}
	to, err := environmentOf(a, "the environment of this promotion", known.To)
	if err != nil {
		return err
	}

	undo := promotion.Undo{Items: body.Items, Force: body.Force}
	record, err := g.Promotions.Revert(r.Context(), known, to, authorOf(r, a), undo)
	return outcome(w, record, err)
}
