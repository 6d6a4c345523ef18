// BaaS.request.
declare namespace BaaS {
  /** A request as axios has it. */
  interface RequestConfig {
    /** http or https; private addresses are refused. */
    url?: string;
    baseURL?: string;
    /** Default GET. */
    method?: string;
    headers?: Record<string, any>;
    /** Become the query. */
    params?: any;
    paramsSerializer?: ((params: any) => string) | { serialize: (params: any) => string };
    allowAbsoluteUrls?: boolean;
    /**
     * The body, also of GET: strings, Buffer, ArrayBuffer and streams as they are, URLSearchParams as a form, FormData
     * as multipart/form-data, any other object as JSON, or as the content-type says.
     */
    data?: any;
    /** Milliseconds, at most 60,000. */
    timeout?: number;
    timeoutErrorMessage?: string;
    /** Default: text that is JSON is parsed, other text is a string, bytes are a Buffer. */
    responseType?: "json" | "text" | "arraybuffer" | "stream" | "blob";
    responseEncoding?: BufferEncoding;
    /** Default 5, at most 20. */
    maxRedirects?: number;
    maxContentLength?: number;
    maxBodyLength?: number;
    transitional?: { silentJSONParsing?: boolean; forcedJSONParsing?: boolean; clarifyTimeoutError?: boolean };
    /** Default 200 to 299; other statuses reject. */
    validateStatus?: ((status: number) => boolean) | null;
    auth?: { username: string; password: string };
    signal?: AbortSignal;
    cancelToken?: CancelToken;
    transformRequest?: ((data: any, headers: Record<string, string>) => any) | ((data: any, headers: Record<string, string>) => any)[];
    transformResponse?: ((data: any, headers?: Record<string, string>, status?: number) => any) | ((data: any, headers?: Record<string, string>, status?: number) => any)[];
  }

  /** Why a request failed: "Request failed with status code 404" and the like. */
  interface RequestError extends Error {
    /** ERR_BAD_REQUEST, ERR_BAD_RESPONSE, ECONNABORTED, ENOTFOUND, ECONNREFUSED, ERR_BLOCKED_ADDRESS … */
    code?: string;
    isAxiosError: true;
    /** Absent when there was no answer. */
    response?: Answer;
    status?: number;
    config: RequestConfig;
  }

  interface CancelToken {
    readonly promise: Promise<any>;
    readonly reason?: Error;
    throwIfRequested(): void;
  }

  interface Interceptors<Value> {
    use(fulfilled?: (value: Value) => any, rejected?: (error: any) => any): number;
    eject(id: number): void;
    clear(): void;
  }

  interface Requester {
    <Data = any>(config: RequestConfig): Promise<Answer<Data>>;
    <Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    request<Data = any>(config: RequestConfig): Promise<Answer<Data>>;
    get<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    delete<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    head<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    options<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    post<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    put<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    patch<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    getUri(config?: RequestConfig): string;
    create(config?: RequestConfig): Requester;
    defaults: RequestConfig;
    interceptors: { request: Interceptors<RequestConfig>; response: Interceptors<Answer> };
    isAxiosError(error: any): error is RequestError;
    isCancel(error: any): boolean;
    all<T>(values: (T | Promise<T>)[]): Promise<T[]>;
    spread<T, R>(f: (...values: T[]) => R): (values: T[]) => R;
    postForm<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    putForm<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    patchForm<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    toFormData(data: object, form?: FormData | URLSearchParams): FormData | URLSearchParams;
    formToJSON(form: FormData | URLSearchParams): object;
    mergeConfig(one: RequestConfig, other: RequestConfig): RequestConfig;
    AxiosHeaders: { new (headers?: Record<string, any>): any; from(headers: any): any };
    HttpStatusCode: Record<string, any>;
    CanceledError: { new (message?: string): Error };
    AxiosError: { new (message?: string, code?: string): RequestError };
    RequestError: { new (message?: string, code?: string): RequestError };
    CancelToken: { new (executor: (cancel: (message?: string) => void) => void): CancelToken; source(): { token: CancelToken; cancel(message?: string): void } };
  }

  /** The only way to the network, with the manners of axios; at most 50 at once. */
  const request: Requester;
}
