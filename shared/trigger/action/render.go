package action

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/language/placeholder"
	"minicloud/shared/message/messaging"
	"minicloud/shared/trigger"
	"minicloud/shared/user"
)

// Creator returns the user who created the event's subject (created_by.*, D35), with the named fields of the profile;
// "" names all fields. It returns nil if the subject has no creator or the user was deleted.
func Creator(ctx context.Context, profiles user.Reader, e trigger.Event, keys string) (user.Profile, error) {
	number, ok := trigger.Identifier(e.Payload[trigger.CreatedBy])
	if !ok {
		return nil, nil
	}
	// A test event may have any value as its creator.
	id, err := user.ParseID(number)
	if err != nil {
		return nil, nil
	}

	profile, err := profiles.Profile(ctx, e.Scope, id, keys)
	switch {
	case errs.Is(err, errs.KindNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("user %s: %w", number, err)
	}
	return profile, nil
}

// Rendered returns the settings of the work's action with all templates rendered, as T: the same values that a dry run
// shows. It reads the user once if a template names created_by.*. It returns errs.Invalid with the paths of invalid
// values; other errors are retryable.
func Rendered[T trigger.Settings](ctx context.Context, profiles user.Reader, w Work) (settings T, err error) {
	// Settings from a function are not templates: braces in them are plain text.
	if own, ok := w.Action.Settings.(T); ok && w.Run.Event.Action != nil {
		return own, nil
	}

	var creator map[string]any
	if NamesCreator(w.Trigger, w.Action) {
		if creator, err = Creator(ctx, profiles, w.Run.Event, ""); err != nil {
			return settings, err
		}
	}

	r := newRenderer(w.Trigger, w.Action, w.Run.Event, creator)
	filled, err := r.settings(w.Action.Settings)
	if err != nil {
		return settings, err
	}
	if len(r.problems) > 0 {
		return settings, errs.Invalid("%s", r.problems[0])
	}

	text, err := json.Marshal(filled)
	if err != nil {
		return settings, fmt.Errorf("rendered settings: %w", err)
	}
	return settings, json.Unmarshal(text, &settings)
}

// Preview returns the settings of an action with its templates rendered, for a dry run. An invalid value is replaced by
// the reason. creator returns the creator of the event's subject; it is called only if a template names created_by.*.
func Preview(t trigger.Trigger, a trigger.Action, e trigger.Event, creator func() map[string]any) any {
	var profile map[string]any
	if NamesCreator(t, a) {
		profile = creator()
	}
	filled, err := newRenderer(t, a, e, profile).settings(a.Settings)
	if err != nil {
		return nil
	}

	if hook, ok := filled.(map[string]any); ok && a.Type.Definition().Delivers && a.Flow.Batch == nil {
		hook["claims"] = e.Claims() // the claims in its token
	}
	return filled
}

// NamesCreator reports whether a template of the action uses the creator of the event's subject.
func NamesCreator(t trigger.Trigger, a trigger.Action) bool {
	visible := t.Type.Definition().Actions
	found := false
	a.Settings.Templates(func(one trigger.Template) {
		template, err := placeholder.Parse(one.Text)
		found = found || err == nil && slices.ContainsFunc(template.Names(), visible.NamesCreator)
	})
	return found
}

// renderer renders templates.
type renderer struct {
	forms    map[string]trigger.Form // by path of the template
	lookup   placeholder.Lookup
	zone     *time.Location
	problems []string
}

func newRenderer(t trigger.Trigger, a trigger.Action, e trigger.Event, creator map[string]any) *renderer {
	visible := t.Type.Definition().Actions
	lookup := e.Lookup(visible, func() map[string]any { return creator })
	r := &renderer{forms: map[string]trigger.Form{}, lookup: lookup, zone: time.UTC}
	if zone, err := t.Location(); err == nil {
		r.zone = zone
	}
	a.Settings.Templates(func(one trigger.Template) { r.forms[one.Path] = one.Form })

	return r
}

// settings returns the rendered settings as a JSON value.
func (r *renderer) settings(s trigger.Settings) (any, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	return r.fill("", plain), nil
}

func (r *renderer) fill(path string, v any) any {
	switch v := v.(type) {
	case string:
		if form, is := r.forms[path]; is {
			return r.render(path, v, form)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below := path + "." + name
			if path == "" {
				below = name
			}
			v[name] = r.fill(below, v[name])
		}
	case []any:
		for i := range v {
			v[i] = r.fill(path+"["+strconv.Itoa(i)+"]", v[i])
		}
	}
	return v
}

// render renders one template. It keeps the type of a value that is written to rows or compared with them (G7).
func (r *renderer) render(path, text string, form trigger.Form) any {
	template, err := placeholder.Parse(text)
	if err != nil {
		return r.problem(path, errs.Message(err))
	}

	var v any
	switch form {
	case trigger.FormValue:
		v, err = template.Value(r.lookup, r.zone)
	case trigger.FormOperand:
		v, err = r.operand(template)
	default:
		v, err = r.text(template, form)
	}
	if err != nil {
		return r.problem(path, errs.Message(err))
	}
	return v
}

// text renders a text. An address without a value is "".
func (r *renderer) text(template placeholder.Template, form trigger.Form) (string, error) {
	if form == trigger.FormHTML {
		return template.RenderEscaped(r.lookup, r.zone, html.EscapeString)
	}
	text, err := template.Render(r.lookup, r.zone)
	switch {
	case err != nil:
	case form == trigger.FormLine: // the text is used in a header
		text = messaging.OneLine(text)
	case form == trigger.FormAddress && strings.TrimSpace(text) == "":
		text = ""
	case form == trigger.FormAddress:
		return messaging.Address(text)
	case form == trigger.FormPage && strings.HasPrefix(text, "/"): // contract: no leading slash
		err = errs.Invalid(`must not begin with a slash: it is like "pages/index"`)
	}
	return text, err
}

// operand renders a value of a where condition.
func (r *renderer) operand(template placeholder.Template) (any, error) {
	v, err := template.Value(r.lookup, r.zone)
	switch v.(type) {
	case nil:
		// A null would match every row without a value, as $isnull does. A missing value is therefore an error.
		return nil, errs.Invalid("%s has no value, and chooses nothing", template)
	case map[string]any:
		// An object from outside could contain operators, such as {"$ne":""}, so it is rendered as text.
		return template.Render(r.lookup, r.zone)
	}
	return v, err
}

// problem records why the value at a path is invalid, and returns that as its replacement.
func (r *renderer) problem(path, message string) string {
	r.problems = append(r.problems, path+": "+message)
	return message
}
