// Buffer.

type Bytes = ArrayBuffer | ArrayBufferView;
type BufferEncoding =
  | "utf8" | "utf-8" | "hex" | "base64" | "base64url" | "latin1" | "binary" | "ascii"
  | "utf16le" | "utf-16le" | "ucs2" | "ucs-2";

interface BufferConstructor {
  readonly prototype: Buffer;
  poolSize: number;
  from(text: string, encoding?: BufferEncoding): Buffer;
  /** Shares the memory of an ArrayBuffer, copies everything else. */
  from(
    value: ArrayBuffer | ArrayLike<number> | Iterable<number> | { type: "Buffer"; data: number[] },
    offset?: number, length?: number,
  ): Buffer;
  of(...bytes: number[]): Buffer;
  alloc(size: number, fill?: string | number | Uint8Array, encoding?: BufferEncoding): Buffer;
  allocUnsafe(size: number): Buffer;
  allocUnsafeSlow(size: number): Buffer;
  concat(list: readonly Uint8Array[], length?: number): Buffer;
  byteLength(value: string | Bytes, encoding?: BufferEncoding): number;
  compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1;
  isBuffer(value: any): value is Buffer;
  isEncoding(name: string): name is BufferEncoding;
}
/** Node's Buffer: a Uint8Array with text and numbers. */
declare var Buffer: BufferConstructor;

interface Buffer extends Uint8Array<ArrayBuffer> {
  toString(encoding?: BufferEncoding, start?: number, end?: number): string;
  toJSON(): { type: "Buffer"; data: number[] };
  write(text: string, encoding?: BufferEncoding): number;
  write(text: string, offset: number, encoding?: BufferEncoding): number;
  write(text: string, offset: number, length: number, encoding?: BufferEncoding): number;
  equals(other: Uint8Array): boolean;
  compare(target: Uint8Array, targetStart?: number, targetEnd?: number, start?: number, end?: number): -1 | 0 | 1;
  copy(target: Uint8Array, targetStart?: number, start?: number, end?: number): number;
  /** Shares memory, unlike Array's slice. */
  slice(start?: number, end?: number): Buffer;
  subarray(start?: number, end?: number): Buffer;
  fill(value: string | Uint8Array | number, offset?: number, end?: number, encoding?: BufferEncoding): this;
  fill(value: string | Uint8Array | number, encoding: BufferEncoding): this;
  indexOf(value: string | number | Uint8Array, from?: number, encoding?: BufferEncoding): number;
  lastIndexOf(value: string | number | Uint8Array, from?: number, encoding?: BufferEncoding): number;
  includes(value: string | number | Uint8Array, from?: number, encoding?: BufferEncoding): boolean;
  swap16(): this;
  swap32(): this;
  swap64(): this;
  /** Numbers as in Node; UIntLE and its kin take 1 to 6 bytes. */
  readUInt8(offset?: number): number;
  readInt8(offset?: number): number;
  readUInt16LE(offset?: number): number;
  readUInt16BE(offset?: number): number;
  readInt16LE(offset?: number): number;
  readInt16BE(offset?: number): number;
  readUInt32LE(offset?: number): number;
  readUInt32BE(offset?: number): number;
  readInt32LE(offset?: number): number;
  readInt32BE(offset?: number): number;
  readFloatLE(offset?: number): number;
  readFloatBE(offset?: number): number;
  readDoubleLE(offset?: number): number;
  readDoubleBE(offset?: number): number;
  readBigUInt64LE(offset?: number): bigint;
  readBigUInt64BE(offset?: number): bigint;
  readBigInt64LE(offset?: number): bigint;
  readBigInt64BE(offset?: number): bigint;
  readUIntLE(offset: number, byteLength: number): number;
  readUIntBE(offset: number, byteLength: number): number;
  readIntLE(offset: number, byteLength: number): number;
  readIntBE(offset: number, byteLength: number): number;
  writeUInt8(value: number, offset?: number): number;
  writeInt8(value: number, offset?: number): number;
  writeUInt16LE(value: number, offset?: number): number;
  writeUInt16BE(value: number, offset?: number): number;
  writeInt16LE(value: number, offset?: number): number;
  writeInt16BE(value: number, offset?: number): number;
  writeUInt32LE(value: number, offset?: number): number;
  writeUInt32BE(value: number, offset?: number): number;
  writeInt32LE(value: number, offset?: number): number;
  writeInt32BE(value: number, offset?: number): number;
  writeFloatLE(value: number, offset?: number): number;
  writeFloatBE(value: number, offset?: number): number;
  writeDoubleLE(value: number, offset?: number): number;
  writeDoubleBE(value: number, offset?: number): number;
  writeBigUInt64LE(value: bigint, offset?: number): number;
  writeBigUInt64BE(value: bigint, offset?: number): number;
  writeBigInt64LE(value: bigint, offset?: number): number;
  writeBigInt64BE(value: bigint, offset?: number): number;
  writeUIntLE(value: number, offset: number, byteLength: number): number;
  writeUIntBE(value: number, offset: number, byteLength: number): number;
  writeIntLE(value: number, offset: number, byteLength: number): number;
  writeIntBE(value: number, offset: number, byteLength: number): number;
}
