package finder

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"

	"minicloud/shared/language/query"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

// permit limits the search to the rows and columns of the query's reader.
func (f *search) permit() (err error) {
	if f.where, err = f.table.Narrowed(f.q.Client(), f.q.Where, f.order); err != nil {
		return err
	}
	if f.where == nil {
		f.where = query.And(nil)
	}
	every, ok := f.where.(query.And)
	f.all = ok && len(every) == 0
	f.table.Reader, f.table.Sight = f.q.Client(), f.table.SightOf(f.q.Client())
	return nil
}

// matches reports whether the row meets the condition and may be read. A plan only narrows the search, so this decides
// for every row.
func (f *search) matches(row table.Row, record map[string]any) bool {
	return f.table.Readable(f.table.Reader, row) && f.where.Match(record)
}

// errNoKey is a mistake of the program: a reader's cursor must be sealed.
var errNoKey = errors.New("finder: the reader has no key for cursors")

// seal encrypts a cursor for the query's reader. The same cursor gives the same text, so that a list without changes
// gives the same response.
func (f *search) seal(text []byte) (page.Cursor, error) {
	box, key, err := f.box()
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	nonce := mac.Sum(nil)[:box.NonceSize()]
	return page.Cursor(box.Seal(nonce, nonce, text, nil)), nil
}

// open decrypts a cursor. It returns page.ErrCursor for a cursor of another caller, table or environment.
func (f *search) open(cursor page.Cursor) ([]byte, error) {
	box, _, err := f.box()
	if err != nil {
		return nil, err
	}
	size := box.NonceSize()
	if len(cursor) < size {
		return nil, page.ErrCursor()
	}
	text, err := box.Open(nil, []byte(cursor[:size]), []byte(cursor[size:]), nil)
	if err != nil {
		return nil, page.ErrCursor()
	}
	return text, nil
}

// box returns the cipher for the reader's cursors in this table, and its key.
func (f *search) box() (cipher.AEAD, []byte, error) {
	if len(f.q.Reader.Key) == 0 {
		return nil, nil, errNoKey
	}
	mac := hmac.New(sha256.New, f.q.Reader.Key)
	fmt.Fprintf(mac, "%s#%d#%d", f.scope, f.table.ID, f.q.Reader.User)
	key := mac.Sum(nil)
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, nil, err
	}
	box, err := cipher.NewGCM(block)
	return box, key, err
}
