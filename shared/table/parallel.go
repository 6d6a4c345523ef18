package table

import (
	"context"
	"slices"
	"sync"

	"minicloud/shared/errs"
)

// parallel yields the rows of the span in the order of their ids, read by
// several readers at a time.
func (f *finder) parallel(ctx context.Context, w walker, s span, descending bool, yield func(batch) (bool, error)) error {
	pieces, err := f.pieces(ctx, s, f.tuning().segment)
	if err != nil {
		return err
	}
	if descending {
		slices.Reverse(pieces)
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	type result struct {
		batch batch
		err   error
	}
	results := make([]chan result, len(pieces))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	room := make(chan struct{}, scanners)
	wg.Go(func() {
		for i, piece := range pieces {
			select {
			case room <- struct{}{}:
			case <-ctx.Done(): // whoever still listens must not wait for ever
				results[i] <- result{err: errs.Timeout("the request did not end in time")}
				return
			}
			wg.Go(func() {
				b, err := w.all(ctx, piece, descending)
				results[i] <- result{b, err}
			})
		}
	})
	for i := range results {
		r := <-results[i]
		if r.err != nil {
			return r.err
		}
		if more, err := yield(r.batch); err != nil || !more {
			return err
		}
		<-room
	}
	return nil
}

// all reads a whole span.
func (w walker) all(ctx context.Context, s span, descending bool) (batch, error) {
	var b batch
	for {
		c, err := w.step(ctx, s, descending, 0)
		if err != nil {
			return batch{}, err
		}
		b.places = append(b.places, c.places...)
		if c.last == "" {
			return b, nil
		}
		s = s.behind(c.last, descending)
	}
}
