package manage

import (
	"context"
	"maps"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// makeKeys makes a key for each added action that delivers, and drops the keys of deleted actions. It returns the new
// keys as text.
func (s *Service) makeKeys(
	ctx context.Context, scope tenant.Scope, t *trigger.Trigger, added []trigger.ActionID,
) (map[trigger.ActionID]string, error) {
	keep := keptKeys(*t)
	made := map[trigger.ActionID]string{}
	for _, number := range added {
		if a, _ := t.Action(number); a.Type.Definition().Delivers {
			made[number] = random(keyLetters)
		}
	}
	if keep == nil && len(made) > 0 {
		keep = &trigger.Secrets{Keys: map[trigger.ActionID]trigger.Key{}}
	}
	for number, text := range made {
		sealed, err := keep.Seal(ctx, s.Sealer, scope, t.ID, number, text)
		if err != nil {
			return nil, err
		}
		keep.Keys[number] = trigger.Key{Current: sealed}
	}
	t.Secrets = keep
	return made, nil
}

// keptKeys returns a copy of the secrets of t without the keys of deleted actions, nil if no key remains.
func keptKeys(t trigger.Trigger) *trigger.Secrets {
	if t.Secrets == nil {
		return nil
	}
	kept := &trigger.Secrets{DataKey: t.Secrets.DataKey, Keys: maps.Clone(t.Secrets.Keys)}
	maps.DeleteFunc(kept.Keys, func(number trigger.ActionID, _ trigger.Key) bool {
		_, there := t.Action(number)
		return !there
	})
	if len(kept.Keys) == 0 {
		return nil
	}
	return kept
}

// showKeys decrypts the newest keys of some actions.
func (s *Service) showKeys(
	ctx context.Context, scope tenant.Scope, t trigger.Trigger, of []trigger.ActionID,
) (map[trigger.ActionID]string, error) {
	texts := map[trigger.ActionID]string{}
	for _, number := range of {
		if t.Secrets == nil || t.Secrets.Keys[number].Current == nil {
			continue
		}
		text, err := t.Secrets.Open(ctx, s.Sealer, scope, t.ID, number, t.Secrets.Keys[number].Newest())
		if err != nil {
			return nil, err
		}
		texts[number] = text
	}
	return texts, nil
}

// RotateKey makes a new key for a webhook. Until activeAt the old key signs the body, and requests carry the signatures
// of both keys (G24).
func (s *Service) RotateKey(
	ctx context.Context, scope tenant.Scope, number trigger.ID, action trigger.ActionID,
) (key string, activeAt time.Time, err error) {
	token := writetoken.Of(ctx, "key")
	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		t, err := s.Store.Trigger(ctx, scope, number)
		if err != nil {
			return err
		}
		a, there := t.Action(action)
		settings, isWebhook := a.Settings.(*trigger.WebhookSettings)
		switch {
		case !there:
			return errs.NotFound("trigger %d has no action %d", number, action)
		case !isWebhook:
			return errs.Invalid("action %d is of type %s: only a webhook has a key", action, a.Type)
		}

		if t.Tokens.Has(token) {
			key, activeAt, err = s.rotated(ctx, scope, t, action)
			return err
		}
		key, activeAt, err = s.rotate(ctx, scope, t, action, settings.KeyOverlapDays, token)
		return err
	})
	return key, activeAt, err
}

func (s *Service) rotate(
	ctx context.Context, scope tenant.Scope, old trigger.Trigger, action trigger.ActionID, days int, token string,
) (key string, activeAt time.Time, err error) {
	t, now := old, s.Clock.Now().Truncate(time.Second)
	was := trigger.Key{}
	if old.Secrets != nil {
		was = old.Secrets.Keys[action].At(now)
	}
	keys, err := s.makeKeys(ctx, scope, &t, []trigger.ActionID{action})
	if err != nil {
		return "", now, err
	}

	// Each day has 24 hours: the time of the change must not depend on a time zone.
	activeAt = now.Add(time.Duration(days) * 24 * time.Hour)
	if days > 0 && was.Current != nil {
		t.Secrets.Keys[action] = trigger.Key{
			Current: was.Current, Next: t.Secrets.Keys[action].Current, NextAt: activeAt.Unix(),
		}
	}
	t.UpdatedAt = now.Unix()
	return keys[action], activeAt, s.put(ctx, scope, &old, &t, token, now)
}

// rotated answers a repeated rotation request with the key that the first one made.
func (s *Service) rotated(
	ctx context.Context, scope tenant.Scope, t trigger.Trigger, action trigger.ActionID,
) (string, time.Time, error) {
	activeAt := time.Unix(t.UpdatedAt, 0)
	if at := t.Secrets.Keys[action].NextAt; at > 0 {
		activeAt = time.Unix(at, 0)
	}
	keys, err := s.showKeys(ctx, scope, t, []trigger.ActionID{action})
	return keys[action], activeAt, err
}
