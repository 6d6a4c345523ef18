package eventsource

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// Checkpoints remembers how far each stream poller has come, in a file. The zero value remembers it in memory.
type Checkpoints struct {
	path string
	mu   sync.Mutex
	at   map[string]string // sequence number by poller and stream; "" = the start; nil = none
}

// OpenCheckpoints reads the file at path, if there is one.
func OpenCheckpoints(path string) (*Checkpoints, error) {
	c := &Checkpoints{path: path, at: map[string]string{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	// Never ignored: without checkpoints a poller begins at LATEST and skips records.
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

// set replaces the file, whole or not at all.
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
	// A crash in the middle of a write must leave the old file readable, hence the rename.
	if err := os.WriteFile(c.path+".next", text, 0o600); err != nil {
		return err
	}
	return os.Rename(c.path+".next", c.path)
}
