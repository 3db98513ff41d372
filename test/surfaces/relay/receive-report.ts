/** The vendor's reports: signed over the exact bytes, stored once by their id; one by one, or in a batch. */
import { parseStandardSecret, signStandard, sql, verifyStandard } from '#dodeca/kernel'
import type { Kernel, Provider, ProviderEvent, SignedProviderMessage, Tx } from '#dodeca/kernel'

const report_secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAAAAAAAAAAA='

/** The headers of a report that the vendor has signed. */
export function signReport(body: string, id: string, timestamp_seconds: number) {
  const secret = parseStandardSecret(report_secret)
  if (!secret) throw new Error('the secret is malformed')
  const message = { id, timestamp_seconds, body: Buffer.from(body), secrets: [secret] }
  return { ...signStandard(message) }
}

export function vendorReports(kernel: Kernel): Provider {
  return {
    name: 'vendor',
    accepted: 204,
    max_bytes: 64 * 1024,
    verify: message => {
      const refused = refusalOf(kernel, message)
      if (refused) return { refused }
      return { events: [{ event_id: String(message.headers['webhook-id']) }] }
    },
    receive,
  }
}

/** Lists of ids, signed together with the address to which they were sent. */
export function vendorBatches(kernel: Kernel): Provider {
  return {
    name: 'vendor_batches',
    accepted: 200,
    max_bytes: 1000,
    verify: async message => {
      const { raw, headers, url } = message
      if (headers['x-addressed-to'] !== url) return { refused: 'signature_invalid' }
      const refused = await Promise.resolve(refusalOf(kernel, message))
      if (refused) return { refused }
      try {
        const ids = JSON.parse(raw.toString()) as string[]
        return { events: ids.map(event_id => ({ event_id })) }
      } catch {
        return { refused: 'envelope_invalid' }
      }
    },
    receive,
  }
}

function refusalOf({ clock }: Kernel, { raw, headers }: SignedProviderMessage) {
  const secret = parseStandardSecret(report_secret)
  const { outcome } = verifyStandard({
    headers,
    body: raw,
    secrets: secret ? [secret] : [],
    now_seconds: clock.nowSeconds(),
  })
  return outcome === 'ok' ? null : outcome
}

async function receive(tx: Tx, events: readonly ProviderEvent[]): Promise<void> {
  for (const { event_id } of events) {
    await tx.run(
      sql`insert into relay.reports (event_id) values (${event_id}) on conflict do nothing`,
    )
  }
}
