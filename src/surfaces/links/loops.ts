/** What the link shortener does without being asked. */
import { sql } from '../../kernel/database/sql.ts'
import type { Loop } from '../../kernel/surface.ts'
import type { Deps } from './deps.ts'
import { scanLinks } from './destinations/scan-links.ts'
import { forgetClaims } from './domains/forget-claims.ts'
import { recheckDomains } from './domains/recheck-domains.ts'
import { forgetReports } from './moderation/report-link.ts'
import { expireLinks } from './shortening/expire-links.ts'

export function loops(deps: Deps): readonly Loop[] {
  return [
    { name: 'links.expire', every_ms: 10_000, run: signal => expireLinks(deps, signal) },
    { name: 'links.domains', every_ms: 60_000, run: signal => recheckDomains(deps, signal) },
    { name: 'links.forget', every_ms: 600_000, run: () => forget(deps) },
    ...(deps.reputation
      ? [
          {
            name: 'links.scan',
            every_ms: 1000,
            run: (signal: AbortSignal) => scanLinks(deps, signal),
          },
        ]
      : []),
  ]
}

async function forget(deps: Deps): Promise<void> {
  await forgetClaims(deps)
  await forgetReports(deps)
  await deps.kernel.db.run(sql`
    delete from kernel.throttles where bucket in (select bucket from kernel.throttles
      where bucket like 'links.%' and tat < now() limit 1000)`)
}
