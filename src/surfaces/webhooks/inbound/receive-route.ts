/**
 * The route that receives the messages of a source. It needs no login. The reply to a received
 * message is the reply that the provider documents.
 */
import { Type } from 'typebox'
import { reply, routesOf } from '#dodeca/kernel'
import { github_bytes_max, limitFor, receive, type ReceiveDeps } from './receive.ts'
import { AccountRef, Provider } from './schemas.ts'

/** A text is sent unchanged. For providers that expect JSON, the reply is an object. */
const Received = Type.Unsafe<string>(Type.Any())

const { open, post } = routesOf<ReceiveDeps>({ absent: 'inbound_source_not_found' })

export const receiveRoutes = open({
  receiveInboundWebhook: post(
    '/v1/inbound/{provider}/{account_ref}',
    'Receive a signed webhook of a provider',
    (deps: ReceiveDeps) => ({
      description:
        'The reply is sent after the message is stored, in the form that the provider documents: 200 ' +
        'with `{"received":true}` to Stripe, 202 to GitHub (with the receipt in `Location`), 200 to Slack (with its `challenge`, if the ' +
        'message has one) and to Twilio (with an empty `<Response/>`), 204 to all other providers. A ' +
        'repeated message gets the same reply as the first one.',
      sends: ['location'],
      permission: 'public',
      foreign_query: true,
      takes: 'signature',
      rate: 'webhook_in',
      // The rate is counted for each source and client address. So invalid messages of a stranger
      // use up only the stranger's own rate.
      rate_by: ['provider', 'account_ref'],
      idempotency: 'ignored',
      transaction: 'own',
      consumes: 'raw',
      // A message is accepted even if the provider sends an unusual Accept header.
      produces: ['application/json', 'text/plain', 'text/xml', '*/*'],
      params: { provider: Provider, account_ref: AccountRef },
      body_limit_bytes: Math.max(
        deps.kernel.settings['webhooks.inbound_max_bytes'],
        github_bytes_max,
      ),
      bodyLimitFor: head => limitFor(deps, head),
      fails: [
        'envelope_invalid',
        'service_unavailable',
        'signature_invalid',
        'timestamp_out_of_window',
        'unsupported_media_type',
      ],
      replies: { 200: Received, 202: null, 204: null },
    }),
    async ({ params, request }, deps) => {
      const received = await receive(deps, params, request)
      const { status, body, media_type, receipt_id } = received
      if (status === 202 && receipt_id) {
        return reply(202, null, { location: `/v1/inbound-receipts/${receipt_id}` })
      }
      if (status !== 200) return reply(status, null)
      return reply(200, body ?? '', { 'content-type': media_type ?? 'text/plain' })
    },
  ),
})
