package key

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"

	"minicloud/shared/runtime/hostcall"
)

// jwk is a JSON Web Key (RFC 7517); its binary members are base64url.
type jwk struct {
	Crv string `json:"crv,omitempty"`
	Kty string `json:"kty"`
	K   string `json:"k,omitempty"`
	N   string `json:"n,omitempty"`
	E   string `json:"e,omitempty"`
	D   string `json:"d,omitempty"`
	P   string `json:"p,omitempty"`
	Q   string `json:"q,omitempty"`
	DP  string `json:"dp,omitempty"`
	DQ  string `json:"dq,omitempty"`
	QI  string `json:"qi,omitempty"`
	X   string `json:"x,omitempty"`
	Y   string `json:"y,omitempty"`
}

func invalidJWK(kind string) error {
	return hostcall.RefuseType("ERR_CRYPTO_INVALID_JWK", "Invalid JWK %s key", kind)
}

// number decodes a member; ok is false if it is no number or larger than the largest supported key.
func number(text string) (*big.Int, bool) {
	if len(text) > maxModulus/6+1 {
		return nil, false
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	return new(big.Int).SetBytes(data), err == nil && text != ""
}

func written(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// keyFromJWK is fromJWK(JSON, private).
func keyFromJWK(c *hostcall.Call) (any, error) {
	var j jwk
	if json.Unmarshal(c.Data(0), &j) != nil {
		return nil, invalidJWK("data")
	}

	private := c.Flag(1)
	switch j.Kty {
	case "oct":
		data, err := base64.RawURLEncoding.DecodeString(j.K)
		if err != nil {
			return nil, invalidJWK("oct")
		}
		return &Key{secret: data}, nil
	case "RSA":
		return j.rsa(private)
	case "EC":
		return j.ec(private)
	case "OKP":
		return j.okp(private)
	}

	return nil, invalidJWK("data")
}

func (j jwk) rsa(private bool) (*Key, error) {
	n, ok := number(j.N)
	e, okE := number(j.E)
	if !ok || !okE || !e.IsInt64() || e.Int64() > 1<<31-1 || e.Int64() < 2 || n.BitLen() > maxModulus || n.Sign() < 1 {
		return nil, invalidJWK("RSA")
	}

	public := &rsa.PublicKey{N: n, E: int(e.Int64())}
	if !private {
		return newPublic(public, nil)
	}
	d, okD := number(j.D)
	p, okP := number(j.P)
	q, okQ := number(j.Q)
	if !okD || !okP || !okQ {
		return nil, invalidJWK("RSA")
	}

	key := &rsa.PrivateKey{PublicKey: *public, D: d, Primes: []*big.Int{p, q}}
	// Go computes dp, dq and qi; the values of the JSON are not trusted.
	key.Precompute()
	if key.Validate() != nil {
		return nil, invalidJWK("RSA")
	}

	return newPrivate(key, nil)
}

func (j jwk) ec(private bool) (*Key, error) {
	found, err := curveOf(j.Crv)
	if err != nil {
		return nil, invalidJWK("EC")
	}

	x, okX := number(j.X)
	y, okY := number(j.Y)
	size := found.size()
	if !okX || !okY || len(x.Bytes()) > size || len(y.Bytes()) > size {
		return nil, invalidJWK("EC")
	}
	public, err := ecdsa.ParseUncompressedPublicKey(found.curve, uncompressed(x, y, size))
	if err != nil {
		return nil, invalidJWK("EC")
	}
	if !private {
		return newPublic(public, nil)
	}

	d, ok := number(j.D)
	if !ok || len(d.Bytes()) > size {
		return nil, invalidJWK("EC")
	}
	// Refuse a private key whose public half belongs to another key.
	key, err := ecdsa.ParseRawPrivateKey(found.curve, d.FillBytes(make([]byte, size)))
	if err != nil || !key.PublicKey.Equal(public) {
		return nil, invalidJWK("EC")
	}

	return newPrivate(key, nil)
}

func (j jwk) okp(private bool) (*Key, error) {
	x, errX := base64.RawURLEncoding.DecodeString(j.X)
	d, errD := base64.RawURLEncoding.DecodeString(j.D)
	// NewKeyFromSeed panics if the seed has another length.
	if errX != nil || errD != nil || len(x) != 32 || private && len(d) != 32 {
		return nil, hostcall.RefuseType("ERR_CRYPTO_INVALID_JWK", "Invalid JWK data")
	}

	switch {
	case j.Crv == "Ed25519" && private:
		return newPrivate(ed25519.NewKeyFromSeed(d), nil)
	case j.Crv == "Ed25519":
		return newPublic(ed25519.PublicKey(x), nil)
	case j.Crv == "X25519" && private:
		return newPrivate(ecdh.X25519().NewPrivateKey(d))
	case j.Crv == "X25519":
		return newPublic(ecdh.X25519().NewPublicKey(x)) // 32 bytes are always a key
	}

	return nil, invalidJWK("OKP")
}

// keyToJWK is toJWK(key): it returns the JSON, with the private members for a private key.
func keyToJWK(c *hostcall.Call) (any, error) {
	k := hostcall.ObjectAt[*Key](c, 0)
	j := jwk{}
	switch public := k.public.(type) {
	case nil:
		j = jwk{Kty: "oct", K: written(k.secret)}
	case *rsa.PublicKey:
		j = jwk{Kty: "RSA", N: written(public.N.Bytes()), E: written(big.NewInt(int64(public.E)).Bytes())}
		if private, ok := k.private.(*rsa.PrivateKey); ok && len(private.Primes) == 2 {
			j.D, j.P, j.Q = written(private.D.Bytes()), written(private.Primes[0].Bytes()), written(private.Primes[1].Bytes())
			values := private.Precomputed
			j.DP, j.DQ, j.QI = written(values.Dp.Bytes()), written(values.Dq.Bytes()), written(values.Qinv.Bytes())
		}
	case *ecdsa.PublicKey:
		point, err := public.Bytes()
		if err != nil {
			return nil, err
		}
		// An encoded point is the byte 4 followed by x and y.
		half := 1 + len(point)/2
		j = jwk{Kty: "EC", Crv: public.Curve.Params().Name, X: written(point[1:half]), Y: written(point[half:])}
		if private, ok := k.private.(*ecdsa.PrivateKey); ok {
			d, err := private.Bytes()
			if err != nil {
				return nil, err
			}
			j.D = written(d)
		}
	case ed25519.PublicKey:
		j = jwk{Kty: "OKP", Crv: "Ed25519", X: written(public)}
		if private, ok := k.private.(ed25519.PrivateKey); ok {
			j.D = written(private.Seed())
		}
	case *ecdh.PublicKey:
		j = jwk{Kty: "OKP", Crv: "X25519", X: written(public.Bytes())}
		if private, ok := k.private.(*ecdh.PrivateKey); ok {
			j.D = written(private.Bytes())
		}
	}

	text, err := json.Marshal(j)
	return string(text), err
}
