/** Adds an authenticator app: shows its QR code, and activates the app with its first code. */
import { isId, markup, trusted, type Markup } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { activateMethod } from '../mfa/methods/activate-method.ts'
import { enrolMethod } from '../mfa/methods/enrol-method.ts'
import { setCookies } from '../sessions/deliver-tokens.ts'
import { isEnrolment } from '../sessions/narrowed.ts'
import { button, field, form, hidden } from './form.ts'
import { sessionOf, type Page, type Visit } from './visit.ts'
import { codeList } from './recovery-codes.ts'

export const totpPage: Page = {
  path: '/account/totp',
  summary: 'The page that adds an authenticator app',
  guarded: true,
  enrols: true,
  show: visit => {
    const { words, fault, form: given } = visit
    const title = words.add_totp
    const { method_id } = given
    if (fault && method_id && fault.code !== 'mfa_method_not_found') {
      const again = markup`<p>${words.totp_again}</p>`
      return { title, body: asksCode(visit, method_id, again) }
    }
    const begin = button(words.continue, { action: 'begin' })
    const must = isEnrolment(sessionOf(visit))
    return {
      title,
      body: markup`${must && markup`<p class="notice">${words.must_enrol}</p>`}
<p>${words.totp_says}</p>${form(visit, begin)}
${must && markup`<p><a href="/account/passkey">${words.add_passkey}</a></p>`}`,
    }
  },
  submit: async visit => (visit.form['method_id'] ? activate(visit) : begin(visit)),
}

async function begin(visit: Visit) {
  const { deps, words } = visit
  const session = sessionOf(visit)
  const what = { type: 'totp', label: words.device } as const
  const {
    id,
    secret = '',
    otpauth_uri = '',
  } = await deps.kernel.db.tx(tx => enrolMethod(tx, deps, session, what))
  const shown = markup`<p>${words.totp_scan}</p>
${await picture(otpauth_uri, words.totp_qr)}
<p>${words.totp_key}: <code>${secret}</code></p>`
  return { title: words.add_totp, body: asksCode(visit, id, shown) }
}

async function activate(visit: Visit) {
  const { deps, request, words, form: given } = visit
  const { method_id = '', code = '' } = given
  const typed = code.replaceAll(/\s/g, '')
  if (!isId(method_id)) throw problem('mfa_method_not_found')
  if (!/^[0-9]{6}$/.test(typed)) throw problem('mfa_verification_failed')
  const session = sessionOf(visit)
  const shown = { code: typed, delivery: 'cookie' } as const
  const { activated, headers } = await activateMethod(deps, session, method_id, shown, request)
  const { recovery_codes } = activated
  const cookies = setCookies(headers)
  if (!recovery_codes) return { to: '/account/', cookies }
  return { title: words.codes, body: codeList(visit, recovery_codes), cookies }
}

function asksCode(visit: Visit, method_id: string, above: Markup): Markup {
  const { words } = visit
  const code = { name: 'code', label: words.code, autocomplete: 'one-time-code' }
  return markup`${above}
${form(visit, hidden({ method_id }), field(visit, code), button(words.activate))}
<p><a href="/account/totp">${words.begin_again}</a></p>`
}

async function picture(text: string, title: string): Promise<Markup> {
  const { encodeQR } = await import('qr')
  const rows = encodeQR(text, 'raw', { border: 4 })
  const squares = rows.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return markup`<svg class="qr" role="img" aria-label="${title}" viewBox="0 0 ${rows.length} ${rows.length}" shape-rendering="crispEdges"><path fill="#000" d="${trusted(squares.join(''))}"/></svg>`
}
