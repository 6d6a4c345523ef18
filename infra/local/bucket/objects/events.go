package objects

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
	"minicloud/shared/clock"
)

// Cause is the request that created an object.
type Cause struct {
	Reason    string // PutObject, POST Object, CopyObject or CompleteMultipartUpload
	RequestID string
	Address   string // of the client
}

// Events sends an event for each object that is created. An event that is not sent yet is a link to its object:
//
//	link <id>.new ─ object in its place ─ <id>.new renamed to <id> ─ event sent ─ link removed
//
// So an object that is in its place has its event sent at least once, also by the next process.
type Events struct {
	// Put puts an event on the default bus; resources are ARNs.
	Put    func(detailType string, resources []string, at time.Time, detail []byte) error
	Unkind *unkind.Switches // sends events late and twice; nil does neither
	Failed func(error)      // hears why an event is sent again later; not nil
}

// retryEvents is how long after a failure an event is sent again.
const retryEvents = time.Second

// pending is the folder of the events of a bucket that are not sent yet.
func (s *Store) pending(bucket string) string { return filepath.Join(s.Dir, ".events", bucket) }

// Notify sends events for some buckets, first those that an earlier process left. It is called before any write.
func (s *Store) Notify(e Events, buckets []string) error {
	s.events = &e
	for _, bucket := range buckets {
		if err := os.MkdirAll(s.pending(bucket), 0o700); err != nil {
			return err
		}
		left, err := os.ReadDir(s.pending(bucket))
		if err != nil {
			return err
		}
		for _, f := range left {
			link := filepath.Join(s.pending(bucket), f.Name())
			if link, err = s.settled(bucket, link); err != nil {
				return err
			}
			if link != "" {
				s.tell(bucket, link)
			}
		}
		s.notified = append(s.notified, bucket)
	}
	return nil
}

// newSuffix marks the link of an object that may not be in its place yet.
const newSuffix = ".new"

// settled returns the link of an event that is to be sent, "" for an object that never came into its place.
func (s *Store) settled(bucket, link string) (string, error) {
	name, isNew := strings.CutSuffix(link, newSuffix)
	if !isNew {
		return link, nil
	}
	object, err := openFile(link)
	if err != nil {
		return "", err
	}
	defer object.Close()
	own, err := object.file.Stat()
	if err != nil {
		return "", err
	}
	inPlace, err := os.Stat(s.path(bucket, object.Key))
	if err == nil && os.SameFile(own, inPlace) {
		return name, os.Rename(link, name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return "", os.Remove(link)
}

// tell sends an event in the background until it was sent or the store is closed.
func (s *Store) tell(bucket, link string) {
	s.telling.Go(func() {
		u := s.events.Unkind
		if late := u.Below(unkind.LateEvents); late > 0 {
			u.Hit(unkind.LateEvents)
			if clock.Sleep(s.open, time.Duration(late)*time.Millisecond) != nil {
				return
			}
		}
		twice := u.Strikes(unkind.DuplicateEvents)
		for {
			err := s.send(bucket, link)
			if err == nil && twice {
				err, twice = s.send(bucket, link), false
			}
			if err == nil {
				err = os.Remove(link)
			}
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				return
			}
			s.events.Failed(fmt.Errorf("an event of bucket %s: %w", bucket, err))
			if clock.Sleep(s.open, retryEvents) != nil {
				return
			}
		}
	})
}

// Close ends the sending of events. Those that are left are sent by the next process.
func (s *Store) Close() {
	s.close()
	s.telling.Wait()
}

// send puts one event on the bus: docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
func (s *Store) send(bucket, link string) error {
	object, err := openFile(link)
	if err != nil {
		return err
	}
	defer object.Close()
	detail, err := json.Marshal(map[string]any{
		"version": "0", "event-version": "1.0", "bucket": map[string]any{"name": bucket},
		"object": map[string]any{
			"key": object.Key, "size": object.Object.Size, "etag": object.ETag, "sequencer": filepath.Base(link),
		},
		"request-id": object.Cause.RequestID, "requester": template.Account, "source-ip-address": object.Cause.Address,
		"reason": object.Cause.Reason,
	})
	if err != nil {
		return err
	}
	return s.events.Put("Object Created", []string{"arn:aws:s3:::" + bucket}, object.Modified, detail)
}

// sequencer returns a text that is greater than those before, as S3's sequencers of one key are. commits is held.
func (s *Store) sequencer() string {
	s.sequence = max(s.sequence+1, s.Clock().UnixNano())
	return fmt.Sprintf("%016X", s.sequence)
}
