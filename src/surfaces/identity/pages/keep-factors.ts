/**
 * The page of a mailed link that stops the reset of second factors. Opening it changes nothing,
 * because mail scanners follow links.
 */
import { markup } from '#dodeca/kernel'
import { stopReset } from '../mfa/resets/end-reset.ts'
import { peek } from '../one-time.ts'
import { button, form, hidden } from './form.ts'
import type { Page } from './visit.ts'

export const keepFactorsPage: Page = {
  path: '/account/keep-factors',
  summary: 'The page of a mailed link that stops the reset of second factors',
  show: async visit => {
    const { deps, words, query } = visit
    const token = visit.form['token'] ?? query.token ?? ''
    if (!(await peek(deps.kernel.db, ['factor_reset_stop'], token))) {
      return { title: words.dead_link, body: markup`<p>${words.dead_reset_says}</p>` }
    }
    return {
      title: words.keep_factors,
      body: markup`<p>${words.keep_factors_says}</p>
${form(visit, hidden({ token }), button(words.keep_factors))}`,
    }
  },
  submit: async ({ deps, words, request, form: { token = '' } }) => {
    await stopReset(deps, token, request)
    return { title: words.factors_kept, body: markup`<p>${words.factors_kept_says}</p>` }
  },
}
