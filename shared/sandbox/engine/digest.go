package engine

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"strings"
)

func hostRandom(w *world, argc int32, argv uintptr) (value, error) {
	n, err := w.numberArgument(argc, argv, 0)
	if err != nil {
		return undefined, err
	}
	if !(n >= 0 && n <= 65536) {
		return undefined, fmt.Errorf("at most 65536 random bytes at once, not %v", n)
	}
	data := make([]byte, int(n))
	rand.Read(data)
	return w.latin1(data), nil
}

// digests are the algorithms of crypto.subtle.digest, createHash and HMAC.
var digests = map[string]func() hash.Hash{
	"md5": md5.New, "sha-1": sha1.New, "sha-256": sha256.New, "sha-384": sha512.New384, "sha-512": sha512.New,
}

func (w *world) digestArgument(argc int32, argv uintptr) (func() hash.Hash, error) {
	name, err := w.textArgument(argc, argv, 0)
	if err != nil {
		return nil, err
	}
	if f, ok := digests[strings.ToLower(name)]; ok {
		return f, nil
	}
	return nil, fmt.Errorf("no digest %q", name)
}

func hostDigest(w *world, argc int32, argv uintptr) (value, error) {
	algorithm, err := w.digestArgument(argc, argv)
	if err != nil {
		return undefined, err
	}
	data, err := w.bytesArgument(argc, argv, 1)
	if err != nil {
		return undefined, err
	}
	sum := algorithm()
	sum.Write(data)
	return w.latin1(sum.Sum(nil)), nil
}

func hostHMAC(w *world, argc int32, argv uintptr) (value, error) {
	algorithm, err := w.digestArgument(argc, argv)
	if err != nil {
		return undefined, err
	}
	key, err := w.bytesArgument(argc, argv, 1)
	if err != nil {
		return undefined, err
	}
	data, err := w.bytesArgument(argc, argv, 2)
	if err != nil {
		return undefined, err
	}
	sum := hmac.New(algorithm, key)
	sum.Write(data)
	return w.latin1(sum.Sum(nil)), nil
}
