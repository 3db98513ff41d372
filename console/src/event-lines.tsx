/** Events on a time line. Each event links to its page. */
import type { Row } from './operation.ts'
import { addressOf, Link } from './router.tsx'
import { Time } from './value.tsx'

export function EventLines({ events }: { readonly events: readonly Row[] }) {
  return (
    <ol class="timeline">
      {events.map(event => (
        <li key={String(event['id'])}>
          <Time value={String(event['occurred_at'])} />{' '}
          <Link to={addressOf(['events', 'log', String(event['id'])])}>
            {String(event['type'])}
          </Link>
        </li>
      ))}
    </ol>
  )
}
