// The module crypto, computed by the platform.

/**
 * Hashes, AES, RSA, ECDSA, Ed25519, key derivation and certificates, with Node's messages and codes. An operation
 * takes up to 64 MB and RSA keys up to 8,192 bits. No DSA, no classical Diffie-Hellman: what is not there throws when
 * it is called.
 */
declare module "crypto" {
  import { Transform, TransformOptions } from "stream";

  type Data = string | Bytes;
  type KeyData = Data | KeyObject | JsonWebKey;
  type KeyFormat = "pem" | "der" | "jwk";
  type KeyKind = "pkcs1" | "pkcs8" | "spki" | "sec1";
  interface KeyInput {
    key: KeyData;
    format?: KeyFormat;
    type?: KeyKind;
    encoding?: BufferEncoding;
    passphrase?: Data;
    /** One of constants.RSA_… */
    padding?: number;
    saltLength?: number;
    dsaEncoding?: "der" | "ieee-p1363";
    oaepHash?: string;
    oaepLabel?: Data;
  }
  type Key = KeyObject | CryptoKey | Data | KeyInput;
  interface Output {
    (): Buffer;
    (encoding: BufferEncoding): string;
  }
  type Done<Value> = (error: Error | null, value: Value) => void;

  /** As streams, too: source.pipe(hash). */
  interface Piping extends Pick<
    Transform,
    | "on" | "once" | "off" | "addListener" | "removeListener" | "removeAllListeners" | "prependListener"
    | "listenerCount"
    | "emit" | "write" | "end" | "cork" | "uncork" | "read" | "pipe" | "unpipe" | "pause" | "resume" | "setEncoding"
    | "destroy" | "setDefaultEncoding" | typeof Symbol.asyncIterator | "readable" | "writable" | "destroyed"
    | "readableEnded" | "writableEnded" | "writableFinished" | "errored" | "closed"
  > {}
  interface Hash extends Piping {}
  class Hash {
    private constructor();
    update(data: Data, encoding?: BufferEncoding): this;
    digest: Output;
    copy(options?: { outputLength?: number }): Hash;
  }
  interface Hmac extends Piping {}
  class Hmac {
    private constructor();
    update(data: Data, encoding?: BufferEncoding): this;
    digest: Output;
  }
  interface Cipher extends Piping {
    update(data: Data, inputEncoding?: BufferEncoding | null): Buffer;
    update(data: Data, inputEncoding: BufferEncoding | null | undefined, outputEncoding: BufferEncoding): string;
    final: Output;
    setAutoPadding(on?: boolean): this;
    setAAD(data: Bytes, options?: { plaintextLength?: number }): this;
  }
  class Cipheriv {
    private constructor();
    getAuthTag(): Buffer;
  }
  interface Cipheriv extends Cipher {}
  class Decipheriv {
    private constructor();
    setAuthTag(tag: Data, encoding?: BufferEncoding): this;
  }
  interface Decipheriv extends Cipher {}
  interface Sending {
    write(data: Data, encoding?: BufferEncoding): boolean;
    end(data?: Data, encoding?: BufferEncoding): this;
  }
  interface Sign extends Sending {}
  class Sign {
    private constructor();
    update(data: Data, encoding?: BufferEncoding): this;
    sign(key: Key): Buffer;
    sign(key: Key, encoding: BufferEncoding): string;
  }
  interface Verify extends Sending {}
  class Verify {
    private constructor();
    update(data: Data, encoding?: BufferEncoding): this;
    verify(key: Key, signature: Data, encoding?: BufferEncoding): boolean;
  }

  interface PemExport {
    format: "pem";
    type?: KeyKind;
    cipher?: string;
    passphrase?: Data;
  }
  class KeyObject {
    private constructor();
    static from(key: CryptoKey): KeyObject;
    readonly type: "secret" | "public" | "private";
    readonly asymmetricKeyType?: "rsa" | "rsa-pss" | "ec" | "ed25519" | "x25519";
    readonly asymmetricKeyDetails?: { modulusLength?: number; publicExponent?: bigint; namedCurve?: string };
    readonly symmetricKeySize?: number;
    export(options: PemExport): string;
    export(options: { format: "jwk" }): JsonWebKey;
    export(options?: { format?: "der" | "buffer"; type?: KeyKind; cipher?: string; passphrase?: Data }): Buffer;
    equals(other: KeyObject): boolean;
  }

  class X509Certificate {
    /** PEM or DER. */
    constructor(certificate: Data);
    readonly subject: string;
    readonly issuer: string;
    readonly subjectAltName?: string;
    readonly infoAccess?: string;
    readonly validFrom: string;
    readonly validTo: string;
    readonly fingerprint: string;
    readonly fingerprint256: string;
    readonly fingerprint512: string;
    readonly keyUsage?: string[];
    readonly serialNumber: string;
    readonly ca: boolean;
    readonly raw: Buffer;
    readonly publicKey: KeyObject;
    checkHost(name: string, options?: object): string | undefined;
    checkEmail(email: string): string | undefined;
    checkIP(ip: string): string | undefined;
    checkIssued(other: X509Certificate): boolean;
    checkPrivateKey(key: KeyObject): boolean;
    verify(key: KeyObject): boolean;
    toString(): string;
    toJSON(): string;
  }

  class ECDH {
    private constructor();
    static convertKey(
      key: Data, curve: string, inputEncoding?: BufferEncoding, outputEncoding?: BufferEncoding, format?: PointFormat,
    ): Buffer | string;
    generateKeys(): Buffer;
    generateKeys(encoding: BufferEncoding, format?: PointFormat): string;
    computeSecret(other: Data, inputEncoding?: BufferEncoding): Buffer;
    computeSecret(
      other: Data, inputEncoding: BufferEncoding | null | undefined, outputEncoding: BufferEncoding,
    ): string;
    getPublicKey(encoding?: null, format?: PointFormat): Buffer;
    getPublicKey(encoding: BufferEncoding, format?: PointFormat): string;
    getPrivateKey: Output;
    setPrivateKey(key: Data, encoding?: BufferEncoding): void;
  }
  type PointFormat = "compressed" | "uncompressed" | "hybrid";

  const constants: {
    readonly RSA_PKCS1_PADDING: number;
    readonly RSA_NO_PADDING: number;
    readonly RSA_PKCS1_OAEP_PADDING: number;
    readonly RSA_PKCS1_PSS_PADDING: number;
    readonly RSA_PSS_SALTLEN_DIGEST: number;
    readonly RSA_PSS_SALTLEN_MAX_SIGN: number;
    readonly RSA_PSS_SALTLEN_AUTO: number;
    readonly POINT_CONVERSION_COMPRESSED: number;
    readonly POINT_CONVERSION_UNCOMPRESSED: number;
    readonly POINT_CONVERSION_HYBRID: number;
  };
  const subtle: SubtleCrypto;
  const webcrypto: Crypto;

  /** md5, sha1, sha224, sha256, sha384, sha512, sha3-256 …, also as RSA-SHA256. */
  function createHash(algorithm: string, options?: TransformOptions & { outputLength?: number }): Hash;
  function createHmac(algorithm: string, key: Data | KeyObject | CryptoKey, options?: TransformOptions): Hmac;
  function hash(algorithm: string, data: string | ArrayBufferView, encoding?: BufferEncoding): string;
  function hash(algorithm: string, data: string | ArrayBufferView, encoding: "buffer"): Buffer;

  /** aes-128, 192 or 256 with cbc, ecb, ctr or gcm; des-ede3-cbc. An iv of null for ecb. */
  function createCipheriv(
    algorithm: string, key: Data | KeyObject, iv: Data | null, options?: TransformOptions & { authTagLength?: number },
  ): Cipheriv;
  /** final() throws "bad decrypt" or, for gcm, "Unsupported state or unable to authenticate data". */
  function createDecipheriv(
    algorithm: string, key: Data | KeyObject, iv: Data | null, options?: TransformOptions & { authTagLength?: number },
  ): Decipheriv;
  interface CipherInfo {
    name: string;
    nid: number;
    mode: string;
    keyLength: number;
    blockSize?: number;
    ivLength?: number;
  }
  function getCipherInfo(
    name: string | number, options?: { keyLength?: number; ivLength?: number },
  ): CipherInfo | undefined;

  /** RSA, ECDSA, with any hash; "RSA-SHA256" is RSA with PKCS#1. */
  function createSign(algorithm: string): Sign;
  function createVerify(algorithm: string): Verify;
  function sign(algorithm: string | null | undefined, data: Bytes, key: Key): Buffer;
  function sign(algorithm: string | null | undefined, data: Bytes, key: Key, done: Done<Buffer>): void;
  function verify(algorithm: string | null | undefined, data: Bytes, key: Key, signature: Bytes): boolean;
  function verify(
    algorithm: string | null | undefined, data: Bytes, key: Key, signature: Bytes, done: Done<boolean>,
  ): void;
  function publicEncrypt(key: Key, data: Data): Buffer;
  function privateDecrypt(key: Key, data: Data): Buffer;
  function privateEncrypt(key: Key, data: Data): Buffer;
  function publicDecrypt(key: Key, data: Data): Buffer;

  /** Of a public or private key, or a certificate. */
  function createPublicKey(key: Key): KeyObject;
  function createPrivateKey(key: Key): KeyObject;
  function createSecretKey(key: Data, encoding?: BufferEncoding): KeyObject;
  interface KeyPairOptions {
    modulusLength?: number;
    publicExponent?: number;
    namedCurve?: string;
    publicKeyEncoding?: { format: KeyFormat; type?: KeyKind };
    privateKeyEncoding?: { format: KeyFormat; type?: KeyKind; cipher?: string; passphrase?: Data };
  }
  type KeyPairKind = "rsa" | "rsa-pss" | "ec" | "ed25519" | "x25519";
  /** Key objects, or what the encodings of the options say. */
  function generateKeyPairSync(type: KeyPairKind, options?: KeyPairOptions): { publicKey: any; privateKey: any };
  function generateKeyPair(
    type: KeyPairKind, options: KeyPairOptions | undefined,
    done: (error: Error | null, publicKey: any, privateKey: any) => void,
  ): void;
  function generateKeySync(type: "hmac" | "aes", options: { length: number }): KeyObject;
  function generateKey(type: "hmac" | "aes", options: { length: number }, done: Done<KeyObject>): void;
  function createECDH(curve: string): ECDH;
  function diffieHellman(keys: { privateKey: KeyObject; publicKey: KeyObject }): Buffer;

  /** Computed at native speed; counts as time of the run, which can end it. */
  function pbkdf2Sync(password: Data, salt: Data, iterations: number, length: number, digest: string): Buffer;
  function pbkdf2(
    password: Data, salt: Data, iterations: number, length: number, digest: string, done: Done<Buffer>,
  ): void;
  interface ScryptOptions {
    N?: number;
    r?: number;
    p?: number;
    cost?: number;
    blockSize?: number;
    parallelization?: number;
    maxmem?: number;
  }
  function scryptSync(password: Data, salt: Data, length: number, options?: ScryptOptions): Buffer;
  function scrypt(password: Data, salt: Data, length: number, options: ScryptOptions, done: Done<Buffer>): void;
  function scrypt(password: Data, salt: Data, length: number, done: Done<Buffer>): void;
  function hkdfSync(digest: string, key: Data | KeyObject, salt: Data, info: Data, length: number): ArrayBuffer;
  function hkdf(
    digest: string, key: Data | KeyObject, salt: Data, info: Data, length: number, done: Done<ArrayBuffer>,
  ): void;

  function randomBytes(size: number): Buffer;
  function randomBytes(size: number, done: Done<Buffer>): void;
  /** @deprecated use randomBytes */
  function pseudoRandomBytes(size: number): Buffer;
  function randomInt(max: number, done?: Done<number>): number;
  function randomInt(min: number, max: number, done?: Done<number>): number;
  function randomFillSync<T extends Bytes>(target: T, offset?: number, size?: number): T;
  function randomFill<T extends Bytes>(target: T, done: Done<T>): void;
  function randomUUID(options?: { disableEntropyCache?: boolean }): string;
  function getRandomValues<T extends ArrayBufferView>(array: T): T;
  /** Two texts of different length throw. */
  function timingSafeEqual(a: Bytes, b: Bytes): boolean;
  function getHashes(): string[];
  function getCiphers(): string[];
  function getCurves(): string[];
  function getFips(): 0;
}
