// crypto, as a global and as a module.
type DigestName = "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512";
type Bytes = ArrayBuffer | ArrayBufferView;
declare class CryptoKey { private constructor(); readonly type: "secret" | "public" | "private"; readonly extractable: boolean; readonly algorithm: any; readonly usages: string[] }
/** AES-CBC, AES-CTR, AES-GCM, HMAC, RSASSA-PKCS1-v1_5, RSA-PSS, RSA-OAEP, ECDSA, ECDH, Ed25519, X25519, PBKDF2, HKDF; keys as raw, pkcs8, spki, jwk. */
interface SubtleCrypto {
  digest(algorithm: DigestName | { name: DigestName }, data: Bytes): Promise<ArrayBuffer>;
  encrypt(algorithm: any, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
  decrypt(algorithm: any, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
  sign(algorithm: any, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
  verify(algorithm: any, key: CryptoKey, signature: Bytes, data: Bytes): Promise<boolean>;
  deriveBits(algorithm: any, key: CryptoKey, length: number | null): Promise<ArrayBuffer>;
  deriveKey(algorithm: any, key: CryptoKey, derived: any, extractable: boolean, usages: string[]): Promise<CryptoKey>;
  importKey(format: "raw" | "pkcs8" | "spki" | "jwk", key: any, algorithm: any, extractable: boolean, usages: string[]): Promise<CryptoKey>;
  exportKey(format: "raw" | "pkcs8" | "spki" | "jwk", key: CryptoKey): Promise<any>;
  generateKey(algorithm: any, extractable: boolean, usages: string[]): Promise<any>;
  wrapKey(format: string, key: CryptoKey, wrappingKey: CryptoKey, algorithm: any): Promise<ArrayBuffer>;
  unwrapKey(format: string, wrapped: Bytes, key: CryptoKey, algorithm: any, keyAlgorithm: any, extractable: boolean, usages: string[]): Promise<CryptoKey>;
}
declare const crypto: {
  randomUUID(): string;
  /** At most 65536 bytes. */
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  readonly subtle: SubtleCrypto;
};

/** Node's crypto, computed by the platform: hashes, AES, RSA, ECDSA, Ed25519, key derivation, certificates. No DSA, no classical Diffie-Hellman. */
declare module "crypto" {
  type Data = string | Bytes;
  type Key = KeyObject | CryptoKey | Data | { key: Data | KeyObject | object; format?: "pem" | "der" | "jwk"; type?: "pkcs1" | "pkcs8" | "spki" | "sec1"; passphrase?: Data; padding?: number; saltLength?: number; dsaEncoding?: "der" | "ieee-p1363"; oaepHash?: string; oaepLabel?: Data };
  interface Output { (): Buffer; (encoding: BufferEncoding): string }
  /** As a stream too: source.pipe(hash). */
  interface Hash { update(data: Data, encoding?: BufferEncoding): this; digest: Output; copy(): Hash }
  interface Hmac { update(data: Data, encoding?: BufferEncoding): this; digest: Output }
  interface Cipher { update(data: Data, inputEncoding?: BufferEncoding | null): Buffer; update(data: Data, inputEncoding: BufferEncoding | null | undefined, outputEncoding: BufferEncoding): string; final: Output; setAutoPadding(on?: boolean): this; setAAD(data: Bytes): this }
  interface Cipheriv extends Cipher { getAuthTag(): Buffer }
  interface Decipheriv extends Cipher { setAuthTag(tag: Data, encoding?: BufferEncoding): this }
  interface Sign { update(data: Data, encoding?: BufferEncoding): this; sign(key: Key): Buffer; sign(key: Key, encoding: BufferEncoding): string }
  interface Verify { update(data: Data, encoding?: BufferEncoding): this; verify(key: Key, signature: Data, encoding?: BufferEncoding): boolean }
  interface KeyObject { readonly type: "secret" | "public" | "private"; readonly asymmetricKeyType?: string; readonly asymmetricKeyDetails?: any; readonly symmetricKeySize?: number; export(options?: any): any; equals(other: KeyObject): boolean }
  interface ECDH { generateKeys(encoding?: BufferEncoding, format?: string): any; computeSecret(other: Data, inputEncoding?: BufferEncoding, outputEncoding?: BufferEncoding): any; getPublicKey(encoding?: BufferEncoding | null, format?: string): any; getPrivateKey(encoding?: BufferEncoding): any; setPrivateKey(key: Data, encoding?: BufferEncoding): this }
  class X509Certificate {
    constructor(certificate: Data);
    readonly subject: string; readonly issuer: string; readonly subjectAltName?: string; readonly infoAccess?: string; readonly validFrom: string; readonly validTo: string; readonly fingerprint: string; readonly fingerprint256: string; readonly fingerprint512: string; readonly keyUsage?: string[]; readonly serialNumber: string; readonly ca: boolean; readonly raw: Buffer; readonly publicKey: KeyObject;
    checkHost(name: string, options?: any): string | undefined; checkEmail(email: string): string | undefined; checkIP(ip: string): string | undefined;
    checkIssued(other: X509Certificate): boolean; checkPrivateKey(key: KeyObject): boolean; verify(key: KeyObject): boolean; toString(): string;
  }
  const constants: Record<"RSA_PKCS1_PADDING" | "RSA_NO_PADDING" | "RSA_PKCS1_OAEP_PADDING" | "RSA_PKCS1_PSS_PADDING" | "RSA_PSS_SALTLEN_DIGEST" | "RSA_PSS_SALTLEN_MAX_SIGN" | "RSA_PSS_SALTLEN_AUTO", number>;
  const subtle: SubtleCrypto, webcrypto: typeof globalThis.crypto;
  /** md5, sha1, sha224, sha256, sha384, sha512, sha3-256 …, also as RSA-SHA256. */
  function createHash(algorithm: string): Hash;
  function createHmac(algorithm: string, key: Data | KeyObject | CryptoKey): Hmac;
  function hash(algorithm: string, data: Data, encoding?: BufferEncoding | "buffer"): any;
  /** aes-128, 192 or 256 with cbc, ecb, ctr or gcm; des-ede3-cbc. */
  function createCipheriv(algorithm: string, key: Data | KeyObject, iv: Data | null, options?: { authTagLength?: number }): Cipheriv;
  function createDecipheriv(algorithm: string, key: Data | KeyObject, iv: Data | null, options?: { authTagLength?: number }): Decipheriv;
  function createSign(algorithm: string): Sign;
  function createVerify(algorithm: string): Verify;
  function sign(algorithm: string | null | undefined, data: Bytes, key: Key): Buffer;
  function verify(algorithm: string | null | undefined, data: Bytes, key: Key, signature: Bytes): boolean;
  function publicEncrypt(key: Key, data: Data): Buffer;
  function privateDecrypt(key: Key, data: Data): Buffer;
  function privateEncrypt(key: Key, data: Data): Buffer;
  function publicDecrypt(key: Key, data: Data): Buffer;
  function createPublicKey(key: Key): KeyObject;
  function createPrivateKey(key: Key): KeyObject;
  function createSecretKey(key: Data, encoding?: BufferEncoding): KeyObject;
  function generateKeyPairSync(type: "rsa" | "ec" | "ed25519" | "x25519", options?: any): { publicKey: any; privateKey: any };
  function generateKeyPair(type: "rsa" | "ec" | "ed25519" | "x25519", options: any, callback: (error: Error | null, publicKey: any, privateKey: any) => void): void;
  function generateKeySync(type: "hmac" | "aes", options: { length: number }): KeyObject;
  function createECDH(curve: string): ECDH;
  function diffieHellman(keys: { privateKey: KeyObject; publicKey: KeyObject }): Buffer;
  function pbkdf2Sync(password: Data, salt: Data, iterations: number, length: number, digest: string): Buffer;
  function pbkdf2(password: Data, salt: Data, iterations: number, length: number, digest: string, callback: (error: Error | null, key: Buffer) => void): void;
  function scryptSync(password: Data, salt: Data, length: number, options?: { N?: number; r?: number; p?: number; maxmem?: number }): Buffer;
  function hkdfSync(digest: string, key: Data | KeyObject, salt: Data, info: Data, length: number): ArrayBuffer;
  function randomBytes(size: number): Buffer;
  function randomInt(max: number): number;
  function randomInt(min: number, max: number): number;
  function randomFillSync<T extends Bytes>(target: T, offset?: number, size?: number): T;
  function randomUUID(): string;
  function timingSafeEqual(a: Bytes, b: Bytes): boolean;
  function getHashes(): string[];
  function getCiphers(): string[];
  function getCurves(): string[];
}
declare module "node:crypto" { export * from "crypto"; }

