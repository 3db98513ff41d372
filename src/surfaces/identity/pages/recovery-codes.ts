/** Creates new recovery codes and shows them once. */
import { markup, type Markup } from '#dodeca/kernel'
import { renewRecoveryCodes } from '../mfa/methods/recovery-codes.ts'
import { button, form } from './form.ts'
import { sessionOf, type Page, type Visit } from './visit.ts'

export const recoveryCodesPage: Page = {
  path: '/account/recovery-codes',
  summary: 'The page that makes new recovery codes',
  guarded: true,
  show: visit => {
    const { words } = visit
    return {
      title: words.new_codes,
      body: markup`<p>${words.codes_says} ${words.new_codes_says}</p>
${form(visit, button(words.new_codes))}`,
    }
  },
  submit: async visit => {
    const { deps, request, words } = visit
    const session = sessionOf(visit)
    const codes = await deps.kernel.db.tx(tx => renewRecoveryCodes(tx, deps, session, request))
    return { title: words.codes, body: codeList(visit, codes) }
  },
}

export function codeList({ words }: Visit, codes: readonly string[]): Markup {
  return markup`<p>${words.codes_says}</p>
<ul class="codes">${codes.map(code => markup`<li><code>${code}</code></li>`)}</ul>
<p><a href="/account/">${words.to_account}</a></p>`
}
