/** The application of the agency under test, and what its surfaces may call. */
import { inject } from 'vitest'
import type { FacesOf } from '#dodeca/kernel'
import { openApp, type World } from '../../src/testing/entry.ts'
import application from './dodeca.config.ts'

export type Ports = FacesOf<{
  readonly people: 'identity'
  readonly jobs: 'jobs'
  readonly files: 'uploads'
  readonly messages: 'notifications'
  readonly payments: 'payments'
  readonly rooms: 'chat'
}>

export function openAgency(settings: Record<string, string> = {}): Promise<World> {
  process.env['TEST_DATABASE_URL'] = inject('admin_url')
  const usual = {
    PAYMENTS_RESOLVE_FIRST_SECONDS: '0.1',
    PAYMENTS_BREAKER_OPEN_MS: '100',
    UPLOADS_SWEEP_SECONDS: '0.2',
  }
  return openApp(application, { ...usual, ...settings }, import.meta.dirname)
}

export function portsOf(world: World): Ports {
  return world.platform.opened['probe']?.face as Ports
}
