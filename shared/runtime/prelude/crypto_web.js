// What the parts of crypto.subtle share: algorithms by name, their checks, and
// errors as DOMExceptions.
(function (host, load) {
  "use strict";
  const { call, plain } = load("crypto_args");
  const { isCryptoKey, partsOf, handleOf } = load("crypto_secret");

  const fail = (name, message) => { throw new (load("dom_exception").DOMException)(message, name); };
  const names = ["SHA-1", "SHA-256", "SHA-384", "SHA-512", "AES-CBC", "AES-CTR", "AES-GCM", "HMAC", "RSASSA-PKCS1-v1_5", "RSA-PSS", "RSA-OAEP", "ECDSA", "ECDH", "Ed25519", "X25519", "PBKDF2", "HKDF"];
  const byUpper = { __proto__: null };
  for (const name of names) byUpper[name.toUpperCase()] = name;
  const digestSizes = { __proto__: null, "SHA-1": 160, "SHA-256": 256, "SHA-384": 384, "SHA-512": 512 };
  const curveBytes = { __proto__: null, "P-256": 32, "P-384": 48, "P-521": 66 };

  // nameOf is the proper spelling of an algorithm's name.
  function nameOf(algorithm) {
    const name = byUpper[`${typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm}`.toUpperCase()];
    return name ?? fail("NotSupportedError", "Unrecognized algorithm name");
  }

  function hashOf(algorithm) {
    const name = nameOf(algorithm);
    return name in digestSizes ? name : fail("NotSupportedError", "Unrecognized algorithm name");
  }

  const wrong = (code, message) => load("node/errors").coded(TypeError, code, message);

  // bytesOf is a copy of the caller's bytes: the operation happens as if later.
  function bytesOf(data, what = "data") {
    const bytes = typeof data === "string" ? undefined : plain(data);
    if (bytes === undefined) throw wrong(data === undefined && what.startsWith("algorithm.") ? "ERR_MISSING_OPTION" : data === undefined ? "ERR_MISSING_ARGS" : "ERR_INVALID_ARG_TYPE", `${what} must be an ArrayBuffer or a view of one`);
    return bytes;
  }

  // guard turns what the host refuses into an error of the web.
  function guard(name, message, operation) {
    try {
      return operation();
    } catch (cause) {
      if (cause instanceof load("dom_exception").DOMException || cause.code === "ERR_MISSING_OPTION" || cause.code === "ERR_INVALID_ARG_TYPE") throw cause;
      const error = new (load("dom_exception").DOMException)(message, name);
      Object.defineProperty(error, "cause", { value: cause, writable: true, configurable: true });
      throw error;
    }
  }
  const operate = (operation) => guard("OperationError", "The operation failed for an operation-specific reason", operation);

  // keyFor checks that a key is of an algorithm and may be used for something.
  function keyFor(key, name, usage) {
    if (!isCryptoKey(key)) throw wrong("ERR_INVALID_ARG_TYPE", "the key must be a CryptoKey");
    const { algorithm, usages } = partsOf(key);
    if (algorithm.name !== name) fail("InvalidAccessError", "Key algorithm mismatch");
    if (!usages.includes(usage)) fail("InvalidAccessError", `Unable to use this key to ${usage}`);
    return handleOf(key);
  }

  return { __proto__: null, call, fail, nameOf, hashOf, bytesOf, guard, operate, wrong, keyFor, digestSizes, curveBytes };
});
