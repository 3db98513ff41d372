/** Adds a passkey: asks for its name, then lets the browser make it. */
import { isId, markup, type Markup } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { activateMethod } from '../mfa/methods/activate-method.ts'
import { enrolMethod } from '../mfa/methods/enrol-method.ts'
import { Attestation } from '../mfa/schemas.ts'
import { setCookies } from '../sessions/deliver-tokens.ts'
import { button, field, form, required } from './form.ts'
import { credentialIn, passkeyForm } from './passkey-form.ts'
import { codeList } from './recovery-codes.ts'
import { sessionOf, type Page, type Result, type Visit } from './visit.ts'

const name_max = 100

export const passkeyPage: Page = {
  path: '/account/passkey',
  summary: 'The page that adds a passkey',
  guarded: true,
  enrols: true,
  show: visit => ({ title: visit.words.add_passkey, body: asksName(visit) }),
  submit: async visit => (visit.form['method_id'] ? await activate(visit) : await begin(visit)),
}

async function begin(visit: Visit): Promise<Result> {
  const { deps, words, form: given } = visit
  const session = sessionOf(visit)
  const label = Array.from(required(given, 'label').label).slice(0, name_max).join('')
  const what = { type: 'passkey', label } as const
  const { id, public_key } = await deps.kernel.db.tx(tx => enrolMethod(tx, deps, session, what))
  const create = { create: true, options: public_key, fields: { method_id: id, label } } as const
  return {
    title: words.add_passkey,
    script: true,
    body: markup`<p class="without-script">${words.needs_script}</p>
<p>${words.create_says}</p>${passkeyForm(visit, { ...create, label: words.create_passkey })}`,
  }
}

async function activate(visit: Visit): Promise<Result> {
  const { deps, request, words, form: given } = visit
  const { method_id = '' } = given
  if (!isId(method_id)) throw problem('mfa_method_not_found')
  const shown = { attestation: credentialIn(given, Attestation), delivery: 'cookie' } as const
  const session = sessionOf(visit)
  const { activated, headers } = await activateMethod(deps, session, method_id, shown, request)
  const { recovery_codes } = activated
  const cookies = setCookies(headers)
  if (!recovery_codes) return { to: '/account/?done=passkey_added', cookies }
  return { title: words.codes, body: codeList(visit, recovery_codes), cookies }
}

function asksName(visit: Visit): Markup {
  const { words, fault, form: given } = visit
  const refused =
    fault?.field === 'code' ? { ...fault, field: null, says: words.key_refused } : fault
  const name = { name: 'label', label: words.passkey_name, autocomplete: 'off' } as const
  return markup`<p>${words.passkey_says}</p>
${form(
  { ...visit, fault: refused },
  field(visit, { ...name, value: given['label'] ?? words.passkey }),
  button(words.continue),
)}`
}
