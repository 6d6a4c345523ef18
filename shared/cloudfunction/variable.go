package cloudfunction

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"minicloud/shared/cache"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Limits of a function's variables (D46).
const (
	MaxVariables     = 50
	MaxVariableKey   = 64   // characters
	MaxVariableValue = 4096 // bytes
)

// Variable is an environment variable: functions read it as process.env.KEY. In lists, secrets have a nil Value.
type Variable struct {
	Key    string
	Value  *string
	Secret bool
}

// VariableSet is the stored form of a function's variables.
type VariableSet struct {
	// Version is the VariablesVersion of the function record that the set belongs to.
	Version int64
	// DataKey is the encrypted data key of the secrets, nil if there are no secrets.
	DataKey []byte
	Plain   map[string]string
	Secret  map[string][]byte // encrypted
}

func (s VariableSet) size() int { return len(s.Plain) + len(s.Secret) }

func (s VariableSet) has(key string) bool {
	_, plain := s.Plain[key]
	_, secret := s.Secret[key]
	return plain || secret
}

// VariableStore stores the variables of functions.
type VariableStore interface {
	// Variables returns the variables of a function, errs.NotFound if it has none.
	Variables(ctx context.Context, scope tenant.Scope, fn id.ID) (VariableSet, error)
	// UpdateVariables replaces the function record old by next, and its variables by set, both or neither. It
	// returns errs.Conflict like Store.Update.
	UpdateVariables(ctx context.Context, scope tenant.Scope, old, next Function, set VariableSet) error
}

// Variables lists, sets and deletes the variables of functions, and decrypts them for runs.
type Variables struct {
	Functions *Service
	Store     VariableStore
	// Sealer encrypts secrets; nil = secrets cannot be stored (errs.Unavailable).
	Sealer sealed.Sealer

	opened cache.Map[openedKey, opened]
}

var variableKey = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)

// List returns the variables of a function sorted by key, secrets without their values.
func (v *Variables) List(ctx context.Context, scope tenant.Scope, name string) ([]Variable, error) {
	f, err := v.Functions.Read(ctx, scope, name)
	if err != nil {
		return nil, err
	}

	set, err := v.read(ctx, scope, f)
	if err != nil {
		return nil, err
	}

	list := make([]Variable, 0, set.size())
	for key, value := range set.Plain {
		list = append(list, Variable{Key: key, Value: &value})
	}

	// Secrets are write-only: a list shows only that they exist.
	for key := range set.Secret {
		list = append(list, Variable{Key: key, Secret: true})
	}

	slices.SortFunc(list, func(a, b Variable) int { return strings.Compare(a.Key, b.Key) })
	return list, nil
}

// Put sets a variable. It returns errs.Invalid, naming the field, for a bad key or value or too many variables.
func (v *Variables) Put(ctx context.Context, scope tenant.Scope, name string, in Variable) error {
	switch {
	case !variableKey.MatchString(in.Key) || len(in.Key) > MaxVariableKey:
		return errs.Invalid("key must be at most %d of A–Z, 0–9 and \"_\", not starting with a digit", MaxVariableKey)
	case in.Value == nil:
		return errs.Invalid("value is required")
	case len(*in.Value) > MaxVariableValue:
		return errs.Invalid("value must be at most %d bytes, it has %d", MaxVariableValue, len(*in.Value))
	}
	return v.change(ctx, scope, name, func(f Function, set *VariableSet) error {
		if !set.has(in.Key) && set.size() >= MaxVariables {
			return errs.Invalid("a function has at most %d variables", MaxVariables)
		}

		// Remove the old value from both maps: the variable may change between plain and secret.
		delete(set.Plain, in.Key)
		delete(set.Secret, in.Key)
		if !in.Secret {
			set.Plain[in.Key] = *in.Value
			return nil
		}

		return v.seal(ctx, scope, f, set, in)
	})
}

func (v *Variables) seal(
	ctx context.Context, scope tenant.Scope, f Function, set *VariableSet, in Variable,
) (err error) {
	if v.Sealer == nil {
		return errs.Unavailable(60, "secrets are not available here")
	}
	if set.Secret[in.Key], err = v.ring(scope, f, set).Seal(ctx, in.Key, *in.Value); err != nil {
		return fmt.Errorf("variables of %q: %w", f.Name, err)
	}
	return nil
}

// ring returns the key ring that encrypts and decrypts the secrets of a function.
func (v *Variables) ring(scope tenant.Scope, f Function, set *VariableSet) sealed.Ring {
	return sealed.Ring{Sealer: v.Sealer, Bound: scope.String() + "#variable#" + f.ID.Key(), Key: &set.DataKey}
}

// Delete removes a variable, errs.NotFound if the function has none with that key.
func (v *Variables) Delete(ctx context.Context, scope tenant.Scope, name, key string) error {
	return v.change(ctx, scope, name, func(_ Function, set *VariableSet) error {
		if !set.has(key) {
			return errs.NotFound("variable %q does not exist", key)
		}
		delete(set.Plain, key)
		delete(set.Secret, key)
		return nil
	})
}

func (v *Variables) change(
	ctx context.Context, scope tenant.Scope, name string, alter func(Function, *VariableSet) error,
) error {
	token := changeToken(ctx)
	return v.Functions.retry(ctx, scope, name, func(f Function) error {
		if f.Tokens.Has(token) {
			return nil
		}

		set, err := v.read(ctx, scope, f)
		if err != nil {
			return err
		}
		if err := alter(f, &set); err != nil {
			return err
		}

		next := f
		next.Revision++
		next.Tokens = f.Tokens.With(token, v.Functions.Clock.Now())
		// A revision is never used twice, so each version identifies exactly one set of variables.
		set.Version, next.VariablesVersion = next.Revision, next.Revision
		if set.size() == 0 {
			next.VariablesVersion = 0
		}

		return v.Store.UpdateVariables(ctx, scope, f, next, set)
	})
}

func (v *Variables) read(ctx context.Context, scope tenant.Scope, f Function) (VariableSet, error) {
	set := VariableSet{}
	if f.VariablesVersion > 0 {
		var err error
		if set, err = v.Store.Variables(ctx, scope, f.ID); err != nil && !errs.Is(err, errs.KindNotFound) {
			return set, fmt.Errorf("variables of %q: %w", f.Name, err)
		}
	}
	if set.Plain == nil {
		set.Plain = make(map[string]string)
	}
	if set.Secret == nil {
		set.Secret = make(map[string][]byte)
	}
	return set, nil
}

type openedKey struct {
	scope   tenant.Scope
	fn      id.ID
	version int64
}

type opened struct {
	values  map[string]string
	secrets []string
}

// maxOpened is the maximum number of decrypted sets that a process caches.
const maxOpened = 200

// Values returns the variables of f in clear text and the names of the secret ones, for runs. A process reads and
// decrypts each version of a set once.
func (v *Variables) Values(ctx context.Context, scope tenant.Scope, f Function) (map[string]string, []string, error) {
	key := openedKey{scope, f.ID, f.VariablesVersion}
	if known, ok := v.opened.Get(key); ok {
		return known.values, known.secrets, nil
	}

	set, err := v.read(ctx, scope, f)
	if err != nil {
		return nil, nil, err
	}

	fresh, err := v.open(ctx, scope, f, set)
	if err != nil {
		return nil, nil, err
	}

	// The variables may have changed since f was read, so cache the set under its own version, not that of f.
	key.version = set.Version
	v.opened.Limit(maxOpened).Put(key, fresh)

	return fresh.values, fresh.secrets, nil
}

func (v *Variables) open(ctx context.Context, scope tenant.Scope, f Function, set VariableSet) (opened, error) {
	o := opened{values: maps.Clone(set.Plain), secrets: slices.Sorted(maps.Keys(set.Secret))}
	for name, box := range set.Secret {
		var err error
		if o.values[name], err = v.ring(scope, f, &set).Open(ctx, name, box); err != nil {
			return o, fmt.Errorf("variables of %q: %w", f.Name, err)
		}
	}
	return o, nil
}
