/**
 * Requires a recent authentication for dangerous actions, and a second factor from accounts that
 * have one (RFC 9470). A service is not a person and can never present one. A session with a scope
 * was given to an application, so it never has, but for the one in which a person adds the first factor.
 */
import { Type } from 'typebox'
import { sql, type Principal, type Reader } from '#dodeca/kernel'
import type { Kernel } from './settings.ts'
import { problem } from './errors.ts'
import { isEnrolment } from './sessions/narrowed.ts'

const Active = Type.Object({ active: Type.Boolean() })

export async function requireStepUp(
  reader: Reader,
  { clock, settings }: Pick<Kernel, 'clock' | 'settings'>,
  principal: Principal,
): Promise<void> {
  const max_age = settings['identity.step_up_seconds']
  const fresh = clock.nowSeconds() - principal.auth_time <= max_age
  const active = await hasFactor(reader, principal.id)
  const own = !principal.scope || (isEnrolment(principal) && !active)
  const person = principal.kind === 'account' && own
  if (person && fresh && (principal.aal === 'aal2' || !active)) return
  throw problem('step_up_required', {
    detail: nextStep(principal, active, Math.round(max_age / 60)),
    headers: {
      'www-authenticate': `Bearer error="insufficient_user_authentication", max_age=${max_age}`,
    },
  })
}

function nextStep({ kind, scope }: Principal, has_factor: boolean, minutes: number): string {
  if (kind !== 'account') {
    return 'An API key cannot do this. Use the access token of a person who has just logged in.'
  }
  if (scope) return 'A session with a scope cannot do this. Use a session of your own.'
  const recent = `This requires a login within the last ${minutes} minutes`
  if (!has_factor) return `${recent}. Log in again, then repeat the request.`
  return `${recent}, with the second factor. Complete a challenge of \`POST /v1/mfa/challenges\`, or log in again, then repeat the request.`
}

export async function hasFactor(reader: Reader, account_id: string): Promise<boolean> {
  const { active } = await reader.one(
    Active,
    sql`
      select exists (select from identity.mfa_methods
        where account_id = ${account_id} and status = 'active') as active`,
  )
  return active
}
