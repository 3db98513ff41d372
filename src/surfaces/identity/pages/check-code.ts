/**
 * Checks the second factor on a page. A code is from an authenticator app, or is a recovery code: one
 * form sends it, so its challenge is opened and answered in the same request. Each passkey and
 * security key has a form of its own, with its challenge. Attempts are limited for each account.
 */
import { isId, markup, type Markup } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { askChallenge } from '../mfa/challenges/ask-challenge.ts'
import { verifyChallenge, type Verified } from '../mfa/challenges/verify-challenge.ts'
import type { Holder } from '../mfa/holder.ts'
import { activeMethods, type Offered } from '../mfa/methods/find-methods.ts'
import { Assertion } from '../mfa/schemas.ts'
import { field } from './form.ts'
import { credentialIn, passkeyForm } from './passkey-form.ts'
import type { Visit } from './visit.ts'

export async function checkFactor(
  deps: Deps,
  holder: Holder,
  account_id: string,
  { form, request }: Pick<Visit, 'form' | 'request'>,
): Promise<Verified> {
  const { code = '', method_id, challenge_id = '' } = form
  if (isId(challenge_id)) {
    if (!form['credential']) throw problem('mfa_challenge_invalid')
    const shown = { assertion: credentialIn(form, Assertion), delivery: 'cookie' } as const
    return await verifyChallenge(deps, holder, challenge_id, shown, request)
  }
  const methods = byCode(await activeMethods(deps.kernel.db, account_id))
  const method = methods.find(one => one.id === method_id) ?? methods[0]
  if (!method) throw problem('mfa_challenge_invalid')
  const { id } = await deps.kernel.db.tx(tx => askChallenge(tx, deps, holder, method.id))
  const typed = code.replaceAll(/\s/g, '')
  const shown = /^[0-9]{6}$/.test(typed) ? { code: typed } : { recovery_code: typed }
  return await verifyChallenge(deps, holder, id, { ...shown, delivery: 'cookie' }, request)
}

/** A form for each passkey and security key; null if there is none. */
export async function keyForms(
  visit: Visit,
  holder: Holder,
  methods: readonly Offered[],
  next: string | undefined,
): Promise<Markup | null> {
  const { deps, words } = visit
  const keys = methods.filter(one => one.type !== 'totp')
  if (keys.length === 0) return null
  const asked = await deps.kernel.db.tx(async tx => {
    const opened = []
    for (const { id } of keys) opened.push(await askChallenge(tx, deps, holder, id))
    return opened
  })
  const forms = asked.map(({ id: challenge_id, public_key: options }, at) => {
    const label = words.use_key.replace('{name}', keys[at]?.label ?? '')
    return passkeyForm(visit, { options, fields: { challenge_id, next }, label, plain: true })
  })
  return markup`${forms}`
}

/** The fields of a typed code. */
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
