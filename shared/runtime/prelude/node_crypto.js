// The crypto module of Node. Its parts are loaded when something of them is
// used: a function that only hashes does not pay for keys.
(function (host, load) {
  "use strict";
  const functions = {
    __proto__: null,
    crypto_hash: ["createHash", "createHmac", "hash", "getHashes"],
    crypto_cipher: ["createCipheriv", "createDecipheriv", "getCipherInfo", "getCiphers"],
    crypto_derive: [
      "pbkdf2", "pbkdf2Sync", "scrypt", "scryptSync", "hkdf", "hkdfSync",
      "randomBytes", "randomFill", "randomFillSync", "randomInt", "randomUUID", "timingSafeEqual",
    ],
    crypto_secret: ["createSecretKey"],
    crypto_key: ["createPublicKey", "createPrivateKey", "generateKeyPairSync", "generateKey", "generateKeySync"],
    crypto_sign: ["createSign", "createVerify", "sign", "verify", "publicEncrypt", "privateDecrypt", "privateEncrypt", "publicDecrypt"],
    crypto_ec: ["createECDH", "diffieHellman", "getCurves"],
  };
  const classes = { __proto__: null, crypto_hash: ["Hash", "Hmac"], crypto_cipher: ["Cipheriv", "Decipheriv"], crypto_secret: ["KeyObject"], crypto_sign: ["Sign", "Verify"], crypto_ec: ["ECDH"], crypto_key: ["generateKeyPair"], crypto_x509: ["X509Certificate"] };
  const module = {};
  for (const part in functions) {
    for (const name of functions[part]) module[name] = { [name](...args) { return load(part)[name](...args); } }[name];
  }
  module.pseudoRandomBytes = module.randomBytes;
  for (const part in classes) {
    for (const name of classes[part]) {
      Object.defineProperty(module, name, { enumerable: true, configurable: true, get: () => load(part)[name], set(value) { Object.defineProperty(module, name, { value, writable: true }); } });
    }
  }
  Object.assign(module, {
    constants: {
      RSA_PKCS1_PADDING: 1, RSA_NO_PADDING: 3, RSA_PKCS1_OAEP_PADDING: 4, RSA_X931_PADDING: 5, RSA_PKCS1_PSS_PADDING: 6,
      RSA_PSS_SALTLEN_DIGEST: -1, RSA_PSS_SALTLEN_MAX_SIGN: -2, RSA_PSS_SALTLEN_AUTO: -2,
      POINT_CONVERSION_COMPRESSED: 2, POINT_CONVERSION_UNCOMPRESSED: 4, POINT_CONVERSION_HYBRID: 6,
    },
    getRandomValues: (array) => load("crypto").getRandomValues(array),
  });
  for (const [name, get] of [["webcrypto", () => load("crypto").crypto], ["subtle", () => load("crypto").crypto.subtle]]) {
    Object.defineProperty(module, name, { enumerable: true, configurable: true, get });
  }
  // What there is not says so when it is called.
  const exchange = "use createECDH or diffieHellman, or bundle a JavaScript library";
  const missing = {
    __proto__: null, createDiffieHellman: exchange, createDiffieHellmanGroup: exchange, getDiffieHellman: exchange, DiffieHellman: exchange, DiffieHellmanGroup: exchange,
    createCipher: "use createCipheriv", createDecipher: "use createDecipheriv", Cipher: "use createCipheriv", Decipher: "use createDecipheriv", Certificate: "use X509Certificate",
    generatePrime: "bundle a JavaScript library", generatePrimeSync: "bundle a JavaScript library", checkPrime: "bundle a JavaScript library", checkPrimeSync: "bundle a JavaScript library",
    setEngine: "there are no engines", setFips: "there is no FIPS mode", secureHeapUsed: "there is no secure heap",
  };
  for (const name in missing) {
    module[name] = { [name]() { throw load("node/errors").unavailable(`crypto.${name}`, missing[name]); } }[name];
  }
  module.getFips = () => 0;
  return { __proto__: null, module };
});
