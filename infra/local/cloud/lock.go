package cloud

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// takeDataDir makes the data directory and claims it: two local clouds on one
// directory would share a database.
func (c *Cloud) takeDataDir() error {
	if err := os.MkdirAll(filepath.Join(c.cfg.DataDir, "logs"), 0o700); err != nil {
		return fmt.Errorf("DATA_DIR: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(c.cfg.DataDir, "lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("DATA_DIR: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder := make([]byte, 20)
		n, _ := lock.Read(holder)
		lock.Close()
		return fmt.Errorf("another local cloud (process %s) uses %s: stop it, or choose another with DATA_DIR", strings.TrimSpace(string(holder[:n])), c.cfg.DataDir)
	}
	c.lock = lock
	// The lock ends with the file's descriptor, also after kill -9.
	c.onStop(func() { lock.Close() })
	if err := lock.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprintln(lock, os.Getpid())
	return err
}
