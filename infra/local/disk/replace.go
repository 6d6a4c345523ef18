// Package disk writes the files of a data directory: those that are replaced
// whole, and logs that do not grow for ever.
package disk

import (
	"errors"
	"os"
)

// Replace writes a file that only its owner may read, whole or not at all, also
// when the disk is full or the machine ends.
func Replace(path string, content []byte) error {
	next, err := os.OpenFile(path+".next", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = next.Write(content)
	err = errors.Join(err, next.Sync(), next.Close())
	if err == nil {
		err = os.Rename(path+".next", path)
	}
	if err != nil {
		_ = os.Remove(path + ".next") // of a full disk it would keep a part
	}
	return err
}
