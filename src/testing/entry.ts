/** What an application is tested with, `dodeca/testing`. It needs no particular test runner. */
import { eventually as untilFound } from './call.ts'

export { newKey, type Answer, type Ask } from './call.ts'
export { contract } from './contract.ts'
export type { Check } from './contract/checks.ts'
export type { Crawl, Maker, Recipe, Said, Subject } from './contract/crawl.ts'
export type { Member, People, Tenant } from './people.ts'
export { killed, openApp, type World } from './world.ts'
export type { Vendor } from '../sandbox/vendor.ts'

/** Waits until `look` returns something, and fails with `what` after two minutes. */
export function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  limit_ms = 120_000,
): Promise<T> {
  return untilFound(what, look, limit_ms)
}
