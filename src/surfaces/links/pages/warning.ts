/**
 * The page that is shown instead of a redirect while a destination is not checked. The visitor sees
 * the destination before continuing.
 */
import { domainToUnicode } from 'node:url'
import { markup } from '#dodeca/kernel'
import { pageOf, type Page } from './frame.ts'

export function warningPage(link: {
  readonly short_url: string
  readonly destination_url: string
}): Page {
  const { hostname } = new URL(link.destination_url)
  const readable = domainToUnicode(hostname)
  return pageOf(
    'Check this link before you go on',
    'warning',
    markup`<p>The short link <strong>${link.short_url}</strong> leads to another site, which has not
been checked yet:</p>
<strong class="host">${hostname}</strong>
${
  readable !== '' &&
  readable !== hostname &&
  markup`<p>The name uses letters of other alphabets and may
look like <strong>${readable}</strong>. It need not be the site that you expect.</p>`
}
<p>Go on only if you know this site and expected this link. Enter no password there if you are in
doubt.</p>
<p><a class="button" href="${link.destination_url}" rel="noreferrer nofollow">Go on to
${hostname}</a></p>
<p class="soft">If you did not expect this, close the page.</p>`,
  )
}
