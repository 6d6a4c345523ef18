package key

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"math/big"

	"minicloud/shared/runtime/hostcall"
)

// curve is an elliptic curve with its names in OpenSSL and in JSON Web Keys.
type curve struct {
	name, short string
	curve       elliptic.Curve
	exchange    ecdh.Curve // the curve for key agreements, nil if Go has none
}

var curves = []curve{
	{"prime256v1", "P-256", elliptic.P256(), ecdh.P256()}, {"secp224r1", "P-224", elliptic.P224(), nil},
	{"secp384r1", "P-384", elliptic.P384(), ecdh.P384()}, {"secp521r1", "P-521", elliptic.P521(), ecdh.P521()},
}

// size returns the size of a coordinate in bytes.
func (c curve) size() int { return (c.curve.Params().BitSize + 7) / 8 }

func invalidCurve() error {
	return hostcall.RefuseType("ERR_CRYPTO_INVALID_CURVE", "Invalid EC curve name")
}

func curveOf(name string) (curve, error) {
	for _, c := range curves {
		if c.name == name || c.short == name || name == "secp256r1" && c.short == "P-256" {
			return c, nil
		}
	}
	return curve{}, invalidCurve()
}

func curveList(*hostcall.Call) (any, error) {
	var names []any
	for _, c := range curves {
		names = append(names, c.name)
	}
	return names, nil
}

// ECDH is a key pair for a key agreement; private is nil until it is set or generated.
type ECDH struct {
	curve   curve
	private *ecdh.PrivateKey
	public  *ecdh.PublicKey
}

// Size is the approximate size of both keys.
func (*ECDH) Size() int { return 1024 }

func ecdhNew(c *hostcall.Call) (any, error) {
	found, err := curveOf(c.Text(0))
	if err != nil || found.exchange == nil {
		return nil, invalidCurve()
	}
	return &ECDH{curve: found}, nil
}

func ecdhGenerate(c *hostcall.Call) (any, error) {
	e := hostcall.ObjectAt[*ECDH](c, 0)
	key, err := e.curve.exchange.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	e.private, e.public = key, key.PublicKey()
	return nil, nil
}

// point parses a public key in compressed, uncompressed or hybrid form.
func (c curve) point(data []byte) (*ecdh.PublicKey, error) {
	size := c.size()
	if len(data) == 1+size && (data[0] == 2 || data[0] == 3) {
		if x, y := elliptic.UnmarshalCompressed(c.curve, data); x != nil {
			data = uncompressed(x, y, size)
		}
	}
	if len(data) == 1+2*size && (data[0] == 6 || data[0] == 7) && data[0]&1 == data[2*size]&1 {
		data = append([]byte{4}, data[1:]...)
	}
	return c.exchange.NewPublicKey(data)
}

func uncompressed(x, y *big.Int, size int) []byte {
	out := make([]byte, 1+2*size)
	out[0] = 4
	x.FillBytes(out[1 : 1+size])
	y.FillBytes(out[1+size:])
	return out
}

func ecdhCompute(c *hostcall.Call) (any, error) {
	e := hostcall.ObjectAt[*ECDH](c, 0)
	if e.private == nil {
		return nil, hostcall.RefuseRange("ERR_CRYPTO_INVALID_KEYPAIR", "Invalid key pair")
	}
	other, err := e.curve.point(c.Copied(1))
	if err != nil {
		return nil, hostcall.Refuse("ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY", "Public key is not valid for specified curve")
	}
	return e.private.ECDH(other)
}

// ecdhPublic is public(pair, form), with the form compressed, uncompressed or hybrid.
func ecdhPublic(c *hostcall.Call) (any, error) {
	e := hostcall.ObjectAt[*ECDH](c, 0)
	if e.public == nil {
		return nil, hostcall.Refuse("ERR_CRYPTO_OPERATION_FAILED", "Failed to get ECDH public key")
	}
	return pointAs(e.public.Bytes(), c.Text(1)), nil
}

// pointAs converts an uncompressed point to another form.
func pointAs(point []byte, form string) []byte {
	odd := point[len(point)-1] & 1
	switch form {
	case "compressed":
		return append([]byte{2 | odd}, point[1:1+len(point)/2]...)
	case "hybrid":
		return append([]byte{6 | odd}, point[1:]...)
	}
	return point
}

// ecdhConvert is convert(point, curve, form).
func ecdhConvert(c *hostcall.Call) (any, error) {
	found, err := curveOf(c.Text(1))
	if err != nil {
		return nil, err
	}
	if found.exchange == nil {
		return nil, invalidPoint()
	}
	point, err := found.point(c.Data(0))
	if err != nil {
		return nil, invalidPoint()
	}
	return pointAs(point.Bytes(), c.Text(2)), nil
}

// invalidPoint returns OpenSSL's only error for invalid points.
func invalidPoint() error {
	return hostcall.Refuse("ERR_CRYPTO_OPERATION_FAILED", "Failed to convert Buffer to EC_POINT")
}

func ecdhPrivate(c *hostcall.Call) (any, error) {
	e := hostcall.ObjectAt[*ECDH](c, 0)
	if e.private == nil {
		return nil, hostcall.Refuse("ERR_CRYPTO_OPERATION_FAILED", "Failed to get ECDH private key")
	}
	return e.private.Bytes(), nil
}

func ecdhSetPrivate(c *hostcall.Call) (any, error) {
	e := hostcall.ObjectAt[*ECDH](c, 0)
	data := c.Copied(1)
	if size := e.curve.size(); len(data) < size { // leading zeros are optional
		data = append(make([]byte, size-len(data)), data...)
	}
	key, err := e.curve.exchange.NewPrivateKey(data)
	if err != nil {
		return nil, hostcall.RefuseRange("ERR_CRYPTO_INVALID_KEYTYPE", "Private key is not valid for specified curve.")
	}
	e.private, e.public = key, key.PublicKey()
	return nil, nil
}

func ecdhSetPublic(c *hostcall.Call) (any, error) {
	e := hostcall.ObjectAt[*ECDH](c, 0)
	public, err := e.curve.point(c.Copied(1))
	if err != nil {
		return nil, invalidPoint()
	}
	e.public = public
	return nil, nil
}

// keyAgree is agree(private key, public key): it returns the shared secret.
func keyAgree(c *hostcall.Call) (any, error) {
	a, b := hostcall.ObjectAt[*Key](c, 0), hostcall.ObjectAt[*Key](c, 1)
	private, ok := exchangeKey(a.private).(*ecdh.PrivateKey)
	if !ok {
		return nil, unsupportedOperation()
	}
	public, ok := exchangeKey(b.public).(*ecdh.PublicKey)
	if !ok {
		return nil, unsupportedOperation()
	}
	// Go's error for this has no OpenSSL code.
	if private.Curve() != public.Curve() {
		return nil, hostcall.OpenSSL("1C8000CB", "Provider routines", "mismatching domain parameters")
	}

	return private.ECDH(public)
}

// exchangeKey converts a signature key to the same key for key agreement.
func exchangeKey(key any) any {
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		if e, err := k.ECDH(); err == nil {
			return e
		}
	case *ecdsa.PublicKey:
		if e, err := k.ECDH(); err == nil {
			return e
		}
	}
	return key
}

// keyFromPoint is fromPoint(curve, Ed25519 or X25519, bytes): it returns the public key with these raw bytes.
func keyFromPoint(c *hostcall.Call) (any, error) {
	data := c.Copied(1)
	switch name := c.Text(0); name {
	case "Ed25519":
		if len(data) != ed25519.PublicKeySize {
			return nil, invalidJWK("OKP")
		}
		return newPublic(ed25519.PublicKey(data), nil)
	case "X25519":
		return newPublic(ecdh.X25519().NewPublicKey(data))
	default:
		found, err := curveOf(name)
		if err != nil {
			return nil, err
		}
		// ParseUncompressedPublicKey does not accept compressed points, so decompress the point first.
		if x, y := elliptic.UnmarshalCompressed(found.curve, data); len(data) > 0 && data[0] != 4 && x != nil {
			data = uncompressed(x, y, found.size())
		}
		return newPublic(ecdsa.ParseUncompressedPublicKey(found.curve, data))
	}
}

func keyToPoint(c *hostcall.Call) (any, error) {
	switch public := hostcall.ObjectAt[*Key](c, 0).public.(type) {
	case ed25519.PublicKey:
		return []byte(public), nil
	case *ecdh.PublicKey:
		return public.Bytes(), nil
	case *ecdsa.PublicKey:
		return public.Bytes()
	}
	return nil, unsupportedOperation()
}
