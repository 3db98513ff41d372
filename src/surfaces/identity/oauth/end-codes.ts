/**
 * Ends the codes of an application that it has not redeemed yet, so that nothing begins after all
 * that it was given has ended. Codes are locked before sessions, as where one is redeemed.
 */
import { sql, type Tx } from '#dodeca/kernel'

type Which = {
  readonly account_id?: string
  readonly client_id?: string | undefined
  /** Of an API: the codes for its tokens. */
  readonly audience?: string | undefined
}

export async function endCodes(tx: Tx, { account_id, client_id, audience }: Which): Promise<void> {
  await tx.run(sql`
    -- any tenant: an application of \`default\` serves all
    update identity.one_time_challenges set consumed_at = kernel.now()
    where purpose = 'oauth_code' and consumed_at is null and expires_at > kernel.now()
      and (${account_id ?? null}::uuid is null or account_id = ${account_id ?? null}::uuid)
      and (${client_id ?? null}::text is null or details->>'client_id' = ${client_id ?? null}::text)
      and (${audience ?? null}::text is null or details->>'audience' = ${audience ?? null}::text)`)
}
