/**
 * Identity for the command line. It calls identity's face on the current database, and turns
 * refusals into sentences that give the next step.
 */
import { Problem, StartError } from '#dodeca/kernel'
import type { Inside } from '../surfaces/identity/face.ts'
import type { Call } from './command.ts'
import { onCurrentDatabase } from './offline.ts'

export const default_tenant = 'default'

/** Runs `work` with identity's face. `about` is the subject of a refusal. */
export async function administering<T>(
  call: Call,
  about: { readonly tenant?: string; readonly account?: string; readonly role?: string },
  work: (identity: Inside['administration']) => Promise<T>,
): Promise<T> {
  return await onCurrentDatabase(call, async ({ platform }) => {
    const identity = platform.opened['identity']
    if (!identity) throw new StartError('This platform has no accounts.')
    const { administration } = identity.face as Inside
    try {
      return await work(administration)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const known =
        error.code === 'role_not_found' && about.tenant
          ? await administration.roles(about.tenant)
          : []
      throw new StartError(sentence(error, about, known), { cause: error })
    }
  })
}

function sentence(
  { code, title, details }: Problem,
  { tenant = '', account = '', role = '' }: { tenant?: string; account?: string; role?: string },
  roles: readonly string[],
): string {
  const unknown = role.split(',').filter(one => !roles.includes(one))
  const said: Readonly<Record<string, string>> = {
    tenant_not_found: `There is no tenant ${tenant}. \`npx dodeca tenant list\` lists them.`,
    account_not_found: `The tenant ${tenant} has no account ${account}. \`npx dodeca user list\` lists them; --tenant=<slug> names another tenant.`,
    role_not_found: `There is no role ${unknown.join(' or ')}. The roles are ${roles.join(', ')}.`,
    already_exists: `The tenant ${tenant} exists already.`,
    validation_failed: `${account} is not a valid e-mail address.`,
    invalid_transition:
      details.detail ?? `The current state is ${details.current_state}, which does not allow this.`,
    password_rejected: 'The password is too easy to guess, or has an invalid length.',
  }
  return said[code] ?? `${title}.`
}
