package key

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"

	"minicloud/shared/runtime/hostcall"
)

// keyGenerate is generate(rsa, bits, exponent), generate(ec, curve), generate(ed25519) or generate(x25519).
func keyGenerate(c *hostcall.Call) (any, error) {
	switch kind := c.Text(0); kind {
	case "rsa":
		bits := c.Integer(1)
		if c.Integer(2) != rsaExponent {
			return nil, hostcall.RefuseRange("ERR_OUT_OF_RANGE", "the only public exponent of generated keys is %d", rsaExponent)
		}
		if bits > maxModulus {
			return nil, hostcall.RefuseRange("ERR_OUT_OF_RANGE", "a modulus has at most %d bits", maxModulus)
		}

		// Generating a long key takes seconds, and Go's function cannot be stopped.
		made, err := c.Aside(func() (any, error) { return rsa.GenerateKey(rand.Reader, bits) })
		if err != nil {
			return nil, err
		}

		return newPrivate(made, nil)
	case "ec":
		found, err := curveOf(c.Text(1))
		if err != nil {
			return nil, err
		}
		return newPrivate(ecdsa.GenerateKey(found.curve, rand.Reader))
	case "ed25519":
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return newPrivate(key, err)
	case "x25519":
		return newPrivate(ecdh.X25519().GenerateKey(rand.Reader))
	default:
		return nil, hostcall.RefuseType("ERR_INVALID_ARG_VALUE", "no key type %q", kind)
	}
}

// rsaExponent is the public exponent of all generated RSA keys.
const rsaExponent = 65537
