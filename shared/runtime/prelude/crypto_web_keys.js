// The keys of crypto.subtle: import, export, generate.
(function (host, load) {
  "use strict";
  const { call, fail, nameOf, hashOf, bytesOf, guard, operate, wrong, digestSizes, curveBytes } = load("crypto_web");
  const { cryptoKey, handleOf, partsOf, isCryptoKey } = load("crypto_secret");

  // uses are what keys of an algorithm may be used for: secret, public, private.
  const aes = { secret: ["encrypt", "decrypt", "wrapKey", "unwrapKey"] };
  const signs = { public: ["verify"], private: ["sign"] }, derives = { public: [], private: ["deriveKey", "deriveBits"] };
  const uses = {
    __proto__: null, "AES-CBC": aes, "AES-CTR": aes, "AES-GCM": aes, HMAC: { secret: ["sign", "verify"] },
    PBKDF2: { secret: ["deriveKey", "deriveBits"] }, HKDF: { secret: ["deriveKey", "deriveBits"] },
    "RSASSA-PKCS1-v1_5": signs, "RSA-PSS": signs, ECDSA: signs, Ed25519: signs, ECDH: derives, X25519: derives,
    "RSA-OAEP": { public: ["encrypt", "wrapKey"], private: ["decrypt", "unwrapKey"] },
  };
  const order = ["encrypt", "decrypt", "sign", "verify", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"];
  const isRSA = (name) => name.startsWith("RSA");
  const isEC = (name) => name === "ECDSA" || name === "ECDH";
  const isOKP = (name) => name === "Ed25519" || name === "X25519";
  const data = (message = "Invalid keyData") => fail("DataError", message);

  function usagesOf(usages, allowed, name) {
    const list = [...usages];
    if (list.some((u) => !order.includes(u))) throw wrong("ERR_INVALID_ARG_VALUE", `${list.find((u) => !order.includes(u))} is no usage of keys`);
    if (list.some((u) => !allowed.includes(u))) fail("SyntaxError", `Unsupported key usage for ${/^[AHREF]/.test(name) ? "an" : "a"} ${name} key`);
    return [...new Set(list)];
  }

  function make(type, handle, algorithm, extractable, usages) {
    const list = usagesOf(usages, uses[algorithm.name][type], algorithm.name);
    if (list.length === 0 && type !== "public") fail("SyntaxError", `Usages cannot be empty when importing a ${type} key.`);
    return cryptoKey(handle, { type, extractable: Boolean(extractable), algorithm, usages: list });
  }

  // ---- import

  async function importKey(format, keyData, algorithm, extractable, usages) {
    const name = nameOf(algorithm);
    if (uses[name] === undefined) fail("NotSupportedError", "Unrecognized algorithm name");
    if (!["raw", "pkcs8", "spki", "jwk"].includes(format)) throw wrong("ERR_INVALID_ARG_VALUE", `${format} is no format of keys`);
    if (format === "jwk") {
      if (typeof keyData !== "object" || keyData === null) data();
      if (keyData.ext === false && extractable) data("JWK \"ext\" Parameter and extractable mismatch");
      if (keyData.use !== undefined && keyData.use !== (/encrypt|decrypt|wrap/i.test(`${[...usages]}`) ? "enc" : "sig") && [...usages].length > 0 && !/derive/.test(`${[...usages]}`)) data('Invalid JWK "use" Parameter');
    }
    if (uses[name].secret !== undefined) return importSecret(format, keyData, algorithm, name, extractable, usages);
    return importPair(format, keyData, algorithm, name, extractable, usages);
  }

  function importSecret(format, keyData, algorithm, name, extractable, usages) {
    const derivation = name === "PBKDF2" || name === "HKDF";
    if (format !== "raw" && (format !== "jwk" || derivation)) fail("NotSupportedError", `Unable to import ${name} using ${format} format`);
    if (derivation && extractable) fail("SyntaxError", `${name} keys are not extractable`);
    usagesOf(usages, uses[name].secret, name);
    if (format === "jwk" && keyData.kty !== "oct") data();
    const handle = format === "raw" ? call("key.secret", bytesOf(keyData)) : guard("DataError", "Invalid keyData", () => call("key.fromJWK", JSON.stringify({ kty: "oct", k: keyData.k }), false));
    const bits = call("key.size", handle) * 8;
    if (derivation) return make("secret", handle, { name }, false, usages);
    if (name === "HMAC") {
      if (bits === 0) data("Zero-length key is not supported");
      const length = algorithm.length ?? bits;
      if (length > bits || length <= bits - 8) data("Invalid key length");
      return make("secret", handle, { name, hash: { name: hashOf(algorithm.hash) }, length }, extractable, usages);
    }
    if (bits !== 128 && bits !== 192 && bits !== 256) data("Invalid key length");
    if (format === "jwk" && keyData.alg !== undefined && keyData.alg !== `A${bits}${name.slice(4)}`) data('JWK "alg" does not match the requested algorithm');
    return make("secret", handle, { name, length: bits }, extractable, usages);
  }

  function importPair(format, keyData, algorithm, name, extractable, usages) {
    let type = format === "pkcs8" || (format === "jwk" && keyData.d !== undefined) ? "private" : "public";
    const curve = isEC(name) ? curveOf(algorithm) : undefined;
    usagesOf(usages, uses[name][type], name);
    const handle = guard("DataError", "Invalid keyData", () => {
      if (format === "spki") return call("key.public", bytesOf(keyData), "der", "spki");
      if (format === "pkcs8") return call("key.private", bytesOf(keyData), "der", "pkcs8");
      if (format === "jwk") return call("key.fromJWK", textOfJWK(keyData, name, curve), type === "private");
      if (isRSA(name)) fail("NotSupportedError", `Unable to import ${name} using raw format`);
      return call("key.fromPoint", curve ?? name, bytesOf(keyData));
    });
    const { 0: kind, 1: modulusLength, 2: exponent, 3: named } = call("key.info", handle);
    const expected = isRSA(name) ? "rsa" : isEC(name) ? "ec" : name.toLowerCase();
    if (kind !== expected) data("Invalid key type");
    if (isEC(name)) {
      if (named !== opensslCurves[curve]) data("Named curve mismatch");
      return make(type, handle, { name, namedCurve: curve }, extractable, usages);
    }
    return make(type, handle, isRSA(name) ? rsaAlgorithm(name, modulusLength, exponent, hashOf(algorithm.hash)) : { name }, extractable, usages);
  }

  const opensslCurves = { __proto__: null, "P-256": "prime256v1", "P-384": "secp384r1", "P-521": "secp521r1" };
  const curveOf = (algorithm) => (`${algorithm.namedCurve}` in curveBytes ? algorithm.namedCurve : fail("NotSupportedError", "Unrecognized namedCurve"));

  function rsaAlgorithm(name, modulusLength, exponent, hash) {
    const bytes = [];
    for (let n = exponent; n > 0; n = Math.floor(n / 256)) bytes.unshift(n % 256);
    return { name, modulusLength, publicExponent: new Uint8Array(bytes), hash: { name: hash } };
  }

  function textOfJWK(key, name, curve) {
    const kty = isRSA(name) ? "RSA" : isEC(name) ? "EC" : "OKP";
    if (key.kty !== kty) data('Invalid JWK "kty" Parameter');
    if (kty !== "RSA" && key.crv !== (curve ?? name)) data('JWK "crv" does not match the requested algorithm');
    const wanted = {};
    for (const member of ["kty", "crv", "n", "e", "d", "p", "q", "dp", "dq", "qi", "x", "y"]) if (typeof key[member] === "string") wanted[member] = key[member];
    return JSON.stringify(wanted);
  }

  // ---- export

  const rsaNames = { __proto__: null, "RSASSA-PKCS1-v1_5": "RS", "RSA-PSS": "PS", "RSA-OAEP": "RSA-OAEP" };

  // algOf is the JWA name of a key's algorithm.
  function algOf({ name, hash, length }) {
    const size = hash?.name.slice(4);
    if (name === "HMAC") return `HS${size}`;
    if (name.startsWith("AES")) return `A${length}${name.slice(4)}`;
    if (name === "RSA-OAEP") return size === "1" ? name : `${name}-${size}`;
    return isRSA(name) ? rsaNames[name] + size : undefined;
  }

  async function exportKey(format, key) {
    if (!["raw", "pkcs8", "spki", "jwk"].includes(format)) throw wrong("ERR_INVALID_ARG_VALUE", `${format} is no format of keys`);
    if (!isCryptoKey(key)) throw wrong("ERR_INVALID_ARG_TYPE", "the key must be a CryptoKey");
    const { type, extractable, algorithm, usages } = partsOf(key), handle = handleOf(key);
    if (!extractable) fail("InvalidAccessError", "key is not extractable");
    if (format === "jwk") {
      const result = { key_ops: [...usages], ext: true, ...load("crypto_key").jwkOf(handle) };
      const alg = algOf(algorithm);
      if (alg !== undefined) result.alg = alg;
      return result;
    }
    if (format === "raw" && type === "secret") return call("key.bytes", handle);
    if (format === "raw" && type === "public" && !isRSA(algorithm.name)) return call("key.toPoint", handle);
    if (format === "spki" && type === "public") return call("key.export", handle, false, "der", "spki");
    if (format === "pkcs8" && type === "private") return call("key.export", handle, true, "der", "pkcs8");
    return fail(format === "raw" && type === "private" || format !== "raw" ? "InvalidAccessError" : "NotSupportedError", `Unable to export a ${type} ${algorithm.name} key using ${format} format`);
  }

  // ---- generate

  async function generateKey(algorithm, extractable, usages) {
    const name = nameOf(algorithm);
    if (uses[name] === undefined || name === "PBKDF2" || name === "HKDF") fail("NotSupportedError", "Unrecognized algorithm name");
    if (uses[name].secret !== undefined) {
      const length = lengthOf(algorithm, name);
      const usagesLeft = usagesOf(usages, uses[name].secret, name);
      if (usagesLeft.length === 0) fail("SyntaxError", "Usages cannot be empty when creating a key.");
      const handle = call("key.secret", call("random", Math.ceil(length / 8)));
      return make("secret", handle, name === "HMAC" ? { name, length, hash: { name: hashOf(algorithm.hash) } } : { name, length }, extractable, usages);
    }
    const list = usagesOf(usages, [...uses[name].public, ...uses[name].private], name);
    const forPrivate = list.filter((u) => uses[name].private.includes(u));
    if (forPrivate.length === 0) fail("SyntaxError", "Usages cannot be empty when creating a key.");
    const { handle, made } = operate(() => generatePair(algorithm, name));
    return {
      publicKey: make("public", call("key.publicOf", handle), made, true, list.filter((u) => uses[name].public.includes(u))),
      privateKey: make("private", handle, made, extractable, forPrivate),
    };
  }

  function generatePair(algorithm, name) {
    if (isRSA(name)) {
      const exponent = [...new Uint8Array(algorithm.publicExponent)].reduce((n, b) => n * 256 + b, 0);
      const hash = hashOf(algorithm.hash);
      return { handle: call("key.generate", "rsa", +algorithm.modulusLength, exponent), made: rsaAlgorithm(name, +algorithm.modulusLength, exponent, hash) };
    }
    if (isOKP(name)) return { handle: call("key.generate", name.toLowerCase()), made: { name } };
    const curve = curveOf(algorithm);
    return { handle: call("key.generate", "ec", curve), made: { name, namedCurve: curve } };
  }

  // lengthOf is how many bits a secret key of the algorithm has.
  function lengthOf(algorithm, name) {
    const { length } = algorithm;
    if (name === "HMAC") {
      if (length === 0) fail("OperationError", "Zero-length key is not supported");
      if (length !== undefined && length % 8 !== 0) fail("OperationError", "the length must be a multiple of 8");
      return length ?? (digestSizes[hashOf(algorithm.hash)] > 256 ? 1024 : 512);
    }
    if (length !== 128 && length !== 192 && length !== 256) fail("OperationError", "Invalid key length");
    return length;
  }

  return { __proto__: null, importKey, exportKey, generateKey, lengthOf };
});
