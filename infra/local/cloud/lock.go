package cloud

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Lock is an exclusive lock of a data directory: two local clouds would share its database, and one would run programs
// while the other builds them.
type Lock struct{ file *os.File }

// Claim creates the data directory and locks it. Its error names the process that holds the lock and how to continue.
// The lock ends with its process, even after kill -9.
func Claim(dataDir string) (*Lock, error) {
	if err := os.MkdirAll(filepath.Join(dataDir, "logs"), 0o700); err != nil {
		return nil, fmt.Errorf("DATA_DIR: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dataDir, "lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("DATA_DIR: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder := make([]byte, 20)
		// The holder writes its process ID after it takes the lock, so the file may still be empty.
		n, _ := file.Read(holder)
		file.Close()
		process := cmp.Or(strings.TrimSpace(string(holder[:n])), "that has just begun")
		return nil, fmt.Errorf(
			"another local cloud (process %s) uses %s: stop it, or choose another folder with DATA_DIR", process, dataDir,
		)
	}

	l := &Lock{file}
	err = file.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintln(file, os.Getpid())
	}
	if err != nil {
		l.Release()
		return nil, fmt.Errorf("DATA_DIR: %w", err)
	}
	return l, nil
}

// Release unlocks the data directory.
func (l *Lock) Release() { l.file.Close() }
