/**
 * The redirect as a route of the platform. The interceptor handles most requests for codes. This
 * route gets only requests on hosts without links and requests for reserved words.
 */
import { Type } from 'typebox'
import { reply, routesOf, text, Time } from '#dodeca/kernel'
import { absentAnswer, type Answer } from './answer.ts'
import type { Hosts } from '../cache/hosts.ts'

const Preview = Type.Object(
  {
    short_url: Type.String(),
    destination_url: Type.String(),
    created_at: Time,
    safety_state: Type.String(),
  },
  { title: 'LinkPreview' },
)

const missing = ['link_not_found', 'link_expired', 'link_disabled', 'link_exhausted'] as const

const { open, get } = routesOf<{ readonly hosts: Hosts }>()

export const redirectRoutes = open({
  followLink: get(
    '/{code}',
    'Follow a short link; with a + at its end, show its destination',
    {
      description:
        'Redirects with the status of the link. If the destination is not scanned yet, the reply may be a warning page.',
      permission: 'public',
      foreign_query: true,
      always: true,
      fronted: true,
      params: { code: text(600, 0) },
      // The last entry makes the route accept any Accept header.
      produces: ['text/html', 'application/json', '*/*'],
      replies: {
        200: Preview,
        301: null,
        302: null,
        307: null,
        308: null,
        404: Type.Unsafe<string>(Type.String()),
      },
      fails: [...missing, 'domain_not_found'],
    },
    ({ request }, { hosts }) => {
      const accept = String(request.headers['accept'] ?? '')
      const known = hosts.get(String(request.headers['host'] ?? ''))
      const carries_links = known !== null && typeof known === 'object'
      const answer = absentAnswer(carries_links ? 'link_not_found' : 'domain_not_found', accept)
      return reply(404, answer.body ?? '', headersOf(answer))
    },
  ),
})

function headersOf({ headers }: Answer): Record<string, string> {
  const named: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) named[headers[at] ?? ''] = headers[at + 1] ?? ''
  return named
}
