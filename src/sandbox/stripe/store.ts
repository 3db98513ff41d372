/** The records of this Stripe. */
import type { RecordChange, RecordStore } from '../record-store.ts'
import type { Tables } from './objects.ts'

export type Store = RecordStore<Tables>
export type Change = RecordChange<Tables>
