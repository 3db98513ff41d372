/** The names and descriptions of this surface for the published document. */
import type { Reference } from '../../kernel/http/openapi/reference.ts'

export const reference: Reference = {
  introduction:
    'Short links with safe destinations. A link has a code on a domain, an owner, an expiry and statistics; destinations are checked before and after they are published. Domains of your own carry links after a DNS proof.',
  members: {
    destination_url: ['Where the link leads.', 'https://example.com/spring?utm_source=mail'],
    alias: ['The code that you wish for; absent for a free one.', 'spring-sale'],
    code: ['The last part of the short address.', 'spring-sale'],
    short_url: ['The whole short address.', 'http://127.0.0.1:8080/spring-sale'],
    hostname: ['The host that carries links.', 'go.example.com'],
    max_clicks: ['How often the link may be followed.', 1000],
    redirect_status: ['The status of the redirect.'],
    title: ['What the owner calls the link.', 'Spring sale'],
    safety_state: ['What the checks of the destination found.'],
    remaining_clicks: ['How often the link may still be followed.', 987],
    freshness_seconds: ['How old the newest counted click may be.', 60],
  },
}
