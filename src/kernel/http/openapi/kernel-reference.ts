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
  'FieldError.location': ['The part of the request.'],
  'FieldError.pointer': ['A JSON Pointer to the value.', '/priority'],
  'FieldError.constraint': ['The rule that the value breaks.', 'maximum'],
  'FieldError.message': ['The rule as a sentence.', '/priority must be at most 9.'],
  'FieldError.params': ['The limit of the rule.', { limit: 9 }],
}
