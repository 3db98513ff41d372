/**
 * The client for a page that the platform itself serves. It uses the session's cookies. Scripts
 * cannot read these cookies. Unsafe requests also send the CSRF token of the session. An expired
 * access token is replaced once for all waiting requests.
 */
import { createClient, endSession, type DodecaClient } from './client.ts'
import type { components } from './schema.d.ts'
import type { ClientOptions } from './sending.ts'

export type PageSession = DodecaClient & {
  readonly session: components['schemas']['CurrentSession']
  logout(): Promise<void>
}

/** Throws the problem `authentication_required` if the caller is not logged in. */
export async function resumePage(
  options: Omit<ClientOptions, 'token' | 'refresh' | 'csrf_token'>,
): Promise<PageSession> {
  const { data: session } = await createClient(options).GET('/v1/sessions/current')
  const { session_id, csrf_token = '' } = session
  const params = { path: { session_id } }
  const refresher = createClient({ ...options, csrf_token })
  const client = createClient({
    ...options,
    csrf_token,
    // The new token is in a cookie.
    refresh: async () => {
      await refresher.POST('/v1/sessions/{session_id}/refresh', { params, body: {} })
      return undefined
    },
  })
  return {
    ...client,
    session,
    logout: () => endSession(client, session_id),
  }
}
