package ddb

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// empty is a database as dynoxide creates it, with only the table of stream records, and two additions:
//
//	an index on (table_name, sequence_number): without it every write scans all stored stream records
//	a trigger that deletes a table's records after 24 h, as AWS does, on later writes; the newest record
//	stays, because dynoxide derives the next sequence number from it
//
// TestEmptyDatabase writes the file with -update. The program copies it instead of running the two statements, because
// linking an SQLite library would take a third of the compile time of `make run`.
//
//go:embed empty.db
var empty []byte

const (
	sqliteHeader = "SQLite format 3\x00" // first bytes of every database file that is not empty

	applicationID = 0x6d696e69 // application ID of databases made from empty.db
	atID          = 68         // its offset in the file, 4 bytes
)

// prepare creates a missing database file, and refuses another program's file before dynoxide adds tables to it.
// dynoxide reports other faults of the file when it opens it.
func prepare(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return create(path)
	}
	if err != nil {
		if about, other := os.Stat(path); other == nil && about.IsDir() {
			return fmt.Errorf("the database %s is a folder: %s", path, foreign)
		}
		return trouble(path, err)
	}
	defer file.Close()

	head := make([]byte, atID+4)
	n, err := io.ReadFull(file, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return create(path)
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return trouble(path, err)
	case !bytes.HasPrefix(head, []byte(sqliteHeader)):
		return fmt.Errorf("the database %s is no SQLite file: restore it from a copy, or %s", path, foreign)
	case binary.BigEndian.Uint32(head[atID:]) == applicationID:
		return nil
	}

	// Files of earlier releases have no application ID.
	if text, err := os.ReadFile(path); err != nil {
		return trouble(path, err)
	} else if !bytes.Contains(text, []byte("_stream_records")) {
		return fmt.Errorf("the database %s is another program's: %s", path, foreign)
	}
	return nil
}

// create writes an empty database atomically.
func create(path string) error {
	next := path + ".new"
	if err := os.WriteFile(next, empty, 0o600); err != nil {
		return trouble(path, err)
	}
	if err := os.Rename(next, path); err != nil {
		return trouble(path, err)
	}
	return nil
}
