/**
 * Routes of the sources of inbound webhooks. A request replaces the whole source. A reply never
 * contains the secrets.
 */
import { etag, reply, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import type { InboundSecrets } from '../inbound-secrets.ts'
import { AccountRef, Provider, PutSource, Source } from '../schemas.ts'
import { findSource, type SourceKey, type SourceRow } from './find-source.ts'
import { putSource } from './put-source.ts'

const path = '/v1/inbound-sources/{provider}/{account_ref}'

export type SourceDeps = Pick<Deps, 'kernel'> & { readonly secrets: InboundSecrets }

const keyOf = ({ provider, account_ref }: SourceKey) => ({ provider, account_ref })

const { open, get, put, del } = routesOf<SourceDeps>({
  absent: 'inbound_source_not_found',
  permission: 'webhooks.inbound_sources.manage',
  added: true,
  params: { provider: Provider, account_ref: AccountRef },
})

export const sourceRoutes = open({
  putInboundSource: put(
    path,
    'Configure a provider that sends webhooks, and how it signs them',
    {
      sends: ['etag'],
      absent: 'validation_failed',
      description:
        'Secrets are never returned. While you rotate a secret, send both the old and the new one.',
      body: PutSource,
      tool: 'never',
      replies: { 200: Source, 201: Source },
      fails: ['already_exists', 'precondition_failed'],
    },
    async ({ tx, params, principal, body, request }, deps) => {
      const { tenant_id } = principal
      const { 'if-match': if_match, 'if-none-match': if_none_match } = request.headers
      const where = { ...keyOf(params), tenant_id, conditions: { if_match, if_none_match } }
      const { row, made } = await putSource(tx, deps, where, body)
      tx.audit('webhooks.inbound_sources.put', `inbound_source:${row.id}`)
      const headers = { etag: etag(row.version) }
      if (!made) return reply(200, viewOf(deps, row), headers)
      return reply(201, viewOf(deps, row), { ...headers, location: request.path })
    },
  ),

  getInboundSource: get(
    path,
    'A source of inbound webhooks, without its secrets',
    { sends: ['etag'], reply: Source },
    async ({ tx, params, principal: { tenant_id } }, deps) => {
      const row = await findSource(tx, { ...keyOf(params), tenant_id })
      return reply(200, viewOf(deps, row), { etag: etag(row.version) })
    },
  ),

  deleteInboundSource: del(
    path,
    'Stop receiving from a source; received messages stay',
    {},
    async ({ tx, params: { provider, account_ref }, principal }) => {
      const { tenant_id } = principal
      const gone = await tx.run(sql`
        delete from webhooks.inbound_sources
        where tenant_id = ${tenant_id} and provider = ${provider} and account_ref = ${account_ref}`)
      if (gone > 0) {
        tx.audit('webhooks.inbound_sources.delete', `inbound_source:${provider}/${account_ref}`)
      }
    },
  ),
})

function viewOf({ kernel }: SourceDeps, { version: _version, ...row }: SourceRow) {
  return { ...row, url: `${kernel.public_url}/v1/inbound/${row.provider}/${row.account_ref}` }
}
