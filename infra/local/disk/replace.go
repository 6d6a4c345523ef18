// Package disk writes the files of a data directory: files that are replaced atomically, and rotating logs.
package disk

import (
	"encoding/json"
	"errors"
	"os"
)

// ReplaceJSON replaces a file by the JSON of a value, see Replace.
func ReplaceJSON(path string, v any) error {
	content, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return Replace(path, append(content, '\n'))
}

// Replace writes a file, readable only by its owner, atomically: a full disk or a crash of the machine leaves the old
// content.
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
		_ = os.Remove(path + ".next") // a partial file would fill a full disk further
	}
	return err
}
