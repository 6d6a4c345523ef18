package eventsource

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// Checkpoints stores the position of each stream poller in a file. The zero value stores it in memory.
type Checkpoints struct {
	path string
	mu   sync.Mutex
	at   map[string]string // sequence number by poller and stream; "" = start of the stream; nil = no checkpoints
}

// OpenCheckpoints reads the file at path, if it exists.
func OpenCheckpoints(path string) (*Checkpoints, error) {
	c := &Checkpoints{path: path, at: map[string]string{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	// Never ignore a broken file: without checkpoints a poller begins at LATEST and skips records.
	if err := json.Unmarshal(text, &c.at); err != nil {
		return nil, fmt.Errorf(
			"%s is broken (%w): restore it from a copy, or delete it, after which changes of tables that no function has seen yet are not seen",
			path, err,
		)
	}
	return c, nil
}

func (c *Checkpoints) get(key string) (sequence string, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sequence, known = c.at[key]
	return sequence, known
}

// set stores a position and replaces the file atomically.
func (c *Checkpoints) set(key, sequence string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, known := c.at[key]; known && at == sequence {
		return nil
	}
	if c.at == nil {
		c.at = map[string]string{}
	}
	c.at[key] = sequence
	if c.path == "" {
		return nil
	}
	text, err := json.Marshal(c.at)
	if err != nil {
		return err
	}
	// Write and rename, so that a crash during the write leaves the old file readable.
	if err := os.WriteFile(c.path+".next", text, 0o600); err != nil {
		return err
	}
	return os.Rename(c.path+".next", c.path)
}
