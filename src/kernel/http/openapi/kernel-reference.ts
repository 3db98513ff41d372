/**
 * Properties that mean the same in every surface, and properties of the platform's own operations.
 */
import { kernelNouns } from './kernel-nouns.ts'
import type { Reference } from './reference.ts'

export const platform_introduction =
  'Information about the platform: health, limits, error codes, the event log and the audit log. It is mostly for operators and programs.'

export const kernelReference: Reference['members'] = {
  ...kernelNouns,
  data: ['The items of this page.'],
  next_cursor: ['Send it as `cursor` to get the next page; null on the last one.', 'c1.eyJhIjoxfQ'],
  has_more: ['Whether a next page exists.', true],
  cursor: [
    'The `next_cursor` of the page before. Leave it out for the first page.',
    'c1.eyJhIjoxfQ',
  ],
  reason: [
    'The reason that the caller gave. It is kept in the audit log.',
    'Requested by the customer.',
  ],
  'Problem.type': [
    'The address of the page that explains the code.',
    'http://localhost:8080/problems/job_not_found',
  ],
  'Problem.title': [
    'The meaning of the code. It is the same text in every reply.',
    'There is no such job',
  ],
  'Problem.status': ['The HTTP status.', 404],
  'Problem.detail': [
    'What was wrong with this request, and what to do next.',
    'No job has this id, or you may not see it. Check the id in `GET /v1/jobs`.',
  ],
  'Problem.instance': ['The path of the request.', '/v1/jobs/019c8f3a-5b20-7d41-9e6b-2f1c40d7a961'],
  'Problem.code': ['The stable name of the error. New codes may be added.', 'job_not_found'],
  'Problem.request_id': ['The id of the request, as in `X-Request-Id`.'],
  'Problem.errors': ['The values that do not match the schema, at most 20 of them.'],
  'Problem.retry_after': ['Seconds to wait before the same request is sent again.', 2],
  'Problem.current_state': ['The state that does not allow the request.', 'succeeded'],
  'LoggedRequest.route': [
    'The operation; null if no route has the path.',
    'POST /v1/orders/{order_id}/cancel',
  ],
  'LoggedRequest.code': ['Why it was refused; null if it was only slow.', 'permission_denied'],
  'LoggedRequest.permission': [
    'The permission that the caller lacked.',
    'commerce.orders.cancel_any',
  ],
  'LoggedRequest.pointer': [
    'Where the first wrong member is. `*` stands for a name that the route does not declare.',
    'body /lines/0/quantity',
  ],
  'LoggedRequest.ms': ['Milliseconds until the reply was sent.', 12],
  'LoggedRequest.about': ['The ids in the path.'],
  'LoggedRequest.times': ['How many alike requests the row stands for.', 1],
  'FoundRequest.kept': [
    '`keyed`: it was a write with an Idempotency-Key. `logged`: it failed or was slow.',
    'logged',
  ],
  'FoundRequest.location': ['The address of what the request created.'],
  'FoundRequest.transaction_id': [
    'The transaction that stored the outcome. Its events have the same number.',
  ],
  'Match.kind': ['The path of its list below `/v1/`.', 'orders'],
  'Match.title': ['What the list calls it.', '1042'],
  'Match.subtitle': ['A line that tells it from others.', 'captured'],
  'Match.at': ['When it was made.'],
  'Match.path': ['Where to read it; null if it has no address of its own.'],
  'Matches.more': ['The lists with more such rows. Ask them with `find`.', ['orders']],
  'query.limit': ['The most items of a page.', 20],
  'query.since': ['Only from this time on.'],
  'query.until': ['Only before this time.'],
  'query.sort': ['The order of the list. With `-` in front, the highest comes first.'],
  'query.find': ['Only what has this id or number, or whose name begins so.'],
  'query.account_id': ['Only what belongs to this account.'],
  'query.user_id': ['Only what belongs to this person.'],
  'query.owner_id': ['Only what belongs to this account.'],
  'query.scope': [
    '`own`: only what is yours. `tenant`: what everybody has; it needs a permission.',
  ],
  'query.state': ['Only those in this state.'],
  'query.status': ['Only those with this status.'],
  'query.kind': ['Only those of this kind.'],
  'query.type': ['Only those of this type.'],
  'query.name': ['Only those with this name.'],
  'query.code': ['Only those with this error code.'],
  'query.route': ['Only those of this operation.', 'POST /v1/orders'],
  'query.about': ['Only those with this id in the path.'],
  'query.actor': ['Only what this account, key or program did.'],
  'query.action': ['Only this action.', 'links.links.disable'],
  'query.target': ['Only what was done to this.', 'order:019c8f3a-5b20-7d41-9e6b-2f1c40d7a961'],
  'query.request_id': ['Only what this request did.'],
  'query.consumer': ['Only those of this consumer.'],
  'query.order_id': ['Only those of this order.'],
  'query.customer_id': ['Only those of this customer.'],
  'query.event_id': ['Only those of this event.'],
  'query.batch_id': ['Only those of this batch.'],
  'query.subscription_id': ['Only those of this subscription.'],
  'query.trace_id': ['Only those of this trace.'],
  'query.sig': ['The signature. It is part of the URL that the platform gave out.'],
  'query.kid': ['The name of the key that signed.'],
  'query.exp': ['When the URL ends, in seconds since 1970.'],
  'path.type': ['The name of the type.'],
  'path.version': ['The number of the version.', 2],
  'path.provider': ['The name of the provider.'],
  'FieldError.location': ['The part of the request.'],
  'FieldError.pointer': ['A JSON Pointer to the value.', '/priority'],
  'FieldError.constraint': ['The rule that the value breaks.', 'maximum'],
  'FieldError.message': ['The rule as a sentence.', '/priority must be at most 9.'],
  'FieldError.params': ['The limit of the rule.', { limit: 9 }],
}
