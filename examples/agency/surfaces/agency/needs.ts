/** The surfaces of the platform that the agency calls, and under which names. */
import type { FacesOf } from 'dodeca'

export const needs = {
  people: 'identity',
  payments: 'payments',
  rooms: 'chat',
  messages: 'notifications',
  jobs: 'jobs',
  files: 'uploads',
} as const

export type Ports = FacesOf<typeof needs>
