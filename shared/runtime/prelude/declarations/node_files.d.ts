// Files and their names.

/**
 * Files of this run, in memory, below /tmp, 16 MB in all. Elsewhere nothing exists (ENOENT), and writing says EROFS.
 * What is not declared, watch and links for instance, throws when it is called.
 */
declare module "fs" {
  import { Readable, Writable } from "stream";

  type Path = string | URL | Buffer;
  type Done<Value = void> = (error: (Error & { code?: string; path?: string }) | null, value: Value) => void;
  interface ReadOptions {
    encoding?: BufferEncoding | null;
    flag?: string;
  }
  interface WriteOptions {
    encoding?: BufferEncoding | null;
    flag?: string;
    mode?: number;
  }
  interface ListOptions {
    encoding?: BufferEncoding | null;
    withFileTypes?: boolean;
    recursive?: boolean;
  }
  type TextOptions = BufferEncoding | (ReadOptions & { encoding: BufferEncoding });
  type WritingOptions = BufferEncoding | WriteOptions | null;
  type NameOptions = ListOptions | BufferEncoding | null;
  type EntryOptions = ListOptions & { withFileTypes: true };
  class Stats {
    private constructor();
    isFile(): boolean;
    isDirectory(): boolean;
    isSymbolicLink(): boolean;
    /** Bytes. */
    size: number;
    mode: number;
    mtimeMs: number;
    atimeMs: number;
    ctimeMs: number;
    birthtimeMs: number;
    mtime: Date;
    atime: Date;
    ctime: Date;
    birthtime: Date;
  }
  class Dirent {
    private constructor();
    readonly name: string;
    isFile(): boolean;
    isDirectory(): boolean;
    isSymbolicLink(): boolean;
  }
  interface RangeOptions {
    encoding?: BufferEncoding;
    flags?: string;
    fd?: number;
    autoClose?: boolean;
    start?: number;
    /** The last byte that is read. */
    end?: number;
    highWaterMark?: number;
  }
  const constants: { readonly [name: string]: number };
  const F_OK: number;
  const R_OK: number;
  const W_OK: number;
  const X_OK: number;

  function existsSync(path: Path): boolean;
  /** @deprecated use existsSync */
  function exists(path: Path, done: (there: boolean) => void): void;
  class ReadStream extends Readable {
    constructor(path: Path, options?: BufferEncoding | RangeOptions);
    readonly path: Path;
    readonly pending: boolean;
    bytesRead: number;
    close(done?: (error?: Error | null) => void): void;
  }
  class WriteStream extends Writable {
    constructor(path: Path, options?: BufferEncoding | RangeOptions);
    readonly path: Path;
    readonly pending: boolean;
    bytesWritten: number;
    close(done?: (error?: Error | null) => void): void;
  }
  function createReadStream(path: Path, options?: BufferEncoding | RangeOptions): ReadStream;
  function createWriteStream(path: Path, options?: BufferEncoding | RangeOptions): WriteStream;

  // Descriptors, at most 1,024 at once.
  interface Part {
    offset?: number;
    length?: number;
    /** Where in the file; null = where the last one ended. */
    position?: number | null;
  }
  type Counted<Data> = (error: (Error & { code?: string }) | null, count: number, data: Data) => void;
  function openSync(path: Path, flags?: string | number, mode?: number): number;
  function open(path: Path, done: Done<number>): void;
  function open(path: Path, flags: string | number, done: Done<number>): void;
  function open(path: Path, flags: string | number, mode: number, done: Done<number>): void;
  function closeSync(fd: number): void;
  function close(fd: number, done?: Done): void;
  function readSync(fd: number, buffer: ArrayBufferView, options?: Part): number;
  function readSync(fd: number, buffer: ArrayBufferView, offset: number, length: number, position?: number | null): number;
  function read(fd: number, done: Counted<Buffer>): void;
  function read<B extends ArrayBufferView>(fd: number, options: Part & { buffer?: B }, done: Counted<B>): void;
  function read<B extends ArrayBufferView>(fd: number, buffer: B, options: Part, done: Counted<B>): void;
  function read<B extends ArrayBufferView>(fd: number, buffer: B, offset: number, length: number, position: number | null, done: Counted<B>): void;
  function writeSync(fd: number, text: string, position?: number | null, encoding?: BufferEncoding): number;
  function writeSync(fd: number, buffer: ArrayBufferView, options?: Part): number;
  function writeSync(fd: number, buffer: ArrayBufferView, offset: number, length?: number, position?: number | null): number;
  function write<D extends string | ArrayBufferView>(fd: number, data: D, done: Counted<D>): void;
  function write(fd: number, text: string, position: number | null, encoding: BufferEncoding, done: Counted<string>): void;
  function write<B extends ArrayBufferView>(fd: number, buffer: B, offset: number, length: number, position: number | null, done: Counted<B>): void;
  function readvSync(fd: number, buffers: ArrayBufferView[], position?: number | null): number;
  function readv<B extends ArrayBufferView>(fd: number, buffers: B[], position: number | null, done: Counted<B[]>): void;
  function writevSync(fd: number, buffers: ArrayBufferView[], position?: number | null): number;
  function writev<B extends ArrayBufferView>(fd: number, buffers: B[], position: number | null, done: Counted<B[]>): void;
  function fstatSync(fd: number): Stats;
  function fstat(fd: number, done: Done<Stats>): void;
  function ftruncateSync(fd: number, length?: number): void;
  function ftruncate(fd: number, length: number, done: Done): void;
  function fsyncSync(fd: number): void;
  function fsync(fd: number, done: Done): void;
  function fdatasyncSync(fd: number): void;
  function fdatasync(fd: number, done: Done): void;
  function fchmodSync(fd: number, mode: number): void;
  function fchmod(fd: number, mode: number, done: Done): void;
  function futimesSync(fd: number, atime: Date | number, mtime: Date | number): void;
  function futimes(fd: number, atime: Date | number, mtime: Date | number, done: Done): void;
  function readFileSync(path: Path, options: TextOptions): string;
  function readFileSync(path: Path, options?: ReadOptions | null): Buffer;
  function writeFileSync(path: Path, data: string | ArrayBufferView, options?: WritingOptions): void;
  function appendFileSync(path: Path, data: string | ArrayBufferView, options?: WritingOptions): void;
  function statSync(path: Path): Stats;
  function lstatSync(path: Path): Stats;
  function accessSync(path: Path, mode?: number): void;
  function realpathSync(path: Path): string;
  function mkdirSync(path: Path, options?: { recursive?: boolean; mode?: number } | number): string | undefined;
  function readdirSync(path: Path, options: EntryOptions): Dirent[];
  function readdirSync(path: Path, options?: NameOptions): string[];
  function unlinkSync(path: Path): void;
  function rmdirSync(path: Path, options?: { recursive?: boolean }): void;
  function rmSync(path: Path, options?: { recursive?: boolean; force?: boolean }): void;
  function renameSync(from: Path, to: Path): void;
  function copyFileSync(from: Path, to: Path, mode?: number): void;
  function truncateSync(path: Path, length?: number): void;
  function utimesSync(path: Path, read: number | Date, written: number | Date): void;
  function chmodSync(path: Path, mode: number): void;
  function mkdtempSync(prefix: string): string;

  function readFile(path: Path, done: Done<Buffer>): void;
  function readFile(path: Path, options: TextOptions, done: Done<string>): void;
  function readFile(path: Path, options: ReadOptions | null | undefined, done: Done<Buffer>): void;
  function writeFile(path: Path, data: string | ArrayBufferView, done: Done): void;
  function writeFile(path: Path, data: string | ArrayBufferView, options: WritingOptions, done: Done): void;
  function appendFile(path: Path, data: string | ArrayBufferView, done: Done): void;
  function appendFile(path: Path, data: string | ArrayBufferView, options: WritingOptions, done: Done): void;
  function stat(path: Path, done: Done<Stats>): void;
  function lstat(path: Path, done: Done<Stats>): void;
  function access(path: Path, done: Done): void;
  function access(path: Path, mode: number | undefined, done: Done): void;
  function realpath(path: Path, done: Done<string>): void;
  function mkdir(path: Path, done: Done<string | undefined>): void;
  function mkdir(
    path: Path, options: { recursive?: boolean; mode?: number } | number | undefined, done: Done<string | undefined>,
  ): void;
  function readdir(path: Path, done: Done<string[]>): void;
  function readdir(path: Path, options: EntryOptions, done: Done<Dirent[]>): void;
  function readdir(path: Path, options: NameOptions | undefined, done: Done<string[]>): void;
  function unlink(path: Path, done: Done): void;
  function rmdir(path: Path, done: Done): void;
  function rmdir(path: Path, options: { recursive?: boolean } | undefined, done: Done): void;
  function rm(path: Path, done: Done): void;
  function rm(path: Path, options: { recursive?: boolean; force?: boolean } | undefined, done: Done): void;
  function rename(from: Path, to: Path, done: Done): void;
  function copyFile(from: Path, to: Path, done: Done): void;
  function copyFile(from: Path, to: Path, mode: number | undefined, done: Done): void;
  function truncate(path: Path, done: Done): void;
  function truncate(path: Path, length: number | undefined, done: Done): void;
  function utimes(path: Path, read: number | Date, written: number | Date, done: Done): void;
  function chmod(path: Path, mode: number, done: Done): void;
  function mkdtemp(prefix: string, done: Done<string>): void;
  const promises: typeof import("fs/promises");
}
declare module "fs/promises" {
  import {
    Dirent, EntryOptions, NameOptions, Part, Path, ReadOptions, ReadStream, Stats, TextOptions, WriteStream, WritingOptions,
  } from "fs";
  /** An open file. */
  interface FileHandle {
    readonly fd: number;
    read<B extends ArrayBufferView>(buffer: B, options?: Part): Promise<{ bytesRead: number; buffer: B }>;
    read<B extends ArrayBufferView>(
      buffer: B, offset: number, length: number, position?: number | null,
    ): Promise<{ bytesRead: number; buffer: B }>;
    write<D extends string | ArrayBufferView>(data: D, ...rest: any[]): Promise<{ bytesWritten: number; buffer: D }>;
    readFile(options: TextOptions): Promise<string>;
    readFile(options?: ReadOptions | null): Promise<Buffer>;
    writeFile(data: string | ArrayBufferView, options?: WritingOptions): Promise<void>;
    appendFile(data: string | ArrayBufferView, options?: WritingOptions): Promise<void>;
    stat(): Promise<Stats>;
    truncate(length?: number): Promise<void>;
    sync(): Promise<void>;
    datasync(): Promise<void>;
    createReadStream(options?: object): ReadStream;
    createWriteStream(options?: object): WriteStream;
    close(): Promise<void>;
  }
  function open(path: Path, flags?: string | number, mode?: number): Promise<FileHandle>;
  const constants: { readonly [name: string]: number };
  function readFile(path: Path, options: TextOptions): Promise<string>;
  function readFile(path: Path, options?: ReadOptions | null): Promise<Buffer>;
  function writeFile(path: Path, data: string | ArrayBufferView, options?: WritingOptions): Promise<void>;
  function appendFile(path: Path, data: string | ArrayBufferView, options?: WritingOptions): Promise<void>;
  function stat(path: Path): Promise<Stats>;
  function lstat(path: Path): Promise<Stats>;
  function access(path: Path, mode?: number): Promise<void>;
  function realpath(path: Path): Promise<string>;
  function mkdir(path: Path, options?: { recursive?: boolean; mode?: number } | number): Promise<string | undefined>;
  function readdir(path: Path, options: EntryOptions): Promise<Dirent[]>;
  function readdir(path: Path, options?: NameOptions): Promise<string[]>;
  function unlink(path: Path): Promise<void>;
  function rmdir(path: Path, options?: { recursive?: boolean }): Promise<void>;
  function rm(path: Path, options?: { recursive?: boolean; force?: boolean }): Promise<void>;
  function rename(from: Path, to: Path): Promise<void>;
  function copyFile(from: Path, to: Path, mode?: number): Promise<void>;
  function truncate(path: Path, length?: number): Promise<void>;
  function utimes(path: Path, read: number | Date, written: number | Date): Promise<void>;
  function chmod(path: Path, mode: number): Promise<void>;
  function mkdtemp(prefix: string): Promise<string>;
}

declare module "path" {
  interface Parsed {
    root: string;
    dir: string;
    base: string;
    ext: string;
    name: string;
  }
  interface Paths {
    normalize(path: string): string;
    join(...parts: string[]): string;
    resolve(...parts: string[]): string;
    isAbsolute(path: string): boolean;
    relative(from: string, to: string): string;
    dirname(path: string): string;
    basename(path: string, ending?: string): string;
    extname(path: string): string;
    parse(path: string): Parsed;
    format(path: Partial<Parsed>): string;
    toNamespacedPath(path: string): string;
    readonly sep: string;
    readonly delimiter: string;
    readonly posix: Paths;
    readonly win32: Paths;
  }
  namespace path {}
  const path: Paths;
  export = path;
}
declare module "path/posix" {
  import path = require("path");
  namespace posix {}
  const posix: typeof path;
  export = posix;
}
declare module "path/win32" {
  import path = require("path");
  namespace win32 {}
  const win32: typeof path;
  export = win32;
}
