/**
 * Routes to the results of jobs: a short-lived URL for callers who may read it, and the bytes for
 * the holder of the URL.
 */
import { Type } from 'typebox'
import { closed, count, Id, RawBytes, reply, rfc3339, routesOf, text, Time } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { isTerminal } from '../schemas.ts'
import { findJob } from '../jobs/find-job.ts'
import { factsOf, openResult } from './read-result.ts'

const ResultAddress = Type.Object(
  {
    url: Type.String(),
    expires_at: Time,
    media_type: Type.String(),
    size: count(0, Number.MAX_SAFE_INTEGER),
    checksum_sha256: Type.String(),
  },
  { title: 'JobResultAddress' },
)

const { open, get } = routesOf<Deps>({
  absent: 'job_not_found',
  permission: 'authenticated',
  params: { result_id: Id },
})

export const resultRoutes = open({
  getJobResultUrl: get(
    '/v1/jobs/{job_id}/result-url',
    'An address from which the result can be fetched for a short while',
    {
      tool: 'never',
      for_others: 'jobs.results.read:{type}',
      reply: ResultAddress,
      fails: ['permission_denied', 'result_not_found', 'result_not_ready'],
    },
    async ({ tx, params, principal, grants }, deps) => {
      const { clock, public_url, settings, signedUrls } = deps.kernel
      const caller = { principal, grants }
      const job = await findJob(tx, deps, caller, params.job_id, 'jobs.results.read')
      if (!isTerminal(job.state)) throw problem('result_not_ready', { current_state: job.state })
      const { tenant_id, result_ref } = job
      const found = result_ref && (await factsOf(tx, { tenant_id, result_ref }))
      if (!found) throw problem('result_not_found')
      const expires_seconds = clock.nowSeconds() + settings['jobs.result_url_seconds']
      const grant = { method: 'GET', path: `/_objects/j/${result_ref}`, limits: {} }
      const { media_type, size, checksum_sha256 } = found
      return {
        url: public_url + signedUrls.sign(grant, expires_seconds),
        expires_at: rfc3339(expires_seconds * 1000),
        media_type,
        size,
        checksum_sha256: checksum_sha256.toString('hex'),
      }
    },
  ),

  downloadJobResult: get(
    '/_objects/j/{result_id}',
    'Download a result from its signed URL',
    {
      description:
        'The address comes from `GET /v1/jobs/{job_id}/result-url` and works for a short time.',
      permission: 'public',
      takes: 'signed_url',
      added: true,
      absent: 'result_not_found',
      produces: ['application/octet-stream', 'application/json', 'text/plain', 'text/csv', '*/*'],
      query: closed({
        exp: Type.Optional(text(20)),
        kid: Type.Optional(text(64)),
        sig: Type.Optional(text(64)),
      }),
      reply: RawBytes,
      fails: ['signed_url_invalid', 'signed_url_expired'],
    },
    async ({ tx, params, query, request }, deps) => {
      const { kernel } = deps
      const grant = { method: 'GET', path: request.path, limits: {} }
      const verdict = kernel.signedUrls.verify(grant, query, kernel.clock.nowSeconds())
      if (verdict !== 'ok') throw problem(verdict)
      const found = await openResult(tx, deps, params.result_id)
      if (!found) throw problem('result_not_found')
      const { bytes, media_type, size, checksum_sha256 } = found
      return reply(200, bytes, {
        'content-type': media_type,
        'content-length': String(size),
        // A browser must never show a result as a page of this host.
        'content-disposition': 'attachment',
        'repr-digest': `sha-256=:${checksum_sha256.toString('base64')}:`,
      })
    },
  ),
})
