// Public and private keys of the crypto module: reading, writing, making them.
(function (host, load) {
  "use strict";
  const { call, fail, failType, failValue, needText, needObject, needInteger, needFunction, plain, kinds, output, answer } = load("crypto_args");
  const { KeyObject, objectOf, handleOf, isKeyObject, isCryptoKey } = load("crypto_secret");

  const wrongType = (type, expected) => fail(TypeError, "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", `Invalid key object type ${type}, expected ${expected}.`);
  const incompatible = (type, reason) => fail(Error, "ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS", `The selected key encoding ${type} ${reason}.`);

  class AsymmetricKeyObject extends KeyObject {
    get asymmetricKeyType() { return call("key.info", handleOf(this))[0]; }
    get asymmetricKeyDetails() {
      const { 0: type, 1: modulusLength, 2: exponent, 3: namedCurve } = call("key.info", handleOf(this));
      if (type === "rsa") return { modulusLength, publicExponent: BigInt(exponent) };
      return type === "ec" ? { namedCurve } : {};
    }
  }

  class PublicKeyObject extends AsymmetricKeyObject {
    export(options) { return write(this, options, "options"); }
  }

  class PrivateKeyObject extends AsymmetricKeyObject {
    export(options) { return write(this, options, "options"); }
  }

  // ---- encodings

  // encodingOf checks {format, type, cipher, passphrase} of a key that is read
  // (keyType undefined) or written. isPublic is undefined where both will do.
  function encodingOf(options, keyType, isPublic, name) {
    const reading = keyType === undefined;
    const { format, type } = options;
    const form = format === undefined && reading ? "pem" : format;
    if (form !== "pem" && form !== "der" && form !== "jwk") failValue(`${name}.format`, format);
    if (form === "jwk") return { __proto__: null, format: form };
    checkType(type, !reading || form === "der", keyType, isPublic, `${name}.type`);
    const result = { __proto__: null, format: form, type };
    if (isPublic === true) return result;
    const { cipher, passphrase } = options;
    if (!reading) {
      if (cipher !== undefined && cipher !== null) {
        if (typeof cipher !== "string") failValue(`${name}.cipher`, cipher);
        if (form === "der" && (type === "pkcs1" || type === "sec1")) incompatible(type, "does not support encryption");
        result.cipher = cipher;
      } else if (passphrase !== undefined) failValue(`${name}.cipher`, cipher);
    }
    const secret = passphrase === undefined ? undefined : plain(passphrase, options.encoding);
    if (secret === undefined && (passphrase !== undefined || result.cipher !== undefined)) failValue(`${name}.passphrase`, passphrase);
    result.passphrase = secret;
    return result;
  }

  function checkType(type, required, keyType, isPublic, name) {
    if (type === undefined && !required) return;
    if (type === "pkcs1") {
      if (keyType !== undefined && keyType !== "rsa") incompatible(type, "can only be used for RSA keys");
    } else if (type === "sec1" && isPublic !== true) {
      if (keyType !== undefined && keyType !== "ec") incompatible(type, "can only be used for EC keys");
    } else if (!(type === "spki" && isPublic !== false) && !(type === "pkcs8" && isPublic !== true)) failValue(name, type);
  }

  function write(key, options, name) {
    needObject(options, name);
    const secret = key.type === "private";
    const handle = handleOf(key);
    if (options.format === "jwk") {
      if (options.passphrase !== undefined) incompatible("jwk", "does not support encryption");
      return jwkOf(handle);
    }
    const { format, type, cipher, passphrase } = encodingOf(options, key.asymmetricKeyType, !secret, name);
    const result = call("key.export", handle, secret, format, type, cipher, passphrase);
    return format === "pem" ? result : output(result);
  }

  // jwkOf has its members in Node's order.
  const orders = { __proto__: null, oct: ["kty", "k"], RSA: ["kty", "n", "e", "d", "p", "q", "dp", "dq", "qi"], EC: ["kty", "x", "y", "crv", "d"], OKP: ["crv", "d", "x", "kty"] };
  function jwkOf(handle) {
    const all = JSON.parse(call("key.toJWK", handle)), result = {};
    for (const member of orders[all.kty]) if (all[member] !== undefined) result[member] = all[member];
    return result;
  }

  // ---- reading

  const consumePublic = 0, consumePrivate = 1, createPublic = 2, createPrivate = 3;

  function handleFor(key, purpose) {
    if (purpose === createPrivate) failType("key", kinds.any, key);
    const { type } = key;
    if (type !== "private") {
      if (purpose === consumePrivate || purpose === createPublic) wrongType(type, "private");
      if (type !== "public") wrongType(type, "private or public");
    }
    return handleOf(key);
  }

  // read gives the handle of anything that Node takes as a key.
  function read(key, purpose) {
    const isSecret = purpose === consumePrivate || purpose === createPrivate;
    const operation = isSecret ? "key.private" : "key.public";
    if (isKeyObject(key) || isCryptoKey(key)) return handleFor(key, purpose);
    const text = plain(key);
    if (text !== undefined) return call(operation, text, "pem");
    const expected = purpose === createPrivate ? kinds.any : kinds.key;
    if (typeof key !== "object" || key === null) failType("key", expected, key);
    const data = key.key;
    if (isKeyObject(data) || isCryptoKey(data)) return handleFor(data, purpose);
    if (key.format === "jwk") return readJWK(needObject(data, "key.key"), !isSecret);
    const bytes = plain(data, key.encoding);
    if (bytes === undefined) failType("key.key", expected, data);
    const { format, type, passphrase } = encodingOf(key, undefined, isSecret ? false : undefined, "options");
    return call(operation, bytes, format, type, passphrase);
  }

  const oneOf = (name, value, list) => (list.includes(value) ? value : failValue(name, value, `must be one of: ${list.map((v) => `'${v}'`).join(", ")}`));

  function readJWK(key, isPublic) {
    const kty = oneOf("key.kty", key.kty, ["RSA", "EC", "OKP"]);
    const wanted = { __proto__: null, kty };
    const take = (...names) => { for (const name of names) wanted[name] = needText(key[name], `key.${name}`); };
    if (kty === "RSA") {
      take("n", "e");
      if (!isPublic) take("d", "p", "q", "dp", "dq", "qi");
    } else {
      take("crv");
      oneOf("key.crv", key.crv, kty === "EC" ? ["P-256", "secp256k1", "P-384", "P-521"] : ["Ed25519", "Ed448", "X25519", "X448"]);
      take("x");
      if (kty === "EC") take("y");
      if (!isPublic) take("d");
    }
    return call("key.fromJWK", JSON.stringify(wanted), !isPublic);
  }

  function createPublicKey(key) {
    const handle = isKeyObject(key) || isCryptoKey(key) ? handleFor(key, createPublic) : read(key, createPublic);
    return objectOf("public", call("key.publicOf", handle));
  }
  const createPrivateKey = (key) => objectOf("private", read(key, createPrivate));

  // ---- making

  const supported = ["rsa", "ec", "ed25519", "x25519"];

  function makePair(type, options) {
    needText(type, "type");
    if (!supported.includes(type)) failValue("type", type, "must be a supported key type");
    if (type === "rsa") needObject(options, "options");
    const encoding = (side, isPublic) => {
      const given = options?.[`${side}Encoding`];
      if (given === undefined || given === null) return undefined;
      if (typeof given !== "object") failValue(`options.${side}Encoding`, given);
      encodingOf(given, type, isPublic, `options.${side}Encoding`);
      return given;
    };
    let work;
    if (type === "rsa") {
      const bits = needInteger(options.modulusLength, "options.modulusLength", 0, 2 ** 32 - 1);
      const exponent = options.publicExponent === undefined ? 65537 : needInteger(options.publicExponent, "options.publicExponent", 0, 2 ** 32 - 1);
      work = () => call("key.generate", "rsa", bits, exponent);
    } else if (type === "ec") {
      needObject(options, "options");
      const curve = needText(options.namedCurve, "options.namedCurve");
      if (options.paramEncoding !== undefined && options.paramEncoding !== "named") failValue("options.paramEncoding", options.paramEncoding);
      work = () => call("key.generate", "ec", curve);
    } else work = () => call("key.generate", type);
    const forms = [encoding("publicKey", true), encoding("privateKey", false)];
    return () => {
      const handle = work();
      const pair = [objectOf("public", call("key.publicOf", handle)), objectOf("private", handle)];
      return pair.map((key, i) => (forms[i] === undefined ? key : write(key, forms[i], "options")));
    };
  }

  function generateKeyPairSync(type, options) {
    const { 0: publicKey, 1: privateKey } = makePair(type, options)();
    return { publicKey, privateKey };
  }

  function generateKeyPair(type, options, callback) {
    if (typeof options === "function") [options, callback] = [undefined, options];
    needFunction(callback, "callback");
    const make = makePair(type, options);
    answer((error, pair) => (error ? callback(error) : callback(null, pair[0], pair[1])), make);
  }
  Object.defineProperty(generateKeyPair, Symbol.for("nodejs.util.promisify.custom"), {
    value: (type, options) => new Promise((resolve, reject) => generateKeyPair(type, options, (error, publicKey, privateKey) => (error ? reject(error) : resolve({ publicKey, privateKey })))),
  });

  function makeSecret(type, options) {
    needText(type, "type");
    if (type !== "hmac" && type !== "aes") failValue("type", type, "must be a supported key type");
    needObject(options, "options");
    const { length } = options;
    if (type === "hmac") needInteger(length, "options.length", 8, 2 ** 31 - 1);
    else if (![128, 192, 256].includes(length)) failValue("options.length", length, "must be one of: 128, 192, 256");
    return () => objectOf("secret", call("key.secret", call("random", Math.floor(length / 8))));
  }

  function generateKey(type, options, callback) {
    needFunction(callback, "callback");
    answer(callback, makeSecret(type, options));
  }

  return {
    __proto__: null, PublicKeyObject, PrivateKeyObject, createPublicKey, createPrivateKey, generateKeyPair, generateKeyPairSync, generateKey,
    generateKeySync: (type, options) => makeSecret(type, options)(),
    readPublic: (key) => read(key, consumePublic), readPrivate: (key) => read(key, consumePrivate), jwkOf,
  };
});
