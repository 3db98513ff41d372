/** The vendor's reports: signed over the exact bytes, stored once by their id. */
import { sql } from '../../../src/kernel/database/sql.ts'
import { parseStandardSecret, verifyStandard } from '../../../src/kernel/outgoing/signatures.ts'
import type { Kernel, Provider } from '../../../src/kernel/surface.ts'

export const report_secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAAAAAAAAAAA='

export function vendorReports({ clock }: Kernel): Provider {
  const secret = parseStandardSecret(report_secret)
  return {
    name: 'vendor',
    accepted: 204,
    verify: (raw, headers) => {
      const secrets = secret ? [secret] : []
      const verdict = verifyStandard({
        headers,
        body: raw,
        secrets,
        now_seconds: clock.nowSeconds(),
      })
      if (verdict.outcome !== 'ok') return { refused: verdict.outcome }
      return { event_id: String(headers['webhook-id']), raw }
    },
    receive: async (tx, { event_id }) => {
      await tx.run(
        sql`insert into relay.reports (event_id) values (${event_id}) on conflict do nothing`,
      )
    },
  }
}
