/** One request in several languages. Without a script the tabs are radio buttons and a rule of CSS. */
import { createHash } from 'node:crypto'
import { markup, type Markup } from '#dodeca/kernel'

export type Sample = { readonly lang: string; readonly label: string; readonly source: string }

export function code(text: string): Markup {
  return markup`<pre tabindex="0"><code>${text}</code></pre>`
}

export function tabs(samples: readonly Sample[]): Markup {
  const text = JSON.stringify(samples)
  const group = `tabs-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
  const all = samples.map(
    ({ label, source }, at) =>
      markup`<input type="radio" name="${group}" id="${group}-${at}" value="${label}"${at === 0 && markup` checked`}><label for="${group}-${at}">${label}</label>${code(source)}\n`,
  )
  return markup`<div class="tabs" role="group" aria-label="The request in several languages">${all}</div>\n`
}
