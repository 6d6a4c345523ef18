// BaaS.request.

declare namespace BaaS {
  /** A request like in axios. */
  interface RequestConfig {
    /** http or https, ports 80, 443, 8080 and 8443 of public addresses. */
    url?: string;
    /** Prefix for a url without a host. */
    baseURL?: string;
    /** Default GET. */
    method?: string;
    headers?: { [name: string]: any };
    /** Added to the query string. */
    params?: any;
    paramsSerializer?: ((params: any) => string) | { serialize: (params: any) => string };
    allowAbsoluteUrls?: boolean;
    /**
     * The body, also of GET: texts, bytes and streams as they are, URLSearchParams as a form, FormData as
     * multipart/form-data, any other object as JSON, or as the content-type says.
     */
    data?: any;
    /** Milliseconds, at most 60,000. After the timeout the request rejects with ECONNABORTED. */
    timeout?: number;
    timeoutErrorMessage?: string;
    /** Default: text that is JSON is parsed, other text is a string, bytes are a Buffer. */
    responseType?: "json" | "text" | "arraybuffer" | "stream" | "blob";
    responseEncoding?: BufferEncoding;
    /** Default 5, at most 20. */
    maxRedirects?: number;
    /** Bytes; the platform's limit is 5 MB. */
    maxContentLength?: number;
    maxBodyLength?: number;
    transitional?: { silentJSONParsing?: boolean; forcedJSONParsing?: boolean; clarifyTimeoutError?: boolean };
    /** Default 200 to 299; other statuses reject. null accepts all statuses. */
    validateStatus?: ((status: number) => boolean) | null;
    /** Sent in the Authorization header. */
    auth?: { username: string; password: string };
    signal?: AbortSignal;
    /** @deprecated use signal */
    cancelToken?: CancelToken;
    transformRequest?: RequestTransform | RequestTransform[];
    transformResponse?: ResponseTransform | ResponseTransform[];
  }
  type RequestTransform = (data: any, headers: { [name: string]: string }) => any;
  type ResponseTransform = (data: any, headers?: { [name: string]: string }, status?: number) => any;

  /** Why a request failed: "Request failed with status code 404", "timeout of 1000ms exceeded" and the like. */
  interface RequestError extends Error {
    /**
     * ERR_BAD_REQUEST (status 400 to 499 and others), ERR_BAD_RESPONSE (from 500 on), ECONNABORTED, ENOTFOUND,
     * ECONNREFUSED, ERR_BLOCKED_ADDRESS, ERR_CANCELED, ERR_NETWORK.
     */
    code?: string;
    isAxiosError: true;
    /** Absent without an answer. */
    response?: Answer;
    status?: number;
    config: RequestConfig;
    toJSON(): object;
  }
  interface RequestErrorClass {
    new (message?: string, code?: string, config?: RequestConfig, response?: Answer): RequestError;
    readonly prototype: RequestError;
  }

  interface CancelToken {
    readonly promise: Promise<any>;
    readonly reason?: Error;
    throwIfRequested(): void;
  }

  interface Interceptors<Value> {
    use(fulfilled?: ((value: Value) => any) | null, rejected?: (error: any) => any): number;
    eject(id: number): void;
    clear(): void;
  }

  interface Requester {
    <Data = any>(config: RequestConfig): Promise<Answer<Data>>;
    <Data = any>(url: string | URL, config?: RequestConfig): Promise<Answer<Data>>;
    request<Data = any>(config: RequestConfig): Promise<Answer<Data>>;
    request<Data = any>(url: string | URL, config?: RequestConfig): Promise<Answer<Data>>;
    get<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    delete<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    head<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    options<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    /** HTTP's QUERY, a GET with a body. */
    query<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    post<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    put<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    patch<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    /** The data as multipart/form-data. */
    postForm<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    putForm<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    patchForm<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    /** The URL that a request would use. */
    getUri(config?: RequestConfig): string;
    /** A new client with its own defaults. */
    create(config?: RequestConfig): Requester;
    defaults: RequestConfig;
    interceptors: { request: Interceptors<RequestConfig>; response: Interceptors<Answer> };
  }

  interface TopRequester extends Requester {
    isAxiosError(error: any): error is RequestError;
    isCancel(error: any): boolean;
    all<T>(values: (T | Promise<T>)[]): Promise<T[]>;
    spread<T, R>(f: (...values: T[]) => R): (values: T[]) => R;
    toFormData(data: object, form?: FormData | URLSearchParams): FormData | URLSearchParams;
    formToJSON(form: FormData | URLSearchParams): object;
    mergeConfig(one: RequestConfig, other: RequestConfig): RequestConfig;
    AxiosHeaders: { new (headers?: { [name: string]: any }): any; from(headers: any): any };
    HttpStatusCode: { readonly [name: string]: any };
    /** @deprecated use AbortController */
    CancelToken: {
      new (executor: (cancel: (message?: string) => void) => void): CancelToken;
      source(): { token: CancelToken; cancel(message?: string): void };
    };
    RequestError: RequestErrorClass;
    AxiosError: RequestErrorClass;
    CanceledError: RequestErrorClass;
  }

  /** HTTP client with the API of axios; at most 50 concurrent requests, 5 MB and 60 s each. */
  const request: TopRequester;
}
