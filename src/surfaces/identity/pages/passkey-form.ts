/**
 * A form that sends what a passkey or security key says. Browsers use keys only through a script, so
 * the form stays hidden without it; the content security policy allows exactly this script, by its
 * hash, and only on the pages with such a form. The script calls no address: the options are in the
 * page, and the form carries the result.
 */
import { Value } from 'typebox/value'
import type { Static, TSchema } from 'typebox'
import { markup, type Markup } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { hidden } from './form.ts'
import type { Form, Visit } from './visit.ts'

/** A page that was open longer than its options are valid is sent without a result, and is shown again. */
export const script = `
const supported = window.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined
for (const form of supported ? document.querySelectorAll('form[data-options]') : []) {
  const { create, options } = JSON.parse(form.dataset.options)
  const failed = form.querySelector('[role=alert]')
  form.hidden = false
  form.addEventListener('submit', async event => {
    event.preventDefault()
    failed.hidden = true
    try {
      if (performance.now() < options.timeout - 5000) {
        const credential = create
          ? await navigator.credentials.create({
              publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
          : await navigator.credentials.get({
              publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
        form.elements.credential.value = JSON.stringify(credential)
      }
      form.submit()
    } catch {
      failed.hidden = false
    }
  })
}
if (supported) for (const one of document.querySelectorAll('.without-script')) one.remove()
`

type Asked = {
  readonly create?: true
  readonly options: unknown
  readonly fields: Readonly<Record<string, string | undefined>>
  readonly label: string
  readonly plain?: true
}

export function passkeyForm(
  visit: Visit,
  { create, options, fields, label, plain }: Asked,
): Markup {
  const { path, csrf, words } = visit
  const data = JSON.stringify({ create: create === true, options })
  return markup`<form method="post" action="${path}" data-options="${data}" hidden>
${hidden({ ...(csrf === null ? {} : { csrf }), ...fields })}<input type="hidden" name="credential">
<p class="alert" role="alert" hidden>${words.key_failed}</p>
<button ${plain && markup`class="plain"`}>${label}</button>
</form>`
}

/** What the script has sent. Browsers add members that we do not read. */
export function credentialIn<S extends TSchema>({ credential = '' }: Form, schema: S): Static<S> {
  const given = parse(credential)
  if (given !== undefined) {
    const known = Value.Clean(schema, given)
    if (Value.Check(schema, known)) return known
  }
  throw problem('mfa_verification_failed')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
