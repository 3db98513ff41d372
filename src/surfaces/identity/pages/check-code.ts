/**
 * Checks a code that a person typed. The code is from an authenticator app, or is a recovery code.
 * One form sends the code, so the challenge is opened and answered in the same request. Attempts
 * are limited for each account.
 */
import { markup, type Markup } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { askChallenge } from '../mfa/challenges/ask-challenge.ts'
import { verifyChallenge, type Verified } from '../mfa/challenges/verify-challenge.ts'
import type { Holder } from '../mfa/holder.ts'
import { activeMethods, type Offered } from '../mfa/methods/find-methods.ts'
import { field } from './form.ts'
import type { Visit } from './visit.ts'

export async function checkCode(
  deps: Deps,
  holder: Holder,
  account_id: string,
  { form, request }: Pick<Visit, 'form' | 'request'>,
): Promise<Verified> {
  const { code = '', method_id } = form
  const methods = byCode(await activeMethods(deps.kernel.db, account_id))
  const method = methods.find(one => one.id === method_id) ?? methods[0]
  if (!method) throw problem('mfa_challenge_invalid')
  const { id } = await deps.kernel.db.tx(tx => askChallenge(tx, deps, holder, method.id))
  const typed = code.replaceAll(/\s/g, '')
  const shown = /^[0-9]{6}$/.test(typed) ? { code: typed } : { recovery_code: typed }
  return await verifyChallenge(deps, holder, id, { ...shown, delivery: 'cookie' }, request)
}

/** The fields that `checkCode` reads. */
export function codeFields(visit: Visit, methods: readonly Offered[]): Markup {
  const { words, form } = visit
  const apps = methods.filter(one => one.type === 'totp')
  const chosen = form['method_id'] ?? ''
  const options = apps.map(
    ({ id, label }) =>
      markup`<option value="${id}" ${id === chosen && markup`selected`}>${label}</option>`,
  )
  return markup`${apps.length === 0 && markup`<p>${words.only_keys}</p>`}
${apps.length > 1 && markup`<div class="field"><label for="method_id">${words.device}</label><select id="method_id" name="method_id">${options}</select></div>`}
${field(visit, { name: 'code', label: words.code, autocomplete: 'one-time-code', hint: words.code_hint })}`
}

/**
 * Authenticator apps come first, because a recovery code can answer the challenge of any factor.
 */
function byCode(methods: readonly Offered[]): Offered[] {
  return methods.toSorted(
    (one, other) => Number(other.type === 'totp') - Number(one.type === 'totp'),
  )
}
