/**
 * The captcha of a form. The browser solves a task: in portions, while the person fills in the form,
 * and at the latest when they send it.
 */
import { markup, type Markup } from '#dodeca/kernel'
import { newWork, type Purpose } from '../captcha/work.ts'
import type { Form, Shown, Visit } from './visit.ts'

export const captcha_script = `
for (const input of document.querySelectorAll('input[data-work]')) {
  const { form } = input
  const [status, failed] = form.querySelectorAll('.captcha')
  const { maxnumber, ...work } = JSON.parse(input.dataset.work)
  const portion = 500
  const hashOf = async number => {
    const text = new TextEncoder().encode(work.salt + number)
    const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
    return Array.from(bytes, one => one.toString(16).padStart(2, '0')).join('')
  }
  const solve = async () => {
    for (let first = 0; first <= maxnumber; first += portion) {
      const hashes = await Promise.all(Array.from({ length: portion }, (_, n) => hashOf(first + n)))
      const found = hashes.indexOf(work.challenge)
      if (found !== -1) return btoa(JSON.stringify({ ...work, number: first + found }))
    }
    throw new Error('there is no solution')
  }
  const solved = solve().then(
    answer => { input.value = answer },
    () => { failed.hidden = false })
  form.addEventListener('submit', async event => {
    if (input.value) return
    event.preventDefault()
    status.hidden = false
    await solved
    if (input.value) form.requestSubmit(event.submitter)
  })
}
`

export function captchaField({ deps: { kernel }, words }: Visit, purpose: Purpose): Markup {
  if (kernel.settings['identity.captcha'] === 'off') return markup``
  const work = JSON.stringify(newWork(kernel, purpose))
  return markup`<input type="hidden" name="captcha" data-work="${work}">
<p class="soft captcha" role="status" hidden>${words.captcha_wait}</p>
<p class="alert captcha" role="alert" hidden>${words.captcha_failed}</p>
<noscript><p class="alert">${words.captcha_script}</p></noscript>`
}

/** Of a form that logs in, which requires a captcha only after many attempts. */
export function asksCaptcha(visit: Visit): Markup[] {
  return visit.fault?.code === 'captcha_required' ? [captchaField(visit, 'login')] : []
}

/** Whether a page with such a field needs the script. */
export function scripted({ deps: { kernel } }: Visit): Pick<Shown, 'script'> {
  return { script: kernel.settings['identity.captcha'] !== 'off' }
}

export function answerIn({ captcha }: Form): { captcha?: string } {
  return captcha ? { captcha } : {}
}
