/** The page of an id, by the name of the field that contains it. */
import { addressOf } from '../router.tsx'
import { ownReferences } from './own.ts'

const places: Readonly<Record<string, readonly [string, string]>> = {
  account_id: ['identity', 'accounts'],
  actor: ['identity', 'accounts'],
  buyer_id: ['identity', 'accounts'],
  owner_id: ['identity', 'accounts'],
  principal_id: ['identity', 'accounts'],
  user_id: ['identity', 'accounts'],
  author_id: ['identity', 'accounts'],
  job_id: ['jobs', 'jobs'],
  last_job_id: ['jobs', 'jobs'],
  cause_job_id: ['jobs', 'jobs'],
  order_id: ['commerce', 'orders'],
  order_ref: ['commerce', 'orders'],
  sender_id: ['identity', 'accounts'],
  product_id: ['commerce', 'products'],
  intent_id: ['payments', 'intents'],
  customer_id: ['payments', 'customers'],
  subscription_id: ['webhooks', 'subscriptions'],
  delivery_id: ['webhooks', 'deliveries'],
  event_id: ['events', 'log'],
  notification_id: ['notifications', 'notifications'],
  batch_id: ['notifications', 'batches'],
  collection_id: ['retrieval', 'collections'],
  document_id: ['retrieval', 'documents'],
  file_id: ['uploads', 'files'],
  case_id: ['social', 'cases'],
  post_id: ['social', 'posts'],
  conversation_id: ['chat', 'conversations'],
}

export function leadsTo(field: string, id: string): string | null {
  if (field === 'request_id' || field === 'trace_id') {
    return addressOf(['trace', requestIdOf(id) ?? id])
  }
  const place = places[field] ?? ownReferences[field]
  return place ? addressOf([...place, id]) : null
}

/** A request id, or a trace id (32 digits without dashes), as a UUID. Null if it is neither. */
export function requestIdOf(text: string): string | null {
  const hex = text.trim().toLowerCase().replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/.test(hex)) return null
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
