package jobdb

import (
	"context"
	"crypto/rand"
	"errors"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
)

// Key is one GetItem per process, and on the very first use one PutItem.
func (s *Store) Key(ctx context.Context) ([]byte, error) {
	if key := s.key.Load(); key != nil {
		return *key, nil
	}
	key, err := s.readKey(ctx)
	if err == nil {
		s.key.Store(&key)
	}
	return key, err
}

func (s *Store) readKey(ctx context.Context) ([]byte, error) {
	for range 2 {
		av, err := s.get(ctx, "platform", "key")
		if err == nil {
			if key := dynamo.BytesOf(av["key"]); len(key) == 32 {
				return key, nil
			}
			return nil, errors.New("the key for signing is damaged")
		}

		if !errs.Is(err, errs.KindNotFound) {
			return nil, err
		}

		fresh := make([]byte, 32)
		rand.Read(fresh)
		it := dynamo.Key("platform", "key")
		it["key"] = dynamo.Binary(fresh)
		// Of several who make one, all read the first.
		if err := dynamo.Do(ctx, s.Client, "make key", nil, dynamo.Put(s.Table, it, dynamo.NotExists, nil)); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the key for signing cannot be read")
}
