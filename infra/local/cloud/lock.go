package cloud

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Lock claims a data directory: two local clouds on one would share a database,
// and one would run the programs that the other builds.
type Lock struct{ file *os.File }

// Claim makes the data directory and locks it. The error says which process
// has it and what to do. A claim ends with its process, also after kill -9.
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
		// The lock is taken before the process ID is written, so the file may still be empty.
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

// Release gives the data directory back.
func (l *Lock) Release() { l.file.Close() }
