/** The names and descriptions of this surface for the published document. */
import type { Reference } from '#dodeca/kernel'
import { domainsReference } from './domains/reference.ts'
import { moderationReference } from './moderation/reference.ts'
import { shorteningReference } from './shortening/reference.ts'
import { statisticsReference } from './statistics/reference.ts'

export const reference: Reference = {
  introduction:
    'Short links with safe destinations. A link has a code on a domain, an owner, an expiry and statistics. Destinations are checked before and after a link is published. You can use your own domains after you prove them with a DNS record.',
  members: {
    ...shorteningReference,
    ...domainsReference,
    ...moderationReference,
    ...statisticsReference,
    'path.blocklist_id': ['The id of the entry.'],
    'query.domain': [
      'The host name of the link. Without it, that of the platform.',
      'go.example.com',
    ],
    'query.q': ['Only those with these words in the title or the destination.', 'spring'],
    'query.from': ['The first day, in UTC.', '2026-03-01'],
    'query.to': ['The last day, in UTC.', '2026-03-31'],
    'query.dimensions': ['Names, with commas between them. Without it, all.', 'country,device'],
    'query.format': ['The format of the picture.'],
    'query.size': ['The width in pixels.', 512],
    'query.ec': ['How much of the picture may be hidden: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %.'],
    'query.margin': ['The white border, in modules of the code.', 4],
    destination_url: ['The destination of the link.', 'https://example.com/spring?utm_source=mail'],
    alias: ['The code that you want. Leave it out to get a random code.', 'spring-sale'],
    code: ['The last part of the short URL.', 'spring-sale'],
    short_url: ['The complete short URL.', 'http://127.0.0.1:8080/spring-sale'],
    hostname: ['The host name of the short links.', 'go.example.com'],
    max_clicks: [
      'How often the link may be followed. Everything that gets the destination counts: also a robot, the preview of a messenger, a prefetch, a HEAD request and the warning page.',
      1000,
    ],
    redirect_status: ['The status of the redirect.'],
    title: ['The title that the owner gave the link.', 'Spring sale'],
    safety_state: ['The result of the checks of the destination.'],
    remaining_clicks: ['How often the link may still be followed.', 987],
    freshness_seconds: ['How many seconds the statistics lag behind the clicks.', 60],
  },
}
