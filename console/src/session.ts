/** The session: the client of this page, and the person's permissions. */
import { resumePage, type PageSession, type components } from '../../client/src/index.ts'

export type Me = components['schemas']['Me']

let current: { readonly page: PageSession; readonly me: Me } | undefined

/** Without this cookie there is no session, and a request would only leave a 401 in the log. */
export function mayHaveSession(): boolean {
  return /(^|; )(__Secure-)?logged-in=1(;|$)/.test(document.cookie)
}

/** Throws the problem `authentication_required` if the visitor is not logged in. */
export async function openSession(): Promise<Me> {
  const page = await resumePage({ base_url: location.origin })
  const { data: me } = await page.GET('/v1/me')
  current = { page, me }
  return me
}

function opened() {
  if (!current) throw new Error('The session is not open yet')
  return current
}

export function client(): PageSession {
  return opened().page
}

export function me(): Me {
  return opened().me
}

/**
 * Whether to show actions that require the permission. A permission for one type is enough, because
 * the platform decides which types it covers.
 */
export function may(permission: string | null): boolean {
  if (permission === null) return true
  const [base = ''] = permission.split(':')
  return me().permissions.some(held => held === base || held.startsWith(`${base}:`))
}

/** The login page of the platform, which returns here. */
export function logInAddress(): string {
  return `/account/login?${new URLSearchParams({ next: location.pathname + location.search })}`
}
