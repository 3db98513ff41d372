/** The page for a short link that leads nowhere. Its text gives the reason. */
import { markup } from '#dodeca/kernel'
import { pageOf, type Page } from './frame.ts'

const reasons = {
  link_not_found: [
    'There is no such link',
    'The address may have been mistyped: capital and small letters are different.',
  ],
  link_expired: [
    'This link has expired',
    'The creator of this link set an end time, which has passed.',
  ],
  link_disabled: ['This link is disabled', 'It was switched off and leads nowhere for now.'],
  link_exhausted: [
    'This link has been used up',
    'It could be followed a limited number of times, and all of them are gone.',
  ],
  domain_not_found: ['There are no links here', 'No short links live under this host name.'],
} as const

export type AbsentReason = keyof typeof reasons

export function absentPage(reason: AbsentReason): Page {
  const [title, says] = reasons[reason]
  return pageOf(
    title,
    'plain',
    markup`<p>${says}</p>
<p class="soft">If you got this link from a person, ask them for a new one.</p>`,
  )
}
