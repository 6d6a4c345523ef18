package triggers

import (
	"context"
	"sync"
	"time"

	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/triggers/model"
	"minicloud/shared/errs"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

// churnBeside creates a trigger and disables another one while a source plays. make adds a model trigger.
func (g *Game) churnBeside(
	t *model.Tenant, random sim.Random, make func() (trigger.Trigger, *model.Trigger), playing func(),
) {
	planted, comes := make()
	comes.On = model.Moment{Began: farAway, Ended: farAway}
	leaving, leaves := make()
	leaves.On = comes.On
	first, second := 5+random.IntN(25), 5+random.IntN(25)

	own := g.World.Random("churn " + t.Scope.String() + string(planted.Type))
	var both sync.WaitGroup
	both.Go(func() {
		time.Sleep(own.Jitter(time.Duration(first) * time.Second))
		comes.On = g.until(own, func() error { return g.create(t, planted) })
		leaves.On = g.until(own, func() error { return g.create(t, leaving) })
		time.Sleep(own.Jitter(time.Duration(second) * time.Second))
		leaves.Off = model.Moment{Began: time.Now()}
		leaves.Off = g.until(own, func() error { return g.disable(t, leaving) })
	})
	playing()
	both.Wait()
}

// farAway is after everything that happens.
var farAway = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// until does something again until it succeeds.
func (g *Game) until(random sim.Random, do func() error) model.Moment {
	began := time.Now()
	for do() != nil {
		time.Sleep(random.Jitter(time.Second))
	}
	return model.Moment{Began: began, Ended: time.Now()}
}

// create stores a trigger; one that is there was stored by an attempt of which nothing was heard.
func (g *Game) create(t *model.Tenant, planted trigger.Trigger) error {
	return g.own(func(ctx context.Context, s *manage.Service) error {
		if _, err := s.Store.Trigger(ctx, t.Scope, planted.ID); !errs.Is(err, errs.KindNotFound) {
			return err
		}
		return insert(ctx, s, t, planted, time.Time{})
	})
}

// disable switches a trigger off, unless an earlier attempt has.
func (g *Game) disable(t *model.Tenant, planted trigger.Trigger) error {
	return g.own(func(ctx context.Context, s *manage.Service) error {
		old, err := s.Store.Trigger(ctx, t.Scope, planted.ID)
		if err != nil || !old.Enabled {
			return err
		}
		next := old
		next.Enabled, next.Revision = false, old.Revision+1
		return s.Store.Replace(ctx, t.Scope, old, next, time.Time{})
	})
}

// own calls the service of triggers. A call whose program died has failed.
func (g *Game) own(f func(ctx context.Context, s *manage.Service) error) error {
	err, alive := g.World.Do("owner", owner, func(ctx context.Context, handlers any) error {
		return f(ctx, handlers.(*manage.Service))
	})
	if err == nil && !alive {
		return context.Canceled
	}
	return err
}
