/**
 * How a request is sent. A token is refreshed once for all waiting requests. Only requests that
 * cannot take effect twice (reads, and writes under one Idempotency-Key) are retried.
 */
import { pause } from './pause.ts'
import { isFinal, isRetryable, problemOf, type Problem } from './problem.ts'

export type ClientOptions = {
  readonly base_url: string
  readonly token?: string
  /** Returns a new access token. It is called once, even if many requests find an expired token. */
  readonly refresh?: () => Promise<string | undefined>
  /**
   * Called once when `refresh` is refused for good: the session was ended, maybe on another device,
   * or has expired. Show the log-in again.
   */
  readonly ended?: (problem: Problem) => void
  /**
   * The CSRF token of a page that uses the session's cookies. It is sent with every unsafe request.
   */
  readonly csrf_token?: string
  /** The number of retries of a request that may be repeated. */
  readonly retries?: number
  /** A longer Retry-After of the platform is left to the caller. */
  readonly wait_seconds_max?: number
  /**
   * The operations that take an Idempotency-Key. Only needed for another document than the
   * product's.
   */
  readonly keyed?: Readonly<Record<string, true>>
}

export const key_header = 'idempotency-key'

/**
 * Sends one request until it has a reply. Adds a token, refreshes the token if necessary, and
 * retries if a retry is safe.
 */
export function sender({ csrf_token, retries = 5, wait_seconds_max = 30, ...rest }: ClientOptions) {
  const bearer = tokenKeeper(rest)
  return async (request: Request): Promise<Response> => {
    if (csrf_token !== undefined) request.headers.set('x-csrf-token', csrf_token)
    const repeatable = request.method === 'GET' || request.headers.has(key_header)
    for (let attempt = 0; ; attempt++) {
      const last = !repeatable || attempt >= retries
      const response = await once(request, bearer).catch((error: unknown) => {
        // The connection broke and the request may have arrived, so only a safe request is sent
        // again. A problem is that of the refresh.
        if (last || request.signal.aborted || isFinal(error) || isOffline()) throw error
        return null
      })
      if (response?.ok || response?.status === 304) return response
      const problem = response && (await problemOf(response))
      const asked_seconds = Number(response?.headers.get('retry-after') ?? 0)
      const hopeless = last || (asked_seconds || 0) > wait_seconds_max
      if (problem && (hopeless || !isRetryable(problem))) throw problem
      await pause(waitOf(attempt, asked_seconds || 0), request.signal)
    }
  }
}

type Bearer = { current(): string | undefined; renew: ((used?: string) => Promise<void>) | null }

/**
 * Only one refresh runs at a time. If another request has refreshed meanwhile, no refresh is
 * needed.
 */
function tokenKeeper({ token: given, refresh, ended }: Omit<ClientOptions, 'base_url'>): Bearer {
  let token = given
  let running: Promise<void> | null = null
  let has_ended = false
  const renew = async (ask: () => Promise<string | undefined>) => {
    try {
      token = await ask()
    } catch (error) {
      if (isFinal(error) && !has_ended) {
        has_ended = true
        ended?.(error)
      }
      throw error
    } finally {
      running = null
    }
  }
  return {
    current: () => token,
    renew: refresh
      ? used => (used === token ? (running ??= renew(refresh)) : Promise.resolve())
      : null,
  }
}

/**
 * A request that got a 401 had no effect, so any request may be sent once more with a new token.
 */
async function once(request: Request, bearer: Bearer): Promise<Response> {
  const send = () => {
    const copy = request.clone()
    const token = bearer.current()
    if (token !== undefined) copy.headers.set('authorization', `Bearer ${token}`)
    return fetch(copy)
  }
  const used = bearer.current()
  const response = await send()
  if (response.status !== 401 || !bearer.renew) return response
  await response.body?.cancel()
  await bearer.renew(used)
  return send()
}

/** A browser that has no network says so, and then the person should hear it at once. */
function isOffline(): boolean {
  return (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine === false
}

/**
 * If the platform sent Retry-After, waits a little longer, so that clients do not all return
 * together. Otherwise five retries take four to eight seconds: that long a platform may restart.
 */
function waitOf(attempt: number, asked_seconds: number): number {
  if (asked_seconds > 0) return asked_seconds * 1000 + Math.random() * 250
  return (0.5 + Math.random() / 2) * 250 * 2 ** Math.min(attempt, 4)
}
